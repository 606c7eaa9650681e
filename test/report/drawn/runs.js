'use strict'

// Results of runs in which each part may be there or not. Each part has dice of its own, so that another one changes no other part.

const hdr = require('hdr-histogram-js')
const { Dice, MOMENT, count, counts, environment, list, maybe, name, rate, round, share, size, statistics, time } = require('./draw')

const BOXES = ['scheduled', 'unsent', 'sent', 'completed', 'failed', 'timedOut', 'unfinished']
const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx']
const STATUSES = ['200', '204', '302', '399', '400', '404', '500', '503', '600']
const GRPC = ['OK', 'NOT_FOUND', 'UNAVAILABLE', 'INTERNAL', 'ABORTED', 'UNKNOWN']
const PHASES = ['dns', 'connect', 'tls', 'send', 'receive', 'parse', 'timeout', 'other']
const MESSAGES = ['', 'gone', 'connect ECONNREFUSED 127.0.0.1:1', 'wrong version number', 'packet length too long', '100% <of> it|all']
const CODES = ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'EMFILE', 'ENFILE', 'ETIMEDOUT', 'EADDRINUSE', 'EADDRNOTAVAIL', 'CANNONADE_CONNECT_TIMEOUT', 'CANNONADE_RESPONSE_TIMEOUT', 'CANNONADE_LOST_IN_PIPELINE', 'CANNONADE_TRUNCATED_RESPONSE', 'EPROTO', 'EHOSTUNREACH']
const SCENARIOS = ['browse', 'buy']

const statusStats = (dice) => Object.fromEntries(Object.entries(counts(dice, STATUSES, 0.35)).map(([code, number]) => [code, { count: number }]))
const few = (dice) => dice.one(0, 0, 0, 1, 2, 5, 1200)

/** A bound that is one of the statistics, or between two of them. */
function boundsOf (dice, statistics) {
  if (statistics.totalCount === 0 || dice.happens(0.4)) return { count: 0, share: 0, smallest: null }
  const at = statistics[dice.one('p50', 'p90', 'p99', 'max', 'min')]
  const number = Math.min(dice.one(1, 2, 50), statistics.totalCount)
  return { count: number, share: number / statistics.totalCount, smallest: dice.one(at, at, round(at * 1.0001), round(at * 0.9999)) }
}

function encoded (dice) {
  const histogram = hdr.build({ bitBucketSize: 64, autoResize: true, numberOfSignificantValueDigits: 3 })
  const first = time(dice)
  const factor = dice.one(1, 1.1, 10, 29, 31, 1000)
  const length = dice.one(1, 3, 20, 120)
  for (let index = 0; index < length; index++) histogram.recordValue(Math.round(1000 * first * factor ** (index / length)))
  return hdr.encodeIntoCompressedBase64(histogram)
}

const PARTS = {
  subject (dice) {
    return {
      title: maybe(dice, 0.4, name),
      url: dice.one('http://a', 'https://b/?token=x', 'ws://c', ['http://a', 'http://b'], 'http://user:secret@d/'),
      socketPath: maybe(dice, 0.15, () => '/tmp/socket'),
      start: maybe(dice, 0.9, () => MOMENT),
      duration: dice.one(0, 0.2184, 0.9996, 1, 4.9985, 5, 9.96, 10.049, 59.6, 60, 90, 3600),
      drain: maybe(dice, 0.3, () => ({ seconds: dice.one(0, 0.25, 2.5), completed: count(dice) })),
      warmup: maybe(dice, 0.2, () => ({ duration: dice.one(0.5, 3) })),
      connections: dice.one(1, 1, 7, 1200),
      pipelining: dice.one(1, 1, 2, 1000),
      workers: dice.one(undefined, 0, 4),
      sampleInt: dice.one(100, 1000, 1000, 2000),
      samples: count(dice)
    }
  },
  load (dice) {
    const isBad = dice.happens(0.6)
    const of = (share) => isBad && dice.happens(share) ? count(dice) : 0
    const accounting = Object.fromEntries(BOXES.map((box) => [box, box === 'completed' ? count(dice) : of(0.5)]))
    accounting.sent = accounting.completed + accounting.failed + accounting.timedOut + accounting.unfinished
    accounting.scheduled = accounting.sent + accounting.unsent
    const offered = rate(dice)
    return {
      accounting,
      rate: maybe(dice, 0.5, () => ({ offered, achieved: dice.one(offered, offered * 0.99, offered * 0.98, rate(dice)) })),
      requests: { ...statistics(dice, { values: [0, 1, 100, 67_391] }), average: rate(dice), total: accounting.completed, sent: accounting.sent },
      throughput: { ...statistics(dice, { values: [0, 1000, 85_567_890] }), total: size(dice) },
      bytes: maybe(dice, 0.9, () => ({ read: size(dice), written: size(dice) })),
      errors: of(0.6),
      timeouts: of(0.3),
      mismatches: of(0.3),
      resets: dice.one(0, 0, 1, 2),
      non2xx: of(0.5),
      ...Object.fromEntries(CLASSES.map((name) => [name, name === '2xx' ? accounting.completed : of(0.3)])),
      statusCodeStats: statusStats(dice),
      grpcStatus: maybe(dice, 0.2, () => counts(dice, GRPC))
    }
  },
  times (dice) {
    const latency = statistics(dice)
    const same = dice.one(1, 1.005, 1.01, 1.0101, 1.5)
    return {
      latency,
      latencyBounds: maybe(dice, 0.8, () => boundsOf(dice, latency)),
      latencyWithUnfinished: maybe(dice, 0.7, () => ({ ...latency, p90: round(latency.p90 * same), max: round(latency.max * dice.one(1, same)) })),
      serviceTime: maybe(dice, 0.8, () => dice.one(latency, { ...latency, p99: latency.p99 / 1.1 }, { ...latency, p99: latency.p99 / 1.11 }, statistics(dice))),
      timeToStatusLine: maybe(dice, 0.7, statistics),
      transferTime: maybe(dice, 0.7, statistics),
      connectTime: { ...statistics(dice), dns: statistics(dice, { isKnown: dice.happens(0.5) }), tcp: statistics(dice, { isKnown: dice.happens(0.7) }), tls: statistics(dice, { isKnown: dice.happens(0.4) }) },
      histograms: maybe(dice, 0.4, () => ({ latency: encoded(dice), ...maybe(dice, 0.5, () => ({ serviceTime: encoded(dice) })) })),
      missing: maybe(dice, 0.4, () => ({}))
    }
  },
  connections: (dice) => ({
    connectionStats: {
      ...counts(dice, ['closedByServer', 'closedByClient']), opened: count(dice), failed: few(dice), peak: dice.one(1, 7, 1200), ...maybe(dice, 0.7, () => ({ burst: count(dice), withReplies: count(dice), lifetime: statistics(dice) }))
    },
    replySize: maybe(dice, 0.7, () => ({ head: rate(dice), content: rate(dice), footer: few(dice) })),
    replyRate: maybe(dice, 0.7, () => ({ samples: list(dice.whole(0, 4), () => rate(dice)) }))
  }),
  errors: (dice) => ({
    errorCodes: Object.fromEntries(CODES.slice(0, dice.one(0, 0, 1, 3, 10, 11, 14)).map((code) => [code, {
      count: dice.one(0, 1, 1, 5, 1200), message: dice.one(...MESSAGES), ...dice.one({}, { phase: dice.one(...PHASES) }, { phases: counts(dice, PHASES, 0.3), phase: 'send' })
    }])),
    warnings: list(dice.one(0, 0, 1, 2), () => dice.one({ code: 'W', message: 'Mind this.' }, { code: 'A:B,C', message: '5% and 6%' }, { code: 'NO_FILE_DESCRIPTORS', message: 'Warning: no more files.' }, { code: 'GENERATOR_SATURATED', message: 'The generator was busy.' }, { code: 'E' }))
  }),
  thresholds: (dice) => ({
    passed: dice.one(true, true, false),
    thresholds: list(dice.one(0, 0, 1, 2, 3), () => threshold(dice))
  }),
  generator: (dice) => ({
    generator: {
      saturated: dice.happens(0.3),
      cause: dice.one('process', 'machine', 'hooks', undefined),
      reasons: dice.one([], ['slow hooks'], ['one', 'two']),
      cpu: { user: dice.one(0, 1.005, 2.5), system: dice.one(0, 0.25), ...maybe(dice, 0.9, () => ({ percent: 100 * share(dice) })) },
      ...maybe(dice, 0.9, () => ({ eventLoop: { utilization: share(dice), delayP99: 4 } }))
    }
  }),
  sessions: (dice) => maybe(dice, 0.3, () => {
    const boxes = Object.fromEntries(['scheduled', 'unstarted', 'started', 'completed', 'failed', 'unfinished'].map((box) => [box, dice.one(count(dice), few(dice))]))
    return {
      sessions: {
        ...boxes,
        rate: { offered: dice.one(rate(dice), null) },
        lifetime: statistics(dice),
        failTime: statistics(dice, { isKnown: dice.happens(0.6) }),
        connections: { average: dice.one(1, 1.75, 0) },
        peak: dice.one(1, 8, 1200),
        lengths: list(dice.whole(0, 4), () => count(dice)),
        failures: list(dice.whole(0, 2), () => ({ message: name(dice), code: dice.one(null, 'E', 'CANNONADE_RESPONSE_TIMEOUT'), scenario: dice.one(...SCENARIOS, null), count: few(dice) }))
      }
    }
  }),
  scenarios: (dice) => maybe(dice, 0.25, () => ({
    scenarios: SCENARIOS.map((scenario) => {
      const latency = statistics(dice)
      return { name: scenario, weight: dice.one(1, 3, 0, undefined), sessions: { completed: count(dice), failed: few(dice) }, accounting: { completed: count(dice) }, errors: few(dice), latency, latencyBounds: boundsOf(dice, latency), statusCodeStats: statusStats(dice) }
    })
  })),
  endpoints: (dice) => ({
    endpoints: list(dice.one(0, 1, 2, 3, 20, 21), (index) => {
      const latency = statistics(dice)
      return {
        title: maybe(dice, 0.3, name), method: dice.one('GET', 'POST', null), path: dice.one('/', `/items/${index}?token=x`, `/${'long/'.repeat(9)}`), scenario: dice.one(...SCENARIOS, null), latency, latencyBounds: boundsOf(dice, latency), completed: count(dice), failed: few(dice), statusCodeStats: statusStats(dice), grpcStatus: maybe(dice, 0.2, () => counts(dice, GRPC))
      }
    }),
    checks: list(dice.one(0, 0, 1, 2), () => ({ name: name(dice), scenario: dice.one(...SCENARIOS, null), passed: count(dice), failed: few(dice) }))
  }),
  stream: (dice) => maybe(dice, 0.25, () => {
    const each = statistics(dice, { values: [0, 1, 18, 1000] })
    return { stream: { events: count(dice), rate: rate(dice), eventsPerResponse: dice.one(each, { ...each, max: each.min }), timeToFirstEvent: statistics(dice), gap: statistics(dice) } }
  }),
  messages: (dice) => maybe(dice, 0.35, () => ({
    messages: Object.fromEntries(['sent', 'received', 'unasked', 'pings', 'pongs', 'bytesSent', 'bytesReceived'].map((key) => [key, count(dice)])),
    closeCodes: counts(dice, ['1000', '1001', '1005', '1006', 'other'], 0.3),
    broadcast: maybe(dice, 0.6, () => ({ expected: count(dice), received: count(dice), fanOut: rate(dice), lastCopy: statistics(dice) }))
  })),
  monitor: (dice) => ({
    monitor: list(dice.one(0, 0, 1, 2, 5), (index) => ({ pid: 71 + index, processes: dice.one(1, 2, 3), cpu: { totalCount: dice.one(0, 3, 3, 3, 3, 3, 3), p50: 100 * share(dice), mean: 100 * share(dice), max: dice.one(0, 250) }, memory: maybe(dice, 0.9, () => ({ p50: size(dice), mean: size(dice), max: size(dice) })) }))
  }),
  slowest (dice) {
    const isOpen = dice.happens(0.5)
    return {
      slowest: list(dice.one(0, 0, 1, 11), () => {
        const latency = time(dice)
        return { latency, serviceTime: isOpen ? time(dice) : latency, dueAt: dice.one(0, 1.5, 2.2504), method: dice.one('GET', 'POST'), path: dice.one('/items?token=x', `/${'x'.repeat(35)}`, `/${'x'.repeat(36)}`, undefined), status: dice.one(200, 503, null, undefined), bytes: count(dice), connection: count(dice), traceId: dice.one(null, 'abc'), stall: dice.one(null, 0, 1, 9) }
      })
    }
  },
  heat: (dice) => maybe(dice, 0.4, () => {
    const rows = dice.one(1, 3, 3, 240, 241)
    return { heat: { times: list(rows, (index) => round((index + 1) * dice.one(1, 1, 1, 1.0001))), bounds: dice.one([0, 10, 13.3, 17.8], [10, 13.3, 17.8], [1, 2, 4, 9]), counts: [] } }
  }, { heat: null }),
  timeline: (dice) => ({ timeline: timeline(dice) }),
  diagnosis: (dice) => maybe(dice, 0.3, () => ({ diagnosis: diagnosis(dice) })),
  origin: (dice) => ({
    environment: maybe(dice, 0.5, environment),
    options: maybe(dice, 0.5, () => ({
      headers: dice.one({}, { accept: 'text/plain', authorization: 'x' }, ['a', 'b']), connections: 7, ignoreCoordinatedOmission: dice.happens(0.5), requests: list(dice.whole(0, 2), () => ({ path: '/a' })), timeout: dice.one(5, null), expectBody: 'secret', tlsOptions: dice.one(undefined, { ca: 'x', key: 'y' }), forms: 'x'.repeat(dice.one(1, 200, 201)), idReplacement: dice.happens(0.5)
    })),
    fleet: maybe(dice, 0.2, () => ({
      agents: list(dice.one(1, 2, 20, 21, 22), (index) => ({
        name: dice.one(`agent ${index}`, name(dice)), host: dice.one('h', null), outcome: dice.one('completed', 'stopped', 'lost', 'unused'), share: dice.one(1, 2, null), cores: dice.one(4, null), clockOffset: dice.one(1.5, -2.25, 1200, null), uncertainty: 0.25, startedAt: dice.one(1000 + index, 1000.26, null), accounting: dice.one(Object.fromEntries(BOXES.map((box) => [box, few(dice)])), null)
      }))
    }))
  })
}

function threshold (dice) {
  const [metric, text, unit] = dice.one(['latency.p99', 'p99', 'ms'], ['latency.max', 'max', 'ms'], ['latency.mean', 'latency.mean', 'ms'], ['errors', 'errors', ''], ['failures.rate', 'failures', '%'], ['stream.gap.p99', 'gap p99', 'ms'], ['broadcast.lastCopy.p50', 'copy', 'ms'])
  const [operator, limit] = [dice.one('<', '<=', '>', '==', '!='), unit === 'ms' ? time(dice) : count(dice)]
  const [passed, isCertain] = [dice.happens(0.5), dice.happens(0.7)]
  const actual = dice.one(limit, limit * 1.0001, limit * 12, limit / 2, null, unit === 'ms' ? time(dice) : count(dice))
  return {
    threshold: `${text} ${operator} ${limit}${unit}`, metric, operator, limit, unit, actual, passed, certain: isCertain, ...(!isCertain && dice.one({}, { unanswered: { count: count(dice), of: count(dice) }, atLeast: dice.one(undefined, limit) }, { incomplete: { parts: dice.one(1, 2), since: time(dice) } }))
  }
}

function timeline (dice) {
  const length = dice.one(0, 1, 1, 2, 3, 5, 12, 60, 61, 130, dice.one(3, 801))
  const seconds = dice.one(0.1, 1, 1, 2)
  const has = Object.fromEntries(['sessions', 'stream', 'messages', 'monitor', 'server', 'statuses', 'errors', 'broadcast', 'seconds'].map((part) => [part, dice.happens(0.4)]))
  return list(length, (index) => {
    const isSilent = dice.happens(0.15)
    const first = isSilent ? 0 : time(dice)
    const at = (factor) => round(first * factor)
    return {
      time: round((index + 1) * seconds, 3),
      ...(has.seconds && { seconds: dice.one(seconds, seconds, seconds / 2, 0) }),
      requests: isSilent ? 0 : count(dice),
      bytes: size(dice),
      errors: has.errors ? few(dice) : 0,
      p50: at(1),
      p90: at(dice.one(1, 1.5)),
      p99: at(dice.one(2, 30)),
      max: at(40),
      connections: dice.one(7, 8, 1000, null),
      ...(has.statuses && { statuses: counts(dice, CLASSES, 0.4) }),
      ...(has.sessions && { sessions: Object.fromEntries(['scheduled', 'started', 'completed', 'failed', 'open'].map((key) => [key, few(dice)])) }),
      ...(has.stream && { stream: { events: few(dice), timeToFirstEvent: dice.one({}, { p50: time(dice), p99: time(dice) }), gap: dice.one({}, { p50: time(dice), p99: time(dice) }) } }),
      ...(has.messages && { messages: { sent: count(dice), received: count(dice), ...((has.broadcast || has.sessions) && { lastCopy: dice.one(null, time(dice), time(dice)) }) } }),
      ...(has.monitor && { monitor: list(dice.one(0, 1, 2, 5), (place) => ({ pid: 71 + place, cpu: 100 * share(dice), memory: size(dice) })) }),
      ...(has.server && dice.happens(0.8) && { server: { utilization: share(dice), delay: time(dice), gc: few(dice), cpu: dice.one(0, 52, 130) } })
    }
  })
}

const FILES = [null, '/app/server.js', '/app/routes/index.js', 'node:internal/process/task_queues', `/${'d'.repeat(34)}.js`, `/${'d'.repeat(30)}.js`]
function frame (dice) {
  const file = dice.one(...FILES)
  return { function: dice.one('work', 'run', 'f'.repeat(28), 'f'.repeat(29)), file, line: file === null ? null : dice.one(1, 20, null), package: dice.one(null, 'x', 'node:') }
}

function diagnosis (dice) {
  const frames = list(dice.one(2, 5, 46), (index) => index < 2 ? { function: `thread ${index}` } : { ...frame(dice), function: `f${index}` })
  // Each call has at most what is left of the time of its caller. In some profiles, long chains of calls only pass on.
  const left = []
  const isChain = dice.happens(0.3)
  const nodes = list(dice.one(0, 3, 12, 60), (index) => {
    const parent = index === 0 || dice.happens(0.05) ? -1 : isChain && dice.happens(0.9) ? index - 1 : dice.whole(0, index - 1)
    const room = parent === -1 ? 100 : left[parent]
    const length = round(room * (isChain && dice.happens(0.9) ? dice.one(1, 0.99, 0.98) : dice.one(1, 0.98, 0.97, 0.5, 0.25, 0.01, 0)), 3)
    if (parent !== -1) left[parent] -= length
    left.push(length)
    return [parent, parent === -1 ? dice.whole(0, 1) : dice.whole(0, frames.length - 1), length]
  })
  return {
    processes: list(dice.whole(1, 3), (index) => ({
      pid: 71 + Math.floor(index / 2), thread: dice.one(0, index), script: dice.one('/app/server.js', null), eventLoop: { utilization: share(dice), delay: { p50: time(dice), p99: time(dice), max: time(dice) } }, cpu: { user: 100 * share(dice), system: 100 * share(dice) }, gc: { count: count(dice), total: 90, longest: 20, share: share(dice) }, heap: { peak: size(dice) }, hot: list(dice.one(0, 2, 10, 11), () => ({ ...frame(dice), self: share(dice), total: share(dice) }))
    })),
    stalls: list(dice.one(0, 1, 2, 9, 10, 11), (index) => ({ pid: dice.one(71, 71, 72), thread: dice.one(0, 0, 1), at: dice.one(index, index / 8, 0.125), duration: dice.one(50, 60 + index, 250, 1200), kind: dice.one('code', 'gc'), stack: list(dice.whole(0, 3), () => frame(dice)), waiting: few(dice) })),
    findings: list(dice.whole(0, 2), (index) => ({ code: 'HOT_FUNCTION', message: `Finding ${index} took 40% & more.`, share: share(dice) })),
    flame: dice.one(null, { frames, nodes }, { frames, nodes })
  }
}

/** The result of a run. @param {number} seed @param {boolean} [isWhole] whether it has all fields that results of this program have */
function drawnRun (seed, isWhole = false) {
  const result = Object.assign({}, ...Object.entries(PARTS).map(([part, draw]) => draw(Dice.of(seed, part)) ?? {}))
  if (result.heat) {
    const dice = Dice.of(seed, 'heat counts')
    const { bounds, times } = result.heat
    result.heat.counts = times.map(() => list(bounds.length - 1, () => few(dice)))
    result.heat.counts[0][0] ||= 1
  }
  // Other programs save less.
  const lacking = Dice.of(seed, 'lacking')
  if (!isWhole && lacking.happens(0.1)) for (const name of ['accounting', 'bytes', 'connectTime', 'serviceTime', 'warnings', 'endpoints', 'timeouts', 'statusCodeStats']) if (name === 'accounting' || lacking.happens(0.5)) delete result[name]
  return JSON.parse(JSON.stringify(result))
}

module.exports = { drawnRun }

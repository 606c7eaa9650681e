'use strict'

// Each time that a threshold can name, with a server that hangs before that point. The expected verdicts are computed from the values that
// were measured and the number of values that were not, each of which may be infinite.

const path = require('node:path')
const t = require('tap')
const { aggregateResult, evaluateThresholds } = require('../..')
const { FIGURES, HISTOGRAM_OF } = require('../../lib/metrics/figures')
const shape = require('../../lib/thresholds/shape')
const { playInWorld } = require('../support/play-in-world')

const PERCENTILES = { p1: 1, p25: 25, p50: 50, p75: 75, p90: 90, p99: 99 }
const HANGS_EVERY = 4
// Of the histograms.
const ERROR = 0.001
const GRPC = { proto: path.join(__dirname, '../protocol/grpc/shop.proto'), method: 'shop.Shop/Find' }

const event = (text) => `data: ${text}\n\n`
const hanging = (answer, usual = 200) => ({ number }) => number % HANGS_EVERY === HANGS_EVERY - 1 ? answer : usual
const silence = { answer: hanging('silence') }
const EVENTS = [[10, event('a')], [30, event('b')], [60, event('c')]]
const streaming = (pieces, then) => ({ answer: hanging({ pieces, endAfter: then }, { pieces: EVENTS }) })

const play = (t, settings, opts, story, ofWorld) => playInWorld(t, { serviceTime: 5, ...settings }, { timeout: 0.2, ...opts }, story, { seed: 1, ...ofWorld })

/** The verdicts on a time with some known values (ms) and some unknown ones. */
function check (t, result, place, known, lacking) {
  const statistics = place.split('.').reduce((part, key) => part[key], result)
  const wrong = []
  if (statistics.totalCount !== known.length) wrong.push(`${statistics.totalCount} values, and not ${known.length}`)
  const texts = []
  for (const [name, greatest] of Object.entries(greatestOf(known, lacking))) {
    const limit = greatest === Infinity ? '1h' : `${greatest * (1 + 2 * ERROR) + 0.001}ms`
    texts.push([`${place}.${name} <= ${limit}`, greatest !== Infinity])
    if (greatest !== Infinity && lacking === 0 && greatest > 0.01) texts.push([`${place}.${name} < ${greatest * (1 - 2 * ERROR) - 0.001}ms`, false])
  }
  for (const told of [result, JSON.parse(JSON.stringify(result))]) {
    evaluateThresholds(told, texts.map(([text]) => text)).forEach(({ passed, certain, actual, unanswered }, index) => {
      const [text, expected] = texts[index]
      if (passed !== expected || (passed && !certain)) wrong.push(`${text}: it was ${actual}, passed ${passed}, ${JSON.stringify(unanswered)}`)
    })
  }
  t.same(wrong, [], place)
  if (lacking > 0) t.match(evaluateThresholds(result, `${place}.max <= 1h`)[0].unanswered, { count: lacking, of: known.length + lacking }, place)
}

// Each figure with the missing values as infinite.
function greatestOf (known, lacking) {
  const sorted = [...known, ...new Array(lacking).fill(Infinity)].sort((a, b) => a - b)
  const total = sorted.reduce((sum, value) => sum + value, 0)
  const mean = total / sorted.length
  return {
    max: sorted.at(-1),
    mean,
    average: mean,
    stddev: lacking > 0 ? Infinity : Math.sqrt(sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / sorted.length),
    total,
    ...Object.fromEntries(Object.entries(PERCENTILES).map(([name, percent]) => [name, sorted[Math.max(1, Math.ceil(percent / 100 * sorted.length - 1e-9)) - 1]]))
  }
}

const OPEN = { overallRate: 100, duration: 0.4, connections: 40 }
const CLOSED = { amount: 40, connections: 4 }

/** Ways to send requests: options of the run, and settings of the server. */
const PROTOCOLS = {
  'HTTP/1.1': {},
  'HTTP/1.1, pipelined': { opts: { pipelining: 3, connections: 3, timeout: 0.5 } },
  'HTTP/1.1, a connection for each': { opts: { reconnectRate: 1 } },
  'HTTP/2': { opts: { http2: true, pipelining: 4 }, server: { http2: true } },
  gRPC: { opts: { grpc: GRPC }, server: { grpc: true, answer: hanging('silence', 'OK') } },
  WebSocket: { opts: { body: 'hello' }, server: { websocket: 'echo' } },
  'WebSocket with ids': { opts: { body: 'hello [<id>]', idReplacement: true, pipelining: 4, websocket: { match: (text) => text } }, server: { websocket: 'echo' }, isWithoutThreads: true },
  'Socket.IO': { opts: { body: '"hello"', socketio: true }, server: { websocket: 'echo', socketio: '/' } }
}

for (const [protocol, { opts, server, isWithoutThreads = false }] of Object.entries(PROTOCOLS)) {
  for (const [model, load] of Object.entries({ closed: CLOSED, open: OPEN, 'open, service time': { ...OPEN, ignoreCoordinatedOmission: true } })) {
    for (const workers of [undefined, 2].slice(0, model === 'closed' && !isWithoutThreads ? 2 : 1)) {
      t.test(`requests that hang: ${protocol}, ${model} model${workers === undefined ? '' : ', threads'}`, async (t) => {
        const { result } = await play(t, { ...silence, ...server }, { ...load, ...opts, workers, skipAggregateResult: true })
        const { completed, timedOut, failed, unfinished, unsent } = result.accounting
        t.ok(completed > 8 && timedOut > 2, `${completed} completed, ${timedOut} timed out`)
        t.equal(unfinished, 0, 'all of it is over')
        // Pipelined requests behind one that timed out are lost with it, since its deadline passed.
        t.equal(failed, result.errorCodes.CANNONADE_LOST_IN_PIPELINE?.count ?? 0)
        if (protocol === 'HTTP/1.1, pipelined') t.ok(failed > 0)
        for (const whole of [result, aggregateResult([JSON.parse(JSON.stringify(result))])]) {
          for (const place of ['serviceTime', 'timeToFirstByte', 'timeToStatusLine']) check(t, whole, place, new Array(completed).fill(5), timedOut + failed)
          check(t, whole, 'transferTime', new Array(completed).fill(0), timedOut + failed)
          if (model === 'open') {
            // There, timeouts are among the values.
            t.same(whole.latencyBounds.count, timedOut + unsent)
            const lacking = timedOut + failed + unsent
            t.match(evaluateThresholds(whole, 'latency.max < 1h')[0], { passed: false, certain: false, unanswered: { count: lacking, of: completed + lacking } })
          } else {
            check(t, whole, 'latency', new Array(completed).fill(5), timedOut + failed)
            t.match(evaluateThresholds(whole, 'endpoints[0].latency.max < 1h')[0], { passed: false, unanswered: { count: timedOut + failed + unsent } })
            t.equal(evaluateThresholds(whole, 'endpoints[0].p50 < 6ms')[0].passed, completed >= timedOut + failed + unsent)
          }
        }
      })
    }
  }
}

t.test('parts of a hanging response that arrived are not bounds; the rest is', async (t) => {
  for (const http2 of [false, true]) {
    for (const load of [CLOSED, OPEN]) {
      // The head has arrived, the body has not.
      const answer = { body: 'late', bodyAfter: 1e9 }
      const { result } = await play(t, { answer: hanging(answer), http2 }, { ...load, http2 })
      const { completed, timedOut, failed } = result.accounting
      t.same([timedOut, failed], [10, 0])
      check(t, result, 'timeToFirstByte', new Array(completed + timedOut).fill(5), 0)
      check(t, result, 'timeToStatusLine', new Array(completed + timedOut).fill(5), 0)
      check(t, result, 'transferTime', new Array(completed).fill(0), 10)
      check(t, result, 'serviceTime', new Array(completed).fill(5), 10)
    }
  }
  // Requests behind it in the pipeline have no response yet.
  const { result: behind } = await play(t, { answer: hanging({ body: 'late', bodyAfter: 1e9 }) }, { ...CLOSED, pipelining: 3 })
  t.ok(behind.accounting.timedOut > 5 && behind.accounting.failed > 5)
  t.match(behind.missing.timeToFirstByte, { count: behind.accounting.failed })
  t.match(behind.missing.transferTime, { count: behind.accounting.failed + behind.accounting.timedOut })
  const { result: half } = await play(t, { answer: hanging({ body: 'x'.repeat(1000), cutAt: 600 }) }, CLOSED)
  check(t, half, 'timeToStatusLine', new Array(40).fill(5), 0)
  check(t, half, 'transferTime', new Array(30).fill(0), 10)
  // An interim response is not a response, and half a status line may be the start of one.
  for (const bytes of ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 1', 'HTTP/1.1 103 Early Hints\r\nLink: ']) {
    const { result } = await play(t, { answer: hanging({ bytes: Buffer.from(bytes) }) }, CLOSED)
    check(t, result, 'timeToFirstByte', new Array(30).fill(5), 10)
    check(t, result, 'timeToStatusLine', new Array(30).fill(5), 10)
  }
  const { result } = await play(t, { answer: hanging({ bytes: Buffer.from('HTTP/1.1 200 OK\r\nContent-') }) }, CLOSED)
  check(t, result, 'timeToStatusLine', new Array(40).fill(5), 0)
  check(t, result, 'transferTime', new Array(30).fill(0), 10)
})

t.test('a first byte counts as late as it came, whatever became of its request', async (t) => {
  const isSlow = ({ number }) => number % 2 === 1
  const serviceTime = (entry) => isSlow(entry) ? 90 : 5
  const slow = (answer) => ({ answer: (entry) => isSlow(entry) ? answer : 200, serviceTime })
  const values = (fast, late) => [...new Array(fast).fill(5), ...new Array(late).fill(90)]
  const head = 'HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nabc'
  for (const [name, settings, opts] of [
    ['HTTP/1.1', { answer: { bytes: Buffer.from(head) } }, {}],
    ['HTTP/2', { answer: { status: 404, body: 'late', bodyAfter: 1e9 }, http2: true }, { http2: true }]
  ]) {
    const server = { ...settings, ...slow(settings.answer) }
    for (const [model, load, ending] of [
      ['closed, timeouts', CLOSED, 'timedOut'],
      ['open, timeouts', OPEN, 'timedOut'],
      ['closed, in flight at the end', { connections: 40, amount: undefined, duration: 0.15 }, 'unfinished'],
      ['open, in flight at the end', { ...OPEN, duration: 0.15, drain: 0.1, timeout: 1 }, 'unfinished']
    ]) {
      const { result, result: { accounting } } = await play(t, server, { ...load, ...opts })
      const late = accounting[ending] - (result.missing.timeToFirstByte?.count ?? 0)
      t.ok(accounting.completed > 5 && late > 5, `${name}, ${model}: ${accounting.completed} completed, ${late} came late`)
      if (result.missing.timeToFirstByte === undefined) check(t, result, 'timeToFirstByte', values(accounting.completed, late), 0)
      t.match(result.timeToFirstByte, { totalCount: accounting.completed + late, min: 5, max: 90, total: 5 * accounting.completed + 90 * late })
      const { result: without, result: { accounting: { completed } } } = await play(t, server, { ...load, ...opts, excludeErrorStats: true })
      t.match(without.timeToFirstByte, { totalCount: completed, max: 5 }, 'but not that of an error, if errors are left out')
    }
  }
  // A broken connection says nothing about how slow the server is; `errors` counts it.
  const { result } = await play(t, slow({ body: 'x'.repeat(1000), cutAt: 600, then: 'reset' }), CLOSED)
  t.equal(result.accounting.failed, 20)
  check(t, result, 'timeToFirstByte', values(20, 0), 0)
})

t.test('a WebSocket message that arrives partly has a first byte', async (t) => {
  const half = Buffer.from([0x81, 5, 0x68, 0x65])
  const { result } = await play(t, { websocket: 'echo', answer: hanging({ frame: half }) }, { ...CLOSED, body: 'hello' })
  t.match(result.accounting, { completed: 30, timedOut: 10 })
  check(t, result, 'timeToFirstByte', new Array(40).fill(5), 0)
  check(t, result, 'transferTime', new Array(30).fill(0), 10)
})

t.test('streams that hang before their first event, and after the second', async (t) => {
  for (const http2 of [false, true]) {
    for (const load of [CLOSED, OPEN]) {
      for (const workers of [undefined, 2]) {
        const opts = { ...load, http2, workers, stream: true }
        const { result: behind } = await play(t, { ...streaming(EVENTS.slice(0, 2), 1e9), http2 }, opts)
        t.match(behind.accounting, { completed: 30, timedOut: 10 })
        check(t, behind, 'stream.timeToFirstEvent', new Array(40).fill(15), 0)
        const gaps = [...new Array(40).fill(20), ...new Array(30).fill(30)]
        check(t, behind, 'stream.gap', gaps, 10)
        t.match(evaluateThresholds(behind, 'stream.gap.p99 < 100ms')[0], { actual: 30, passed: false, certain: true }, 'it was at least 165 ms')

        const { result: before } = await play(t, { ...streaming([[10, ': no event\n\n']], 1e9), http2 }, opts)
        check(t, before, 'stream.timeToFirstEvent', new Array(30).fill(15), 10)
        check(t, before, 'stream.gap', [...new Array(30).fill(20), ...new Array(30).fill(30)], 10)
      }
    }
  }
})

t.test('sessions that time out, wait forever, or are not over', async (t) => {
  const opts = { overallRate: 50, duration: 0.4, sessions: { calls: 2 }, timeout: 0.3 }
  const { result } = await play(t, { answer: hanging('silence') }, opts)
  const { completed, failed, unfinished } = result.sessions
  t.ok(completed > 5 && failed > 5)
  t.equal(unfinished, 0)
  check(t, result, 'sessions.lifetime', new Array(completed).fill(10), failed)
  t.equal(evaluateThresholds(result, 'sessions.failTime.max <= 400ms')[0].passed, true, 'the time of their failure is known')

  const { result: reset } = await play(t, { answer: hanging('reset') }, opts)
  t.ok(reset.sessions.failed > 5)
  check(t, reset, 'sessions.lifetime', new Array(reset.sessions.completed).fill(10), 0)

  const { result: waiting } = await play(t, { serviceTime: 50 }, { ...opts, sessions: { calls: 1, maxOpen: 1 }, timeout: 0.1 })
  t.ok(waiting.sessions.failed > 5)
  const lacking = waiting.sessions.scheduled - waiting.sessions.completed
  t.match(evaluateThresholds(waiting, 'sessions.lifetime.max < 1h')[0], { passed: false, unanswered: { count: lacking, of: waiting.sessions.scheduled } })

  const { result: cut } = await play(t, { serviceTime: 50 }, { ...opts, drain: 0.01 })
  t.ok(cut.sessions.unfinished > 3)
  check(t, cut, 'sessions.lifetime', new Array(cut.sessions.completed).fill(100), cut.sessions.unfinished)
  t.equal(evaluateThresholds(cut, 'sessions.failTime.max < 1h')[0].passed, false, 'they may still fail')
})

t.test('connections that do not open in time, by the phase they were in', async (t) => {
  const opts = { amount: 12, connections: 4, reconnectRate: 1, timeout: 0.1 }
  const attempts = (number) => number % 3 === 2 ? 'silence' : 'accept'
  const { result: tcp } = await play(t, { attempt: attempts, lookup: 2, host: 'server.test', secure: true, handshake: 7, link: { delay: 1 } }, opts)
  const failed = tcp.connectionStats.failed
  t.ok(failed >= 3)
  t.equal(tcp.errorCodes.CANNONADE_CONNECT_TIMEOUT.count, failed)
  check(t, tcp, 'connectTime.dns', new Array(12).fill(2), 0)
  check(t, tcp, 'connectTime.tcp', new Array(12).fill(2), failed)
  check(t, tcp, 'connectTime.tls', new Array(12).fill(tcp.connectTime.tls.max), failed)
  check(t, tcp, 'connectTime', new Array(12).fill(tcp.connectTime.max), failed)

  let handshakes = 0
  const { result: tls } = await play(t, { secure: true, handshake: 7 }, opts, (instance, world, server) => {
    Object.defineProperty(server, 'handshake', { get: () => handshakes++ % 3 === 2 ? 'silence' : 7 })
  })
  const lost = tls.connectionStats.failed
  t.ok(lost >= 3)
  check(t, tls, 'connectTime.tcp', new Array(12).fill(0), 0)
  check(t, tls, 'connectTime.tls', new Array(12).fill(7), lost)
  check(t, tls, 'connectTime', new Array(12).fill(7), lost)

  const { result: refused } = await play(t, { attempt: (number) => number % 3 === 2 ? 'refuse' : 'accept' }, opts)
  t.ok(refused.connectionStats.failed >= 3)
  check(t, refused, 'connectTime', new Array(12).fill(0), 0)

  const { result: lookup } = await play(t, { host: 'server.test', lookup: 300 }, { ...opts, duration: 0.3, amount: undefined })
  t.equal(lookup.missing.dnsTime.count, lookup.connectionStats.failed + 4, 'also those still being looked up at the end')
  t.equal(evaluateThresholds(lookup, 'connectTime.dns.max < 1h')[0].passed, false)
})

t.test('a connection whose only request hangs has no lifetime', async (t) => {
  const { result } = await play(t, silence, { amount: 40, connections: 4, reconnectRate: 1 })
  t.equal(result.connectionStats.withReplies, 30)
  check(t, result, 'connectionStats.lifetime', new Array(30).fill(5), 10)
})

t.test('an unsent request is a bound of its send delay', async (t) => {
  const { result } = await play(t, { serviceTime: 30 }, { overallRate: 100, duration: 0.5, connections: 1, timeout: 0.1 })
  const { sent, unsent } = result.accounting
  t.ok(unsent > 20)
  for (const place of ['sendDelay', 'sendDelay.waiting', 'sendDelay.client']) {
    t.match(evaluateThresholds(result, `${place}.max < 1h`)[0], { passed: false, unanswered: { count: unsent, of: sent + unsent } })
    t.equal(evaluateThresholds(result, `${place}.p1 < 1h`)[0].passed, true)
    t.equal(evaluateThresholds(result, `${place}.p99 < 1h`)[0].passed, false)
    for (const name of ['mean', 'stddev', 'total']) t.equal(evaluateThresholds(result, `${place}.${name} < 1h`)[0].passed, false)
  }
  for (const cause of ['connecting', 'hooks', 'asleep']) t.match(evaluateThresholds(result, `sendDelay.causes.${cause} < 1h`)[0], { passed: false, certain: false })
  t.match(evaluateThresholds(result, 'endpoints[0].latency.max < 1h')[0], { passed: false, certain: false }, 'it may have belonged to any endpoint')
  t.equal(evaluateThresholds(result, 'serviceTime.max <= 30ms')[0].passed, result.accounting.timedOut === 0, 'its service never began')
})

t.test('copies that do not arrive', async (t) => {
  // Each fourth message goes only to its sender.
  let count = 0
  const websocket = (entry) => {
    const { server } = entry.peer
    const all = server.connections.filter(({ isOpen }) => isOpen)
    const { serverFrame } = require('../simulation/world/websocket')
    return (count++ % 4 === 3 ? [entry.peer] : all).map((to) => ({ to, frame: serverFrame('TEXT', entry.path) }))
  }
  const { result } = await play(t, { websocket }, { amount: 20, connections: 4, websocket: { expect: 'broadcast' }, timeout: 0.5 })
  t.match(result.broadcast, { expected: 80, received: 65 })
  t.match(result.accounting, { completed: 20 })
  const passed = (threshold) => evaluateThresholds(result, `broadcast.lastCopy.${threshold}`)[0].passed
  t.same(['max < 1h', 'mean < 1h', 'stddev < 1h', 'p99 < 1h', 'p90 < 1h'].map(passed), [false, false, false, false, false])
  t.same(['p25 <= 5ms', 'p10 <= 5ms'].map(passed), [true, true], 'at most fifteen of twenty messages are missing a copy')
  t.equal(passed('p50 <= 5ms'), false)
})

t.test('every time that has a name has missing values, and no other', async (t) => {
  const durations = []
  const walk = (node, place) => {
    if (node.isDuration === true && node.fields.has('p50')) durations.push(place)
    for (const [name, field] of node.fields ?? []) walk(field, place === '' ? name : `${place}.${name}`)
  }
  walk({ fields: new Map([...shape.result.fields].filter(([name]) => name !== 'warmup')) }, '')
  t.same(durations.filter((place) => !HISTOGRAM_OF.has(place)), ['latencyWithUnfinished', 'broadcast.lastCopy'], 'which have all of it in them')
  t.same(Object.values(FIGURES).filter((place) => !durations.includes(place)), [])
})

// --- the end of the closed model

t.test('a request in flight when the closed model ends counts if it is older than the slowest response', async (t) => {
  // Three connections get responses after 10 ms all the time, one gets none.
  const settings = { serviceTime: 10, answer: ({ connection }) => connection === 3 ? 'silence' : 200 }
  const { result } = await play(t, settings, { connections: 4, duration: 0.105, timeout: 1 })
  t.match(result.accounting, { completed: 30, timedOut: 0, failed: 0, unfinished: 4 })
  for (const place of ['latency', 'serviceTime', 'timeToFirstByte', 'timeToStatusLine']) check(t, result, place, new Array(30).fill(10), 1)
  check(t, result, 'transferTime', new Array(30).fill(0), 1)
  t.match(result.missing.latency, { count: 1 })
  t.equal(Math.round(result.missing.latency.smallest), 105)
  t.equal(evaluateThresholds(result, 'latencyWithUnfinished.max < 1h')[0].passed, false)
  t.match(evaluateThresholds(result, 'p99 < 100ms')[0], { passed: false, certain: true })

  const { result: well } = await play(t, { serviceTime: 10 }, { connections: 4, duration: 0.105, timeout: 1 })
  t.match(well.accounting, { completed: 40, unfinished: 4 })
  for (const place of ['latency', 'serviceTime', 'timeToFirstByte', 'timeToStatusLine']) check(t, well, place, new Array(40).fill(10), 0)
  t.equal(evaluateThresholds(well, 'latencyWithUnfinished.max <= 10ms')[0].passed, true)
  t.same(well.missing, {})
})

t.test('the slowest response of all threads counts', async (t) => {
  // One thread's responses take 50 ms, the other's 10 ms; a request of the second is in flight for 30 ms.
  const serviceTime = ({ connection, number }) => connection % 2 === 0 ? 50 : number > 8 ? 1000 : 10
  const { result } = await play(t, { serviceTime }, { connections: 2, workers: 2, duration: 0.105, timeout: 2 })
  t.ok(result.accounting.unfinished === 2)
  t.equal(result.latency.max, 50)
  t.same(result.missing, {})
  const { result: longer } = await play(t, { serviceTime }, { connections: 2, workers: 2, duration: 0.205, timeout: 2 })
  t.match(longer.missing.latency, { count: 1 })
})

t.test('a gap that is open when the closed model ends counts if it is longer than all others', async (t) => {
  const pieces = Array.from({ length: 100 }, (_, index) => [10 * index + 10, event(index)])
  const endless = { serviceTime: 0, answer: ({ number }) => number === 0 ? { pieces: pieces.slice(0, 2), endAfter: 1e9 } : { pieces: pieces.slice(0, 5) } }
  const { result } = await play(t, endless, { connections: 2, duration: 0.305, timeout: 5, stream: true })
  t.match(result.accounting, { completed: 6, unfinished: 2 })
  const [gap] = evaluateThresholds(result, 'stream.gap.max < 100ms')
  t.match(gap, { actual: 10, passed: false, certain: true })
  t.equal(Math.round(gap.atLeast), 285)
  const { result: well } = await play(t, { serviceTime: 0, answer: { pieces: pieces.slice(0, 5) } }, { connections: 2, duration: 0.305, timeout: 5, stream: true })
  t.equal(evaluateThresholds(well, 'stream.gap.max <= 10ms')[0].passed, true)
})

// --- during the run

t.test('abortOnFail ends a run whose times will never be known', async (t) => {
  for (const threshold of ['serviceTime.max < 1h', 'timeToFirstByte.mean < 1h', 'transferTime.stddev < 1h', 'latency.max < 1h', 'endpoints[0].latency.mean < 1h', 'connectionStats.lifetime.total < 1h']) {
    const { result } = await play(t, { answer: 'silence' }, { connections: 2, duration: 30, sampleInt: 50, abortOnFail: true, thresholds: [threshold] })
    t.ok(result.duration < 1, `${threshold}: ended after ${result.duration} s`)
    t.match(result.warnings.find(({ code }) => code === 'ABORTED_ON_FAIL').message, /had no answer/, threshold)
  }
})

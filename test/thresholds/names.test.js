'use strict'

// Every name that a threshold may use: its unit, the total of a percentage, and the only direction in which it can change during a run.

const t = require('tap')
const { CODES } = require('../../lib/base/errors')
const { PERCENTILES, percentileName } = require('../../lib/metrics/statistics')
const { evaluateThresholds, parseThresholds } = require('../../lib/thresholds')
const shape = require('../../lib/thresholds/shape')
const { canBeLost } = require('../../lib/thresholds/watch')

const UNITS = { ms: '5ms', s: '5s', '': '5k', '/s': '5/s', B: '5MiB', 'B/s': '5MB/s', '%': '5%' }

const statistics = (unit, ends = '') => ({ [unit]: `min${ends && '-'} max${ends && '+'} average mean stddev ${PERCENTILES.map(percentileName).join(' ')}` })
const durations = { ms: `${statistics('ms', '±').ms} total+`, '': 'totalCount+' }

// `+`: only grows; `-`: only shrinks; `/total`: what a percentage is relative to.
const NAMES = {
  '': {
    '': 'errors+/attempts timeouts+/sent resets+ 1xx+ 2xx+/completed 3xx+/completed 4xx+/completed 5xx+/completed non2xx+/completed mismatches+/completed samples+ connections pipelining workers grpcStatus.OK+/completed closeCodes.1006+ unverified',
    '%': 'errorRate+',
    ms: 'sampleInt',
    s: 'duration+'
  },
  'requests.': { ...statistics('/s'), '': 'total+ totalCount+ sent+' },
  'throughput.': { ...statistics('B/s'), B: 'total+', '': 'totalCount+' },
  'statusCodeStats.503.': { '': 'count+' },
  'errorCodes.EPIPE.': { '': 'count+ phases.dns+ phases.connect+ phases.tls+ phases.send+ phases.receive+ phases.parse+ phases.timeout+' },
  'latencyBounds.': { '': 'count+', '%': 'share', ms: 'smallest' },
  'latencyWithUnfinishedBounds.': { '': 'count', '%': 'share', ms: 'smallest' },
  'rate.': { '/s': 'offered achieved/offered' },
  'accounting.': { '': 'scheduled+/scheduled unsent+/scheduled sent+/scheduled completed+/scheduled failed+/scheduled timedOut+/scheduled unfinished/scheduled' },
  'replySize.': { B: 'head content footer' },
  'replyRate.': { ...statistics('/s'), '': 'total totalCount' },
  'sendDelay.causes.': { ms: 'connecting hooks asleep' },
  'connectionStats.': { '': 'opened+ failed+ closedByServer+ closedByClient+ peak+ burst+ withReplies+' },
  'bytes.': { B: 'read+ written+' },
  'endpoints[1].': { '': 'completed+/endpoint failed+/endpoint statusCodeStats.404.count+ grpcStatus.OK+/endpoint latencyBounds.count+', '%': 'latencyBounds.share', ms: 'latencyBounds.smallest' },
  'sessions.': { '': 'scheduled+/sessions started+/sessions completed+/sessions failed+/sessions unstarted/sessions unfinished/sessions peak+ burst+ connections.average', '/s': 'rate.offered rate.achieved/offered' },
  'stream.': { '': 'events+', '/s': 'rate' },
  'stream.eventsPerResponse.': { '': `${statistics('', '±')['']} total+ totalCount+` },
  'messages.': { '': 'sent+/scheduled received+ unasked+/received pings+ pongs+', B: 'bytesSent+ bytesReceived+' },
  'broadcast.': { '': 'expected+ received+/expected', '%': 'ratio', '/s': 'fanOut' },
  'monitor[0].cpu.': { '%': `${statistics('%')['%']} total`, '': 'totalCount' },
  'monitor[0].memory.': { B: `${statistics('B').B} total`, '': 'totalCount' },
  'generator.': { s: 'cpu.user cpu.system', '%': 'cpu.percent eventLoop.utilization', ms: 'eventLoop.delayP99 late.mean late.p50 late.p90 late.p99 stoodStill.total stoodStill.longest waited', '': 'stoodStill.count' },
  'drain.': { s: 'seconds', '': 'completed' },
  'scenarios.NAME.': {
    '': 'errors+/attempts timeouts+/sent mismatches+/completed non2xx+/completed 2xx+/completed 3xx+/completed 4xx+/completed 5xx+/completed unverified statusCodeStats.404.count+ grpcStatus.OK+/completed',
    '%': 'errorRate+'
  }
}
// Parts of the whole result that each scenario has as well.
for (const group of ['accounting.', 'latencyBounds.', 'sessions.']) NAMES[`scenarios.NAME.${group}`] = NAMES[group]

// Figures with values that are known to be missing; in an endpoint and in a scenario, these.
const MISSING = ['latency', 'serviceTime', 'timeToFirstByte', 'timeToStatusLine', 'transferTime', 'sendDelay', 'clientDelay', 'waitDelay', 'connectTime', 'dnsTime', 'tcpTime', 'tlsTime', 'connectionLifetime', 'sessionLifetime', 'sessionFailTime', 'timeToFirstEvent', 'eventGap',
  'endpoints[1].latency', ...['latency', 'serviceTime', 'sessionLifetime', 'sessionFailTime'].map((figure) => `scenarios.NAME.${figure}`)]
for (const figure of MISSING) NAMES[`${figure.replace(/\w+$/, 'missing.$&')}.`] = { '': 'count', ms: 'smallest largest total' }

// Durations, and the histogram that their other percentiles come from.
const DURATIONS = {
  latency: 'latency',
  latencyWithUnfinished: 'latencyWithUnfinished',
  serviceTime: 'serviceTime',
  timeToFirstByte: 'timeToFirstByte',
  timeToStatusLine: 'timeToStatusLine',
  transferTime: 'transferTime',
  sendDelay: 'sendDelay',
  'sendDelay.client': null,
  'sendDelay.waiting': null,
  connectTime: 'connectTime',
  'connectTime.dns': null,
  'connectTime.tcp': null,
  'connectTime.tls': null,
  'connectionStats.lifetime': 'connectionLifetime',
  'endpoints[1].latency': null,
  'sessions.lifetime': 'sessionLifetime',
  'sessions.failTime': null,
  'stream.timeToFirstEvent': 'timeToFirstEvent',
  'stream.gap': 'eventGap',
  'broadcast.lastCopy': 'lastCopy',
  'scenarios.NAME.latency': 'latency',
  'scenarios.NAME.serviceTime': 'serviceTime',
  'scenarios.NAME.sessions.lifetime': 'sessionLifetime',
  'scenarios.NAME.sessions.failTime': null
}

function * names () {
  const all = { ...NAMES, ...Object.fromEntries(Object.keys(DURATIONS).map((name) => [`${name}.`, durations])) }
  for (const [before, units] of Object.entries(all)) {
    for (const [unit, list] of Object.entries(units)) {
      for (const word of list.split(' ')) {
        const [, name, trend, whole] = /^([^+\-/]+)([+-]?)(?:\/(\w+))?$/.exec(word)
        yield { name: before + name, unit, trend, whole }
      }
    }
  }
}

// In a result where every total is a different number.
const WHOLES = { attempts: 1100, completed: 1000, sent: 1600, scheduled: 2500, offered: 400, sessions: 500, received: 800, expected: 640, endpoint: 320 }
const RESULT = {
  latency: {},
  errors: 100,
  requests: { total: WHOLES.completed, sent: 7 },
  accounting: { sent: WHOLES.sent, scheduled: WHOLES.scheduled },
  rate: { offered: WHOLES.offered },
  sessions: { scheduled: WHOLES.sessions, rate: { offered: 9 } },
  messages: { received: WHOLES.received },
  broadcast: { expected: WHOLES.expected },
  endpoints: [{}, { completed: 300, failed: 20 }],
  // Twice as much of everything.
  scenarios: [{ name: 'OTHER' }, {
    name: 'NAME',
    errors: 200,
    accounting: { completed: 2 * WHOLES.completed, sent: 2 * WHOLES.sent, scheduled: 2 * WHOLES.scheduled },
    sessions: { scheduled: 2 * WHOLES.sessions, rate: { offered: 2 * 9 } }
  }]
}

/** The result with a value set at a path. */
function withValue (result, [key, ...rest], value) {
  const copy = Array.isArray(result) ? [...result] : { ...result }
  if (typeof key === 'object') return copy.map((each) => each.name === key.name ? withValue(each, rest, value) : each)
  copy[key] = rest.length === 0 ? value : withValue(copy[key] ?? {}, rest, value)
  return copy
}

t.test('each name has its unit, in the run and in its warm-up', async (t) => {
  const wrong = [...names()].flatMap(({ name, unit }) => [name, `warmup.${name}`].filter((full) => {
    const [{ metric, unit: found, field }] = parseThresholds(`${full} < ${UNITS[unit]}`)
    const figure = name.slice(0, name.lastIndexOf('.'))
    const isDuration = unit === 'ms' && Object.hasOwn(DURATIONS, figure)
    return metric !== full || found !== unit || field.isDuration !== isDuration
  }))
  t.same(wrong, [])
})

t.test('a percentage is relative to the stated total, and is unavailable without one', async (t) => {
  const isOfItself = { errors: 100, 'accounting.scheduled': 2500, 'sessions.scheduled': 500, 'endpoints[1].completed': 300, 'endpoints[1].failed': 20 }
  for (const { name, whole } of [...names()].filter(({ unit }) => unit !== '%')) {
    if (whole === undefined) {
      if (!throwsBadThreshold(`${name} < 5%`)) t.fail(`${name} has percentages`)
      continue
    }
    const [, inScenario = '', own] = /^(scenarios\.NAME\.)?(.*)$/.exec(name)
    const times = inScenario === '' ? 1 : 2
    const all = times * (own === 'sessions.rate.achieved' ? RESULT.sessions.rate.offered : WHOLES[whole])
    const [{ field: { path } }] = parseThresholds(`${name} < 5%`)
    const value = times * (isOfItself[own] ?? 60)
    const [{ actual, unit }] = evaluateThresholds(withValue(RESULT, path, value), `${name} < 5%`)
    t.equal(unit, '%')
    t.ok(Math.abs(actual - value * 100 / all) < 1e-9, `${name}: ${actual}% where it is ${value} of ${all}`)
  }
})

function throwsBadThreshold (threshold) {
  try {
    parseThresholds(threshold)
    return false
  } catch ({ code }) {
    return code === CODES.BAD_THRESHOLD
  }
}

t.test('an upper limit can fail early on a value that only grows, a lower limit on one that only shrinks, and nothing else can', async (t) => {
  // A single unknown value can make these arbitrarily large.
  const isOpen = (name) => {
    const [, figure, statistic] = /^(.*)\.(\w+)$/.exec(name) ?? []
    return Object.hasOwn(DURATIONS, figure) && figure !== 'broadcast.lastCopy' && ['max', 'mean', 'average', 'total', 'stddev'].includes(statistic)
  }
  const losable = { '+': ['<', '<=', '=='], '-': ['>', '>=', '=='], '': [] }
  const wrong = [...names()].flatMap(({ name, unit, trend, whole }) => ['<', '<=', '>', '>=', '==', '!='].flatMap((operator) => {
    const isByTrend = losable[trend].includes(operator)
    const isByBound = isOpen(name) && losable['+'].includes(operator)
    const cases = [[`${name} ${operator} ${UNITS[unit]}`, (isByTrend && unit !== '%') || isByBound]]
    if (whole !== undefined || unit === '%') cases.push([`${name} ${operator} 0%`, isByTrend])
    return cases.filter(([threshold, expected]) => canBeLost(parseThresholds(threshold)[0]) !== expected)
  }))
  t.same(wrong, [])
})

t.test('these are all names', async (t) => {
  const ONES = { statusCodeStats: '503', errorCodes: 'EPIPE', closeCodes: '1006', grpcStatus: 'OK', endpoints: '[1]', monitor: '[0]', scenarios: 'NAME' }
  // Fields that are calculated have tests of their own: failures.test.js, bodies.test.js.
  const isCalculated = (name) => /(^|\.)(failures\.(count|rate)|checks)$/.test(name)
  const IN_EACH = /^(endpoints\[1\]|scenarios\.NAME)\.statusCodeStats\.503/
  const leaves = ({ kind, fields, entry }, name) => {
    if (kind !== undefined) return kind === 'truth' ? [] : [name]
    if (fields !== undefined) return [...fields].flatMap(([part, node]) => leaves(node, name === '' ? part : `${name}.${part}`))
    const one = ONES[name.split('.').at(-1)]
    return leaves(entry, one.startsWith('[') ? name + one : `${name}.${one}`)
  }
  const known = leaves(shape.result, '').filter((name) => !name.startsWith('warmup.') && !isCalculated(name)).map((name) => name.replace(IN_EACH, '$1.statusCodeStats.404'))
  t.same(known.sort(), [...names()].map(({ name }) => name).sort())
})

t.test('other percentiles come from the histogram of that name', async (t) => {
  for (const [name, histogram] of Object.entries(DURATIONS)) {
    if (histogram === null) t.throws(() => parseThresholds(`${name}.p99.5 < 5ms`), { code: CODES.BAD_THRESHOLD }, name)
    else {
      const [{ field: { percentile, path }, metric }] = parseThresholds(`${name}.p99.5 < 5ms`)
      t.same({ percentile, path, metric }, { percentile: { histogram, percent: 99.5 }, path: [...name.split('.').map((part) => part === 'NAME' ? { name: part } : part), 'p99_5'], metric: `${name}.p99_5` })
    }
  }
})

t.test('what did not occur counts 0, if it has a name of its own', async (t) => {
  const absent = ['statusCodeStats.503', 'statusCodeStats.503.count', 'grpcStatus.OK', 'errorCodes.EPIPE', 'closeCodes.1006', 'endpoints[1].statusCodeStats.404', 'endpoints[1].grpcStatus.OK']
  const wrong = [...[...names()].map(({ name }) => name), ...absent].filter((name) => {
    const [{ field: { path } }] = parseThresholds(`${name} > 0`)
    const isOpen = path.some((part) => ['503', '404', 'EPIPE', '1006', 'OK'].includes(part)) || (path.includes('missing') && path.at(-1) === 'count')
    return evaluateThresholds({ latency: {} }, `${name} > 0`)[0].actual !== (isOpen ? 0 : null)
  })
  t.same(wrong, [])
})

t.test('the name of a group alone is an error that suggests complete names', async (t) => {
  const examples = {
    latency: 'p99',
    latencyBounds: 'share',
    requests: 'average',
    throughput: 'average',
    rate: 'achieved',
    accounting: 'unsent',
    replySize: 'content',
    replyRate: 'min',
    sendDelay: 'p99',
    'sendDelay.causes': 'connecting',
    connectTime: 'p99',
    connectionStats: 'failed',
    bytes: 'read',
    sessions: 'failed',
    'sessions.rate': 'achieved',
    'sessions.connections': 'average',
    stream: 'timeToFirstEvent.p95',
    'stream.eventsPerResponse': 'mean',
    messages: 'received',
    broadcast: 'ratio',
    'monitor[0]': 'cpu.mean',
    'monitor[0].cpu': 'mean',
    'monitor[0].memory': 'max',
    generator: 'saturated',
    'generator.cpu': 'percent',
    'generator.eventLoop': 'delayP99',
    'generator.late': 'p99',
    'generator.stoodStill': 'longest',
    drain: 'seconds',
    warmup: 'p99',
    'endpoints[0]': 'latency.p99',
    'errorCodes.EPIPE.phases': 'connect',
    statusCodeStats: '500',
    grpcStatus: 'UNAVAILABLE',
    errorCodes: 'ECONNRESET',
    closeCodes: '1006'
  }
  for (const [group, example] of Object.entries(examples)) {
    t.throws(() => parseThresholds(`${group} < 5`), { message: `${group} is a group of values: choose one, such as ${group}.${example}` }, group)
    // The example in the message is valid.
    if (group !== 'generator') t.doesNotThrow(() => parseThresholds(`${group}.${example} < 0.5`))
  }
  // Lists, and what scenarios and endpoints have of their own.
  const others = {
    monitor: 'monitor[0].cpu.mean',
    endpoints: 'endpoints[0].latency.p99',
    scenarios: 'scenarios.NAME.p99',
    missing: 'missing.latency.count',
    'missing.tlsTime': 'missing.tlsTime.count',
    'endpoints[0].latencyBounds': 'endpoints[0].latencyBounds.share',
    'endpoints[0].missing': 'endpoints[0].missing.latency.count',
    'endpoints[0].statusCodeStats': 'endpoints[0].statusCodeStats.500',
    'endpoints[0].grpcStatus': 'endpoints[0].grpcStatus.UNAVAILABLE',
    'scenarios.NAME.sessions': 'scenarios.NAME.sessions.failed',
    'scenarios.NAME.sessions.rate': 'scenarios.NAME.sessions.rate.achieved',
    'scenarios.NAME.accounting': 'scenarios.NAME.accounting.unsent',
    'scenarios.NAME.latencyBounds': 'scenarios.NAME.latencyBounds.share',
    'scenarios.NAME.missing': 'scenarios.NAME.missing.latency.count',
    'scenarios.NAME.missing.sessionFailTime': 'scenarios.NAME.missing.sessionFailTime.count',
    'scenarios.NAME.statusCodeStats': 'scenarios.NAME.statusCodeStats.500',
    'scenarios.NAME.grpcStatus': 'scenarios.NAME.grpcStatus.UNAVAILABLE'
  }
  for (const [group, example] of Object.entries(others)) {
    t.throws(() => parseThresholds(`${group} < 5`), { message: `${group} is a group of values: choose one, such as ${example}` }, group)
    t.doesNotThrow(() => parseThresholds(`${example} < 0.5`))
  }
})

t.test('a name that an open group cannot have', async (t) => {
  const complaints = {
    'statusCodeStats.099': 'is not a status code',
    'statusCodeStats.1000': 'is not a status code',
    'closeCodes.999': 'is not the code of a Close frame',
    'closeCodes.5000': 'is not the code of a Close frame',
    'closeCodes.10000': 'is not the code of a Close frame',
    'grpcStatus.UNAVAILABL': 'did you mean UNAVAILABLE',
    'grpcStatus.XYZ': 'is not a gRPC status$',
    'errorCodes.CANNONADE_BAD_RESPONS': 'did you mean CANNONADE_BAD_RESPONSE',
    'errorCodes.EAI_AGAN': 'did you mean EAI_AGAIN',
    'errorCodes.ENOTFOUN': 'did you mean ENOTFOUND',
    'errorCodes.OTHR': 'did you mean OTHER'
  }
  for (const [name, message] of Object.entries(complaints)) t.throws(() => parseThresholds(`${name} == 0`), { message: new RegExp(message) }, name)
  for (const name of ['statusCodeStats.100', 'statusCodeStats.999', 'closeCodes.1000', 'closeCodes.4999', 'errorCodes.SOMETHING_QUITE_DIFFERENT']) t.doesNotThrow(() => parseThresholds(`${name} == 0`))
})

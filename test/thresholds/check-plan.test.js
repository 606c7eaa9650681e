'use strict'

// A threshold about something that a plan does not measure is rejected before the run.

const t = require('tap')
const { CODES, sentenceOf } = require('../../lib/base/errors')
const { checkAgainstPlan, parseThresholds } = require('../../lib/thresholds')

const PLAN = {
  requests: [{ title: 'one' }, { title: 'two' }, {}],
  schedule: {},
  monitor: [1, 2],
  stream: {},
  sessions: {},
  websocket: { expect: 'broadcast' },
  grpc: {},
  targets: [{ secure: false }, { secure: true }],
  workers: 2,
  warmup: {}
}

// What exists under a plan, which of its parts must be missing for an error, and what the error says.
const NEEDED = [
  ['rate.achieved > 1', { schedule: null }, 'rate.achieved exists only with a schedule: set overallRate, connectionRate, stages or bursts as well'],
  ['sendDelay.client.max < 1', { schedule: null }, 'sendDelay.client.max exists only with a schedule: set overallRate, connectionRate, stages or bursts as well'],
  ['monitor[0].cpu.mean < 1', { monitor: null }, 'monitor[0].cpu.mean exists only with monitor, which names the processes to watch'],
  ['monitor[1].cpu.mean < 1', { monitor: [1] }, 'there is no monitor[1]: one process is watched, monitor[0]'],
  ['stream.gap.max < 1', { stream: null }, 'stream.gap.max exists only with stream'],
  ['sessions.failed == 0', { sessions: null }, 'sessions.failed exists only with sessions'],
  ['messages.sent > 1', { websocket: null }, 'messages.sent exists only with a ws: or wss: URL'],
  ['closeCodes.1006 == 0', { websocket: null }, 'closeCodes.1006 exists only with a ws: or wss: URL'],
  ['broadcast.ratio >= 1', { websocket: null }, "broadcast.ratio exists only with websocket.expect 'broadcast'"],
  ['broadcast.ratio >= 1', { websocket: { expect: 'reply' } }, "broadcast.ratio exists only with websocket.expect 'broadcast'"],
  ['grpcStatus.OK > 1', { grpc: null }, 'grpcStatus.OK exists only with grpc'],
  ['endpoints[0].grpcStatus.OK > 1', { grpc: null }, 'endpoints[0].grpcStatus.OK exists only with grpc'],
  ["endpoints['two'].grpcStatus.OK > 1", { grpc: null }, "endpoints['two'].grpcStatus.OK exists only with grpc"],
  ['connectTime.tls.max < 1', { targets: [{ secure: false }, { secure: false }] }, 'connectTime.tls.max exists only with https'],
  ['workers > 1', { workers: null }, 'this run has no workers'],
  ['warmup.p99 < 1', { warmup: null }, 'this run has no warm-up'],
  ['endpoints[2].p99 < 1', { requests: [{}] }, 'there is no endpoints[2]: the run has one request, endpoints[0]'],
  ['endpoints[2].p99 < 1', { requests: [{}, {}] }, 'there is no endpoints[2]: the run has 2 requests, up to endpoints[1]'],
  ["endpoints['two'].p99 < 1", { requests: [{ title: 'one' }, {}] }, "no request has the title 'two'"]
]

const escaped = (text) => text.replace(/[[\].]/g, '\\$&')

t.test('each error occurs if and only if the part is missing, also for the warm-up', async (t) => {
  const check = (threshold, plan) => checkAgainstPlan(parseThresholds(threshold), plan)
  for (const [threshold, missing, message] of NEEDED) {
    t.doesNotThrow(() => check(threshold, PLAN), threshold)
    const thrown = { code: CODES.BAD_THRESHOLD, message: new RegExp(`: ${escaped(message)}$`), threshold }
    t.throws(() => check(threshold, { ...PLAN, ...missing }), thrown, threshold)
    if (threshold.startsWith('w')) continue
    t.doesNotThrow(() => check(`warmup.${threshold}`, PLAN))
    // A sentence that begins with the name of the field has all of it.
    const [name] = threshold.split(' ')
    const ofWarmup = message.startsWith(name) ? `warmup.${message}` : message
    t.throws(() => check(`warmup.${threshold}`, { ...PLAN, ...missing }), { code: CODES.BAD_THRESHOLD, message: new RegExp(`: ${escaped(ofWarmup)}$`) }, `warmup.${threshold}`)
  }
})

t.test('several thresholds, the last of which is wrong', async (t) => {
  t.throws(() => checkAgainstPlan(parseThresholds(['p99 < 1', 'monitor[2].cpu.mean < 1']), PLAN), { message: /there is no monitor\[2\]: 2 processes are watched, up to monitor\[1\]$/ })
  t.throws(() => checkAgainstPlan(parseThresholds('endpoints[3].p99 < 1'), PLAN), { message: /there is no endpoints\[3\]: the run has 3 requests, up to endpoints\[2\]$/ })
  t.doesNotThrow(() => checkAgainstPlan(parseThresholds(['p99 < 1', 'connectTime.dns.max < 1', 'errors == 0']), { requests: [{}], schedule: null, targets: [] }))
})

t.test('a scenario has what the run has, apart from its sessions, and its name is one of the plan', async (t) => {
  const scenarios = [{ name: 'buy' }, { name: 'look around' }]
  const complaint = (threshold, changes) => {
    try {
      checkAgainstPlan(parseThresholds(threshold), { ...PLAN, scenarios, ...changes })
      return null
    } catch ({ message }) {
      return message.slice(message.indexOf(': ') + 2)
    }
  }
  for (const threshold of ['scenarios.buy.p99 < 1', "scenarios['look around'].errors == 0", 'scenarios.buy.sessions.failed == 0', 'scenarios.buy.grpcStatus.OK > 1']) {
    t.equal(complaint(threshold), null, threshold)
    t.match(complaint(threshold, { scenarios: null }), / exists only with scenarios$/)
    t.match(complaint(threshold, { scenarios: undefined }), / exists only with scenarios$/)
    t.match(complaint(threshold, { scenarios: [{ name: 'a' }, { name: 'b' }] }), /^there is no scenario '(buy|look around)': this run has 'a', 'b'$/)
  }
  t.equal(complaint('scenarios.buy.sessions.failed == 0', { sessions: null }), null, 'users of a scenario are its sessions')
  t.equal(complaint('scenarios.buy.grpcStatus.OK > 1', { grpc: null }), 'scenarios.buy.grpcStatus.OK exists only with grpc')
  t.equal(complaint('warmup.scenarios.x.p99 < 1'), "there is no scenario 'x': this run has 'buy', 'look around'")
  // What code requests is known only from the result.
  for (const threshold of ['endpoints[9].p99 < 1', "endpoints['x'].p99 < 1"]) {
    t.equal(complaint(threshold, { isUserCode: true }), null, threshold)
    t.not(complaint(threshold), null)
  }
  t.equal(complaint('endpoints[9].grpcStatus.OK > 1', { isUserCode: true, grpc: null }), 'endpoints[9].grpcStatus.OK exists only with grpc')
})

t.test('an error quotes names with line breaks on one line, whatever is wrong with the threshold', async (t) => {
  const NAME = 'a\nb\r\n\tc\u0085d'
  const nothing = { requests: [{ title: 'x' }], schedule: null, monitor: null, stream: null, sessions: null, websocket: null, grpc: null, targets: [{}], workers: null, warmup: null }
  const wrong = {
    [`${NAME} < 5`]: 'a b c d is not the name of a field, such as p99, errors or requests.average',
    [`${NAME} p99 < 5`]: 'a b c d p99 is not the name of a field, such as p99, errors or requests.average',
    [`p99.${NAME} < 5`]: 'p99.a b c d is not the name of a field, such as p99, errors or requests.average',
    [`['${NAME}'] < 5`]: 'a b c d is not a field of a result, such as p99, errors or requests.average',
    [`latency['${NAME}'] < 5`]: 'latency.a b c d is not a field of a result',
    [`p99['${NAME}'] < 5`]: 'latency.p99 is a single value and has no a b c d',
    [`errors['${NAME}'] < 5`]: 'errors is a single value and has no a b c d',
    [`statusCodeStats['${NAME}'] < 5`]: 'in statusCodeStats, a b c d is not a status code',
    [`scenarios['${NAME}'] < 5`]: "scenarios['a b c d'] is a group of values: choose one, such as scenarios['a b c d'].p99",
    [`scenarios['${NAME}'].p99 < 5`]: "scenarios['a b c d'].latency.p99 exists only with scenarios",
    [`scenarios['${NAME}'].sessions.failed < 5`]: "scenarios['a b c d'].sessions.failed exists only with scenarios",
    [`endpoints['${NAME}'].p99 < 5`]: "no request has the title 'a b c d'",
    [`endpoints['${NAME}'].grpcStatus.OK > 5`]: "no request has the title 'a b c d'",
    [`p99 < 5${NAME}`]: undefined,
    [`p99 < ${NAME}`]: undefined
  }
  const complaint = (threshold, changes) => {
    try {
      checkAgainstPlan(parseThresholds(threshold), { ...nothing, ...changes })
      t.fail(`${threshold} is not rejected`)
    } catch (error) {
      const sentence = sentenceOf(error).say((path) => path)
      t.equal(error.message, sentence)
      t.notMatch(sentence, /\p{Cc}/u)
      return sentence.slice(sentence.indexOf(' cannot be checked: ') + ' cannot be checked: '.length)
    }
  }
  for (const [threshold, expected] of Object.entries(wrong)) {
    const said = complaint(threshold)
    if (expected !== undefined) t.equal(said, expected)
  }
  // Names of the plan are quoted as well.
  t.equal(complaint('scenarios.x.p99 < 5', { scenarios: [{ name: NAME }, { name: 'b\n' }] }), "there is no scenario 'x': this run has 'a b c d', 'b '")
  t.equal(complaint(`endpoints['${NAME}'].grpcStatus.OK > 5`, { requests: [{ title: NAME }] }), "endpoints['a b c d'].grpcStatus.OK exists only with grpc")
  t.equal(complaint(`checks['${NAME}'] > 0.5`), "checks['a b c d'] exists only with user")
  t.equal(complaint(`endpoints['${NAME}'].stream.gap.max < 5`, { requests: [{ title: NAME }] }), "endpoints['a b c d'].stream is not a field of a result")
})

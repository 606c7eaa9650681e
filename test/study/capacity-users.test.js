'use strict'

// How many users at a time a server can serve, found for servers for which arithmetic tells: W places of a service time s make n users wait
// n / W * s each, if there are more of them than places.

const t = require('tap')
const { printResult, toHTML } = require('../..')
const { CODES } = require('../../lib/base/errors')
const findCapacity = require('../../lib/study/capacity')
const { mostRuns, search } = require('../../lib/study/capacity/search')
const { simulate } = require('../simulation/world')
const { BY_RATE, BY_USERS } = require('../../lib/study/capacity/axes')
const fc = require('../support/fast-check')

const codesOf = ({ warnings }) => warnings.map(({ code }) => code)

/** A search for the number of connections in a simulated world; `optsOf` may use the world. */
async function searched (server, settings, optsOf = () => ({}), world = {}) {
  const { value } = await simulate({ seed: 2, ...world }, (world) =>
    findCapacity({ url: world.server(server).url, ...optsOf(world) }, { of: 'connections', precision: '0.5%', duration: 0.4, pause: 0, ...settings }))
  return value
}

t.test('k users for each place of a server wait k service times each, and one more waits longer', async (t) => {
  const found = []
  for (const [slots, k] of [[4, 3], [1, 1]]) {
    const { capacity, interval, isConfirmed, limitedBy, limitingThreshold } = await searched({ slots, serviceTime: 20 }, { slo: `latency.max <= ${20 * k}ms`, connections: { from: slots * k, to: slots * k + 1 } })
    found.push([capacity, interval, isConfirmed, limitedBy, limitingThreshold])
  }
  t.same(found, [[12, 3], [1, 1]].map(([users, k]) => [users, [users, users + 1], true, 'server', `latency.max <= ${20 * k}ms`]))
})

t.test('users who think, and users who make several calls', async (t) => {
  // A user who thinks for 60 ms and waits for 40 ms keeps one of the four places busy for a fifth of the time. The first users all come at
  // once, so a few responses take longer.
  const thinking = await searched({ slots: 4, serviceTime: 20 }, { slo: 'p90 <= 41ms', duration: 1, connections: { from: 20, to: 21 } }, () => ({ thinkTime: 0.06 }))
  t.match(thinking, { capacity: 20, interval: [20, 21], isConfirmed: true })
  const calling = await searched({ slots: 4, serviceTime: 20 }, { slo: 'latency.max <= 60ms', connections: { from: 12, to: 13 } }, () => ({ sessions: { calls: 3 } }))
  t.match(calling, { capacity: 12, interval: [12, 13], ratesOf: 'sessions', slo: ['latency.max <= 60ms', '5xx < 1%', 'sessions.failed < 1%'] })
  t.match(toHTML(calling), 'achieved rates are sessions per second')
})

t.test('the events of its runs, and the result of the search', async (t) => {
  const events = []
  const { value: result } = await simulate({}, (world) => {
    const study = findCapacity({ url: world.server({ slots: 2, serviceTime: 20 }).url }, { of: 'connections', slo: 'latency.max <= 60ms', duration: 0.4, pause: 0 })
    study.on('run', ({ connections }, about) => events.push([connections, about]))
    return study
  })
  const [, [connections, about]] = events
  t.same([connections, about], [2, { name: '10.0.0.1', connections: 2, phase: 'climb' }])
  t.same(result.steps.map(({ connections }) => connections), events.map(([connections]) => connections))
  t.match(result, { axis: 'connections', ratesOf: 'requests', capacity: 6, interval: [6, 7], connections: null, slo: ['latency.max <= 60ms', '5xx < 1%', 'errorRate < 1%', 'accounting.unfinished < 20%'], warnings: [] })
  t.match(result.knee, { connections: 2, beyond: 4, reason: 'throughput', limitedBy: 'server' })
  t.same(result.steps.at(-1).verdicts.map(({ threshold, passed }) => [threshold, passed]), result.slo.map((threshold) => [threshold, true]), 'no rate is demanded')
  t.notOk(result.steps.some((step) => 'rate' in step || step.keepsUp !== null))

  const text = printResult(result, { outputStream: {} }).replace(/\s+/g, ' ')
  t.match(text, 'The capacity is 6 connections (between 6 and 7, confirmed by a longer run). It is limited by the server: beyond it, latency.max <= 60ms is not met.')
  t.match(text, /Below the capacity, latency is lowest in relation to throughput with up to 2 connections \([\d.]+ requests per second, p50 20 ms, p99 20 ms\), the knee: with 4 latency grows/)
  t.match(text, /│ Connections │ Phase │ Achieved │/)
  t.notMatch(text, /Demanded|0\/s/)
  const page = toHTML(result)
  const charts = JSON.parse(/<script type="application\/json"[^>]*>([^]*?)<\/script>/.exec(page)[1])
  const [throughput, latency] = ['achieved-by-rate', 'latency-by-rate'].map((id) => charts.find((chart) => chart.id === id))
  t.match(throughput, { x: { label: 'connections', labels: ['1', '2', '4', '6', '7', '8'] }, lines: [{ x: 4, label: 'capacity 6 connections' }] })
  t.same([throughput.data.length, latency.data[0]], [2, [1, 2, 3, 4, 5, 6]])
  t.match(page, 'Lowest failed number of connections')
})

t.test('limits that are not those of the server', async (t) => {
  const fast = { slots: 100, serviceTime: 20 }
  const most = await searched(fast, { slo: 'latency.max <= 20ms', connections: { from: 5, to: 6 } })
  t.match(most, { capacity: 6, interval: [6, null], limitedBy: 'maximum asked for', limitingThreshold: null })
  t.match(printResult(most, { outputStream: {} }).replace(/\s+/g, ' '), 'That is the maximum number of connections of the search.')
  // Each response keeps the thread of the client busy for 5 ms, so it can't read more than 200 a second.
  const busy = await searched({ serviceTime: 1 }, { slo: 'p50 <= 50ms', duration: 0.6, connections: { from: 20, to: 22 } }, (world) => ({ requests: [{ onResponse: () => { world.hold(5) } }] }))
  t.match(busy, { capacity: 20, limitedBy: 'generator' }, 'it reads the last of twenty responses after 100 ms')
  t.same(codesOf(busy), ['GENERATOR_LIMIT'])
  // No more than nine sockets at a time.
  const lacking = await searched(fast, { connections: { from: 8, to: 10 } }, undefined, { lacking: ({ world }) => world.sockets.filter(({ closedAt }) => closedAt === null).length > 9 ? 'connect EMFILE 10.0.0.1' : null })
  t.match(lacking, { capacity: 9, interval: [9, 10], limitedBy: 'generator', limitingThreshold: 'failures == 0', reasons: [/file descriptors/] })
})

t.test('runs that are too short to show how long users wait pass nothing', async (t) => {
  // 40 users of one place wait 800 ms, but in a run of 500 ms only those are seen who waited less.
  const result = await searched({ slots: 1, serviceTime: 20 }, { slo: 'p99 < 1s', duration: 0.5, connections: { to: 64 } })
  t.ok(result.capacity < 7, `${result.capacity}: in 500 ms, 25 requests complete, which must be four times as many as users`)
  t.equal(result.limitingThreshold, 'accounting.unfinished < 20%')
  t.match(result.warnings, [{ code: 'RUNS_TOO_SHORT', message: /^Runs of 500 ms are too short for more connections: / }])
})

t.test('users whose requests fail are not served, unless the user has a threshold on errors', async (t) => {
  // Four are answered and four wait; the server closes the connections of all others, who are not in the latency.
  const server = { slots: 4, queue: 4, overflow: 'reset', serviceTime: 20 }
  const limit = 'errorRate < 1%'
  const found = await searched(server, { slo: 'p99 < 100ms', connections: { from: 8, to: 9 } })
  t.match(found, { capacity: 8, interval: [8, 9], isConfirmed: true, slo: ['p99 < 100ms', '5xx < 1%', limit, 'accounting.unfinished < 20%'], limitingThreshold: limit, limitedBy: 'server' })
  for (const allowed of ['errorRate < 99%', 'errors < 100%', 'failures.rate < 99%', 'accounting.failed < 99%', 'timeouts == 0', 'errorCodes.ETIMEDOUT == 0']) {
    const { capacity, slo } = await searched(server, { slo: ['p99 < 100ms', allowed], connections: { from: 9, to: 9 } })
    t.same([capacity, slo.includes(limit)], [9, false], allowed)
  }
})

t.test('bodies that are not verified when a run ends are neither wrong nor right', async (t) => {
  const server = { slots: 4, serviceTime: 20, answer: () => ({ body: 'right' }) }
  const settings = { slo: 'p99 < 100ms', connections: { from: 1, to: 4 } }
  for (const expected of ['right', 'wrong']) {
    const slow = (world) => ({ verifyBody: (text) => world.sleep(5).then(() => text === expected) })
    const { capacity, limitingThreshold, steps } = await searched(server, settings, slow)
    t.same([capacity, limitingThreshold], expected === 'right' ? [4, null] : [0, 'mismatches < 1%'])
    t.ok(steps.every(({ verdicts, passed }) => verdicts.find(({ metric }) => metric === 'mismatches').passed === passed))
  }
  // Of objectives of the user, nothing passes that is not certain.
  const own = await searched(server, { ...settings, slo: ['p99 < 100ms', 'mismatches < 1%'] }, (world) => ({ verifyBody: () => world.sleep(5).then(() => true) }))
  t.match(own, { capacity: 0, limitingThreshold: 'mismatches < 1%' })
})

t.test('no number of connections passes', async (t) => {
  const broken = await searched({ answer: () => 500, serviceTime: 20 }, {})
  t.match(broken, { capacity: 0, interval: [0, 1], limitedBy: 'server', limitingThreshold: 'failures == 0' })
  t.match(broken.warnings, [{ code: 'NO_CAPACITY', message: 'Even with 1 connection this was not met: failures == 0.' }])
  t.match(printResult(broken, { outputStream: {} }), 'No number of connections passed: even 1 connection failed')
  const none = await searched({ answer: 'silence' }, {}, () => ({ timeout: 0.2 }))
  t.match(printResult(none, { outputStream: {} }), 'There were no responses, not even with 1 connection.')
})

t.test('invalid input is one sentence', async (t) => {
  const refused = (settings, message, opts) => t.rejects(findCapacity({ url: 'localhost:1', ...opts }, settings), { code: CODES.BAD_OPTION, message })
  await refused({ of: 'users' }, /^of must be 'rates' or 'connections'/)
  await refused({ of: 'connections', rates: { to: 5 } }, /^rates cannot be given here: the search is for the highest number of connections$/)
  await refused({ of: 'rates', connections: { to: 5 } }, /^connections cannot be given here: the search is for the highest rate$/)
  await refused({ connections: { from: 1.5 } }, /^connections\.from must be a whole number/)
  await refused({ of: 'connections' }, /^connections cannot be given here: the search sets them$/, { connections: 5 })
  await refused({ of: 'connections' }, /^overallRate cannot be given here: in a search for the number of connections/, { overallRate: 5 })
  await refused({ of: 'connections', maxDuration: 1 }, /^maxDuration must be at least \d+ seconds for a search from 1 to 10000 connections with/)
})

t.test('property: in whole numbers, the answer is exact where the precision allows no more, and takes no more runs than announced', async (t) => {
  const ranges = fc.record({
    capacity: fc.integer({ min: 0, max: 20000 }),
    from: fc.integer({ min: 1, max: 300 }),
    more: fc.integer({ min: 0, max: 20000 }),
    precision: fc.double({ min: 0.005, max: 1, noNaN: true })
  })
  await fc.assert(fc.asyncProperty(ranges, async ({ capacity, from, more, precision }) => {
    const range = { from, to: from + more, least: 1, precision, isWhole: true }
    let runs = 0
    let isWhole = true
    const { low, high } = await search(async (users) => {
      // Each failing run is repeated.
      runs += users <= capacity ? 1 : 2
      isWhole &&= Number.isInteger(users) && users >= 1
      return users <= capacity
    }, range)
    const { short, long } = mostRuns(range)
    if (!isWhole || runs > short + long) return false
    if (high === null) return low === range.to
    return low <= capacity && capacity < high && high - low <= Math.max(1, precision * low)
  }), { numRuns: 300 })
})

t.test('what a search varies: its options, its lowest value, and whether runs wait for responses at their end', async (t) => {
  const plan = (more) => ({ sessions: null, websocket: null, ...more })
  const plans = [plan(), plan({ sessions: {} }), plan({ websocket: { expect: 'reply' } }), plan({ websocket: { expect: 'broadcast' } }), plan({ websocket: { expect: 'nothing' } })]
  t.same(plans.map(BY_USERS.drains), [false, true, false, true, false])
  t.same(plans.map(BY_RATE.drains), plans.map(() => true))
  t.same([BY_RATE.optionsFor(7), BY_USERS.optionsFor(7)], [{ overallRate: 7 }, { connections: 7 }])
  t.same([[50, 5], [50, 0.1], [1, 5]].map(([from, duration]) => [BY_RATE.least(from, duration), BY_USERS.least(from, duration)]), [[2, 1], [50, 1], [1, 1]])
})

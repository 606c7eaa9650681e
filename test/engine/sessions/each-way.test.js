'use strict'

// Users in each way of talking to a server: when their requests are due and sent, on which connections, and what becomes of a session whose
// request is lost, times out, or is in flight when the run ends.

const t = require('tap')
const { ROUND_TRIP, eachWay, playWay, rounded } = require('../../support/ways')

const SERVICE = 5
const ANSWERED = ROUND_TRIP + SERVICE
const THINK = 10
const TIMEOUT = 50

const countsOf = ({ scheduled, unstarted, started, completed, failed, unfinished }) => ({ scheduled, unstarted, started, completed, failed, unfinished })
const codesOf = ({ errorCodes }) => Object.fromEntries(Object.entries(errorCodes).map(([code, { count }]) => [code, count]))

/** When the three requests of a session are sent that begins at a time, and when it is over. */
function visit (way, from) {
  const first = from + way.opening
  const second = first + ANSWERED + THINK
  return { sent: [first, second, second + ANSWERED + THINK], end: second + 2 * ANSWERED + THINK }
}

// A think time begins with the response, and not when its hooks are done.
const HOOKS = (world) => ({ setupRequest: async (request) => request, setupClient: async () => {}, verifyBody: () => world.sleep(THINK / 2).then(() => true) })
const HOW = { 'without hooks': () => ({}), 'with hooks': HOOKS }

for (const [which, hooks] of Object.entries(HOW)) {
  eachWay(t, `one user after the other, ${which}`, async (t, way) => {
    const { result, sent, rows, world } = await playWay(t, way, { serviceTime: SERVICE }, (world) => ({ ask: ['a', 'b', 'c'], thinkTime: THINK / 1000, sessions: { amount: 3 }, ...hooks(world) }))
    // The next user comes when the hook of the last response is done.
    const { end } = visit(way, 0)
    const length = end + (which === 'with hooks' ? THINK / 2 : 0)
    t.same(sent.map(([tag, at]) => [tag, rounded(at)]), [0, 1, 2].flatMap((user) => visit(way, user * length).sent.map((at, index) => ['abc'[index], at])))
    t.same(countsOf(result.sessions), { scheduled: 3, unstarted: 0, started: 3, completed: 3, failed: 0, unfinished: 0 })
    t.same([result.sessions.lifetime.min, result.sessions.lifetime.max].map(rounded), [end, end])
    t.same([result.latency.min, result.latency.max].map(rounded), [ANSWERED, way.opening + ANSWERED])
    t.same(rows.map(({ session, connection, latency }) => [session, connection, rounded(latency)]), [0, 1, 2].flatMap((user) => [way.opening + ANSWERED, ANSWERED, ANSWERED].map((latency) => [user, user + 1, latency])))
    t.equal(world.sockets.length, 3)
  })
}

eachWay(t, 'a user whose request is lost is gone, and the next one comes', async (t, way) => {
  for (const [lost, [code, after, accounting]] of Object.entries({
    end: ['CANNONADE_CLOSED_BY_SERVER', ANSWERED, { completed: 2, failed: 2 }],
    reset: ['ECONNRESET', ANSWERED, { completed: 2, failed: 2 }],
    silence: ['CANNONADE_RESPONSE_TIMEOUT', TIMEOUT, { completed: 2, timedOut: 2 }]
  })) {
    const { result, sent, rows } = await playWay(t, way, { serviceTime: SERVICE, says: (tag) => tag === 'b' ? lost : undefined }, { ask: ['a', 'b', 'c'], thinkTime: THINK / 1000, sessions: { amount: 2 }, timeout: TIMEOUT / 1000 })
    const { sent: [first, second] } = visit(way, 0)
    const next = second + after
    t.same(sent.map(([tag, at]) => [tag, rounded(at)]), [['a', first], ['b', second], ['a', next + first], ['b', next + second]], lost)
    t.match(result.accounting, { scheduled: 4, unsent: 0, unfinished: 0, ...accounting })
    t.match(codesOf(result), { [code]: 2 })
    t.same(countsOf(result.sessions), { scheduled: 2, unstarted: 0, started: 2, completed: 0, failed: 2, unfinished: 0 })
    t.same([result.sessions.failTime.min, result.sessions.failTime.max].map(rounded), [next, next])
    t.same(rows.map(({ session, error }) => [session, error]), [[0, null], [0, code], [1, null], [1, code]])
  }
})

eachWay(t, 'a session goes on when the hook of its last response has settled, although its connection has closed meanwhile', async (t, way) => {
  const { result, sent } = await playWay(t, way, { serviceTime: SERVICE }, (world, server) => {
    world.after(way.opening + ANSWERED + 5, () => server.endAll())
    return { ask: [{ tag: 'a', onResponse: () => world.sleep(20) }, 'b'], sessions: { amount: 1 } }
  })
  const at = way.opening + ANSWERED
  t.same(sent.map(([tag, at]) => [tag, rounded(at)]), [['a', way.opening], ['b', at + 20 + way.opening]])
  t.match(result, { sessions: { completed: 1, connections: { average: 2 } }, accounting: { scheduled: 2, completed: 2 } })
  t.equal(rounded(result.latency.max), 20 + way.opening + ANSWERED)
})

eachWay(t, 'a burst opens a connection for each of its requests, and no more, although it may', async (t, way) => {
  const { result, sent } = await playWay(t, way, { serviceTime: SERVICE }, () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(way.ask)
    return { requests: [[a, b, c], d], ask: [], sessions: { amount: 2, connections: 4 } }
  })
  const length = way.opening + 2 * ANSWERED
  t.same(sent.map(([tag, at]) => [tag, rounded(at)]), [0, length].flatMap((from) => ['a', 'b', 'c', 'd'].map((tag) => [tag, from + way.opening + (tag === 'd' ? ANSWERED : 0)])))
  t.equal(result.sessions.connections.average, 3)
  t.equal(result.connectionStats.peak, 3)
})

eachWay(t, 'a burst of which one is lost', async (t, way) => {
  // The others of its session have failed with it, whether or not they were in flight; the last one is not sent.
  for (const connections of [1, 2]) {
    const { result, sent } = await playWay(t, way, { serviceTime: (entry) => way.tagOf(entry) === 'c' ? 2 * SERVICE : SERVICE, says: (tag) => tag === 'b' ? 'end' : undefined }, () => {
      const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(way.ask)
      return { requests: [a, [b, c, d], e], ask: [], pipelining: connections === 1 ? 2 : 1, sessions: { amount: 1, connections } }
    })
    const at = way.opening
    const second = connections === 1 ? at + ANSWERED : at + ANSWERED + way.opening
    // With one connection, two fit on it; with two, the second one has yet to open.
    t.same(sent.map(([tag, at]) => [tag, rounded(at)]).slice(0, 2), [['a', at], ['b', at + ANSWERED]])
    t.same(sent.slice(2).map(([tag, at]) => [tag, rounded(at)]), connections === 1 || way.opening < ANSWERED ? [['c', second]] : [])
    const inFlight = sent.length - 1
    t.match(result.accounting, { scheduled: 4, completed: 1, failed: inFlight, unsent: 3 - inFlight })
    t.match(result.sessions, { completed: 0, failed: 1 })
    t.equal(rounded(result.sessions.failTime.max), at + 2 * ANSWERED)
  }
})

eachWay(t, 'a burst of which one is not answered in time', async (t, way) => {
  // All requests of the burst are due at once; the second one would be answered later. Nothing says how long both would have taken.
  const requests = ['a', ['lost', 'slow', 'more'], 'b'].map((step) => Array.isArray(step) ? step.map(way.ask) : way.ask(step))
  for (const scenarios of [false, true]) {
    const opts = scenarios ? { scenarios: [{ name: 'one', requests }] } : { requests }
    const { result } = await playWay(t, way, { serviceTime: (entry) => way.tagOf(entry) === 'slow' ? 500 : SERVICE, says: (tag) => tag === 'lost' ? 'silence' : undefined }, {
      ask: [], pipelining: 2, sessions: { amount: 1 }, timeout: TIMEOUT / 1000, thresholds: ['serviceTime.max < 1s', 'serviceTime.p10 < 1s'], ...opts, ...(scenarios && { requests: undefined })
    })
    // Their deadlines are the same, so with streams or ids, both have timed out.
    const accounting = { scheduled: 4, unsent: 1, completed: 1, ...way.multiplexes ? { failed: 0, timedOut: 2 } : { failed: 1, timedOut: 1 } }
    t.match(result.accounting, accounting)
    if (scenarios) t.match(result.scenarios[0], { accounting, sessions: { failed: 1 } })
    t.equal(result.missing.serviceTime.count, 2)
    t.same(result.thresholds.map(({ passed, certain }) => [passed, certain]), [[false, false], [true, true]])
    t.equal(rounded(result.sessions.failTime.max), way.opening + ANSWERED + TIMEOUT)
  }
})

const ENDS = {
  'the drain is too short': { opts: { duration: 0.1, drain: 0.025 }, endedAt: 125 },
  'it is stopped': { opts: { duration: 10 }, endedAt: 91, stop: 91 },
  'everybody may finish': { opts: { duration: 0.1 }, endedAt: Infinity }
}
for (const [how, { opts, endedAt, stop }] of Object.entries(ENDS)) {
  eachWay(t, `users who come on a schedule, and ${how}`, async (t, way) => {
    // A user comes each 30 ms.
    const begun = [0, 30, 60, 90]
    const { result, rows } = await playWay(t, way, { serviceTime: SERVICE }, {
      ask: ['a', 'b', 'c'], thinkTime: THINK / 1000, overallRate: 1000 / 30, sessions: true, thresholds: ['sessions.lifetime.max < 1s'], ...opts
    }, (instance, world) => { if (stop !== undefined) world.afterForClient(stop, () => instance.stop()) })
    const visits = begun.map((from) => ({ from, ...visit(way, from) }))
    const done = visits.filter(({ end }) => end <= endedAt)
    t.same(countsOf(result.sessions), { scheduled: 4, unstarted: 0, started: 4, completed: done.length, failed: 0, unfinished: 4 - done.length })
    // The first request of a session is due when it begins, each other one when the one before it was answered and thought about.
    const requests = visits.flatMap(({ from, sent }, session) => sent.map((at, index) => ({ session, due: index === 0 ? from : at, at })))
    const expected = requests.filter(({ due }) => due <= endedAt).map(({ session, due, at }) => {
      const outcome = at > endedAt ? 'unsent' : at + ANSWERED <= endedAt ? 'completed' : 'unfinished'
      return [session, due, outcome, Math.min(endedAt, at + ANSWERED) - due].join()
    })
    t.same(rows.map(({ session, due, outcome, latency }) => [session, rounded((due - rows[0].due) * 1000), outcome, rounded(latency)].join()).sort(), expected.sort())
    t.same(result.thresholds.map(({ passed, certain }) => [passed, certain]), [done.length === 4 ? [true, true] : [false, false]])
  })
}

eachWay(t, 'two kinds of users', async (t, way) => {
  const buy = ['x', 'y'].map(way.ask)
  const browse = ['a', 'b', 'c'].map(way.ask)
  const { result, sent } = await playWay(t, way, { serviceTime: SERVICE, says: (tag) => tag === 'y' ? 'end' : undefined }, {
    scenarios: [{ name: 'browse', weight: 2, requests: browse, thinkTime: THINK / 1000 }, { name: 'buy', weight: 1, requests: buy }], sessions: { amount: 6 }
  })
  const tags = sent.map(([tag]) => tag)
  const [browsing, buying] = result.scenarios
  t.match(browsing, { name: 'browse', errors: 0, accounting: { sent: 12, completed: 12 }, sessions: { started: 4, completed: 4, failed: 0 } })
  t.match(buying, { name: 'buy', errors: 2, accounting: { sent: 4, completed: 2, failed: 2 }, sessions: { started: 2, completed: 0, failed: 2 } })
  t.same([rounded(browsing.sessions.lifetime.max), rounded(buying.sessions.failTime.max)], [visit(way, 0).end, way.opening + 2 * ANSWERED])
  t.match(tags.join('').replaceAll('abc', 'A').replaceAll('xy', 'X').split('').sort().join(''), /^A{4}X{2}$/)
  t.same(codesOf(result), { CANNONADE_CLOSED_BY_SERVER: 2 })
})

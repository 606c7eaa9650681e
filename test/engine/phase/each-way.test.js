'use strict'

// Deadlines and broken connections in each way of talking to a server, in the closed and the open model: each request with its time and its
// outcome, as computed for one connection.

const t = require('tap')
const { train } = require('../../support/train')
const { DELAY, eachWay, isDistinct, playWay, rounded } = require('../../support/ways')

// Each response takes longer than the one before it, so that no two of them arrive together.
const service = (number) => 5 + 3 * number
// No deadline coincides with a due time.
const TIMEOUT = 0.097
const BETWEEN_MS = 11
const OK = 'ok'

const attemptsOf = ({ sockets }, from) => sockets.map(({ begunAt }) => rounded((begunAt - sockets[0].begunAt) / 1000 - from))
const countOf = (values, value) => values.filter((each) => each === value).length

/** Counts of each code. */
function codesOf (requests, otherCodes) {
  const codes = [...requests.map(({ code }) => code).filter((code) => code !== null), ...otherCodes]
  return Object.fromEntries([...new Set(codes)].sort().map((code) => [code, countOf(codes, code)]))
}

const OUTCOMES = {
  'one deadline after the other': [OK, 'silence', OK, OK, 'silence', 'silence', OK, OK, OK, OK],
  'deadlines before any response': ['silence', 'silence', OK, 'silence', OK, OK, OK],
  'a server that breaks connections': [OK, 'reset', OK, OK, 'end', OK, OK, OK, OK],
  'a server that breaks one connection after the other': ['reset', 'end', 'reset', OK, 'end', 'reset', 'end', OK, 'reset', OK, OK, OK],
  'all of them': ['end', 'silence', OK, 'reset', 'silence', 'reset', OK, 'silence', OK, OK, OK, OK]
}
const LOADS = { 'closed model': {}, 'open model': { overallRate: 1000 / BETWEEN_MS } }
const WITH_HOOKS = { verifyBody: async () => true }
const VARIANTS = { 'one at a time': [1, {}], 'three at a time': [3, {}], 'three at a time, with hooks': [3, WITH_HOOKS] }

for (const [name, outcomes] of Object.entries(OUTCOMES)) {
  for (const [model, load] of Object.entries(LOADS)) {
    eachWay(t, `${name}, ${model}`, async (t, way) => {
      for (const [variant, [depth, hooks]] of Object.entries(VARIANTS)) await compare(t, way, { outcomes, depth, load, hooks }, variant)
    }, (way) => name === 'all of them' || (isDistinct(way) && way.isForwarded !== true))
  }
}

async function compare (t, way, { outcomes, depth, load, hooks }, name) {
  const isOpenModel = load.overallRate !== undefined
  const { requests, attempts, otherCodes } = train(way, { outcomes, depth, service, timeout: TIMEOUT * 1000, dues: isOpenModel ? outcomes.map((_, index) => index * BETWEEN_MS) : null })
  const tags = outcomes.map((does, number) => `${does}.${number}`)
  const opts = { amount: outcomes.length, timeout: TIMEOUT, ask: tags, pipelining: depth, ...load, ...hooks }
  const says = (tag) => tag.startsWith(OK) ? undefined : tag.split('.')[0]
  const { result, world, sent, rows } = await playWay(t, way, { serviceTime: (entry) => service(Number(way.tagOf(entry).split('.')[1])), says }, opts)
  const count = (outcome) => countOf(requests.map((request) => request.outcome), outcome)
  const wasSent = requests.filter(({ sentAt }) => sentAt !== null)
  t.same(sent.map(([tag, at]) => [tag, rounded(at - way.opening)]), wasSent.map(({ does, number, sentAt }) => [`${does}.${number}`, sentAt]), `${name}: what was sent, and when`)
  t.same(attemptsOf(world, way.opening), attempts, `${name}: when it connects`)
  t.match(result.accounting, { scheduled: requests.length, unsent: count('unsent'), completed: count('completed'), failed: count('failed'), timedOut: count('timedOut'), unfinished: 0 }, name)
  t.same(Object.fromEntries(Object.entries(result.errorCodes).map(([code, { count }]) => [code, count]).sort()), codesOf(requests, otherCodes), `${name}: codes`)
  t.same(result.errorCodes.CANNONADE_RESPONSE_TIMEOUT?.phases.timeout, count('timedOut') || undefined, `${name}: phase`)
  const recorded = rows.map(({ due, sent, end, latency, outcome, error }) => ({ due, sent, end, latency, outcome, error }))
  const from = Math.min(...recorded.map(({ due }) => due))
  const since = (seconds) => seconds === null ? null : rounded((seconds - from) * 1000)
  const lines = recorded.map(({ due, sent, end, latency, outcome, error }) => [since(due), since(sent), since(end), latency === null ? null : rounded(latency), outcome, error].join())
  t.same(lines.sort(), requests.map((request) => rowOf(request).join()).sort(), `${name}: the record`)
}

function rowOf ({ due, sentAt, endedAt, outcome, code }) {
  const latency = outcome === 'completed' ? endedAt - (due ?? sentAt) : due !== null && outcome !== 'failed' ? TIMEOUT * 1000 : null
  return [due ?? sentAt, sentAt, outcome === 'unsent' ? null : endedAt, latency, outcome, code]
}

eachWay(t, 'a connection that breaks after a deadline that has not been noticed', async (t, way) => {
  // Timers know only whole milliseconds: the deadline of the second and the third request passes at 96.8 ms, and the connection breaks at 96.9 ms.
  // The fourth one was sent when the first was answered, at 7 ms.
  const timeout = 0.0968
  for (const hooks of [{}, WITH_HOOKS]) {
    const says = (tag) => tag === 'answered' ? undefined : 'silence'
    const { result, rows } = await playWay(t, way, { serviceTime: 5, says }, (world, server) => {
      world.after(way.opening + 96.9 - DELAY, () => server.resetAll())
      return { ask: ['answered', 'late', 'late too', 'lost'], amount: 4, timeout, pipelining: 3, ...hooks }
    })
    const LATE = ['timedOut', 'CANNONADE_RESPONSE_TIMEOUT', 96.8]
    const LOST = ['failed', 'CANNONADE_LOST_IN_PIPELINE', 96.9]
    // Those behind a deadline are lost with it, unless there are streams or ids: then the connection has failed for the one that was not late.
    const expected = way.multiplexes ? [LATE, LATE, ['failed', 'ECONNRESET', 96.9]] : [LATE, LOST, LOST]
    const from = rows[0].due
    t.same(rows.map(({ outcome, error, end }) => [outcome, error, Math.round((end - from) * 10_000) / 10]), [['completed', null, 7], ...expected])
    t.match(result, { timeouts: way.multiplexes ? 2 : 1, errors: 3 })
  }
})

const QUEUES = {
  'one queue': { bursts: { size: 1, interval: 0.05 } },
  'a queue for each connection': { connectionRate: 20 },
  'a broadcast': { bursts: { size: 1, interval: 0.05 }, websocket: { expect: 'broadcast' }, idReplacement: true }
}

for (const [queue, load] of Object.entries(QUEUES)) {
  eachWay(t, `a deadline that passes while a connection opens and the thread is held, ${queue}`, async (t, way) => {
    // The connection breaks just before the second request is due. When it is open, the deadline has passed, which the timer has yet to notice.
    const brokenAt = 49
    const settings = queue === 'a broadcast' ? { websocket: 'broadcast' } : {}
    const { result, rows } = await playWay(t, way, settings, (world, server) => {
      world.after(way.opening + brokenAt - DELAY, () => server.endAll())
      world.afterForClient(way.opening + brokenAt + way.opening - 0.5, () => world.hold(30))
      return { ask: ['[<id>]'], duration: 0.2, timeout: 0.02, ...load }
    })
    t.match(result.accounting, { scheduled: 4, unsent: 1, sent: 3, completed: 3 })
    t.same(rows.map(({ outcome, sent }) => [outcome, sent && rounded((sent - rows[0].due) * 1000)]), [['completed', 0], ['unsent', null], ['completed', 100], ['completed', 150]])
    t.equal(result.latency.max, 20)
  }, (way) => isDistinct(way) && (queue !== 'a broadcast' || way.name === 'WebSocket'))
}

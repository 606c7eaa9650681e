'use strict'

// Connections that take long to open, or fail, in each way of talking to a server: when each attempt begins, what it counts as, and what
// becomes of the requests meanwhile.

const t = require('tap')
const { DELAY, ROUND_TRIP, WAYS, codesOf, eachWay, phasesOf, playWay, rounded } = require('../support/ways')

const SERVICE = 5
const TIMEOUT_MS = 50
const BACK_OFFS = [10, 20, 40, 80]

const isAny = () => true
const attemptsOf = ({ sockets }) => sockets.map(({ begunAt }) => rounded((begunAt - sockets[0].begunAt) / 1000))

/** How long an attempt with this outcome takes until it has failed. */
const lengthOf = { silence: TIMEOUT_MS, refuse: ROUND_TRIP }

/** When attempts begin of which all but the last fail. */
function attemptsAfter (from, outcomes) {
  const attempts = [from]
  outcomes.forEach((outcome, index) => attempts.push(attempts[index] + lengthOf[outcome] + BACK_OFFS[index]))
  return attempts
}

const FAILING = { 'refused at once': ['refuse'], 'silent first': ['silence', 'refuse', 'refuse'], 'refused first': ['refuse', 'silence', 'refuse', 'silence'] }

for (const [name, failing] of Object.entries(FAILING)) {
  eachWay(t, `a server that cannot be reached at first, ${name}`, async (t, way) => {
    // After the first response, its connection breaks, and another attempt is refused.
    const attempt = (number) => failing[number] ?? (number === failing.length + 1 ? 'refuse' : 'accept')
    const attempts = attemptsAfter(0, failing)
    const first = attempts.at(-1) + way.opening
    const broken = first + 2 * (ROUND_TRIP + SERVICE)
    const again = broken + ROUND_TRIP + BACK_OFFS[0]
    const last = again + way.opening + ROUND_TRIP + SERVICE
    for (const hooks of [{}, { setupClient: async () => {} }]) {
      const { result, world, sent, rows } = await playWay(t, way, { serviceTime: SERVICE, attempt, says: (tag) => tag === 'bad' ? 'reset' : undefined }, {
        ask: ['a', 'bad', 'b'], duration: (last + 3) / 1000, timeout: TIMEOUT_MS / 1000, thresholds: ['connectTime.max < 1s', 'errors < 100'], ...hooks
      })
      t.same(attemptsOf(world), [...attempts, broken, again])
      t.same(sent.map(([tag, at]) => [tag, rounded(at)]), [['a', first], ['bad', first + ROUND_TRIP + SERVICE], ['b', again + way.opening], ['a', last]])
      const count = (outcome) => failing.filter((each) => each === outcome).length
      t.same(phasesOf(result), {
        ECONNREFUSED: { connect: count('refuse') + 1 },
        ...count('silence') > 0 && { CANNONADE_CONNECT_TIMEOUT: { connect: count('silence') } },
        ECONNRESET: { receive: 1 }
      })
      t.match(result, { errors: failing.length + 2, timeouts: 0, accounting: { sent: 4, completed: 2, failed: 1, unfinished: 1 }, latency: { min: SERVICE + ROUND_TRIP, max: SERVICE + ROUND_TRIP } })
      t.match(result.connectionStats, { opened: 2, failed: failing.length + 1, closedByServer: 1, closedByClient: 1 })
      t.same([result.connectTime.totalCount, rounded(result.connectTime.min), rounded(result.connectTime.max)], [2, way.opening, way.opening])
      t.same([result.connectTime.tcp, result.connectTime.tls].map(({ totalCount, max }) => [totalCount, rounded(max)]), [[2, ROUND_TRIP], way.server.secure ? [2, ROUND_TRIP] : [0, 0]])
      // How long an attempt would have taken that its deadline ended is not known.
      t.same(result.thresholds.map(({ passed }) => passed), [count('silence') === 0, true])
      t.same(rows.map(({ connection, outcome }) => [connection, outcome]), [[1, 'completed'], [1, 'failed'], [2, 'completed'], [2, 'unfinished']])
    }
  }, isAny)
}

// The steps of opening a connection: which server never takes it, in which phase that is, and of which ways it is a part.
const STEPS = {
  'the connection': [{ attempt: () => 'silence' }, 'connect', isAny],
  TLS: [{ handshake: 'silence' }, 'tls', ({ server }) => server.secure],
  'the tunnel': [{ tunnel: 'silence' }, 'connect', ({ isTunnelled }) => isTunnelled],
  'the handshake of WebSocket': [{ opening: 'silence' }, 'connect', ({ server }) => server.websocket],
  'the namespace of Socket.IO': [{ joining: 'silence' }, 'connect', ({ server }) => server.socketio]
}
for (const [step, [settings, phase, suits]] of Object.entries(STEPS)) {
  eachWay(t, `a server that never gets beyond ${step}`, async (t, way) => {
    // Attempts begin at 0, 60, 130 and 220 ms; the next one would at 350.
    const begun = [0, 60, 130, 220]
    for (const opts of [{}, { setupClient: async () => {} }, { sessions: true }]) {
      const { result, world } = await playWay(t, way, settings, { duration: 0.3, timeout: TIMEOUT_MS / 1000, thresholds: ['connectTime.max < 1s', 'p99 < 1s', 'failures == 0'], ...opts })
      t.same(attemptsOf(world), begun)
      t.same(phasesOf(result), { CANNONADE_CONNECT_TIMEOUT: { [phase]: 4 } })
      t.match(result.connectionStats, { opened: 0, failed: 4 })
      t.match(result.accounting, { sent: 0, completed: 0 })
      t.same(result.thresholds.map(({ passed }) => passed), [false, false, false])
      t.ok(codesOf(result).includes('NO_CONNECTION'))
    }
  }, suits)
}

eachWay(t, 'requests that come due before there is a connection', async (t, way) => {
  // One attempt is refused at once, before the schedule begins, and one is never answered: requests are due each 15 ms from 2 ms on.
  // None of their deadlines passes while the first of them are answered.
  const outcomes = ['refuse', 'silence']
  const attempts = attemptsAfter(0, outcomes)
  const begunAt = attempts[0] + ROUND_TRIP
  const usableAt = attempts.at(-1) + way.opening
  const attempt = (number) => outcomes[number] ?? 'accept'
  const dues = Array.from({ length: 12 }, (_, index) => begunAt + index * 15)
  const unsent = dues.filter((due) => due + TIMEOUT_MS <= usableAt)
  const waiting = dues.filter((due) => due + TIMEOUT_MS > usableAt && due < usableAt)
  const { result, world, sent } = await playWay(t, way, { attempt }, { overallRate: 1000 / 15, duration: 0.18, timeout: TIMEOUT_MS / 1000, pipelining: 20 })
  t.same(attemptsOf(world), attempts)
  t.match(result.accounting, { scheduled: 12, unsent: unsent.length, sent: 12 - unsent.length, completed: 12 - unsent.length })
  t.same(sent.map(([, at]) => rounded(at)), dues.slice(unsent.length).map((due) => Math.max(due, usableAt)))
  t.equal(rounded(result.sendDelay.max), Math.max(0, ...waiting.map((due) => usableAt - due)))
  t.equal(rounded(result.latency.max), unsent.length > 0 ? TIMEOUT_MS : usableAt - waiting[0] + ROUND_TRIP)
  t.match(result.latencyBounds, { count: unsent.length })
}, isAny)

t.test('each way is another one', async (t) => {
  t.equal(new Set(WAYS.map(({ name }) => name)).size, WAYS.length)
  t.equal(ROUND_TRIP, 2 * DELAY)
})

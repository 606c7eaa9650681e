'use strict'

// How many requests a run sends, and how it ends, in each way of talking to a server: limits, the end of the time, stops, and the verdicts then.

const t = require('tap')
const { ROUND_TRIP, codesOf, eachWay, isDistinct, phasesOf, playWay, rounded } = require('../support/ways')

const SERVICE = 5
const ANSWERED = ROUND_TRIP + SERVICE

const HOOKS = [{}, { verifyBody: async () => true }]

/** How many requests each connection carried, in the order in which they were opened. */
function loadsOf (log) {
  const sockets = [...new Set(log.map(({ socket }) => socket))]
  return sockets.map((socket) => log.filter((entry) => entry.socket === socket).length)
}

eachWay(t, 'as many requests as a run may send, divided over its connections', async (t, way) => {
  for (const hooks of HOOKS) {
    const played = async (opts) => {
      const { result, log } = await playWay(t, way, { serviceTime: SERVICE }, { connections: 3, pipelining: 2, ask: ['a', 'b', 'c', 'd'], ...hooks, ...opts })
      const { sent, completed } = result.accounting
      t.equal(sent, log.length)
      t.equal(completed, log.length)
      return { loads: loadsOf(log), opened: result.connectionStats.opened, tags: log.map((entry) => way.tagOf(entry)) }
    }
    t.same((await played({ maxConnectionRequests: 5 })).loads, [5, 5, 5])
    t.same((await played({ maxOverallRequests: 7 })).loads.sort(), [2, 2, 3])
    t.same((await played({ amount: 7 })).loads.reduce((sum, load) => sum + load), 7)
    t.same(await played({ amount: 10, connections: 1, reconnectRate: 4 }), { loads: [4, 4, 2], opened: 3, tags: ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd', 'a', 'b'] })
    t.same((await played({ overallRate: 100, duration: 0.1, maxConnectionRequests: 2 })).loads, [2, 2, 2])
  }
})

eachWay(t, 'as many requests as a connection may carry, of which one is not answered', async (t, way) => {
  // With streams or ids, the connection goes on, and is replaced after the third request, also if that is the one without a response.
  const LOADS = way.multiplexes ? [[3, 3, 1], [3, 3, 1]] : [[2, 3, 2], [3, 3, 1]]
  for (const load of [{}, { overallRate: 5, verifyBody: async () => true }]) {
    for (const [index, lost] of ['b', 'c'].entries()) {
      const { result, log, sent } = await playWay(t, way, { serviceTime: SERVICE, says: (tag) => tag === lost ? 'silence' : undefined }, {
        ask: ['a', 'b', 'c', 'd', 'e', 'f', 'g'], amount: 7, reconnectRate: 3, timeout: 0.05, ...load
      })
      t.same([loadsOf(log), sent.map(([tag]) => tag).join('')], [LOADS[index], 'abcdefg'], lost)
      t.match(result.accounting, { completed: 6, timedOut: 1 })
      t.match(result.connectionStats, { opened: 3, closedByServer: 0, closedByClient: 3 })
    }
  }
})

eachWay(t, 'a new connection for each request', async (t, way) => {
  for (const hooks of HOOKS) {
    const { result, sent, log } = await playWay(t, way, { serviceTime: SERVICE }, { ask: ['a', 'b', 'c'], amount: 4, keepAlive: false, pipelining: 3, ...hooks })
    t.same(sent.map(([tag, at]) => [tag, rounded(at)]), [...'abca'].map((tag, index) => [tag, way.opening + index * (ANSWERED + way.opening)]))
    t.same(loadsOf(log), [1, 1, 1, 1])
    t.match(result, { errors: 0, accounting: { sent: 4, completed: 4 }, connectionStats: { opened: 4 } })
  }
}, (way) => way.isHttp === true && isDistinct(way))

eachWay(t, 'a server that closes each connection after some responses', async (t, way) => {
  for (const hooks of HOOKS) {
    const { result, sent, log } = await playWay(t, way, { serviceTime: SERVICE, keepAlive: 3 }, { amount: 8, ask: ['a', 'b'], ...hooks })
    const expected = Array.from({ length: 8 }, (_, index) => ['ab'[index % 2], way.opening + index * ANSWERED + Math.floor(index / 3) * way.opening])
    t.same([loadsOf(log), sent.map(([tag, at]) => [tag, rounded(at)])], [[3, 3, 2], expected])
    t.match(result, { errors: 0, accounting: { completed: 8 }, connectionStats: { opened: 3, closedByServer: 2, closedByClient: 1 }, latency: { min: ANSWERED, max: ANSWERED } })
  }
})

// Each ending, at a time when one request has been answered, one is in flight, and the others have not been sent.
const ENDS = {
  'its time is up': { opts: () => ({}), warnings: [] },
  'it is stopped': { opts: () => ({ duration: 10 }), story: (instance, world, at) => world.afterForClient(at, () => instance.stop()), warnings: ['STOPPED'] },
  'its signal is aborted': {
    opts: (world, at) => {
      const controller = new AbortController()
      world.afterForClient(at, () => controller.abort())
      return { duration: 10, signal: controller.signal }
    },
    warnings: ['STOPPED']
  }
}
for (const [how, { opts: optsOf, story, warnings }] of Object.entries(ENDS)) {
  eachWay(t, `a run of the closed model ends because ${how}`, async (t, way) => {
    const at = way.opening + ANSWERED + 4
    for (const hooks of HOOKS) {
      const { result, rows } = await playWay(t, way, { serviceTime: SERVICE }, (world) => ({ ask: ['a', 'b'], duration: at / 1000, thresholds: ['latency.max < 1s', 'requests.sent == 2', 'accounting.unfinished <= 1'], ...hooks, ...optsOf(world, at) }), story && ((instance, world) => story(instance, world, at)))
      t.match(result.accounting, { scheduled: 2, unsent: 0, sent: 2, completed: 1, failed: 0, timedOut: 0, unfinished: 1 })
      t.same([result.latency.totalCount, result.latency.max, result.latencyBounds.count, rounded(result.latencyWithUnfinished.min)], [1, ANSWERED, 0, 4])
      t.equal(rounded(result.duration * 1000), at)
      t.same(codesOf(result).filter((code) => ['STOPPED', 'LATENCY_INCOMPLETE'].includes(code)), warnings)
      t.same(rows.map(({ outcome, latency }) => [outcome, latency]), [['completed', ANSWERED], ['unfinished', null]])
      t.same(phasesOf(result), {})
      t.same(result.thresholds.map(({ passed, certain }) => [passed, certain]), [[true, true], [true, true], [true, true]])
    }
  })
}

// A request is due each 10 ms, and the third one takes 200 ms: those behind it wait. Whatever has not been answered is as old as it was at the end.
const SLOW = 200
const OPEN_ENDS = {
  'without a drain': { opts: { duration: 0.1, drain: 0 }, closedAt: 100, endedAt: 100 },
  'with a drain that is too short': { opts: { duration: 0.1, drain: 0.05 }, closedAt: 100, endedAt: 150 },
  'with a drain that is long enough': { opts: { duration: 0.1, drain: 1 }, closedAt: 100, endedAt: 20 + SLOW + ROUND_TRIP },
  'because it is stopped': { opts: { duration: 0.1 }, closedAt: 57, endedAt: 57, stop: 57 },
  'because it is stopped in the drain': { opts: { duration: 0.1, drain: 1 }, closedAt: 100, endedAt: 177, stop: 177 }
}
for (const [how, { opts, closedAt, endedAt, stop }] of Object.entries(OPEN_ENDS)) {
  eachWay(t, `a run of the open model ends ${how}`, async (t, way) => {
    for (const [index, load] of [{ overallRate: 100 }, { bursts: { size: 1, interval: 0.01 } }].entries()) {
      const serviceTime = (entry) => way.tagOf(entry) === 'slow' ? SLOW : SERVICE
      const { result, rows } = await playWay(t, way, { serviceTime }, {
        ask: ['a', 'b', 'slow', 'c'], timeout: 1, thresholds: ['latency.p10 < 1s', 'latency.p90 < 1s', 'serviceTime.max < 1s', 'latency.max > 10ms'], ...HOOKS[index], ...opts, ...load
      }, (instance, world) => { if (stop !== undefined) world.afterForClient(way.opening + stop, () => instance.stop()) })
      const dues = Array.from({ length: 10 }, (_, index) => index * 10).filter((due) => due < closedAt)
      const ages = dues.slice(3).map((due) => endedAt - due)
      const isAnswered = endedAt >= 20 + SLOW + ROUND_TRIP
      const slow = endedAt - 20
      const bounds = isAnswered ? ages : [slow, ...ages]
      t.match(result.accounting, { scheduled: dues.length, unsent: dues.length - 3, sent: 3, completed: isAnswered ? 3 : 2, failed: 0, timedOut: 0, unfinished: isAnswered ? 0 : 1 })
      t.match(result.drain, { completed: isAnswered ? 1 : 0 })
      t.equal(Math.round(result.drain.seconds * 1000), endedAt - closedAt)
      t.same([result.latencyBounds.count, rounded(result.latencyBounds.smallest)], [bounds.length, Math.min(...bounds)])
      const latencies = [ANSWERED, ANSWERED, slow, ...ages]
      for (const name of ['latency', 'latencyWithUnfinished']) {
        const { totalCount, min, max, total } = result[name]
        t.same([totalCount, min, rounded(max), Math.round(total)], [dues.length, ANSWERED, Math.max(...latencies), latencies.reduce((sum, each) => sum + each)], name)
      }
      t.same(rows.map(({ due, outcome, latency }) => [outcome, rounded(latency)]).sort(), [
        ['completed', ANSWERED], ['completed', ANSWERED], [isAnswered ? 'completed' : 'unfinished', slow], ...ages.map((age) => ['unsent', age])
      ].sort())
      t.same(result.thresholds.map(({ passed, certain }) => [passed, certain]), [[true, true], [false, false], [isAnswered, isAnswered], [true, true]])
      t.equal(codesOf(result).includes('STOPPED'), !isAnswered, 'also if its drain was too short')
    }
  })
}

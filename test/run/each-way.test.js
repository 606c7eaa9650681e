'use strict'

// What belongs to a whole run, in each way of talking to a server: warm-up, threads, several servers, pauses, samples, and conditions that end it.

const t = require('tap')
const { ROUND_TRIP, codesOf, eachWay, phasesOf, playWay, rounded } = require('../support/ways')

const SERVICE = 5
const ANSWERED = ROUND_TRIP + SERVICE

const HOOKS = { 'without hooks': {}, 'with hooks': { verifyBody: async () => true } }

for (const [which, hooks] of Object.entries(HOOKS)) {
  eachWay(t, `a warm-up, and its connections in the run, ${which}`, async (t, way) => {
    // The second request of the warm-up is in flight at its end; the run begins when it has been answered.
    const warmup = (way.opening + ANSWERED + 3) / 1000
    const { result: { warmup: before, ...result }, sent, rows, world } = await playWay(t, way, { serviceTime: SERVICE }, { ask: ['a', 'b', 'c'], warmup: { duration: warmup }, amount: 4, ...hooks })
    t.same(sent.map(([tag, at]) => [tag, rounded(at)]), [...'abcabc'].map((tag, index) => [tag, way.opening + index * ANSWERED]))
    t.match(before.accounting, { sent: 2, completed: 2, unfinished: 0 })
    t.match(result.accounting, { sent: 4, completed: 4 })
    t.same([before, result].map(({ latency: { totalCount, min, max } }) => [totalCount, min, max]), [[2, ANSWERED, ANSWERED], [4, ANSWERED, ANSWERED]])
    t.same([before, result].map(({ connectionStats: { opened, peak, closedByClient } }) => [opened, peak, closedByClient]), [[1, 1, 0], [0, 1, 1]])
    t.equal(rows.length, 4)
    t.equal(world.sockets.length, 1)
  })

  eachWay(t, `a pause after each response, ${which}`, async (t, way) => {
    // After a lost request, the pause begins when there is a connection again.
    for (const [lost, after] of [['end', ANSWERED], ['silence', 50]]) {
      const { result, sent } = await playWay(t, way, { serviceTime: SERVICE, says: (tag) => tag === 'lost' ? lost : undefined }, { ask: ['a', 'lost', 'b'], amount: 4, thinkTime: 0.02, timeout: 0.05, ...hooks })
      const at = [way.opening, way.opening + ANSWERED + 20]
      at.push(at[1] + after + (lost === 'silence' && way.multiplexes ? 0 : way.opening) + 20)
      at.push(at[2] + ANSWERED + 20)
      t.same(sent.map(([tag, at]) => [tag, rounded(at)]), ['a', 'lost', 'b', 'a'].map((tag, index) => [tag, at[index]]), lost)
      t.match(result.accounting, { sent: 4, completed: 3 })
    }
  })
}

eachWay(t, 'threads that share connections, an amount, and a server that breaks connections', async (t, way) => {
  // Functions cannot be sent to threads.
  for (const load of [{}, { overallRate: 200 }]) {
    const { result, log, rows } = await playWay(t, way, { serviceTime: SERVICE, keepAlive: 4 }, { ask: ['a', 'b'], workers: 2, connections: 4, amount: 30, ...load })
    t.match(result.accounting, { sent: 30, completed: 30, failed: 0 })
    t.equal(log.length, 30)
    const carried = [...new Set(log.map(({ socket }) => socket))].map((socket) => log.filter((entry) => entry.socket === socket).length)
    t.ok(carried.every((count) => count <= 4))
    t.equal(result.connectionStats.opened, new Set(rows.map(({ connection }) => connection)).size)
    t.equal(carried.length, result.connectionStats.opened)
    t.equal(result.serviceTime.max, ANSWERED)
  }
}, ({ name, differsInOpening }) => name !== 'WebSocket with ids' && differsInOpening !== true)

eachWay(t, 'conditions that end a run as soon as they have failed', async (t, way) => {
  // Samples are taken each 50 ms. The third request is lost, or takes long, and one more is sent after it at most.
  const CONDITIONS = {
    'errors == 0': [{ says: (tag) => tag === 'c' ? 'end' : undefined }, way.opening + 2 * ANSWERED + ANSWERED],
    'latency.max < 20ms': [{ serviceTime: (entry) => way.tagOf(entry) === 'c' ? 33 : SERVICE }, way.opening + 2 * ANSWERED + ROUND_TRIP + 33],
    'timeouts < 1': [{ says: (tag) => tag === 'c' ? 'silence' : undefined }, way.opening + 2 * ANSWERED + 70]
  }
  for (const [threshold, [settings, knownAt]] of Object.entries(CONDITIONS)) {
    const { result } = await playWay(t, way, { serviceTime: SERVICE, ...settings }, { ask: ['a', 'b', 'c'], duration: 10, timeout: 0.07, sampleInt: 50, thresholds: ['requests.average > 0', threshold], abortOnFail: true })
    t.equal(rounded(result.duration * 1000), Math.ceil(knownAt / 50) * 50, threshold)
    t.same(result.thresholds.map(({ passed, certain }) => [passed, certain]), [[true, true], [false, true]])
    t.ok(codesOf(result).includes('ABORTED_ON_FAIL'))
  }
})

eachWay(t, 'samples, and the response event', async (t, way) => {
  // Ten requests, one each 10 ms; the sixth breaks its connection. Samples are taken each 20 ms.
  const events = []
  const { result } = await playWay(t, way, { serviceTime: SERVICE, says: (tag) => tag === 'bad' ? 'reset' : undefined }, { ask: ['a', 'b', 'c', 'd', 'e', 'bad', 'f', 'g', 'h', 'i'], overallRate: 100, duration: 0.1, sampleInt: 20 }, (instance) => {
    instance.on('response', (client, status, bytes, ms) => events.push([status, bytes > 0, rounded(ms)]))
    instance.on('reqError', ({ code }) => events.push(code))
  })
  // The seventh is due 3 ms after that, and may have to wait for the next connection.
  const latencyOf = (index) => index === 6 ? ANSWERED + Math.max(0, way.opening - 3) : ANSWERED
  t.same(events, Array.from({ length: 10 }, (_, index) => index === 5 ? 'ECONNRESET' : [way.status, true, latencyOf(index)]))
  t.same(result.timeline.map(({ time, requests, errors, connections }) => [time, requests, errors, connections]), [[0.02, 2, 0, 1], [0.04, 2, 0, 1], [0.06, 1, 1, way.opening > 3 ? 0 : 1], [0.08, 2, 0, 1], [0.1, 2, 0, 1]])
  t.same(phasesOf(result), { ECONNRESET: { receive: 1 } })
  t.match(result.rate, { offered: 100, achieved: 90 })
})

eachWay(t, 'responses of errors, and times from when requests were sent', async (t, way) => {
  // Each third request waits for the second one, which takes 25 ms.
  const serviceTime = (entry) => way.tagOf(entry) === 'b' ? 25 : SERVICE
  const opts = { ask: ['a', 'b', 'c'], overallRate: 100, amount: 3 }
  const { result } = await playWay(t, way, { serviceTime }, { ...opts, ignoreCoordinatedOmission: true })
  t.same([result.latency.min, result.latency.max, result.latency.totalCount, rounded(result.sendDelay.max)], [ANSWERED, 25 + ROUND_TRIP, 3, 17])
  const { result: other } = await playWay(t, way, { serviceTime }, opts)
  t.same([rounded(other.latency.max), rounded(other.serviceTime.max), rounded(other.latency.total)], [27, 27, ANSWERED + 27 + 17 + ANSWERED])
})

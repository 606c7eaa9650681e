'use strict'

// An amount with a rate: this many requests are sent at this rate, and the run ends when all are accounted for.

const t = require('tap')
const { run } = require('../../..')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')
const { delayServer, httpServer } = require('../../support/servers')
const { DELAY, ROUND_TRIP, eachWay, isDistinct, playWay, rounded } = require('../../support/ways')
const { exact, near, warning } = require('./helpers')

const whole = ({ duration, drain }) => (duration + drain.seconds) * 1000

t.test('ends with the last response, and the offered rate is the configured one', async (t) => {
  const { result, server } = await playInWorld(t, {}, { connections: 5, overallRate: 50, amount: 30 })
  t.equal(result.accounting.sent, 30)
  t.equal(server.requests, 30)
  exact(t, result.duration * 1000, 580, 'the last one is due at 580 ms')
  t.equal(result.rate.offered, 50, 'although the run was over before the 31st would have been due')
  t.notOk(warning(result, 'RATE_NOT_ACHIEVED'))
})

t.test('the duration does not cut it short', async (t) => {
  const { result } = await playInWorld(t, {}, { overallRate: 50, amount: 50, duration: 0.3 })
  t.equal(result.accounting.completed, 50)
  exact(t, result.duration * 1000, 980, 'duration')
})

t.test('what a server has not processed is sent again, although the window closed when everything had been sent', async (t) => {
  const goAway = { http2: true, serviceTime: 50 }
  const setupRequest = (request) => request
  const mix = [{ path: '/a', weight: 3 }, { path: '/b' }]
  for (const extra of [{}, { requests: [{ setupRequest }] }, { requests: mix }, { connectionRate: 50, overallRate: undefined }]) {
    const { result, world } = await playInWorld(t, goAway, (world, server) => {
      // Those due from 50 ms on are in flight, two on each connection.
      world.after(95, () => server.connections[0].goAway({ untaken: 1 }))
      return { http2: true, connections: 2, pipelining: 4, overallRate: 100, amount: 8, timeout: 1, ...extra }
    })
    t.match(result.accounting, { scheduled: 8, sent: 8, completed: 8, unsent: 0 })
    exact(t, result.duration * 1000, 80, 'the window')
    t.equal(world.log.length, 9, 'one was sent twice')
    t.ok(world.log.slice(8).every(({ sentAt }) => sentAt > world.log[7].sentAt + 10_000), 'in the drain')
    if (extra.requests === mix) t.same(result.endpoints.map(({ completed }) => completed), [6, 2])
  }
  const { result } = await playInWorld(t, goAway, (world, server) => {
    world.after(95, () => server.connections[0].goAway({ untaken: 1 }))
    return { http2: true, connections: 2, pipelining: 4, overallRate: 100, duration: 0.08, timeout: 1 }
  })
  t.match(result.accounting, { scheduled: 8, completed: 7, unsent: 1 }, 'but nothing is sent after a duration')
})

eachWay(t, 'what a server has not processed goes out at once if a connection is free, although that became free after the window closed', async (t, way) => {
  // Each connection has two requests. The second one has answered both when the first one, which has answered none, refuses its second.
  const { result, sent } = await playWay(t, way, { serviceTime: ({ connection }) => connection === 0 ? 200 : 50 }, (world, server) => {
    world.after(way.opening + 95, () => server.connections[0].goAway({ untaken: 1 }))
    return { ask: ['a', 'b'], connections: 2, pipelining: 2, overallRate: 100, amount: 4, timeout: 1 }
  })
  const refusedAt = way.opening + 95 + DELAY
  t.same(sent.map(([tag, at]) => [tag, rounded(at)]), [...['a', 'a', 'b', 'b'].map((tag, index) => [tag, way.opening + 10 * index]), ['a', refusedAt]])
  t.equal(result.connectionStats.opened, 2)
  t.equal(rounded(result.latency.max), ROUND_TRIP + 200)
}, (way) => isDistinct(way) && way.isHttp2)

t.test('sends all of them, however long it takes', async (t) => {
  const { result, server } = await playInWorld(t, { serviceTime: 50 }, { connections: 1, overallRate: 100, amount: 20 })
  t.match(result.accounting, { completed: 20, unsent: 0 })
  t.equal(server.requests, 20)
  exact(t, result.duration * 1000, 950, 'the window lasts until the last one is sent')
  t.equal(result.drain.completed, 1, 'which is answered in the drain')
  t.equal(result.rate.offered, 100)
  near(t, result.rate.achieved, 20, 0.1, 'one connection cannot achieve more than 20')
  t.match(warning(result, 'RATE_NOT_ACHIEVED').message, /Little's law.*: 5 connections, and there were 1/)
  // Request k is due at 10k ms and answered at 50(k + 1).
  exact(t, result.latency.max, 1000 - 190, 'latency.max')
})

t.test('the run waits for the last responses of a slow but capable server, without an effect on the rate', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 300 }, { connections: 60, overallRate: 100, amount: 50 })
  t.equal(result.accounting.completed, 50)
  exact(t, whole(result), 490 + 300, 'the last one is due at 490 ms')
  t.notOk(warning(result, 'RATE_NOT_ACHIEVED'), 'the rate was achieved')
})

t.test('requests without a response are accounted for at their deadline', async (t) => {
  const hanging = { answer: ({ number }) => number % 5 === 4 ? 'silence' : 200 }
  const { result, server } = await playInWorld(t, hanging, { connections: 10, overallRate: 100, amount: 40, timeout: 1 })
  t.match(result.accounting, { scheduled: 40, completed: 32, timedOut: 8 })
  t.equal(server.requests, 40)
  exact(t, whole(result), 1390, 'the last of them is due at 0.39 s')
})

t.test('requests that wait for a connection in vain are accounted for at their deadline too', async (t) => {
  const { result } = await playInWorld(t, { answer: 'silence' }, { connections: 1, overallRate: 100, amount: 10, timeout: 0.5 })
  t.match(result.accounting, { scheduled: 10, completed: 0, unfinished: 0 })
  exact(t, whole(result), 590, 'the last one at 0.59 s, and not each half a second after the one before')
})

t.test('stages that end before the amount is reached end the run', async (t) => {
  const { result } = await playInWorld(t, {}, { stages: '400ms:50, 200ms:0', amount: 1000 })
  t.equal(result.accounting.completed, 20)
  near(t, result.rate.offered, 20 / 0.6, 0.001, 'rate.offered is that of the stages')
})

t.test('an amount that is reached in the middle of the stages', async (t) => {
  const { result } = await playInWorld(t, {}, { stages: '1s:50, 10s:0, 1s:50', amount: 30 })
  t.equal(result.accounting.completed, 30)
  t.equal(result.rate.offered, 50)
  exact(t, result.duration * 1000, 580, 'duration')
})

t.test('maxOverallRequests ends the run as well', async (t) => {
  const { result, server } = await playInWorld(t, {}, { connections: 5, overallRate: 50, maxOverallRequests: 20, duration: 5 })
  t.equal(server.requests, 20)
  t.equal(result.rate.offered, 50)
  exact(t, result.duration * 1000, 380, 'the last one is due at 0.38 s, and the duration is 5')
})

t.test('an unreachable server ends the run after the timeout', async (t) => {
  const { result, world } = await playInWorld(t, { attempt: () => 'refuse' }, { connections: 2, overallRate: 100, amount: 50, timeout: 0.5 })
  t.equal(result.accounting.sent, 0)
  t.equal(result.accounting.unsent, result.accounting.scheduled)
  t.ok(warning(result, 'NO_USABLE_CONNECTION'))
  near(t, world.elapsed, 525, 26, 'half a second')
})

t.test('a request whose setupRequest exceeds its timeout is unsent, and delays no others', async (t) => {
  let asked = 0
  const requests = [{ setupRequest: (request) => ++asked === 1 ? new Promise(() => {}) : request }]
  const { result, server } = await playInWorld(t, {}, { connections: 2, overallRate: 100, amount: 10, timeout: 1.5, requests })
  t.match(result.accounting, { scheduled: 10, unsent: 1, completed: 9 })
  t.equal(server.requests, 9)
  t.equal(result.latency.max, 1500)
  exact(t, whole(result), 1500, 'the whole run')
})

t.test('what was set up too late for one request is sent for the next', async (t) => {
  // The first request has until 0.5 s and is set up at 0.8 s; the second one has from 1 s to 1.5 s, which is too short for a setup of its
  // own.
  const { result, server } = await playInWorld(t, {}, (world) => ({
    connections: 1,
    overallRate: 1,
    amount: 2,
    timeout: 0.5,
    requests: [{ setupRequest: (request) => world.sleep(800).then(() => ({ ...request, path: '/late' })) }]
  }))
  t.match(result.accounting, { unsent: 1, completed: 1 })
  t.equal(server.requests, 1)
})

t.test('with real sockets as well', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 5, overallRate: 50, amount: 20, duration: 0.1 })
  addsUp(t, result)
  t.equal(result.accounting.completed, 20)
  t.equal(server.requests, 20)
  t.ok(result.duration >= 0.37, `not before the last one was due: ${result.duration}`)
  t.equal(result.rate.offered, 50)

  const slow = await delayServer(t, 30)
  const slowed = await run({ url: slow.url, connections: 1, overallRate: 200, amount: 10 })
  addsUp(t, slowed)
  t.match(slowed.accounting, { completed: 10, unsent: 0 })
  t.equal(slow.requests, 10)
})

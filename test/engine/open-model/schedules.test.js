'use strict'

// How many requests come due, and when: compared with arithmetic, counted by the server.

const t = require('tap')
const { run } = require('../../..')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')
const { httpServer } = require('../../support/servers')
const { areAt, block, every, exact, near } = require('./helpers')

t.test('D seconds at R/s are exactly D × R requests', async (t) => {
  for (const [overallRate, duration, expected] of [
    [0.5, 2.5, 2], // at 0 and 2 s
    [0.5, 2, 1], // the one due at 2 s would be the first of the next window
    [3, 1, 3],
    [33.3, 1, 34],
    [1000, 0.3, 300],
    [10, 0.05, 1],
    [7, 600, 4200]
  ]) {
    const { result, server, sent } = await playInWorld(t, {}, { overallRate, duration })
    t.equal(result.accounting.scheduled, expected, `${overallRate} per second for ${duration} s`)
    t.equal(result.accounting.completed, expected)
    t.equal(server.requests, expected)
    near(t, result.rate.offered, expected / duration, 0.001, 'rate.offered')
    areAt(t, sent, every(1000 / overallRate, expected))
  }
})

t.test('the rate of stages: steps, a ramp, a pause', async (t) => {
  const { result, sent } = await playInWorld(t, {}, {
    connections: 100,
    stages: [{ duration: 1, rate: 50 }, { duration: 1, rate: 0 }, { duration: 1, rate: { from: 50, to: 150 } }]
  })
  exact(t, result.duration * 1000, 3000, 'the run is as long as its stages')
  t.equal(result.accounting.completed, 150)
  near(t, result.rate.offered, 50, 0.001, 'rate.offered')
  // After s seconds of the ramp, 50s + 50s² requests have come due; request n of it is due when that equals n.
  const inRamp = Array.from({ length: 100 }, (_, n) => 2000 + 1000 * (Math.sqrt(1 + 4 * n / 50) - 1) / 2)
  areAt(t, sent, [...every(20, 50), ...inRamp])
})

t.test('stages as a text', async (t) => {
  const { result, server } = await playInWorld(t, {}, { connections: 50, stages: '300ms:100, 200ms:0..200' })
  t.equal(result.accounting.scheduled, 50)
  t.equal(server.requests, 50)
})

t.test('a duration cuts stages short', async (t) => {
  const { result } = await playInWorld(t, {}, { stages: '10s:100', duration: 0.5 })
  t.equal(result.accounting.scheduled, 50)
  near(t, result.rate.offered, 100, 0.001, 'rate.offered')
})

t.test('bursts', async (t) => {
  const { result, sent } = await playInWorld(t, {}, { connections: 20, bursts: { size: 20, interval: 0.5 }, duration: 1.2 })
  t.equal(result.accounting.completed, 60)
  areAt(t, sent, [0, 500, 1000].flatMap((at) => Array(20).fill(at)))
})

t.test('a rate far above the capacity of the connections: everything that came due is accounted for', async (t) => {
  const { result, server } = await playInWorld(t, { serviceTime: 50 }, { connections: 2, overallRate: 20_000, duration: 1, timeout: 0.4 })
  const { scheduled, unsent, sent } = result.accounting
  t.equal(scheduled, 20_000)
  // Two connections, each with a request every 50 ms at most: those sent shortly before their deadline time out and take it down.
  t.ok(sent >= 16 && sent <= 40, `sent ${sent}`)
  t.equal(server.requests, sent)
  t.equal(unsent, scheduled - sent)
  exact(t, result.latency.p50, 400, 'a request that waited to its deadline counts with that')
  exact(t, result.latency.max, 400, 'and nothing with more')
})

t.test('a run is over when its window is: the last due time is within it', async (t) => {
  const { result, sent } = await playInWorld(t, {}, { overallRate: 50, duration: 1 })
  exact(t, result.duration * 1000, 1000, 'duration')
  areAt(t, sent, every(20, 50))
})

t.test('requests that came due just before the end are sent, however rarely the client checks', async (t) => {
  for (const duration of every(0.001, 20, 0.02)) {
    const { result } = await playInWorld(t, {}, { connections: 100, overallRate: 1900, duration, pacing: 'sleep' })
    const expected = Math.ceil(1900 * duration - 1e-9)
    t.match(result.accounting, { scheduled: expected, completed: expected })
  }
  // From 250 ms to 350 ms nobody checks at all.
  const { result } = await playInWorld(t, {}, (world) => {
    world.after(250, () => world.hold(100))
    return { connections: 150, overallRate: 500, duration: 0.3 }
  })
  t.equal(result.accounting.completed, 150)
  exact(t, result.sendDelay.client.max, 98, "and its delay is the client's: the first came due 2 ms later")
})

t.test('requests that came due while a hook blocked the client beyond the end are sent', async (t) => {
  for (const pacing of ['precise', 'sleep']) {
    let asked = 0
    const { result } = await playInWorld(t, {}, (world) => ({
      connections: 20,
      overallRate: 100,
      duration: 0.2,
      pacing,
      requests: [{
        setupRequest (request) {
          if (++asked === 3) world.client.hold(300)
          return request
        }
      }]
    }))
    t.equal(result.accounting.completed, 20, pacing)
  }
})

t.test('if a hook blocks the client again for those requests, the end is not before that', async (t) => {
  for (const pacing of ['precise', 'sleep']) {
    let asked = 0
    const { result, sent } = await playInWorld(t, { serviceTime: 400 }, (world) => ({
      connections: 200,
      overallRate: 1000,
      duration: 0.2,
      pacing,
      requests: [{
        setupRequest (request) {
          // The last two; the second of them comes due meanwhile.
          if (++asked >= 199) world.client.hold(30)
          return request
        }
      }]
    }))
    t.equal(result.accounting.completed, 200, pacing)
    near(t, sent.at(-1), 198 + 2 * 30, 1.1, 'the last of them')
    near(t, result.duration * 1000, 198 + 2 * 30, 2, 'the end')
  }
})

t.test('a hook that blocks the client does not shift later due times', async (t) => {
  for (const pacing of ['precise', 'sleep']) {
    let asked = 0
    const { sent } = await playInWorld(t, {}, (world) => ({
      connections: 4,
      overallRate: 10 / 3,
      amount: 4,
      pacing,
      requests: [{
        setupRequest (request) {
          if (++asked === 2) world.client.hold(200)
          return request
        }
      }]
    }))
    // The second of four, which are due at 0, 300, 600 and 900 ms, is sent at 500 ms.
    for (const [index, at] of [0, 500, 600, 900].entries()) near(t, sent[index], at, pacing === 'sleep' ? 1.1 : 0.02, `request ${index}, ${pacing}`)
  }
})

t.test('with real sockets as well', async (t) => {
  const server = await httpServer(t)
  // As many connections as requests: what a pause of the client leaves for the last moment can still be sent.
  const result = await run({ url: server.url, connections: 100, stages: '200ms:100, 200ms:0, 200ms:100..300' })
  addsUp(t, result)
  t.match(result.accounting, { scheduled: 60, completed: 60 })
  t.equal(server.requests, 60)

  let asked = 0
  const setupRequest = (request) => {
    if (++asked === 3) block(300)
    return request
  }
  const held = await run({ url: server.url, connections: 20, overallRate: 100, duration: 0.2, requests: [{ setupRequest }] })
  addsUp(t, held)
  t.equal(held.accounting.completed, 20, 'requests that came due while a hook blocked the client beyond the end')
})

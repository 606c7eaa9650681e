'use strict'

const t = require('tap')
const { run } = require('../../..')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')
const { httpServer } = require('../../support/servers')
const { areAt, every, exact, warning } = require('./helpers')
const { ended } = require('../../support/ended')

t.test('runs first, on the same connections, and is not in the result', async (t) => {
  const { result, server } = await playInWorld(t, { serviceTime: 1 }, { connections: 50, overallRate: 100, duration: 0.5, warmup: 0.4 })
  t.equal(result.accounting.completed, 50)
  t.equal(result.warmup.accounting.completed, 40)
  t.equal(server.requests, 90)
  t.equal(server.connections.length, 50, 'the server sees no new connections')
  t.match(result.connectionStats, { opened: 0, peak: 50 })
  t.equal(result.connectTime.totalCount, 0)
  exact(t, result.duration * 1000, 500, 'duration')
  exact(t, result.warmup.duration * 1000, 400, 'warmup.duration')
  t.equal(result.warmup.connectionStats.opened, 50)
  t.notOk('warmup' in result.warmup)
})

t.test('in the closed model as well, with nothing left in flight', async (t) => {
  const { result, server } = await playInWorld(t, { serviceTime: 20 }, { connections: 3, duration: 0.5, warmup: { duration: 0.41 } })
  t.equal(server.connections.length, 3)
  t.match(result.warmup.accounting, { completed: 63, unfinished: 0 })
  t.match(result.latency, { min: 20, max: 20, totalCount: 75 }, 'no request of the warm-up ends in the run')
})

t.test('on separate connections if it has another number of them', async (t) => {
  const { result, server } = await playInWorld(t, {}, { connections: 20, overallRate: 50, duration: 0.4, warmup: { connections: 15, duration: 0.4 } })
  t.equal(server.connections.length, 35)
  t.equal(result.warmup.connections, 15)
  t.match(result, { connections: 20, connectionStats: { opened: 20 } })
  t.equal(server.requests, 40)
})

t.test('the rate of a connection is the same in the warm-up', async (t) => {
  const { result } = await playInWorld(t, {}, { connections: 6, connectionRate: 10, duration: 0.5, warmup: { connections: 2, duration: 0.5 } })
  t.equal(result.warmup.accounting.scheduled, 10)
  t.equal(result.accounting.scheduled, 30)
})

t.test('limits apply to the run, not to the warm-up', async (t) => {
  const { result } = await playInWorld(t, {}, { connections: 30, overallRate: 100, amount: 10, warmup: 0.3 })
  t.equal(result.warmup.accounting.completed, 30)
  t.equal(result.accounting.completed, 10)
})

t.test('a request that hangs in the warm-up does not affect the run', async (t) => {
  const { result } = await playInWorld(t, { answer: ({ number }) => number === 0 ? 'silence' : 200 }, { connections: 20, overallRate: 50, duration: 0.4, warmup: 0.3, timeout: 0.6 })
  t.match(result.warmup.accounting, { completed: 14, timedOut: 1 })
  t.match(result, { accounting: { completed: 20 }, errors: 0 })
})

t.test('a warm-up waits for its responses, however short the drain of the run is', async (t) => {
  for (const drain of [0, 0.01]) {
    const { result, server } = await playInWorld(t, { serviceTime: 60 }, { connections: 10, overallRate: 50, duration: 0.4, warmup: 0.3, drain })
    t.match(result.warmup.accounting, { sent: 15, completed: 15, unfinished: 0 }, `${drain} s`)
    t.same([server.connections.length, result.connectionStats.opened], [10, 0], 'so that the run has its connections')
    t.ok(result.accounting.unfinished > 0)
  }
})

t.test('stop() in the warm-up ends the whole run', async (t) => {
  const { result, world, sent } = await playInWorld(t, {}, { connections: 2, overallRate: 100, duration: 5, warmup: 5 }, (instance, world) => world.afterForClient(295, instance.stop))
  t.equal(result.accounting.scheduled, 0)
  t.equal(result.warmup.accounting.completed, 30)
  areAt(t, sent, every(10, 30))
  exact(t, world.elapsed, 295, 'the end')
  t.match(warning(result, 'STOPPED').message, 'The run was stopped after 0 of its 5 seconds, so the result covers only part of it.')
})

t.test('with real sockets as well: with a callback, as a promise and with events, concurrently', async (t) => {
  const server = await httpServer(t)
  const heard = []
  const viaCallback = new Promise((resolve) => {
    // Enough connections to send what a pause leaves for the last moment.
    const instance = run({ url: server.url, connections: 15, overallRate: 50, duration: 0.3, warmup: 0.3 }, (error, result) => {
      t.error(error)
      heard.push('callback')
      resolve(result)
    })
    for (const event of ['start', 'tick', 'done']) instance.on(event, () => heard.push(event))
    ended(instance).then(() => heard.push('promise'))
  })
  const result = await viaCallback
  addsUp(t, result)
  t.equal(result.accounting.completed, 15)
  t.equal(result.warmup.accounting.completed, 15)
  t.equal(server.requests, 30)
  t.equal(server.connections, 15)
  await null
  t.same([...new Set(heard)].sort(), ['callback', 'done', 'promise', 'start', 'tick'])
  t.equal(heard.filter((each) => each === 'done').length, 1)
})

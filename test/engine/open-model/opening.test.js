'use strict'

// The schedule starts when the connections are open: connecting is not part of latency, and there is no burst at the start.

const t = require('tap')
const net = require('node:net')
const { run } = require('../../..')
const { simulate } = require('../../simulation/world')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')
const { tlsServer } = require('../../support/servers')
const { track } = require('../../support/tracked')
const { sleep } = require('../../support/wait')
const { areAt, every, exact } = require('./helpers')

t.test('requests neither wait for slow handshakes nor follow them as a burst', async (t) => {
  const { result, sent } = await playInWorld(t, { secure: true, handshake: 400, serviceTime: 1 }, { connections: 50, overallRate: 100, duration: 1 })
  t.equal(result.accounting.completed, 100)
  exact(t, result.connectTime.min, 400, 'connectTime.min')
  exact(t, result.latency.max, 1, 'latency.max')
  exact(t, result.duration * 1000, 1000, 'duration is that of the schedule')
  areAt(t, sent, every(10, 100))
})

t.test('an unreachable server does not prevent the schedule from starting', async (t) => {
  const { result, world } = await playInWorld(t, { secure: true, handshake: 'silence' }, { connections: 2, overallRate: 100, duration: 0.5, timeout: 5 })
  t.equal(result.accounting.unsent, 50)
  exact(t, result.latency.max, 500, 'the ages of what came due')
  exact(t, result.latency.p50, 250, 'the ages of what came due')
  exact(t, world.elapsed, 1500, 'a second of patience, and the run')
})

t.test('nor does one unreachable address of two', async (t) => {
  const { value: result, world } = await simulate({}, (world) => {
    const healthy = world.server({ secure: true, handshake: 5 })
    const silent = world.server({ host: '10.0.0.2', secure: true, handshake: 'silence' })
    return run({ url: [healthy.url, silent.url], connections: 2, overallRate: 50, duration: 0.5, timeout: 5 })
  })
  addsUp(t, result)
  t.equal(result.accounting.completed, 25)
  t.equal(result.connectionStats.opened, 1)
  t.same(world.leftovers, [])
})

t.test('a server that refuses connections is detected at once', async (t) => {
  const { result, world } = await playInWorld(t, { attempt: () => 'refuse' }, { connections: 3, overallRate: 100, duration: 0.5 })
  t.equal(result.accounting.unsent, 50)
  exact(t, world.elapsed, 500, 'without the second of patience')
})

t.test('stop() while connections are opening', async (t) => {
  const { result, world } = await playInWorld(t, { attempt: () => 'silence' }, { connections: 2, overallRate: 100, duration: 5 },
    (instance, world) => world.afterForClient(200, instance.stop))
  t.equal(result.accounting.scheduled, 0)
  exact(t, world.elapsed, 200, 'the end')
})

t.test('the schedule waits for setupClient', async (t) => {
  const { result, world, sent } = await playInWorld(t, { serviceTime: 1 }, (world) => ({
    connections: 50, overallRate: 100, duration: 0.5, setupClient: () => world.sleep(300)
  }))
  t.equal(result.accounting.completed, 50)
  exact(t, result.latency.max, 1, 'latency.max')
  exact(t, world.elapsed, 300 + 500, 'the window begins then')
  areAt(t, sent, every(10, 50))
})

t.test('with real sockets as well', async (t) => {
  // A TLS server that waits before each handshake.
  const behind = await tlsServer(t)
  const front = await track(t, net.createServer({ pauseOnConnect: true }, async (socket) => {
    await sleep(100)
    if (!socket.destroyed) behind.server.emit('connection', socket)
  }), { scheme: 'https' })
  const result = await run({ url: front.url, connections: 10, overallRate: 500, amount: 50 })
  addsUp(t, result)
  t.equal(result.accounting.completed, 50)
  t.ok(result.connectTime.min >= 98, `connecting took ${result.connectTime.min}`)
})

'use strict'

// How many requests a connection sends at most, with every protocol and every kind of load, also while several wait to be written together.

const t = require('tap')
const { playInWorld } = require('../../support/play-in-world')

const PROTOCOLS = {
  'HTTP/1.1': [{}, {}],
  'HTTP/2': [{ http2: true }, { http2: true }],
  WebSocket: [{ websocket: 'echo' }, { body: 'x' }],
  'Socket.IO': [{ websocket: 'echo', socketio: '/' }, { body: '["x"]', socketio: { event: 'm' } }]
}
// Each with more requests than two connections may send.
const LOADS = {
  'a closed loop': {},
  'think times': { thinkTime: 0.001 },
  bursts: { bursts: { size: 20, interval: 0.2 } },
  'bursts, with a hook that takes a while': { bursts: { size: 20, interval: 0.2 }, setupRequest: async (request) => request },
  'a rate': { overallRate: 400 }
}

for (const [protocol, [server, opts]] of Object.entries(PROTOCOLS)) {
  for (const [load, given] of Object.entries(LOADS)) {
    t.test(`${protocol}, ${load}`, async (t) => {
      for (const pipelining of [1, 4]) {
        const play = async (limit) => {
          const { result, world } = await playInWorld(t, { serviceTime: 20, ...server }, { connections: 2, pipelining, duration: 1, timeout: 2, ...opts, ...given, ...limit })
          const isRequest = server.websocket === undefined ? () => true : ({ path }) => /x/.test(path)
          const counts = world.sockets.map((socket) => world.log.filter((entry) => entry.socket === socket && isRequest(entry)).length)
          return { result, counts }
        }
        const bounded = await play({ maxConnectionRequests: 5 })
        t.same(bounded.counts, [5, 5], `${pipelining} at a time, at most 5 per connection`)
        t.equal(bounded.result.accounting.sent, 10)
        const { result, counts } = await play({ reconnectRate: 3 })
        t.equal(Math.max(...counts), 3, `${pipelining} at a time, 3 until it reconnects`)
        t.equal(counts.reduce((sum, count) => sum + count, 0), result.accounting.sent)
        const both = await play({ reconnectRate: 3, maxConnectionRequests: 5 })
        t.same(both.counts.toSorted(), [2, 2, 3, 3], `${pipelining} at a time, both`)
      }
    })
  }
}

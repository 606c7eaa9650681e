'use strict'

// Connections that a run ends before anybody has answered on them, with each protocol.

const t = require('tap')
const { run } = require('../../..')
const { simulate } = require('../../simulation/world')

const PROTOCOLS = [
  ['HTTP/1.1', {}, {}],
  ['HTTP/2', { http2: true }, { http2: true }],
  ['WebSocket', { websocket: 'silence' }, { message: 'hello' }, 'ws']
]

for (const [name, server, opts, scheme] of PROTOCOLS) {
  t.test(`${name}: how long they were open is known as missing`, async (t) => {
    const { value: result } = await simulate({ seed: 1 }, (world) => {
      const { url } = world.server({ serviceTime: 60_000, ...server })
      return run({ url: scheme === undefined ? url : url.replace(/^http/, scheme), connections: 3, duration: 2, timeout: 10, ...opts })
    })
    t.match(result.accounting, { sent: 3, completed: 0, unfinished: 3 })
    t.match(result.connectionStats, { opened: 3, lifetime: { totalCount: 0 } })
    t.same(result.missing.connectionLifetime, { count: 3, smallest: 2000, largest: 2000, total: 6000 })
  })
}

'use strict'

// A request keeps its place on the connection until its hooks have settled: whatever a hook has learned from a response is known when the
// next request is set up.

const path = require('node:path')
const t = require('tap')
const { playInWorld } = require('../support/play-in-world')

const PROTO = path.join(__dirname, '../protocol/grpc/shop.proto')
const HOOK_MS = 20
const ROUNDS = 3

const PROTOCOLS = {
  'HTTP/1.1': [{}, {}],
  'HTTP/2': [{ http2: true }, { http2: true }],
  gRPC: [{ grpc: true }, { grpc: { proto: PROTO, method: 'shop.Shop/Find' } }],
  WebSocket: [{ websocket: 'echo' }, { body: 'x' }],
  'WebSocket with match': [{ websocket: 'echo' }, { body: '[<id>]', idReplacement: true, websocket: { match: (text) => text } }],
  'Socket.IO': [{ websocket: 'echo', socketio: '/' }, { body: '[1]', socketio: true }]
}

const HOOKS = {
  onResponse: (hook) => ({ requests: [{ onResponse: hook }] }),
  verifyBody: (hook) => ({ verifyBody: hook }),
  'both, one after the other': (hook) => ({ verifyBody: () => Promise.resolve(true), requests: [{ onResponse: hook }] })
}

const OF_MESSAGES = { onMessage: (hook) => ({ requests: [{ onMessage: hook }] }) }

const hooksOf = ({ websocket }) => Object.entries({ ...HOOKS, ...(websocket && OF_MESSAGES) })

for (const [protocol, [settings, opts]] of Object.entries(PROTOCOLS)) {
  t.test(`hooks that have not settled hold places of their connection: ${protocol}`, async (t) => {
    for (const [name, optionsWith] of hooksOf(settings)) {
      for (const pipelining of [1, 3]) {
        for (const load of [{}, { overallRate: 10_000 }]) {
          const called = []
          const play = (world) => {
            const hook = () => {
              called.push(Math.round(world.scheduler.time / 1000))
              return world.sleep(HOOK_MS).then(() => true)
            }
            return { connections: 1, pipelining, amount: ROUNDS * pipelining, ...opts, ...load, ...optionsWith(hook) }
          }
          const { result } = await playInWorld(t, { serviceTime: 4, ...settings }, play)
          t.match(result.accounting, { completed: ROUNDS * pipelining })
          const rounds = Array.from({ length: ROUNDS * pipelining }, (_, index) => Math.floor(index / pipelining) * (4 + HOOK_MS))
          t.same(called.map((at) => at - called[0]), rounds, `${name}, pipelining ${pipelining}, ${JSON.stringify(load)}`)
        }
      }
    }
  })
}

// All are due at once, and each waits until the one before has been answered after 4 ms, and its hook is done 20 ms later.
for (const [protocol, [settings, opts]] of Object.entries(PROTOCOLS)) {
  t.test(`a hook that holds a place is to blame for the wait, and the server for the rest: ${protocol}`, async (t) => {
    for (const [name, optionsWith] of hooksOf(settings)) {
      const { result: { sendDelay } } = await playInWorld(t, { serviceTime: 4, ...settings }, (world) => {
        return { connections: 1, amount: 3, bursts: { size: 3, interval: 1 }, ...opts, ...optionsWith(() => world.sleep(HOOK_MS).then(() => true)) }
      })
      const { total, client, waiting, causes } = sendDelay
      const ms = (time) => Math.round(time * 10) / 10
      t.same([total, client.total, waiting.total, causes.hooks].map(ms), [24 + 48, 20 + 40, 4 + 8, (20 + 40) / 3], name)
    }
  })
}

'use strict'

// In the open model of broadcasts, connections take turns to send; in worlds with known times.

const t = require('tap')
const { createRandom } = require('../../../lib/load/random')
const connectionOf = require('../../simulation/random/connection-of')
const { playInWorld } = require('../../support/play-in-world')

/**
 * Plays a run; `turns` are the messages in order, each as `[ms since the first was due, connection]`, and `counts` how many each of the
 * server's connections received.
 */
async function play (t, opts, settings, story) {
  const optsIn = (world) => ({ timeout: 2, websocket: { expect: 'broadcast' }, ...(typeof opts === 'function' ? opts(world) : opts) })
  const { result, world } = await playInWorld(t, { websocket: 'broadcast', ...settings }, optsIn, story, { seed: 7, limit: 600 })
  const messages = world.log.filter(({ method }) => method === 'TEXT')
  const start = messages[0].sentAt
  const turns = messages.map(({ sentAt, socket }) => [Math.round((sentAt - start) / 1000), connectionOf(socket).index])
  const counts = new Map()
  for (const { socket } of messages) counts.set(socket.peer.number, (counts.get(socket.peer.number) ?? 0) + 1)
  return { result, turns, counts: [...counts.values()] }
}

const anything = (from, to) => {
  const random = createRandom(7)
  return { serviceTime: () => from + random.next() * (to - from) }
}

t.test('each connection sends as much as every other, whatever the jitter of the replies', async (t) => {
  for (const [from, to] of [[0, 30], [5, 300]]) {
    for (const more of [{}, { pipelining: 100 }, { arrivals: 'poisson', pipelining: 2 }, { workers: 2 }, { overallRate: undefined, bursts: { size: 17, interval: 0.1 } }]) {
      const { result, counts } = await play(t, { connections: 5, overallRate: 100, amount: 100, timeout: 20, ...more }, anything(from, to))
      t.same(counts, [20, 20, 20, 20, 20], `${JSON.stringify(more)}, answers in ${from} to ${to} ms`)
      t.match(result.accounting, { sent: 100, completed: 100 })
    }
  }
})

t.test('a message waits for the connection whose turn it is, and the others do not wait for it', async (t) => {
  // The first message of connection 1 is answered after 45 ms, all others at once.
  const { turns, result } = await play(t, { connections: 3, overallRate: 100, amount: 9 }, { serviceTime: ({ connection, numberOnConnection }) => connection === 1 && numberOnConnection === 1 ? 45 : 0 })
  t.same(turns, [[0, 0], [10, 1], [20, 2], [30, 0], [50, 2], [55, 1], [60, 0], [70, 1], [80, 2]])
  t.match(result.sendDelay, { max: 15 })
})

t.test('a connection that waits for a hook keeps its turns as well', async (t) => {
  for (const hook of ['onMessage', 'onResponse']) {
    let replies = 0
    const { turns, result } = await play(t, (world) => ({
      connections: 3, overallRate: 100, amount: 9, requests: [{ [hook]: () => ++replies === 2 ? world.sleep(45) : undefined }]
    }), { serviceTime: 0 })
    t.same(turns, [[0, 0], [10, 1], [20, 2], [30, 0], [50, 2], [55, 1], [60, 0], [70, 1], [80, 2]], hook)
    t.match(result.sendDelay, { max: 15, client: { max: 15 } })
  }
})

t.test('messages waiting for a connection that closes go to others at once, and so do its turns until it is open again', async (t) => {
  // Connection 1 gets no reply to its first message, and is closed 55 ms after the start; it is reopened 10 ms later.
  const settings = { answer: ({ connection }) => connection === 1 ? 'silence' : 200 }
  const { turns, result } = await play(t, { connections: 2, overallRate: 100, amount: 12 }, settings, (instance, world, server) => world.after(55, () => server.openConnections[1].end()))
  t.same(turns, [[0, 0], [10, 1], [20, 0], [40, 0], [55, 0], [55, 0], [60, 0], [70, 1], [80, 0], [90, 1], [100, 0], [110, 1]])
  t.match(result.accounting, { sent: 12, failed: 1, completed: 11 })
})

t.test('a message whose deadline passed while the thread was held does not go to another connection', async (t) => {
  // Connection 1 gets no reply to the message of 10 ms; that of 30 ms waits behind it. The server closes it just after the thread is held, until
  // 80 ms and a bit, when both have waited for 50 ms.
  const settings = { link: { delay: 1 }, answer: ({ connection }) => connection === 1 ? 'silence' : 200 }
  const { turns, result } = await play(t, { connections: 2, overallRate: 100, amount: 8, timeout: 0.05 }, settings, (instance, world, server) => {
    world.after(57, () => server.openConnections[1].end())
    world.afterForClient(56, () => world.hold(30))
  })
  t.same(turns.slice(0, 4), [[0, 0], [10, 1], [20, 0], [40, 0]])
  t.ok(turns.slice(4).every(([at, connection]) => at > 80 && connection === 0))
  t.match(result.accounting, { scheduled: 8, sent: 7, unsent: 1, completed: 6, timedOut: 1 })
})

t.test('with weights, messages that are given back and sent by others are still those of the mix', async (t) => {
  const { result } = await playInWorld(t, { websocket: 'broadcast' }, (world, server) => {
    for (const at of [41, 111, 230, 231, 395]) world.after(at, () => server.resetAll())
    const setupRequest = (request) => world.sleep(25).then(() => request)
    const requests = [['a', 14], ['b', 5], ['c', 1]].map(([body, weight]) => ({ body: `${body}[<id>]`, weight, setupRequest }))
    return { connections: 3, overallRate: 100, amount: 60, pipelining: 4, timeout: 2, websocket: { expect: 'broadcast' }, idReplacement: true, requests }
  })
  t.same(result.endpoints.map(({ completed }) => completed), [42, 15, 3])
})

t.test('if no connection is open, a message waits for the first one that opens', async (t) => {
  const { turns, result } = await play(t, { connections: 2, overallRate: 100, amount: 5 }, {}, (instance, world, server) => {
    // Both have had replies by then, so they reconnect at once; the server accepts none for 20 ms.
    world.after(15, () => {
      server.endAll()
      server.refuse()
    })
    world.after(35, () => server.accept())
  })
  // Refused at 15 and 25 ms; the third attempt is at 45 ms.
  t.same(turns, [[0, 0], [10, 1], [45, 0], [45, 1], [45, 0]])
  t.match(result.accounting, { sent: 5, completed: 5 })
})

t.test('a connection that has sent its maximum, or has no messages left, passes its turns on', async (t) => {
  for (const limit of [{ maxConnectionRequests: 4 }, { reconnectRate: 4 }]) {
    const { result, counts } = await play(t, { connections: 3, overallRate: 400, pipelining: 2, amount: 12, ...limit }, anything(0, 20))
    t.match(result.accounting, { sent: 12, completed: 12 })
    t.equal(counts.reduce((sum, count) => sum + count, 0), 12)
    t.ok(counts.every((count) => count <= 4), `${JSON.stringify(limit)}: ${counts}`)
  }
  // Connection 1 gets its reply after 45 ms. When it sends its second message, the waiting third one goes to the other connection.
  const slow = { serviceTime: ({ socket }) => connectionOf(socket).index === 1 ? 45 : 0 }
  const { turns } = await play(t, { connections: 2, overallRate: 100, reconnectRate: 2, amount: 7 }, slow)
  t.same(turns, [[0, 0], [10, 1], [20, 0], [40, 0], [55, 1], [55, 0], [60, 0]])
  // Each row belongs to one connection, and has one message.
  const { result } = await play(t, { connections: 3, overallRate: 100, feed: { rows: [1, 2, 3, 4, 5].map((n) => ({ n })), order: 'once' }, body: '{{n}} [<id>]' }, anything(0, 20))
  t.match(result.accounting, { sent: 5, completed: 5 })
})

t.test('a connection whose server has stopped reading passes its turns on', async (t) => {
  const body = `[<id>]${'x'.repeat(1_200_000)}`
  const { turns, result } = await play(t, { connections: 2, overallRate: 100, amount: 8, pipelining: 10, body }, {}, (instance, world, server) => world.after(5, () => server.partition([server.openConnections[1]])))
  t.same(turns, [[0, 0], [10, 1], [20, 0], [30, 0], [40, 0], [50, 0], [60, 0], [70, 0]])
  t.match(result.accounting, { sent: 8, completed: 7, timedOut: 1 })
})

t.test('a message that its connection returns unsent goes to another one', async (t) => {
  // Preparing a message takes 30 ms; connection 1 closes during that time.
  let sleep
  const requests = [{ setupRequest: async (request) => { await sleep(30); return request } }]
  const { turns, result } = await play(t, { connections: 2, overallRate: 20, amount: 4, requests }, {}, (instance, world, server) => {
    sleep = (ms) => world.sleep(ms)
    world.after(60, () => server.openConnections[1].end())
  })
  // Connection 0 prepares the second message again. What connection 1 had prepared is used for the next one, which therefore needs no time.
  t.same(turns, [[0, 0], [60, 0], [70, 1], [150, 0]])
  t.match(result.accounting, { sent: 4, completed: 4 })
})

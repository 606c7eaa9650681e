'use strict'

const { EventEmitter, once } = require('node:events')
const t = require('tap')
const { WebSocket } = require('ws')
const { run, startServer } = require('../..')
const { serve } = require('../../lib/cli/serve')
const { Messages } = require('../../lib/server/messages')
const { until } = require('../support/wait')
const { withoutPackage } = require('../support/without-package')

async function start (t, opts) {
  const server = await startServer({ port: 0, ...opts })
  t.teardown(() => server.close())
  return server
}

t.test('an echo counts messages as requests', async (t) => {
  const server = await start(t, { websocket: 'echo' })
  t.match(server.url, /^ws:\/\/localhost:\d+$/)
  const result = await run({ url: server.url, connections: 2, amount: 50, body: 'hello', expectBody: 'hello' })
  t.match(result, { mismatches: 0, accounting: { completed: 50 } })
  t.match(await server.stats(), { requests: 50, unanswered: 0, connections: 2, statusCodeStats: { 101: { count: 2 } }, messages: { received: 50, sent: 50 } })
  const { body } = await require('../support/http-client').request(server.url.replace('ws', 'http') + '/_stats', { agent: false })
  t.match(JSON.parse(body), { requests: 50, messages: { received: 50 } })
})

t.test('broadcast goes to all clients, chat to all clients with the same path', async (t) => {
  const all = await start(t, { websocket: 'broadcast' })
  const opts = { connections: 4, pipelining: 5, amount: 20, websocket: { expect: 'broadcast' } }
  const urls = (server) => [`${server.url}/a`, `${server.url}/b`]
  t.match((await run({ ...opts, url: urls(all) })).broadcast, { expected: 80, received: 80 })
  const rooms = await start(t, { websocket: 'chat' })
  let heard = 0
  const setupClient = (client) => client.on('message', () => { if (++heard === 40) instance.stop() })
  const instance = run({ ...opts, url: urls(rooms), timeout: 60, setupClient })
  t.match((await instance).broadcast, { expected: 80, received: 40, ratio: 0.5 })
})

t.test('a client that leaves a chat ends it for nobody else', async (t) => {
  const server = await start(t, { websocket: 'chat' })
  const open = async () => {
    const client = new WebSocket(`${server.url}/room`)
    t.teardown(() => client.terminate())
    await once(client, 'open')
    return client
  }
  const [first, second] = [await open(), await open()]
  first.close()
  await once(first, 'close')
  await until(async () => (await server.stats()).openConnections === 1)
  const third = await open()
  third.send('hello')
  t.equal(String((await once(second, 'message'))[0]), 'hello')
})

t.test('who receives a message, and what is counted: only clients that are still open', async (t) => {
  // Of each client: its path, and whether it is open. The first one sends.
  const clients = [['/a', true], ['/a', false], ['/b', true], ['/a', true]]
  const receivers = { echo: [0], broadcast: [0, 2, 3], chat: [0, 3] }
  for (const [websocket, expected] of Object.entries(receivers)) {
    for (const [bodySize, text] of [[null, 'hello'], [5, 'hello'], [0, ''], [2, 'he'], [8, 'helloxxx']]) {
      for (const isBinary of [false, true]) {
        let isFailure = false
        const [heard, counts, got, closed] = [[], [], [], []]
        const messages = new Messages({ websocket, bodySize, status: 200 }, { message: (path, length, answer) => { heard.push([path, length]); answer(isFailure) }, sent: (count) => counts.push(count) })
        const all = clients.map(([path, isOpen], index) => {
          const client = Object.assign(new EventEmitter(), {
            readyState: isOpen ? WebSocket.OPEN : WebSocket.CLOSING,
            send: (data, { binary }) => got.push([index, String(data), binary]),
            close: (code) => closed.push([index, code])
          })
          messages.join(client, path)
          return client
        })
        const send = () => all[0].emit('message', Buffer.from('hello'), isBinary)
        const name = `${websocket}, ${bodySize}`
        send()
        t.same([heard, got, counts], [[['/a', 5]], expected.map((index) => [index, text, isBinary]), [expected.length]], name)
        isFailure = true
        send()
        t.same([heard.length, got.length, counts, closed], [2, expected.length, [expected.length], [[0, 1011]]], `${name}: a failure closes the sender's connection, and nothing is sent`)
        isFailure = false
        all[3].emit('close')
        got.length = 0
        send()
        t.same(got.map(([index]) => index), expected.filter((index) => index !== 3), `${name}: one has left`)
        for (const client of all) client.emit('close')
        t.equal(messages.clients.size + messages.rooms.size, 0)
      }
    }
  }
})

t.test('it delays, rejects, fails and sends long replies as configured', async (t) => {
  const slow = await start(t, { websocket: 'echo', delay: 20 })
  t.ok((await run({ url: slow.url, connections: 1, amount: 3, body: 'x' })).latency.min >= 19)
  const refusing = await start(t, { websocket: 'echo', status: 503 })
  t.match((await run({ url: refusing.url, connections: 1, amount: 1, bailout: 1 })).errorCodes, { CANNONADE_BAD_HANDSHAKE: { message: /status 503/ } })
  const moved = await start(t, { websocket: 'echo', status: 302 })
  t.match((await run({ url: moved.url, connections: 1, amount: 1, bailout: 1 })).errorCodes, { CANNONADE_BAD_HANDSHAKE: { message: /status 302/ } })
  const failing = await start(t, { websocket: 'echo', errorRate: 0.25 })
  t.match(await run({ url: failing.url, connections: 1, amount: 8, body: 'x' }), { closeCodes: { 1011: 2 }, accounting: { failed: 2, completed: 6 } })
  t.match(await failing.stats(), { requests: 8, unanswered: 0 })
  for (const bodySize of [2, 100]) {
    const sized = await start(t, { websocket: 'echo', bodySize })
    t.match((await run({ url: sized.url, connections: 1, amount: 4, body: 'hello', websocket: { compress: true } })).messages, { bytesReceived: 4 * bodySize })
  }
})

t.test('echo works in several processes; broadcasts need a single one', async (t) => {
  const server = await start(t, { websocket: 'echo', workers: 2 })
  t.equal((await run({ url: server.url, connections: 4, amount: 40, body: 'x' })).accounting.completed, 40)
  t.match(await server.stats(), { requests: 40, messages: { received: 40, sent: 40 }, processes: { length: 2 } })
  for (const opts of [{ websocket: 'chat', workers: 2 }, { websocket: 'broadcast', workers: 2 }, { websocket: 'echo', http2: true }]) {
    await t.rejects(startServer({ port: 0, ...opts }), { code: 'CANNONADE_BAD_OPTION', option: 'websocket' })
  }
})

t.test('without the package ws: one sentence that says what to do', async (t) => {
  withoutPackage(t, 'ws')
  await t.rejects(startServer({ port: 0, websocket: 'echo' }), { code: 'CANNONADE_MISSING_PACKAGE', message: 'a WebSocket server needs the package ws, which is not installed: npm install ws' })
})

t.test('the command has these options', async (t) => {
  t.ok(serve.groups[0].flags.some(({ name, argument }) => name === 'websocket' && argument === 'KIND'))
})

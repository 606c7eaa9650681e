'use strict'

const t = require('tap')
const { run } = require('../../..')
const { addsUp } = require('../../support/accounts')
const { rawServer, reply } = require('../../support/servers')
const { answerTo } = require('../numbered')

const DEPTH = 8

// Waits until DEPTH requests have arrived, then answers all of them in one packet.
async function batchServer (t, answer = answerTo) {
  return rawServer(t, (socket, request) => {
    socket.waiting ??= []
    socket.waiting.push(answer(request))
    if (socket.waiting.length === DEPTH) socket.write(Buffer.concat(socket.waiting.splice(0)))
  })
}

const options = (server) => ({ url: `${server.url}/0`, connections: 1, pipelining: DEPTH, duration: 600 })

t.test('stop() in a listener of response: the rest of the packet counts, nothing more is sent', async (t) => {
  const server = await batchServer(t)
  let heard = 0
  const instance = run(options(server)).on('response', () => {
    if (++heard === 3) instance.stop()
  })
  const result = await instance
  addsUp(t, result)
  t.match(result.accounting, { sent: DEPTH, completed: DEPTH, unfinished: 0 })
  t.equal(heard, DEPTH)
  t.equal(server.requests, DEPTH)
  t.ok(result.duration < 300)
})

t.test("stop() in a client's listener of body", async (t) => {
  const server = await batchServer(t)
  const instance = run({
    ...options(server),
    setupClient: (client) => client.on('body', () => instance.stop())
  })
  const result = await instance
  addsUp(t, result)
  t.match(result.accounting, { sent: DEPTH, completed: DEPTH })
  t.equal(server.requests, DEPTH)
})

t.test('stop() in onResponse, after three packets', async (t) => {
  const server = await batchServer(t)
  let heard = 0
  const onResponse = () => {
    if (++heard === 2 * DEPTH + 3) instance.stop()
  }
  const instance = run({ ...options(server), requests: [{ path: '/0', onResponse }] })
  const result = await instance
  addsUp(t, result)
  t.match(result.accounting, { sent: 3 * DEPTH, completed: 3 * DEPTH })
  t.equal(server.requests, 3 * DEPTH)
})

t.test('stop() in reqError, while the other requests of a broken connection are being counted', async (t) => {
  const server = await rawServer(t, (socket, { indexOnConnection }) => {
    if (indexOnConnection === DEPTH - 1) socket.resetAndDestroy()
  })
  const instance = run(options(server)).on('reqError', () => instance.stop())
  const result = await instance
  addsUp(t, result)
  t.match(result.accounting, { sent: DEPTH, failed: DEPTH, unfinished: 0 })
  t.equal(server.connections, 1)
})

t.test('a signal aborted in the middle of a packet', async (t) => {
  const server = await batchServer(t)
  const controller = new AbortController()
  const result = await run({ ...options(server), signal: controller.signal }).on('response', () => controller.abort())
  addsUp(t, result)
  t.match(result.accounting, { sent: DEPTH, completed: DEPTH })
  t.equal(server.requests, DEPTH)
})

t.test('a bailout in the middle of a packet', async (t) => {
  const server = await batchServer(t, () => reply('wrong'))
  const result = await run({ ...options(server), expectBody: 'right', bailout: 3 })
  addsUp(t, result)
  t.match(result.accounting, { sent: DEPTH, completed: DEPTH })
  t.equal(result.mismatches, DEPTH)
  t.equal(server.requests, DEPTH)
})

t.test('a hook that throws in the middle of a packet ends the run, with the measurements so far', async (t) => {
  const server = await batchServer(t)
  let heard = 0
  const onResponse = () => {
    if (++heard === 3) throw new Error('my own fault')
  }
  const error = await run({ ...options(server), requests: [{ path: '/0', onResponse }] }).catch((error) => error)
  t.equal(error.code, 'CANNONADE_HOOK_FAILED')
  addsUp(t, error.result)
  t.match(error.result.accounting, { sent: DEPTH, completed: DEPTH })
  t.equal(server.requests, DEPTH)
})

t.test('connections are closed while they wait for a hook', async (t) => {
  // Each connection lives for one response, and its hook takes longer than that.
  const server = await rawServer(t, (socket, request) => socket.end(answerTo(request, { headers: { Connection: 'close' } })))
  const wrong = []
  let asked = 0
  const result = await run({
    url: server.url,
    connections: 2,
    pipelining: 2,
    amount: 20,
    requests: [{
      async setupRequest (request, context) {
        context.number = asked++
        await new Promise((resolve) => setTimeout(resolve, context.number % 3))
        return { ...request, path: `/${context.number}` }
      },
      async onResponse (status, body, context) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        if (body !== String(context.number)) wrong.push([context.number, body])
      }
    }]
  })
  addsUp(t, result)
  t.strictSame(wrong, [])
  const { sent, completed, failed } = result.accounting
  t.equal(sent, 20)
  t.equal(completed + failed, 20)
  t.ok(completed >= 10, `${completed} completed`)
})

t.test('requests that a hook set up for a connection that ends are sent on the next one', async (t) => {
  const server = await rawServer(t, (socket, request) => {
    const isLast = request.indexOnConnection === 1
    socket.write(answerTo(request, isLast ? { headers: { Connection: 'close' } } : {}))
  }, { keep: true })
  let asked = 0
  const result = await run({
    url: server.url,
    connections: 1,
    pipelining: 4,
    amount: 12,
    requests: [{
      // Slower than the server, so that the end of a connection is announced while requests are being set up for it.
      setupRequest: async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        return { ...request, path: `/${asked++}` }
      }
    }]
  })
  addsUp(t, result)
  t.match(result.accounting, { sent: 12, completed: 12, failed: 0 })
  t.strictSame(server.kept.map(({ path }) => path), Array.from({ length: 12 }, (_, number) => `/${number}`), 'each once, in order')
})

'use strict'

const t = require('tap')
const { once } = require('node:events')
const { Worker } = require('node:worker_threads')
const { benchmark } = require('./benchmark')

const MEBIBYTE = 2 ** 20

// In a thread of its own, and it reads nothing: data accepted by the sockets is not in this process's memory.
async function deafServer (t) {
  const worker = new Worker(`
    const { parentPort } = require('node:worker_threads')
    const server = require('node:net').createServer((socket) => socket.pause().on('error', () => {})).listen(0, '127.0.0.1')
    server.on('listening', () => parentPort.postMessage(server.address().port))
  `, { eval: true })
  t.teardown(() => worker.terminate())
  const [port] = await once(worker, 'message')
  return `http://127.0.0.1:${port}`
}

t.test('a large body is in memory once, however many connections send it', async (t) => {
  const url = await deafServer(t)
  const size = 8 * MEBIBYTE
  for (const requests of [undefined, [{ setupRequest: (request) => request }]]) {
    const body = Buffer.alloc(size, 'x')
    const before = process.memoryUsage()
    let most = 0
    const { accounting } = await benchmark(t, { url, method: 'POST', body, connections: 60, duration: 100, timeout: 100, sampleInt: 20, requests },
      (instance) => instance.on('tick', ({ sent }) => {
        const { arrayBuffers, external } = process.memoryUsage()
        most = Math.max(most, arrayBuffers - before.arrayBuffers, external - before.external)
        if (sent === 60) instance.stop()
      }))
    t.equal(accounting.sent, 60)
    t.ok(most < 5 * size, `${Math.round(most / MEBIBYTE)} MiB more than before; a copy for each would be 480`)
  }
})

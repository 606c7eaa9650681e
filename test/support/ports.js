'use strict'

const { once } = require('node:events')
const net = require('node:net')
const { setImmediate } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')
const { track } = require('./tracked')
const { sleep } = require('./wait')

/**
 * Returns a port of 127.0.0.1 on which nothing listens until the end of the test. It is the local port of a connection that stays open,
 * so that the system can't assign it to anything else, not even to the client that tries to connect to it.
 *
 * @param {?object} t the port is released at its end; without a test, the caller releases it by `close()`
 * @returns {Promise<{ port: number, url: string, close: function(): Promise<void> }>}
 */
async function closedPort (t) {
  const holder = await track(t, net.createServer())
  // A local address makes Node bind the port, and bound ports are not assigned to outgoing connections.
  const connection = net.connect({ port: holder.port, host: '127.0.0.1', localAddress: '127.0.0.1' })
  connection.on('error', () => {})
  await once(connection, 'connect')
  holder.atClose(() => connection.destroy())
  const { localPort: port } = connection
  return { port, url: `http://127.0.0.1:${port}`, close: holder.close }
}

/** Returns a port on which nothing listens, outside of the range for outgoing connections. */
async function unusedPort () {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    const server = net.createServer()
    const isFree = await new Promise((resolve) => server.on('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)))
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}

const FILLERS = 64
const PATIENCE_MS = 500

/**
 * Returns a port of 127.0.0.1 to which connections neither succeed nor fail: the kernel drops their packets, because the queue of a
 * listener that accepts nothing is full. Works on Linux.
 *
 * @param {?object} t
 * @returns {Promise<{ port: number, url: string, close: function(): Promise<void> }>}
 * @throws {Error} if the system has no limit on waiting connections, or refuses them
 */
async function blackHole (t) {
  // Node accepts connections whenever its event loop runs. So the listener is in a thread whose event loop is blocked.
  const listener = new Worker(`
    const { parentPort } = require('node:worker_threads')
    const server = require('node:net').createServer().listen({ port: 0, backlog: 1 })
    parentPort.postMessage(server.address().port)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  `, { eval: true })
  const fillers = []
  const close = async () => {
    for (const socket of fillers) socket.destroy()
    await listener.terminate()
  }
  t?.teardown(close)

  const [port] = await once(listener, 'message')
  while (fillers.length < FILLERS) {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('error', () => {})
    fillers.push(socket)
    const outcome = await Promise.race([
      once(socket, 'connect').then(() => 'connected', () => 'refused'),
      // If this process stood still, it has yet to hear of what happened meanwhile.
      sleep(PATIENCE_MS).then(() => setImmediate()).then(() => 'waiting')
    ])
    if (outcome === 'waiting') return { port, url: `http://127.0.0.1:${port}`, close }
    if (outcome === 'refused') break
  }
  await close()
  throw new Error('on this system a full queue of connections does not make clients wait')
}

module.exports = { closedPort, blackHole, unusedPort }

'use strict'

const { once } = require('node:events')
const net = require('node:net')
const { Worker } = require('node:worker_threads')
const { track } = require('./tracked')
const { sleep } = require('./wait')

/**
 * A port of 127.0.0.1 where nothing listens, now and until the end of the test: it is the local port of a connection
 * that stays open, so that the system cannot give it to anyone else, nor to the very client that tries to connect to it.
 *
 * @param {?object} t at its end the port is free again; without one the caller ends it by `close()`
 * @returns {Promise<{ port: number, url: string, close: function(): Promise<void> }>}
 */
async function closedPort (t) {
  const holder = await track(t, net.createServer())
  // A local address makes Node bind the port, and ports that are bound are not given to who connects.
  const connection = net.connect({ port: holder.port, host: '127.0.0.1', localAddress: '127.0.0.1' })
  connection.on('error', () => {})
  await once(connection, 'connect')
  holder.atClose(() => connection.destroy())
  const { localPort: port } = connection
  return { port, url: `http://127.0.0.1:${port}`, close: holder.close }
}

/** A port where nothing listens, out of the range from which the system takes those of connections. */
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
 * A port of 127.0.0.1 to which no connection succeeds or fails: the kernel drops what comes because the queue of a
 * listener that accepts nothing is full. Works on Linux.
 *
 * @param {?object} t
 * @returns {Promise<{ port: number, url: string, close: function(): Promise<void> }>}
 * @throws {Error} where the system lets connections wait without end, or refuses them
 */
async function blackHole (t) {
  // Node accepts whenever its loop runs. So the listener lives in a thread whose loop stands still.
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
      sleep(PATIENCE_MS).then(() => 'waiting')
    ])
    if (outcome === 'waiting') return { port, url: `http://127.0.0.1:${port}`, close }
    if (outcome === 'refused') break
  }
  await close()
  throw new Error('on this system a full queue of connections does not make clients wait')
}

module.exports = { closedPort, blackHole, unusedPort }

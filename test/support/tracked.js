'use strict'

const { once } = require('node:events')

/**
 * Common to all test servers: listening on a free port, counting connections, and cleaning up.
 *
 * The counts are live: `connections` (opened so far), `openConnections`, `requests`, `arrivals` (when each request
 * arrived, by performance.now()). `atClose(task)` adds something to do in `close()`.
 *
 * @param {?{ teardown: function }} t a test, at whose end the server closes; null if the caller closes it
 * @param {import('node:net').Server} server that isn't listening yet
 * @param {object} [where] for `server.listen`; default 127.0.0.1 and any free port
 * @param {string} [scheme] of `url`
 */
async function track (t, server, { where = { port: 0, host: '127.0.0.1' }, scheme = 'http' } = {}) {
  const sockets = new Set()
  const tasks = []
  let closed
  const tracked = {
    server,
    url: undefined,
    port: undefined,
    requests: 0,
    connections: 0,
    openConnections: 0,
    arrivals: [],
    atClose: (task) => tasks.push(task),
    close: () => (closed ??= close())
  }

  server.on('connection', (socket) => {
    sockets.add(socket)
    tracked.connections++
    tracked.openConnections++
    socket.on('error', () => {}) // a connection that breaks needs no handling
    socket.on('close', () => {
      sockets.delete(socket)
      tracked.openConnections--
    })
  })

  async function close () {
    const ended = [new Promise((resolve) => server.close(resolve))]
    for (const socket of sockets) {
      // The server may be closed before its sockets have emitted 'close', and they must still be counted.
      ended.push(new Promise((resolve) => socket.once('close', resolve)))
      socket.destroy()
    }
    await Promise.all(ended)
    for (const task of tasks) task()
  }

  server.listen(where)
  await once(server, 'listening')
  if (!where.path) {
    tracked.port = server.address().port
    tracked.url = `${scheme}://${where.host}:${tracked.port}`
  }
  t?.teardown(tracked.close)
  return tracked
}

module.exports = { track }

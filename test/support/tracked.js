'use strict'

const { once } = require('node:events')

/**
 * What all servers of this kit share: they listen on a free port, count connections, and leave nothing behind.
 *
 * The counts are live: `connections` (opened so far), `openConnections`, `requests`, `arrivals` (when each request
 * arrived, by performance.now()). `atClose(task)` adds something to do in `close()`.
 *
 * @param {?{ teardown: function }} t a test, at whose end the server closes; null for who closes it himself
 * @param {import('node:net').Server} server that does not listen yet
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
    socket.on('error', () => {}) // a client that breaks off is nothing special here
    socket.on('close', () => {
      sockets.delete(socket)
      tracked.openConnections--
    })
  })

  async function close () {
    const ended = [new Promise((resolve) => server.close(resolve))]
    for (const socket of sockets) {
      // The server can be closed before its sockets have said so, and they are still to be counted.
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

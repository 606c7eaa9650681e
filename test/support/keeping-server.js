'use strict'

const { rawServer, reply } = require('./servers')

/**
 * Responds to everything at once and stores all requests. `paths` and `bodies` are those of the requests so far, in order of arrival;
 * `bytesOut` the number of bytes it has sent.
 *
 * @param {object} t
 * @param {function(object, number): Buffer} [answer] gets a request and its number; default answers 'ok'
 */
async function keepingServer (t, answer = () => reply('ok')) {
  const server = await rawServer(t, (socket, request, index) => {
    const bytes = answer(request, index)
    server.bytesOut += bytes.length
    socket.write(bytes)
  }, { keep: true })
  server.bytesOut = 0
  Object.defineProperties(server, {
    paths: { get: () => server.kept.map(({ path }) => path) },
    bodies: { get: () => server.kept.map(({ body }) => body.toString()) }
  })
  /** The requests of one connection, in order. */
  server.of = (connection) => server.kept.filter((request) => request.connection === connection)
  return server
}

/** The user's own headers of a request, by name. */
function ownHeaders ({ headers }) {
  const ours = new Set(['host', 'connection', 'content-length'])
  return Object.fromEntries(headers.filter(([name]) => !ours.has(name.toLowerCase())))
}

module.exports = { keepingServer, ownHeaders }

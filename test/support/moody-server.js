'use strict'

const { rawServer } = require('./raw-server')
const { reply, chunkedReply, writeInPieces } = require('./replies')
const { sleep } = require('./wait')

const BODY = 'a body that is long enough to be cut'

// How each mood handles a request. Complete final responses are written through `answer`.
const MOODS = {
  ok: ({ answer }) => answer(200, reply(BODY)),
  empty: ({ answer }) => answer(204, reply('', { status: 204, length: null })),
  chunked: ({ answer }) => answer(200, chunkedReply([BODY, BODY])),
  notFound: ({ answer }) => answer(404, reply(BODY, { status: 404 })),
  broken: ({ answer }) => answer(503, reply(BODY, { status: 503 })),
  early: ({ socket, answer }) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')
    answer(200, reply(BODY))
  },
  slow: async ({ answer }) => {
    await sleep(8)
    answer(200, reply(BODY))
  },
  pieces: async ({ socket, count }) => {
    await writeInPieces(socket, reply(BODY), { size: 40 })
    count(200)
  },
  closing: ({ socket, answer }) => {
    answer(200, reply(BODY, { headers: { Connection: 'close' } }))
    socket.end()
  },
  untilClose: ({ socket, answer }) => {
    answer(200, reply(BODY, { length: null, version: '1.0' }))
    socket.end()
  },
  last: ({ socket, answer }) => {
    answer(200, reply(BODY))
    socket.end()
  },
  twice: ({ answer }) => {
    answer(200, reply(BODY))
    answer(200, reply(BODY))
  },
  fin: ({ socket }) => socket.end(),
  rst: ({ socket }) => socket.encrypted ? socket.destroy() : socket.resetAndDestroy(),
  cutBody: ({ socket }) => socket.end(reply(BODY, { length: BODY.length + 10 })),
  cutHead: ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'),
  cutChunk: ({ socket }) => socket.end(chunkedReply([BODY]).subarray(0, -7)),
  garbage: ({ socket }) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'),
  badChunk: ({ socket }) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
  hang: () => new Promise(() => {})
}

/**
 * Starts a server that handles requests according to a list of moods, repeatedly: the first request according to the first mood, and so
 * on. Responses on a connection are in the order of its requests.
 *
 * Further live counts: `answered` (complete final responses written to an open connection), `answeredWith` (the same by
 * status), `requestsTo` (complete requests received, by path).
 *
 * @param {?object} t
 * @param {string[]} moods names, see MOODS
 * @param {object} [opts] as of rawServer
 */
async function moodyServer (t, moods, opts) {
  const queues = new WeakMap()
  const server = await rawServer(t, (socket, request, index) => {
    server.requestsTo[request.path] = (server.requestsTo[request.path] ?? 0) + 1
    const before = queues.get(socket) ?? Promise.resolve()
    queues.set(socket, before.then(() => treat(socket, moods[index % moods.length])))
  }, opts)

  function treat (socket, mood) {
    if (socket.destroyed || socket.writableEnded) return
    const count = (status) => {
      if (socket.destroyed) return
      server.answered++
      server.answeredWith[status] = (server.answeredWith[status] ?? 0) + 1
    }
    const answer = (status, bytes) => {
      socket.write(bytes)
      count(status)
    }
    return MOODS[mood]({ socket, answer, count })
  }
  return Object.assign(server, { answered: 0, answeredWith: {}, requestsTo: {} })
}

module.exports = { moodyServer, MOODS: Object.keys(MOODS) }

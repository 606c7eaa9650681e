'use strict'

const t = require('tap')
const { run } = require('../../..')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')
const { httpServer, rawServer, reply, chunkedReply } = require('../../support/servers')
const { answerTo, bothWays } = require('../numbered')

const CLOSE = { headers: { Connection: 'close' } }

function withoutErrors (t, { errorCodes, errors }) {
  t.strictSame(errorCodes, {})
  t.equal(errors, 0)
}

// --- the server announces that it closes

for (const every of [1, 4]) {
  bothWays(t, `Connection: close in each response number ${every} of a connection`, (socket, request, index, answer) => {
    if ((request.indexOnConnection + 1) % every === 0) socket.end(answerTo(request, CLOSE))
    else socket.write(answer)
  }, { connections: 3, amount: 60 }, (t, result, server) => {
    withoutErrors(t, result)
    t.equal(result.accounting.completed, 60)
    t.equal(server.requests, 60)
    t.ok(result.connectionStats.opened >= 60 / every, `${result.connectionStats.opened} opened`)
    t.equal(result.connectionStats.failed, 0)
  })
}

bothWays(t, 'Connection: close, and the server leaves the closing to us', (socket, request) => {
  socket.write(answerTo(request, CLOSE))
}, { amount: 20 }, (t, result, server) => {
  withoutErrors(t, result)
  t.equal(server.requests, 20)
  t.equal(server.connections, 20)
  t.match(result.connectionStats, { opened: 20, closedByServer: 20, closedByClient: 0, peak: 1 })
})

bothWays(t, 'Connection: close with requests outstanding: those are lost, each once', (socket, request) => {
  // The second of every four pipelined responses says close; the server ignores the other two requests.
  if (request.indexOnConnection === 0) socket.write(answerTo(request))
  if (request.indexOnConnection === 1) socket.write(answerTo(request, CLOSE))
}, { amount: 40, pipelining: 4 }, (t, result, server) => {
  const { completed, failed, sent } = result.accounting
  t.equal(sent, 40)
  t.equal(completed, 2 * server.connections)
  t.equal(failed, 40 - completed)
  const { CANNONADE_CLOSED_BY_SERVER: closed, CANNONADE_LOST_IN_PIPELINE: lost, ...others } = result.errorCodes
  t.match(closed, { phase: 'receive', message: /closed the connection before it answered/ })
  t.equal(closed.count + (lost?.count ?? 0), failed)
  t.ok(closed.count <= server.connections)
  t.strictSame(others, {})
})

// The first request of each connection gets the beginning of a response, and its end after 200 ms. In the open model there is something to
// send meanwhile, and pipelining has room for it.
async function requestsMeanwhile (t, settings) {
  const { result, world } = await playInWorld(t, { link: { delay: 1 }, ...settings }, { connections: 1, pipelining: 100, overallRate: 100, duration: 1 })
  t.ok(world.sockets.length >= 3, `${world.sockets.length} connections`)
  t.ok(result.accounting.completed >= 3, `${result.accounting.completed} completed`)
  const begun = new Map()
  for (const { socket, sentAt, firstByteAt } of world.log) {
    if (firstByteAt !== null) begun.set(socket, firstByteAt)
    t.notOk(sentAt > begun.get(socket), 'it is sent before the beginning is read')
  }
}

t.test('nothing is sent anymore after a head that announces the end', async (t) => {
  const first = { headers: { Connection: 'close' }, body: '12345678', bodyAfter: 200 }
  await requestsMeanwhile(t, { answer: ({ numberOnConnection }) => numberOnConnection === 0 ? first : 'silence' })
})

t.test('nothing is sent anymore after a body that lasts until close has begun', async (t) => {
  await requestsMeanwhile(t, {
    answer ({ numberOnConnection, peer }) {
      if (numberOnConnection > 0) return 'silence'
      peer.scheduler.add(peer.scheduler.time + 200_000, () => peer.end())
      return { bytes: 'HTTP/1.1 200 OK\r\n\r\nbegin' }
    }
  })
})

// --- HTTP/1.0

bothWays(t, 'HTTP/1.0 closes after each response', (socket, request) => {
  socket.end(answerTo(request, { version: '1.0' }))
}, { connections: 2, amount: 30 }, (t, result, server) => {
  withoutErrors(t, result)
  t.equal(server.requests, 30)
  // Each may have been opened for a request that the other one then took.
  t.ok(server.connections >= 30 && server.connections <= 32, `${server.connections} connections`)
})

bothWays(t, 'HTTP/1.0 with keep-alive goes on', (socket, request) => {
  socket.write(answerTo(request, { version: '1.0', headers: { Connection: 'keep-alive' } }))
}, { connections: 2, maxConnectionRequests: 15, duration: 600 }, (t, result, server) => {
  withoutErrors(t, result)
  t.equal(server.requests, 30)
  t.equal(server.connections, 2)
})

// --- bodies that last until the close

for (const version of ['1.1', '1.0']) {
  bothWays(t, `HTTP/${version}: a body until close is complete when the server closes`, (socket, request) => {
    const bytes = answerTo(request, { version, length: null })
    socket.write(bytes.subarray(0, -1))
    setTimeout(() => socket.end(bytes.subarray(-1)), 5)
  }, { connections: 2, amount: 20 }, (t, result, server) => {
    withoutErrors(t, result)
    t.equal(result.accounting.completed, 20)
    t.equal(result.connectionStats.closedByServer, 20)
  })
}

// --- the server closes without announcing it

for (const every of [1, 10]) {
  bothWays(t, `a server that closes after each response number ${every}`, (socket, request, index, answer) => {
    if ((request.indexOnConnection + 1) % every === 0) socket.end(answer)
    else socket.write(answer)
  }, { connections: 4, amount: 100 }, (t, result, server) => {
    const { completed, failed } = result.accounting
    // A request that crosses the FIN is lost; the others are not.
    t.equal(completed + failed, 100)
    t.ok(completed >= 100 / 2, `${completed} completed`)
    t.ok(failed <= server.connections)
    t.ok(server.requests >= completed)
    if (failed > 0) t.match(result.errorCodes, { CANNONADE_CLOSED_BY_SERVER: { count: failed, phase: 'receive' } })
    t.equal(result.connectionStats.failed, 0)
  })
}

t.test('a healthy server with a limit of requests per connection', async (t) => {
  const server = await httpServer(t, undefined, { maxRequestsPerSocket: 20 })
  const result = await run({ url: server.url, connections: 5, amount: 1000 })
  addsUp(t, result)
  withoutErrors(t, result)
  t.equal(result['2xx'], 1000)
  t.equal(server.answered, 1000)
  t.ok(server.connections >= 50 && server.connections <= 54, `${server.connections} connections`)
})

// --- the user wants connections closed

t.test('close wins over keep-alive, in whichever order and header they come', async (t) => {
  for (const headers of [{ Connection: 'close, keep-alive' }, { Connection: 'close', connection: 'Keep-Alive' }, { Connection: 'keep-alive', connection: 'close' }]) {
    const { result } = await playInWorld(t, { answer: { headers } }, { connections: 1, amount: 3 })
    t.equal(result.connectionStats.opened, 3, JSON.stringify(headers))
  }
})

t.test('request header Connection: close, one request per connection', async (t) => {
  for (const pipelining of [1, 4]) {
    const server = await httpServer(t)
    const result = await run({ url: server.url, connections: 3, pipelining, amount: 30, headers: { connection: 'Close' } })
    addsUp(t, result)
    withoutErrors(t, result)
    t.equal(result['2xx'], 30)
    t.same(server.requestsPerConnection, Array(30).fill(1))
    const { opened, closedByClient, closedByServer } = result.connectionStats
    t.ok(opened >= 30 && opened <= 32, `${opened} opened`)
    t.strictSame([closedByClient, closedByServer], [opened, 0])
  }
})

t.test('the connection is closed even if the server ignores Connection: close', async (t) => {
  const server = await rawServer(t, (socket) => socket.write(reply('still here')))
  const result = await run({ url: server.url, connections: 1, amount: 10, headers: { connection: 'close' } })
  withoutErrors(t, result)
  t.equal(server.connections, 10)
  t.match(result.connectionStats, { opened: 10, closedByClient: 10 })
})

bothWays(t, 'a sequence in which one request closes', (socket, request, index, answer) => socket.write(answer), {
  pipelining: 4,
  amount: 40,
  headers: { Connection: 'close' }
}, (t, result, server) => {
  withoutErrors(t, result)
  t.equal(server.connections, 40)
})

t.test('only the closing request of a sequence ends its connection', async (t) => {
  for (const pipelining of [1, 2, 5]) {
    for (const hooks of [{}, { onResponse () {} }]) {
      const server = await rawServer(t, (socket, request) => socket.write(reply('ok')), { keep: true })
      const result = await run({
        url: server.url,
        connections: 1,
        pipelining,
        amount: 14,
        requests: [{ path: '/a', ...hooks }, { path: '/b' }, { path: '/c', headers: { Connection: 'close' } }, { path: '/d' }]
      })
      addsUp(t, result)
      withoutErrors(t, result)
      t.equal(result.accounting.completed, 14)
      const lives = []
      for (const { connection, path } of server.kept) lives[connection] = (lives[connection] ?? '') + path
      t.same(lives, ['/a/b/c', '/d/a/b/c', '/d/a/b/c', '/d/a/b'], `${pipelining} pipelined`)
      t.match(result.connectionStats, { opened: 4, closedByClient: 4, closedByServer: 0 })
    }
  }
})

t.test('the server closed a connection if it closed before it answered the request that asks for the close', async (t) => {
  const requests = [{}, CLOSE]
  const { result } = await playInWorld(t, { serviceTime: 10, keepAlive: 1 }, { connections: 1, pipelining: 2, amount: 2, requests })
  t.match(result.connectionStats, { closedByServer: 1, closedByClient: 0 })
  t.match(result.accounting, { completed: 1, failed: 1 })
  const { result: both } = await playInWorld(t, { serviceTime: 10 }, { connections: 1, pipelining: 2, amount: 2, requests })
  t.match(both.connectionStats, { closedByServer: 0, closedByClient: 1 })
})

// --- HEAD, 204, 304 and 1xx on one connection

t.test('responses without a body and 1xx keep their connection and their order', async (t) => {
  const early = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'
  const answers = {
    '/head': () => reply('', { status: 200, length: 1000 }),
    '/204': () => reply('', { status: 204, length: null }),
    '/304': () => reply('', { status: 304, length: 77 }),
    '/early': () => Buffer.concat([Buffer.from(early + early), reply('late', { status: 201 })]),
    '/chunked': () => chunkedReply(['a', 'b'], { status: 202, extension: ';x=y', trailers: { 'X-T': '1' } })
  }
  const requests = Object.keys(answers).map((path) => ({ path, method: path === '/head' ? 'HEAD' : 'GET' }))
  for (const pipelining of [1, 7]) {
    const server = await rawServer(t, (socket, { path }) => socket.write(answers[path]()))
    const result = await run({ url: server.url, connections: 2, pipelining, maxConnectionRequests: 250, duration: 600, requests })
    addsUp(t, result)
    withoutErrors(t, result)
    t.equal(server.requests, 500)
    t.equal(server.connections, 2)
    t.strictSame(result.endpoints.map(({ statusCodeStats }) => Object.keys(statusCodeStats)), [['200'], ['204'], ['304'], ['201'], ['202']])
    t.equal(result['1xx'], 2 * result.statusCodeStats[201].count)
  }
})

// However a request is changed before it is sent, it still closes its connection after its response.
const CHANGES = {
  nothing: {},
  cookies: { cookies: true },
  redirects: { followRedirects: 2, isRedirected: true },
  'redirects and cookies': { followRedirects: 2, cookies: true, isRedirected: true },
  'a hook that returns what it got': { setupRequest: (request) => request },
  'a hook with another path': { setupRequest: (request) => ({ ...request, path: `${request.path}?x` }) },
  'a hook with another body': { setupRequest: (request) => ({ ...request, body: 'x' }) },
  'an asynchronous hook and cookies': { setupRequest: async (request) => ({ ...request, path: `${request.path}?x` }), cookies: true },
  'a row of a feed': { feed: { rows: [{ a: 1 }, { a: 2 }] }, suffix: '?{{a}}' },
  'a row of a feed and cookies': { feed: { rows: [{ a: 1 }, { a: 2 }] }, suffix: '?{{a}}', cookies: true },
  ids: { idReplacement: true, suffix: '?[<id>]' },
  'ids and cookies': { idReplacement: true, suffix: '?[<id>]', cookies: true },
  'trace context and cookies': { traceparent: true, cookies: true }
}

for (const [name, { isRedirected = false, suffix = '', ...opts }] of Object.entries(CHANGES)) {
  t.test(`a request that asks to close its connection is the last one on it, changed by ${name}`, async (t) => {
    const paths = ['/a', '/b'].map((path) => path + suffix)
    const close = { Connection: 'close' }
    const answer = ({ path }) => isRedirected && !path.includes('end') ? { status: 307, headers: { Location: `${path}end` } } : { headers: { 'Set-Cookie': 'a=1; Path=/' } }
    for (const [closing, requests] of [
      [{ keepAlive: false }, paths.map((path) => ({ path }))],
      [{}, paths.map((path, index) => ({ path, ...(index === 1 && { headers: close }) }))],
      [{ pipelining: 3 }, paths.map((path, index) => ({ path, ...(index === 1 && { headers: close }) }))],
      [{ headers: close }, paths.map((path) => ({ path }))]
    ]) {
      const { result, world } = await playInWorld(t, { serviceTime: 5, keepAlive: Infinity, answer, link: { delay: 1 } }, { connections: 1, amount: 8, ...closing, requests, ...opts })
      const isClosing = ({ path }) => closing.pipelining === 3 || Object.keys(closing).length === 0 ? path.startsWith('/b') : true
      const expected = world.log.filter(isClosing).length
      t.match(result.accounting, { completed: 8, failed: 0 }, JSON.stringify(closing))
      t.match(result.connectionStats, { opened: expected, closedByClient: expected, closedByServer: 0 }, JSON.stringify(closing))
    }
  })
}

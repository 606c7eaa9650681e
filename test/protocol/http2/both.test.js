'use strict'

const zlib = require('node:zlib')
const { Readable } = require('node:stream')
const t = require('tap')
const { run } = require('../../..')
const { violations } = require('../../support/accounts')
const { proxyServer } = require('../../support/proxy-server')
const { COLUMNS, columnServer } = require('./columns')

// One table of behaviors, two columns. Each entry runs against a server of each protocol, and returns what must be equal.
const BEHAVIOURS = {
  async 'a run by amount' ({ server, play }) {
    const { accounting, statusCodeStats } = await play(await server(), { amount: 100, connections: 3, pipelining: 4 })
    return { accounting, statusCodeStats }
  },

  async 'the open model' ({ server, play }) {
    const { accounting, rate } = await play(await server(), { amount: 50, overallRate: 500, connections: 2, pipelining: 2 })
    return { accounting, offered: rate.offered }
  },

  async 'a warm-up' ({ server, play }) {
    const target = await server()
    const { accounting } = await play(target, { amount: 20, connections: 2, warmup: { duration: 0.2 } })
    return accounting
  },

  async 'methods, headers and bodies' ({ server, play }) {
    const target = await server()
    await play(target, {
      amount: 5,
      headers: { 'X-Common': 'common ', Accept: 'text/plain', 'X-Twice': ['a', 'b'] },
      requests: [
        { path: '/get?a=b#c' },
        { method: 'POST', path: '/post', body: 'text' },
        { method: 'PUT', path: '/put', body: Buffer.from([0, 255]), headers: { 'Content-Type': 'x/y' } },
        { method: 'DELETE', path: '/delete' },
        { method: 'POST', path: '/empty', headers: { Host: 'example.test', 'x-common': null } }
      ]
    })
    return target.got.map(({ headers: { host, ...headers }, ...request }) => ({ ...request, headers, host: /^127/.test(host) ? 'own' : host }))
  },

  async 'responses without a body' ({ server, play }) {
    const target = await server((request, response) => {
      response.statusCode = Number(request.url.slice(1)) || 200
      if (request.method === 'HEAD') response.setHeader('content-length', '5')
      response.end(request.method === 'HEAD' || response.statusCode !== 200 ? undefined : 'hello')
    })
    const { statusCodeStats } = await play(target, { amount: 8, requests: [{ method: 'HEAD' }, { path: '/204' }, { path: '/304' }, { path: '/200' }] })
    return statusCodeStats
  },

  async 'hooks, and what they know' ({ server, play }) {
    const target = await server((request, response, number) => {
      response.setHeader('x-number', String(number))
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.end(`${request.method} ${request.url} ${request.body}`)
    })
    const seen = []
    await play(target, {
      amount: 6,
      requests: [
        { path: '/first', onResponse: (status, body, context, headers) => { Object.assign(context, { token: headers['x-number'] }) } },
        {
          method: 'POST',
          setupRequest: (request, context) => ({ ...request, path: `/second/${context.token}`, body: `token ${context.token}`, headers: { ...request.headers, 'x-token': context.token } }),
          onResponse: async (status, body, context, headers) => { seen.push([status, body, headers['set-cookie']]) }
        }
      ]
    })
    return { seen, got: target.got.map(({ url, body, headers }) => [url, body, headers['x-token']]) }
  },

  async 'only the path changes' ({ server, play }) {
    const target = await server()
    let number = 0
    await play(target, { amount: 5, method: 'POST', body: 'same', requests: [{ setupRequest: (request) => ({ ...request, path: `/${number++}` }) }] })
    return target.got.map(({ url, body }) => [url, body])
  },

  async 'clients and their events' ({ server, play }) {
    const target = await server((request, response) => response.writeHead(201, { 'X-Seen': 'yes' }).end(request.url))
    const events = []
    const setupClient = (client) => {
      client.on('headers', ({ statusCode, headers }) => events.push([statusCode, headers[headers.findIndex((name) => name.toLowerCase() === 'x-seen') + 1]]))
      client.on('body', (body) => {
        events.push(String(body))
        client.setRequest({ path: '/changed', method: 'PUT', body: 'new' })
      })
    }
    await play(target, { amount: 3, url: `${target.url}/given`, setupClient })
    return { events, got: target.got.map(({ method, url, body }) => [method, url, body]) }
  },

  async 'the response event' ({ server, play }) {
    const statuses = []
    const times = []
    const { latency } = await play(await server(), { amount: 10, pipelining: 2 }, {
      onInstance: (instance) => instance.on('response', (client, status, bytes, ms) => statuses.push(status) && times.push(ms * 1000))
    })
    return { statuses, notWhole: times.filter((time) => Math.abs(time - Math.round(time)) > 1e-9), apart: Math.round(times.reduce((sum, time) => sum + time, 0) - latency.total * 1000) }
  },

  async 'bodies that are checked' ({ server, play }) {
    const target = await server((request, response, number) => response.end(number % 2 === 0 ? 'ok' : 'not'))
    const expected = await play(target, { amount: 10, expectBody: 'ok' })
    const verified = await play(target, { amount: 10, verifyBody: async (body) => body === 'ok', pipelining: 3 })
    return [expected.mismatches, verified.mismatches]
  },

  async 'coded bodies' ({ server, play }) {
    const target = await server((request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(zlib.gzipSync('text')))
    const seen = []
    await play(target, { amount: 2, requests: [{ onResponse: (status, body) => { seen.push(body) } }] })
    return seen
  },

  async cookies ({ server, play }) {
    const target = await server((request, response, number) => {
      response.setHeader('set-cookie', [`n=${number}; Path=/`, 'other=x; Path=/elsewhere'])
      response.end()
    })
    await play(target, { amount: 4, cookies: true, headers: { cookie: 'own=1' } })
    return target.got.map(({ headers }) => headers.cookie)
  },

  async redirects ({ server, play }) {
    const target = await server((request, response) => {
      const [, status, to] = /^\/(30\d)(.*)$/.exec(request.url) ?? []
      if (status === undefined) response.end('end')
      else response.writeHead(Number(status), { location: to }).end()
    })
    const { statusCodeStats } = await play(target, {
      amount: 8,
      followRedirects: 3,
      requests: [{ path: '/301/a' }, { method: 'POST', path: '/303/b', body: 'x' }, { method: 'POST', path: '/307/c', body: 'y' }, { path: '/302http://elsewhere.test/' }]
    })
    return { statusCodeStats, got: target.got.map(({ method, url, body }) => [method, url, body]) }
  },

  async 'redirects to a GET of what is streamed, has ids or comes from a hook' ({ server, play }) {
    const target = await server((request, response) => {
      const [, status] = /^\/(30\d)/.exec(request.url) ?? []
      if (status === undefined) response.end('end')
      else response.writeHead(Number(status), { location: `/after/${status}` }).end()
    })
    const headers = { 'Content-Type': 'text/plain', 'x-id': '[<id>]' }
    const requests = [
      { body: () => Readable.from(['in ', 'pieces']) },
      { body: () => Readable.from(['known']), headers: { ...headers, 'content-length': '5' } },
      { body: 'of [<id>]' },
      { setupRequest: (draft) => ({ ...draft, body: 'from a hook' }) }
    ]
    const all = ['/301', '/303'].flatMap((path) => requests.map((request) => ({ method: 'POST', path: `${path}?[<id>]`, headers, ...request })))
    await play(target, { amount: 2 * all.length, followRedirects: 1, idReplacement: true, requests: all })
    const ids = target.got.map(({ headers }) => headers['x-id'])
    // What is sent again has the id of what was redirected.
    return target.got.map(({ method, url, body, headers }, index) => [
      method, url.replace(ids[index], 'ID'), body.replace(ids[index], 'ID'), headers['content-type'], ids[index] === ids[index - index % 2], new Set(ids).size
    ])
  },

  async 'redirects of what is streamed, with the same method' ({ server, play }) {
    const target = await server((request, response) => request.url === '/end' ? response.end('end') : response.writeHead(308, { location: '/end' }).end())
    await play(target, { amount: 4, followRedirects: 1, method: 'POST', body: () => Readable.from(['in ', 'pieces']) })
    return target.got.map(({ method, url, body }) => [method, url, body])
  },

  async 'rows of a feed' ({ server, play }) {
    const target = await server()
    await play(target, {
      duration: 600,
      feed: { rows: [{ id: 1, name: 'a b' }, { id: 2, name: 'ä' }], order: 'once' },
      requests: [{ method: 'POST', path: '/users/[<id>]', headers: { 'x-name': '[<id>]' }, body: '{"name":"[<name>]"}' }]
    })
    return target.got.map(({ url, body, headers }) => [url, body, headers['x-name'], headers['content-length']])
  },

  async forms ({ server, play }) {
    const target = await server()
    await play(target, { amount: 1, form: { field: { type: 'text', value: 'some text' } } })
    return target.got.map(({ method, body, headers }) => [method, /some text/.test(body), /^multipart\/form-data/.test(headers['content-type']), Number(headers['content-length']) === body.length])
  },

  async 'recorded requests' ({ server, play }) {
    const target = await server()
    const entry = { request: { method: 'POST', url: `${target.url}/recorded`, headers: [{ name: 'X-Recorded', value: 'yes' }, { name: 'Connection', value: 'close' }], postData: { text: 'posted' } } }
    await play(target, { amount: 2, har: { log: { entries: [entry] } } })
    return target.got.map(({ method, url, body, headers }) => [method, url, body, headers['x-recorded']])
  },

  async ids ({ server, play }) {
    const target = await server()
    await play(target, { amount: 20, pipelining: 2, url: `${target.url}/[<id>]`, method: 'POST', body: 'id [<id>]', headers: { 'x-id': '[<id>]' }, idReplacement: true })
    const ids = target.got.map(({ url, body, headers }) => new Set([url.slice(1), body.slice(3), headers['x-id']]))
    return { each: ids.every(({ size }) => size === 1), all: new Set(ids.map(([id]) => id)).size }
  },

  async 'bodies that are streams' ({ server, play }) {
    const target = await server()
    const text = 'streamed '.repeat(40_000)
    await play(target, { amount: 4, connections: 2, method: 'POST', body: () => Readable.from([text, Buffer.from('end')]) })
    await play(target, { amount: 2, method: 'POST', headers: { 'content-length': '6' }, body: async () => ['abc', 'def'] })
    return target.got.map(({ body, headers }) => [body.length, body.slice(-3), headers['content-length']])
  },

  async 'large bodies, both ways' ({ server, play }) {
    const size = 20 * 1024 * 1024
    const target = await server((request, response) => response.end(Buffer.alloc(size)))
    const sizes = []
    const { accounting } = await play(target, { amount: 2, method: 'POST', body: Buffer.alloc(1_000_000, 'x'), requests: [{ onResponse: (status, body) => { sizes.push(body.length) } }] })
    return { accounting, sizes, got: target.got.map(({ body }) => body.length) }
  },

  async 'a connection for each request' ({ server, play }) {
    const { accounting, connectionStats } = await play(await server(), { amount: 6, connections: 2, pipelining: 4, keepAlive: false })
    return { accounting, opened: connectionStats.opened, byServer: connectionStats.closedByServer }
  },

  async 'new connections after some responses' ({ server, play }) {
    const { accounting, connectionStats } = await play(await server(), { amount: 12, pipelining: 2, reconnectRate: 3 })
    return { accounting, opened: connectionStats.opened }
  },

  async 'requests of each connection' ({ server, play }) {
    const { accounting } = await play(await server(), { maxConnectionRequests: 5, duration: 600, connections: 2, pipelining: 3 })
    return accounting
  },

  async 'a unix socket' ({ server, play }) {
    const target = await server(undefined, { unix: true })
    const { accounting } = await play(target, { amount: 5, socketPath: target.socketPath })
    return accounting
  },

  async TLS ({ server, play }) {
    const { accounting, connectTime } = await play(await server(undefined, { secure: true }), { amount: 5 })
    return { accounting, tls: connectTime.tls.totalCount }
  },

  async 'TLS through a proxy' ({ server, play, t }) {
    const proxy = await proxyServer(t)
    const { accounting } = await play(await server(undefined, { secure: true }), { amount: 5, proxy: proxy.url })
    return { accounting, tunnels: proxy.tunnelled.length }
  },

  async sessions ({ server, play }) {
    const target = await server()
    const { accounting, sessions } = await play(target, {
      connections: 2,
      pipelining: 3,
      sessions: { amount: 6, connections: 2 },
      requests: [{ path: '/page' }, [{ path: '/a' }, { path: '/b' }, { path: '/c' }], { path: '/end' }]
    })
    return { accounting, completed: sessions.completed, received: target.requests }
  },

  async workers ({ server, play }) {
    const target = await server()
    const { accounting } = await play(target, { amount: 40, connections: 4, pipelining: 2, workers: 2 })
    return { accounting, received: target.requests }
  },

  async 'an endpoint for each request' ({ server, play }) {
    const target = await server((request, response) => {
      response.statusCode = request.url === '/b' ? 404 : 200
      response.end()
    })
    const { endpoints } = await play(target, { amount: 9, requests: [{ path: '/a' }, { path: '/b' }, { path: '/a', title: 'again' }] })
    return endpoints.map(({ title, method, path, completed, statusCodeStats }) => ({ title, method, path, completed, statusCodeStats }))
  }
}

// The middle of a table is compared, not the timings.
async function outcomeOf (t, behave, column) {
  const server = (handler, opts) => columnServer(t, column, handler, opts)
  const play = async (target, opts, { onInstance = () => {} } = {}) => {
    const instance = run({ url: target.url, connections: 1, timeout: 10, ...column.opts, ...opts })
    onInstance(instance)
    const result = await instance
    t.strictSame(violations(result), [], `${column.name}: the accounts`)
    if (opts.timeout === undefined) t.strictSame(result.errorCodes, {}, `${column.name}: no errors`)
    return result
  }
  return behave({ server, play, t })
}

for (const [name, behave] of Object.entries(BEHAVIOURS)) {
  t.test(name, async (t) => {
    const [first, second] = [await outcomeOf(t, behave, COLUMNS[0]), await outcomeOf(t, behave, COLUMNS[1])]
    t.strictSame(second, first, 'HTTP/2 equals HTTP/1.1')
  })
}

'use strict'

// Whatever setupRequest changes of a request is sent, and nothing else: each part alone and together with others, in place or in a copy.

const http = require('node:http')
const http2 = require('node:http2')
const { once } = require('node:events')
const t = require('tap')
const run = require('../..')
const Dice = require('../simulation/random/dice')

const ROUNDS = 120
const OF_RUN = { top: 'T', both: 'run' }
const REQUESTS = [
  { path: '/a', headers: { own: 'A', both: 'a' } },
  { path: '/b?q=1', method: 'POST', body: 'text', headers: { List: ['1', '2'] } },
  { method: 'PUT', body: Buffer.from([0, 255]) },
  { path: '/d', method: 'HEAD' }
]
// Headers that a protocol or a connection adds.
const ADDED = ['host', 'connection', 'content-length']

const change = {
  path: (dice, path) => dice.one('/', '/new', `${path}x`, '/ä b', '/#f', '/q?x=[1]'),
  method: (dice) => dice.one('GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD'),
  body: (dice, body) => dice.one(undefined, null, '', 'other', 'ünï', Buffer.from([1, 254]), body),
  headers: (dice, headers) => {
    const names = Object.keys(headers)
    const name = names.length > 0 ? dice.one(...names) : 'first'
    const { [name]: value, ...others } = headers
    return dice.one(
      { ...headers, [name]: 'changed' }, { ...others, [name]: value }, others, {}, { ...headers, more: 'M' }, { ...others, renamed: value ?? 'x' }, { ...headers, [name]: [value ?? 'x', 'twice'].flat() }
    )
  }
}

/** Changes some parts of a draft, in place or in a copy, and returns the request that follows. */
function changed (dice, draft) {
  const parts = Object.keys(change).filter(() => dice.happens(0.4))
  const request = dice.happens(0.5) ? draft : { ...draft }
  for (const part of parts) {
    const value = change[part](dice, draft[part])
    if (part === 'headers' && dice.happens(0.5)) {
      for (const name of Object.keys(request.headers)) delete request.headers[name]
      Object.assign(request.headers, value)
    } else {
      request[part] = value
    }
  }
  return request
}

const fieldsOf = (headers) => Object.entries(headers).flatMap(([name, value]) => [value].flat().map((each) => [name.toLowerCase(), String(each)])).sort()

/** What a server must get of a request. */
function expected ({ method, path, headers, body }) {
  const bytes = Buffer.from(body ?? '')
  return { method, path: new URL(path, 'http://a.test').href.slice('http://a.test'.length).replace(/#.*/, ''), fields: JSON.stringify(fieldsOf(headers)), body: bytes.toString('latin1') }
}

async function keep (t, server) {
  const kept = []
  server.on('request', (request, response) => {
    const parts = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const pairs = []
      for (let at = 0; at < request.rawHeaders.length; at += 2) pairs.push([request.rawHeaders[at].toLowerCase(), request.rawHeaders[at + 1]])
      const fields = pairs.filter(([name]) => !name.startsWith(':') && !ADDED.includes(name)).sort()
      kept.push({ method: request.method, path: request.url, fields: JSON.stringify(fields), body: Buffer.concat(parts).toString('latin1') })
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { kept, url: `http://127.0.0.1:${server.address().port}` }
}

for (const [name, create, more] of [['HTTP/1.1', () => http.createServer(), {}], ['HTTP/2', () => http2.createServer(), { http2: true }]]) {
  t.test(`what a hook changes is what is sent, over ${name}`, async (t) => {
    const { kept, url } = await keep(t, create())
    const dice = new Dice(1)
    const wanted = []
    const setupRequest = (draft) => {
      const request = changed(dice, draft)
      wanted.push(expected(request))
      return dice.happens(0.2) ? Promise.resolve(request) : request
    }
    const requests = REQUESTS.map((request) => ({ ...request, setupRequest }))
    const { accounting } = await run({ url, connections: 1, amount: ROUNDS * requests.length, headers: OF_RUN, requests, ...more })
    t.equal(accounting.completed, ROUNDS * requests.length)
    t.equal(wanted.length, kept.length)
    const different = kept.map((request, index) => ({ index, request, wanted: wanted[index] })).filter(({ request, wanted }) => JSON.stringify(request) !== JSON.stringify(wanted))
    t.same(different.slice(0, 3), [])
  })
}

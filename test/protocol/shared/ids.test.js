'use strict'

const t = require('tap')
const { run } = require('../../..')
const RequestLine = require('../../../lib/protocol/shared/request-line')
const Ids = require('../../../lib/world/ids')
const { addsUp } = require('../../support/accounts')
const { playInWorld } = require('../../support/play-in-world')
const { rawServer, reply } = require('../../support/servers')

t.test('ids are unique across connections and requests, and the same within a request', async (t) => {
  for (const pipelining of [1, 5]) {
    const server = await rawServer(t, (socket, request) => socket.write(reply('ok')), { keep: true })
    const result = await run({
      url: `${server.url}/[<id>]?again=[<id>]`,
      connections: 7,
      pipelining,
      amount: 350,
      idReplacement: true,
      method: 'POST',
      headers: { 'X-Request-Id': '[<id>]' },
      body: '{"id":"[<id>]"}'
    })
    addsUp(t, result)
    t.equal(result['2xx'], 350)
    const ids = server.kept.map(({ path, header, body }) => {
      const [, id, again] = /^\/(\w+)\?again=(\w+)$/.exec(path)
      const isSame = id === again && id === header('x-request-id') && body.toString() === `{"id":"${id}"}`
      if (!isSame || header('content-length') !== String(body.length)) t.fail(`not the same everywhere, or not of its length: ${id}`)
      return id
    })
    t.equal(new Set(ids).size, 350)
  }
})

t.test('what is reported of a request has its id in each place, or its placeholder if no id is known', async (t) => {
  const room = '0'.repeat(Ids.LENGTH)
  const line = new RequestLine('GET', `/${room}?again=${room}&end`, [1, 8 + Ids.LENGTH])
  const id = 'x'.repeat(Ids.LENGTH)
  t.strictSame(line.with(id), { method: 'GET', path: `/${id}?again=${id}&end` })
  t.strictSame(line.with(), { method: 'GET', path: '/[<id>]?again=[<id>]&end' })
  const long = new RequestLine('GET', `/${room}${'y'.repeat(300)}`, [1])
  t.strictSame([id, undefined].map((given) => long.with(given).path), [`/${id}${'y'.repeat(199 - Ids.LENGTH)}`, `/[<id>]${'y'.repeat(193)}`], 'of at most 200 characters')
})

t.test('concurrent runs have different ids', async (t) => {
  const server = await rawServer(t, (socket) => socket.write(reply('ok')), { keep: true })
  const opts = { url: `${server.url}/[<id>]`, idReplacement: true, connections: 2, amount: 100 }
  await Promise.all([run(opts), run(opts), run(opts)])
  t.equal(new Set(server.kept.map(({ path }) => path)).size, 300)
})

t.test('only requests with a tag differ', async (t) => {
  const server = await rawServer(t, (socket) => socket.write(reply('ok')), { keep: true })
  await run({ url: server.url, idReplacement: true, connections: 1, pipelining: 4, amount: 40, requests: [{ path: '/plain' }, { path: '/[<id>]' }] })
  const paths = server.kept.map(({ path }) => path)
  t.equal(paths.filter((path) => path === '/plain').length, 20)
  t.equal(new Set(paths).size, 21)
  t.strictSame(paths.filter((_, index) => index % 2 === 0), Array(20).fill('/plain'))
})

t.test('ids in requests that setupRequest makes', async (t) => {
  const server = await rawServer(t, (socket) => socket.write(reply('ok')), { keep: true })
  const setupRequest = (request) => ({ ...request, path: '/made/[<id>]' })
  await run({ url: server.url, idReplacement: true, connections: 2, amount: 20, requests: [{ setupRequest }] })
  t.equal(new Set(server.kept.map(({ path }) => path)).size, 20)
  t.ok(server.kept.every(({ path }) => /^\/made\/\w{10,}$/.test(path)))
})

// What hooks make of a request; each keeps its id.
const CHANGES = {
  nothing: (request) => request,
  'the same in a new object': (request) => ({ ...request }),
  'another path': (request) => ({ ...request, path: `${request.path}/more` }),
  'a header': (request) => ({ ...request, headers: { ...request.headers, 'X-More': '[<id>]' } }),
  'no header': ({ headers, ...request }) => ({ ...request, headers: { 'X-Request-Id': headers['X-Request-Id'] } }),
  'another body': (request) => ({ ...request, body: `${request.body}&more` }),
  'another method': (request) => ({ ...request, method: 'PUT' })
}
const ID = '\\w{21}'
const REQUEST = { method: 'POST', path: '/{{user}}/[<id>]', headers: { 'X-Request-Id': '[<id>]' }, body: '{{user}}=[<id>]' }
const ROWS = ['ann', 'bob', 'eve'].map((user) => ({ user }))
const COUNT = 2 * ROWS.length

// How a request comes about: with rows or without, and who makes it.
function * origins () {
  for (const [rows, feed] of Object.entries({ 'with rows': ROWS, 'without rows': undefined })) {
    const request = feed === undefined ? JSON.parse(JSON.stringify(REQUEST).replaceAll('{{user}}', 'ann')) : REQUEST
    const opts = { feed, connections: 2, amount: COUNT, idReplacement: true }
    yield [`${rows}, as it is`, { ...opts, requests: [request] }]
    for (const [what, change] of Object.entries(CHANGES)) {
      yield [`${rows}, a hook that changes ${what}`, { ...opts, requests: [{ ...request, setupRequest: change }] }]
      yield [`${rows}, an asynchronous hook that changes ${what}`, { ...opts, requests: [{ ...request, setupRequest: async (draft) => change(draft) }] }]
    }
    yield [`${rows}, set by a client`, { ...opts, setupClient: (client) => client.setRequest(request) }]
    yield [`${rows}, the whole sequence set by a client`, { ...opts, setupClient: (client) => client.setRequests([request]) }]
    yield [`${rows}, a hook of a sequence set by a client`, { ...opts, setupClient: (client) => client.setRequests([{ ...request, setupRequest: CHANGES['another path'] }]) }]
  }
}

t.test('each request has its own id in each place, wherever it comes from: HTTP/1.1', async (t) => {
  for (const [origin, opts] of origins()) {
    const server = await rawServer(t, (socket) => socket.write(reply('ok')), { keep: true })
    await run({ ...opts, url: server.url })
    const ids = server.kept.map(({ raw }) => new Set(Array.from(raw.toString().matchAll(new RegExp(`(?<=ann|bob|eve|X-Request-Id|X-More)(?:/|=|: )(${ID})(?!\\w)`, 'g')), ([, id]) => id)))
    t.ok(server.kept.every(({ raw }) => !raw.includes('[<id>]') && !raw.includes('{{')), origin)
    t.same(ids.map(({ size }) => size), new Array(COUNT).fill(1), `one id in each request: ${origin}`)
    t.equal(new Set(ids.flatMap((each) => [...each])).size, COUNT, origin)
  }
})

t.test('each request has its own id in each place, wherever it comes from: HTTP/2', async (t) => {
  for (const [origin, opts] of origins()) {
    const { world: { log } } = await playInWorld(t, { http2: true }, { ...opts, http2: true })
    const ids = log.map((entry) => [entry.path.split('/')[2], entry.header('x-request-id')[0]])
    t.ok(ids.every(([id, same]) => new RegExp(`^${ID}$`).test(id) && id === same), origin)
    t.ok(log.every(({ text }) => !text.includes('[<id>]')), origin)
    t.equal(new Set(ids.map(([id]) => id)).size, COUNT, origin)
  }
})

t.test('each message has its own id, wherever it comes from', async (t) => {
  const message = (body) => ({ body })
  const more = (request) => ({ ...request, body: `${request.body} more` })
  for (const [rows, feed, text] of [['with rows', ROWS, '{{user}}: [<id>]'], ['without rows', undefined, 'ann: [<id>]']]) {
    const opts = { feed, connections: 2, amount: COUNT, idReplacement: true }
    const kinds = {
      'as it is': { requests: [message(text)] },
      'a hook that changes nothing': { requests: [{ ...message(text), setupRequest: (request) => request }] },
      'a hook that changes it': { requests: [{ ...message(text), setupRequest: more }] },
      'an asynchronous hook that changes it': { requests: [{ ...message(text), setupRequest: async (request) => more(request) }] },
      'set by a client': { setupClient: (client) => client.setRequests([message(text)]) }
    }
    for (const [origin, kind] of Object.entries(kinds)) {
      const { world: { log } } = await playInWorld(t, { websocket: 'echo' }, { ...opts, ...kind })
      const texts = log.filter(({ method }) => method === 'TEXT').map(({ path }) => path)
      t.equal(texts.length, COUNT)
      t.ok(texts.every((each) => new RegExp(`^(ann|bob|eve): ${ID}( more)?$`).test(each)), `${rows}, ${origin}`)
      t.equal(new Set(texts.map((each) => each.split(' ')[1])).size, COUNT, `${rows}, ${origin}`)
    }
  }
})

t.test('the bytes of a simple run', async (t) => {
  const server = await rawServer(t, (socket) => socket.write(reply('ok')), { keep: true })
  const expected = `GET /x HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: keep-alive\r\n\r\n`
  for (const pipelining of [1, 3]) {
    await run({ url: `${server.url}/x`, connections: 2, pipelining, amount: 20 })
  }
  t.equal(server.kept.length, 40)
  t.ok(server.kept.every(({ raw }) => raw.toString() === expected))
})

t.test('the slowest requests are listed with the ids that they had, also if several were sent together', async (t) => {
  const { result, world } = await playInWorld(t, { serviceTime: ({ number }) => 5 + number % 7 }, (world, { url }) => ({ url: `${url}/[<id>]`, connections: 2, pipelining: 4, amount: 24, idReplacement: true, slowest: 24 }))
  const sent = new Map(world.log.map(({ path, sentAt, receivedAt }) => [path, [sentAt - world.begunAt, receivedAt - world.begunAt]]))
  t.equal(sent.size, 24)
  t.same(result.slowest.map(({ sentAt, endedAt }) => [sentAt, endedAt].map((time) => Math.round(time * 1e6))), result.slowest.map(({ path }) => sent.get(path)))
})

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

'use strict'

const t = require('tap')
const { run } = require('../..')
const { parsingServer } = require('../support/parsing-server')

// Where a request can contain an id, as a server reads it.
function idsOf ({ url, headers, body }) {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  return [pathname.split('/')[2], searchParams.get('id'), headers['x-id'].slice(1), JSON.parse(body).id]
}

const asked = {
  method: 'PUT',
  idReplacement: true,
  headers: { 'X-Id': '#[<id>]', 'Content-Type': 'application/json' },
  body: '{"id":"[<id>]","text":"€"}'
}

for (const [name, opts] of Object.entries({
  'one connection': { connections: 1 },
  'several connections': { connections: 7 },
  pipelined: { connections: 3, pipelining: 4 },
  'several threads': { connections: 5, workers: 2 },
  'with a hook': { connections: 3, requests: [{ setupRequest: (request) => ({ ...request, title: 'x' }) }] },
  'from a client': { connections: 3, setupClient: (client) => client.setBody('{"id":"[<id>]","text":"€€"}') }
})) {
  t.test(`ids in path, query, headers and body are new in each request: ${name}`, async (t) => {
    const server = await parsingServer(t)
    const { accounting } = await run({ url: `${server.url}/items/[<id>]?id=[<id>]`, amount: 120, ...asked, ...opts })
    t.equal(accounting.completed, 120)
    const seen = new Set()
    for (const request of server.seen) {
      const ids = idsOf(request)
      const isRight = /^\w+$/.test(ids[0]) && new Set(ids).size === 1 && Number(request.headers['content-length']) === request.body.length
      if (!isRight) t.fail(`not the same in all its places, or not of this length: ${ids}`)
      seen.add(ids[0])
    }
    t.equal(seen.size, 120)
  })
}

t.test('a path may contain several ids', async (t) => {
  const server = await parsingServer(t)
  await run({ url: server.url, amount: 4, connections: 1, idReplacement: true, requests: [{ path: '/a b/[<id>]/[<id>]?x=[<id>]' }, { path: '/plain' }] })
  t.match(server.seen.map(({ url }) => url), [/^\/a%20b\/(\w+)\/\1\?x=\1$/, '/plain', /^\/a%20b\/(\w+)\/\1\?x=\1$/, '/plain'])
  t.not(server.seen[0].url, server.seen[2].url)
})

t.test('ids are replaced only if the option is set', async (t) => {
  const server = await parsingServer(t)
  await run({ url: `${server.url}/[<id>]`, method: 'POST', amount: 1, connections: 1, body: '[<id>]' })
  t.same([server.seen[0].url, server.seen[0].body.toString()], ['/[%3Cid%3E]', '[<id>]'])
})

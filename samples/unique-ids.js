'use strict'

// For requests that must not be repeated, such as inserts: each [<id>] in path, headers and body is replaced by a new id, the
// same one within a request. Ids are unique across runs and processes, too.

const http = require('node:http')
const { run } = require('..') // in your own program: require('cannonade')

const stored = new Map()
const server = http.createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => { body += chunk })
  request.on('end', () => {
    const { id } = JSON.parse(body)
    const isNew = !stored.has(id) && request.url === `/items/${id}`
    stored.set(id, body)
    response.writeHead(isNew ? 201 : 409).end()
  })
})

async function main () {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const result = await run({
    url: `http://127.0.0.1:${server.address().port}`,
    connections: 5,
    amount: 500,
    idReplacement: true,
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    requests: [{ path: '/items/[<id>]', body: JSON.stringify({ id: '[<id>]', name: 'a thing' }) }]
  })
  server.close()

  console.log(`${result.requests.sent} sent, ${stored.size} different ids`)
  console.log(`${result.statusCodeStats['201'].count} created, ${result['4xx']} conflicts`)
  console.log(`for example ${stored.values().next().value}`)
}

main()

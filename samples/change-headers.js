'use strict'

// Each connection represents a different user: setupClient sets its headers, and a listener changes them during the run.

const http = require('node:http')
const { run } = require('..') // in your own program: require('cannonade')

const seen = new Map()
const server = http.createServer((request, response) => {
  const { 'x-user': user, 'x-visit': visit = 'first' } = request.headers
  if (!seen.has(user)) seen.set(user, { first: 0, again: 0 })
  seen.get(user)[visit]++
  response.end('hello')
})

let users = 0

// Called once for each connection, before its first request.
function setupClient (client) {
  const user = `user-${++users}`
  client.setHeaders({ 'x-user': user })
  client.once('response', (statusCode, resBytes, responseTime) => {
    client.setHeaders({ 'x-user': user, 'x-visit': 'again' })
  })
}

async function main () {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}`
  const result = await run({ url, connections: 3, amount: 300, setupClient })
  server.close()

  console.log(`${result.requests.total} requests`)
  for (const [user, { first, again }] of seen) console.log(`${user}: ${first} first visit, ${again} more`)
}

main()

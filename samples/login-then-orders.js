'use strict'

// A sequence of requests in which the second uses data from the first one's response. Each connection has its own context,
// which lasts for one round of the sequence. Hooks may be async.

const http = require('node:http')
const { run } = require('..') // in your own program: require('cannonade')

let logins = 0
const server = http.createServer((request, response) => {
  if (request.method === 'POST' && request.url === '/login') {
    response.end(JSON.stringify({ token: `token-${++logins}` }))
  } else {
    response.statusCode = /^Bearer token-\d+$/.test(request.headers.authorization) ? 200 : 401
    response.end('[]')
  }
})

const requests = [
  {
    title: 'log in',
    method: 'POST',
    path: '/login',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: 'john', password: 'secret' }),
    onResponse (status, body, context) {
      if (status === 200) context.token = JSON.parse(body).token
    }
  },
  {
    title: 'list orders',
    path: '/orders',
    setupRequest (request, context) {
      // Returning a falsy value restarts the sequence, which counts in `result.resets`.
      if (!context.token) return null
      return { ...request, headers: { ...request.headers, authorization: `Bearer ${context.token}` } }
    }
  }
]

async function main () {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const result = await run({ url: `http://127.0.0.1:${server.address().port}`, connections: 5, duration: 1, requests })
  server.close()

  for (const { title, method, path, completed, latency, statusCodeStats } of result.endpoints) {
    console.log(`${title}: ${completed} × ${method} ${path}, p99 ${latency.p99} ms, statuses ${Object.keys(statusCodeStats)}`)
  }
  console.log(`resets: ${result.resets}`)
}

main()

'use strict'

// Users as code: an async function that each session calls. They log in, browse with their token, and some of them buy something.
// Checks count what should be so, and thresholds judge them.

const http = require('node:http')
const { run, printResult } = require('..') // in your own program: require('cannonade')

const server = http.createServer((request, response) => {
  if (request.url === '/login') response.end(JSON.stringify({ token: 'token-5' }))
  else if (request.headers.authorization !== 'Bearer token-5') response.writeHead(401).end()
  else if (request.url === '/items') response.end(JSON.stringify([{ id: 1 }, { id: 2 }]))
  else if (request.url === '/checkout') response.writeHead(201).end('{"order":17}')
  else response.end('{}')
})

async function customer (user) {
  const { token } = (await user.post('/login', { json: { name: user.row.name } })).json()
  const headers = { authorization: `Bearer ${token}` }
  await user.think([0.05, 0.2])

  const items = (await user.get('/items', { headers })).json()
  user.check('has items', items.length > 0)
  // A page and its parts go out together.
  await Promise.all(items.map(({ id }) => user.get(`/items/${id}`, { headers, title: 'item' })))
  await user.think({ mean: 0.1 })

  // The same seed makes the same users buy.
  if (user.random() < 0.3) {
    const order = await user.post('/checkout', { headers, json: { items: items.map(({ id }) => id) } })
    user.check('checked out', order.status === 201 && order.json().order > 0)
  }
}

server.listen(0, '127.0.0.1', async () => {
  const result = await run({
    url: `http://127.0.0.1:${server.address().port}`,
    title: 'shop',
    overallRate: 20,
    duration: 2,
    seed: 1,
    sessions: { connections: 2 },
    feed: [{ name: 'Ada' }, { name: 'Grace' }],
    user: customer,
    thresholds: ['checks == 100%', 'sessions.failed == 0', 'failures == 0']
  })
  process.stdout.write(printResult(result))
  server.close()
  if (!result.passed) process.exitCode = 1
})

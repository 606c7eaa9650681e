'use strict'

// Sessions that behave like a browser: load a page, then all its resources at once on up to six connections, then the next page.

const { run, startServer } = require('..') // in your own program: require('cannonade')

const page = (path, thinkTime) => ({ title: path, path, thinkTime })
const parts = (...paths) => paths.map((path) => ({ title: path, path }))

async function main () {
  const server = await startServer({ port: 0, delay: 10 })
  const result = await run({
    url: server.url,
    connections: 5, // concurrent users: when one leaves, a new one arrives
    sessions: { amount: 20, connections: 6 },
    cookies: true,
    requests: [
      page('/'),
      parts('/style.css', '/app.js', '/logo.png', '/photo.jpg'),
      page('/shoes', [0.05, 0.15]),
      parts('/shoe-1.jpg', '/shoe-2.jpg')
    ]
  })
  await server.close()

  const { sessions, accounting } = result
  console.log(`${sessions.completed} visits of ${accounting.completed / sessions.completed} requests on ${sessions.connections.average} connections each`)
  console.log(`a visit took ${sessions.lifetime.p50} ms: two pages, two loads of parts, and a pause`)
  for (const { title, latency } of result.endpoints) console.log(`${title}: ${latency.p50} ms`)
}

main()

'use strict'

// A shop's mix of users: of 100 who arrive, 70 browse, 25 search and 5 buy. Each kind has its own requests, pauses and limits.

const { run, startServer } = require('..') // in your own program: require('cannonade')

async function main () {
  const server = await startServer({ port: 0, delay: 5 })
  const result = await run({
    url: server.url,
    overallRate: 50,
    duration: 2,
    scenarios: [
      { name: 'browse', weight: 70, requests: [{ path: '/' }, { path: '/items/1', thinkTime: [0.05, 0.2] }] },
      { name: 'search', weight: 25, requests: [{ path: '/search?q=shoes' }], calls: 3, thinkTime: 0.1 },
      { name: 'buy', weight: 5, requests: [{ path: '/cart' }, [{ path: '/style.css' }, { path: '/app.js' }], { method: 'POST', path: '/orders', body: '{"item":1}' }] }
    ],
    thresholds: ['scenarios.browse.p99 < 1s', 'scenarios.buy.sessions.failed == 0']
  })
  await server.close()

  for (const { name, sessions, accounting, latency } of result.scenarios) {
    console.log(`${name}: ${sessions.completed} users, ${accounting.completed} responses, p50 ${latency.p50} ms`)
  }
  console.log(result.passed ? 'good enough' : 'not good enough')
}

main()

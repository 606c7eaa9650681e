'use strict'

// Sessions: 20 users per second arrive, make three calls with pauses between them, and leave. On the command line:
// cannonade -R 20 -d 2 --session-calls 3 --think-time mean:0.1 URL

const { run, startServer } = require('..') // in your own program: require('cannonade')

async function main () {
  const server = await startServer({ port: 0, delay: 5 })
  const result = await run({
    url: server.url,
    overallRate: 20,
    duration: 2,
    sessions: { calls: 3, failOn: '5xx' },
    thinkTime: { mean: 0.1 },
    thresholds: ['sessions.failed == 0']
  })
  await server.close()

  const { sessions } = result
  console.log(`${sessions.scheduled} users arrived, ${sessions.completed} were served, ${sessions.failed} were not`)
  console.log(`at most ${sessions.peak} were active at a time, and half of them stayed for more than ${sessions.lifetime.p50} ms`)
  console.log(`each request took ${result.latency.p50} ms, seen by its user`)
  console.log(result.passed ? 'good enough' : 'not good enough')
}

main()

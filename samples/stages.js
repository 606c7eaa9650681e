'use strict'

// The open model: requests are due on a schedule, whether or not the server keeps up. Here, the schedule is a step, a ramp, a
// pause and a spike. On the command line: --stages '1s:40, 1s:40..160, 500ms:0, 500ms:300'

const { run, startServer } = require('..') // in your own program: require('cannonade')

async function main () {
  const server = await startServer({ port: 0, delay: 2 })
  const result = await run({
    url: server.url,
    connections: 10,
    sampleInt: 500,
    stages: [
      { duration: 1, rate: 40 },
      { duration: 1, rate: { from: 40, to: 160 } },
      { duration: 0.5, rate: 0 },
      { duration: 0.5, rate: 300 }
    ]
  })
  await server.close()

  for (const { time, seconds, requests, p99 } of result.timeline) {
    console.log(`until ${time.toFixed(1)} s: ${Math.round(requests / seconds)} per second, p99 ${p99} ms`)
  }
  // 40 × 1 + (40 + 160) / 2 × 1 + 0 + 300 × 0.5
  console.log(`${result.accounting.scheduled} were due, ${result.accounting.completed} completed`)
  console.log(`offered ${result.rate.offered} per second, achieved ${result.rate.achieved}`)
}

main()

'use strict'

// `run` returns a promise of the result. The result is plain data, so you can save it, compare it or send it somewhere.

const { run, startServer } = require('..') // in your own program: require('cannonade')

async function main () {
  const server = await startServer({ port: 0, delay: 5 })
  const result = await run({ url: server.url, connections: 20, amount: 1000 })
  await server.close()

  const { latency, requests, accounting } = result
  console.log(`requests per second: ${requests.average}`)
  console.log(`latency in ms: median ${latency.p50}, p99 ${latency.p99}, max ${latency.max}`)
  console.log(`sent ${accounting.sent} = ${accounting.completed} completed + ${accounting.failed} failed + ` +
    `${accounting.timedOut} timed out + ${accounting.unfinished} unfinished`)
  for (const warning of result.warnings) console.log(warning.message)
}

main()

'use strict'

// A first look: starts a small server in separate processes, benchmarks it for five seconds and explains the result.
// Start it with `npm run demo`, or `npm run demo -- 60` to run it for a minute.

const { run, startServer, track } = require('cannonade')

const SECONDS = Number(process.argv[2] ?? 5)

async function demo () {
  const server = await startServer({ port: 0, workers: 2 })
  try {
    process.stdout.on('error', () => {}) // in `npm run demo | head`, head may exit first
    console.log(`A small server is listening at ${server.url}. For ${SECONDS} seconds, ten`)
    console.log('connections send requests, each as soon as it has its previous response.\n')

    const instance = run({ url: server.url, connections: 10, duration: SECONDS })
    track(instance, { outputStream: process.stdout, renderStatusCodes: true })
    process.once('SIGINT', instance.stop) // Ctrl-C: the result so far
    explain(await instance)
  } finally {
    await server.close()
  }
}

function explain ({ latency, accounting }) {
  const ms = (value) => `${Number(value.toPrecision(3))} ms`
  const count = (value) => value.toLocaleString('en-US')
  const { sent, completed, failed, timedOut, unfinished } = accounting
  console.log(`
In words: half of the requests were answered within ${ms(latency.p50)}, 99 of 100 within
${ms(latency.p99)}, and the slowest took ${ms(latency.max)}. Of ${count(sent)} requests
${count(completed)} were answered, ${count(failed + timedOut)} failed, and ${count(unfinished)} were in flight at the end.

Try next, with a test server in another terminal (npx cannonade serve):
  npx cannonade localhost:9090                    the same for ten seconds
  npx cannonade -R 500 localhost:9090             500 requests per second
  npx cannonade -c 100 -d 30 -l localhost:9090    more, longer, all percentiles
  npx cannonade -j localhost:9090 > result.json   the result as JSON
  npx cannonade --help all                        all options`)
}

demo().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})

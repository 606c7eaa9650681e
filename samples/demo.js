'use strict'

// A first look: starts a small server in processes of its own, benchmarks it for five seconds and explains the result.
// Run it with `npm run demo`; with `npm run demo -- 60` it takes a minute.

const { run, startServer, track } = require('cannonade')

const SECONDS = Number(process.argv[2] ?? 5)

async function demo () {
  const server = await startServer({ port: 0, workers: 2 })
  try {
    process.stdout.on('error', () => {}) // `npm run demo | head`: nobody is left to tell
    console.log(`A small server is listening at ${server.url}. For ${SECONDS} seconds, ten`)
    console.log('connections send it requests, each as fast as the answers come back.\n')

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
${count(completed)} were answered, ${count(failed + timedOut)} failed, and ${count(unfinished)} were under way at the end.

To try next, with a server to aim at in another terminal (npx cannonade serve):
  npx cannonade localhost:9090                    the same for ten seconds
  npx cannonade -R 500 localhost:9090             500 requests a second, evenly
  npx cannonade -c 100 -d 30 -l localhost:9090    more, longer, all percentiles
  npx cannonade -j localhost:9090 > result.json   the result as JSON
  npx cannonade --help                            everything else`)
}

demo().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})

'use strict'

// Prints a result in httperf's output format, for programs that read it. On the command line, with httperf's flags:
// cannonade httperf --server HOST --port PORT --rate 100 --num-conns 50 --num-calls 2

const { run, formatHttperf, startServer } = require('..') // in your own program: require('cannonade')

async function main () {
  const server = await startServer({ port: 0, delay: 5 })
  const result = await run({
    url: server.url,
    overallRate: 100, // connections per second, because each is a session
    sessions: { amount: 50, calls: 2 }
  })
  await server.close()

  console.log(formatHttperf(result))
}

main()

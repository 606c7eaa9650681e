'use strict'

// Shows a run: a progress bar, then the tables. Both are printed to stderr, the bar only if that is a terminal. Ctrl-C ends the
// run early and prints the result so far.

const { run, track, startServer } = require('..') // in your own program: require('cannonade')

async function main () {
  const server = await startServer({ port: 0, delay: 5, errorRate: '1%' })

  const instance = run({ url: server.url, title: 'orders', connections: 20, duration: 2 })
  process.once('SIGINT', instance.stop)
  track(instance, {
    progressBarString: ':bar :percent, :rate requests per second',
    renderLatencyTable: true,
    renderStatusCodes: true
  })
  instance.on('tick', ({ time, counter, p99, connections }) => {
    console.log(`${time} s: ${counter} requests, p99 ${p99} ms, ${connections} connections`)
  })

  // The instance is both an event emitter and a promise.
  const { title, non2xx } = await instance
  console.log(`${title}: ${non2xx} responses other than 2xx`)
  await server.close()
}

main()

'use strict'

// An AbortSignal ends a run early. This is not an error: the result covers the time until then.

const { run, startServer } = require('..') // in your own program: require('cannonade')

async function main () {
  const server = await startServer({ port: 0, delay: 10 })

  const controller = new AbortController()
  const instance = run({ url: server.url, duration: '1 hour', sampleInt: 100, signal: controller.signal })
  instance.on('tick', ({ requests }) => {
    if (requests >= 200) controller.abort() // seen enough
  })
  const seenEnough = await instance
  console.log(`seen enough: ${seenEnough.requests.total} requests in ${seenEnough.duration} s`)

  const timed = await run({ url: server.url, duration: '1 hour', signal: AbortSignal.timeout(500) })
  console.log(`half a second: ${timed.requests.total} requests in ${timed.duration} s, ${timed.errors} errors`)

  await server.close()
}

main()

'use strict'

// How much load can a server handle? Finds the highest rate at which it still meets its objectives. This server processes
// four requests at a time and takes 20 ms for each, so its capacity is 200 requests per second.

const http = require('node:http')
const { findCapacity } = require('..') // in your own program: require('cannonade')

function createServer (places, milliseconds) {
  const waiting = []
  let busy = 0
  function next () {
    if (busy === places || waiting.length === 0) return
    busy++
    const response = waiting.shift()
    setTimeout(() => {
      busy--
      response.end('done')
      next()
    }, milliseconds)
  }
  return http.createServer((request, response) => {
    waiting.push(response)
    next()
  })
}

async function main () {
  const server = createServer(4, 20)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}`

  // On the command line: cannonade capacity --slo 'p99 < 250ms' --slo 'failures == 0' URL
  const search = findCapacity({ url }, {
    slo: ['p99 < 250ms', 'failures == 0'], rates: { from: 100, to: 400 }, precision: 0.2, duration: 1
  })
  console.log(`at most ${Math.ceil(search.seconds)} seconds`)
  search.on('step', ({ rate, p99, passed }) => console.log(`${rate}/s: p99 ${p99} ms, ${passed ? 'passed' : 'failed'}`))

  const { capacity, interval: [from, to], limitedBy, limitingThreshold } = await search
  console.log(`capacity: ${capacity} requests per second (between ${from} and ${to}), limited by the ${limitedBy}: ${limitingThreshold}`)
  server.close()
}

main()

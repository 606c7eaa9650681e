'use strict'

// A server that responds at once, except during one stall of 600 ms in 3 s: for a fifth of the time, no one gets a response. What
// do users experience? Those who arrive during the stall wait for its end, so a request due x ms before the end takes x ms. In
// percentiles:
//
//     p(q) = 600 ms × (1 - (1 - q) / 0.2)   for q above 0.8
//
// Closed model: 5 connections send requests, and while they wait for their responses, nothing is sent. Open model: 200 requests are
// due each second, as from users who don't know about the stall. See docs/measurement.md for the numbers.

const http = require('node:http')
const { run } = require('..') // in your own program: require('cannonade')

const DURATION = 3
const STALL_FROM_MS = 1200
const STALL_MS = 600
const SHARE = STALL_MS / 1000 / DURATION

let firstAt = null // the stall counts from the first request of a run
const server = http.createServer((request, response) => {
  firstAt ??= performance.now()
  const since = performance.now() - firstAt
  const isStalled = since >= STALL_FROM_MS && since < STALL_FROM_MS + STALL_MS
  if (isStalled) setTimeout(() => response.end('late'), STALL_FROM_MS + STALL_MS - since)
  else response.end('hello')
})

function expected (percent) {
  return Math.max(0, STALL_MS * (1 - (1 - percent / 100) / SHARE))
}

async function main () {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const options = { url: `http://127.0.0.1:${server.address().port}`, connections: 5, duration: DURATION }
  const open = await run({ ...options, overallRate: 200 })
  firstAt = null
  const closed = await run(options)
  server.close()

  const row = (cells) => cells.map((cell) => String(cell).padStart(13)).join('')
  console.log(row(['', 'arithmetic', 'latency', 'serviceTime', 'closed model']))
  for (const percent of [50, 90, 99, 99.9]) {
    const name = `p${String(percent).replace('.', '_')}`
    const columns = [expected(percent), open.latency[name], open.serviceTime[name], closed.latency[name]]
    console.log(row([name, ...columns.map((milliseconds) => milliseconds.toFixed(1))]))
  }
  console.log(row(['requests', DURATION * 200, open.latency.totalCount, open.serviceTime.totalCount, closed.latency.totalCount]))
  for (const { message } of [...open.warnings, ...closed.warnings]) console.log(`\n${message}`)
}

main()

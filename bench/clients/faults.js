'use strict'

// Runs of all protocols at the same time against a server that keeps failing; prints a line about memory every now and then.

const path = require('node:path')
const { run } = require('../..')
const Places = require('../../lib/metrics/places')

const { port, port2, minutes, looks } = JSON.parse(process.argv[2])
const url = `http://127.0.0.1:${port}`
const url2 = `http://127.0.0.1:${port2}`
const proto = path.join(__dirname, '../../test/protocol/grpc/shop.proto')
const mebibytes = (bytes) => (bytes / 1024 / 1024).toFixed(1)

// Each sample stays in the result, so that there must be few.
const COMMON = { connections: 20, overallRate: 60, pacing: 'sleep', timeout: 2, duration: minutes * 60, sampleInt: 10_000 }
const RUNS = {
  'HTTP/1.1': { url },
  pipelined: { url, pipelining: 4 },
  hooks: { url, requests: [{ onResponse: () => {} }] },
  sessions: { url, sessions: true, requests: [{}, {}] },
  stream: { url: `${url}/events`, stream: true },
  'HTTP/2': { url: url2, http2: true, pipelining: 4 },
  gRPC: { url: url2, grpc: { proto, method: 'shop.Shop/Find' } },
  WebSocket: { url: url.replace('http', 'ws'), body: 'Hello, world!' },
  'Socket.IO': { url: url.replace('http', 'ws'), socketio: true, body: '"Hello, world!"' }
}

/*
 * Histograms take memory for each range in which a value has occurred, at most some megabytes. They are counted separately, because on a
 * busy machine new ranges occur for a long time. A page is an array, whose elements are an object of their own.
 */
const BYTES_PER_PAGE = 32 + 16 + 64 * 8
let pages = 0
const histograms = new FinalizationRegistry((opened) => { pages -= opened.length })
const { open } = Places.prototype
Places.prototype.open = function (index) {
  if (this.opened === undefined) {
    this.opened = { length: 0 }
    histograms.register(this, this.opened)
  }
  this.opened.length++
  pages++
  return open.call(this, index)
}

let next = 1
const startedAt = performance.now()

function look () {
  const elapsed = (performance.now() - startedAt) / 60_000
  if (next > looks || elapsed < next * minutes / looks) return
  next = Math.floor(elapsed / (minutes / looks)) + 1
  global.gc()
  // By then the pages that it found are no longer counted.
  setTimeout(() => print(elapsed), 100)
}

function print (elapsed) {
  global.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  const inHistograms = pages * BYTES_PER_PAGE
  const columns = [[heapUsed + external - inHistograms, 9], [inHistograms, 15], [rss, 13]]
  console.log(`${elapsed.toFixed(1).padStart(7)} ${columns.map(([bytes, width]) => mebibytes(bytes).padStart(width)).join(' ')}`)
}

async function main () {
  const ticks = setInterval(look, 200)
  const results = await Promise.all(Object.values(RUNS).map((options) => run({ ...COMMON, ...options }))).finally(() => clearInterval(ticks))
  console.log('')
  for (const [index, name] of Object.keys(RUNS).entries()) {
    const { accounting: { completed, failed, timedOut }, connectionStats: { opened } } = results[index]
    console.log(`${name.padEnd(10)}${completed.toLocaleString('en-US').padStart(9)} completed${String(failed).padStart(7)} failed${String(timedOut).padStart(7)} timed out${String(opened).padStart(7)} connections`)
    if (completed === 0 || failed === 0 || timedOut === 0) throw new Error(`${name} had no faults, or nothing else`)
  }
}

main().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})

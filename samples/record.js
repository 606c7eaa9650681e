'use strict'

// A line for each request in a file, with its trace id: here the slowest requests are looked up in what the server recorded about them,
// as you would in a tracing backend.

const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { run } = require('..') // in your own program: require('cannonade')

// By trace id, what each request waited for.
const spans = new Map()
const server = http.createServer((request, response) => {
  const [, traceId] = request.headers.traceparent.split('-')
  const isMiss = spans.size % 100 === 99
  spans.set(traceId, isMiss ? 'cache miss: 200 ms in the database' : 'cache hit')
  setTimeout(() => response.end('ok'), isMiss ? 200 : 1)
})

async function main () {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-'))
  const record = path.join(folder, 'all.jsonl')
  const result = await run({ url: `http://127.0.0.1:${server.address().port}`, connections: 10, amount: 1000, traceparent: true, record })
  server.close()

  const lines = fs.readFileSync(record, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  fs.rmSync(folder, { recursive: true })
  console.log(`${lines.length} lines of ${result.accounting.scheduled} requests`)
  for (const { due, latency, traceId } of lines.sort((one, other) => other.latency - one.latency).slice(0, 3)) {
    console.log(`due at ${due} s, took ${latency} ms, trace ${traceId}: ${spans.get(traceId)}`)
  }
}

main()

'use strict'

/*
 * Sends a large body over many connections, twice on each, and prints the peak growth of this process's memory in bytes. It runs in a
 * process of its own, so that nothing else uses that memory.
 *
 *     node upload.js URL CONNECTIONS BYTES buffer|string
 */
const { run } = require('../../..')

const [url, connections, bytes, form] = process.argv.slice(2)
const body = form === 'string' ? 'x'.repeat(Number(bytes)) : Buffer.alloc(Number(bytes), 'x')

async function main () {
  // The first run allocates code and buffers, which are not to be measured.
  await run({ url, connections: Number(connections), amount: Number(connections), method: 'POST', body: 'x' })
  const before = process.memoryUsage.rss()
  let peak = before
  const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()) }, 5)
  const result = await run({ url, connections: Number(connections), amount: 2 * Number(connections), method: 'POST', body, timeout: 60 })
  clearInterval(timer)
  process.stdout.write(JSON.stringify({ grownBy: peak - before, completed: result.accounting.completed, written: result.bytes.written }))
}

main()

'use strict'

/*
 * Sends a large body over many connections, twice over each, and prints by how many bytes the memory of this process has
 * grown at most. In a process of its own, so that it is the memory of nothing else.
 *
 *     node upload.js URL CONNECTIONS BYTES buffer|string
 */
const { run } = require('../../..')

const [url, connections, bytes, form] = process.argv.slice(2)
const body = form === 'string' ? 'x'.repeat(Number(bytes)) : Buffer.alloc(Number(bytes), 'x')

async function main () {
  // What the first run needs of code and buffers is not what is measured.
  await run({ url, connections: Number(connections), amount: Number(connections), method: 'POST', body: 'x' })
  const before = process.memoryUsage.rss()
  let peak = before
  const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()) }, 5)
  const result = await run({ url, connections: Number(connections), amount: 2 * Number(connections), method: 'POST', body, timeout: 60 })
  clearInterval(timer)
  process.stdout.write(JSON.stringify({ grownBy: peak - before, completed: result.accounting.completed, written: result.bytes.written }))
}

main()

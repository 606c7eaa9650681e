'use strict'

// A recording: the requests of an access log, at the times at which they came, four times as fast. On the command line:
// cannonade --replay access.log --speed 4 URL

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { run, startServer } = require('..') // in your own program: require('cannonade')

// Ten visitors a second for four seconds, and one line that is none. Yours is what your server has written.
function writeLog (file) {
  const lines = Array.from({ length: 40 }, (_, number) => {
    const time = `10/Oct/2024:13:55:${30 + Math.floor(number / 10)} +0000`
    return `203.0.113.${number} - - [${time}] "GET /${number % 3 === 0 ? 'search?q=shoes' : ''} HTTP/1.1" 200 512 "-" "Mozilla/5.0"`
  })
  fs.writeFileSync(file, [...lines, 'not a line of a log'].join('\n'))
}

async function main () {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'replay-'))
  const file = path.join(folder, 'access.log')
  writeLog(file)
  const server = await startServer({ port: 0, delay: 5 })
  const result = await run({ url: server.url, replay: { file, speed: 4 } })
  await server.close()
  fs.rmSync(folder, { recursive: true })

  const { accounting, latency, endpoints, rate, warnings } = result
  console.log(`${accounting.completed} of ${accounting.scheduled} requests were answered, at ${rate.offered} a second`)
  console.log(`half of them within ${latency.p50} ms`)
  for (const { method, path, completed } of endpoints) console.log(`${method} ${path}: ${completed}`)
  for (const { code, message } of warnings) console.log(`${code}: ${message}`)
}

main()

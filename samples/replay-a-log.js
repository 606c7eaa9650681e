'use strict'

// Replays the requests of an access log at four times their recorded speed. On the command line:
// cannonade --replay access.log --speed 4 URL

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { run, startServer } = require('..') // in your own program: require('cannonade')

// Ten requests per second for four seconds, and one line that isn't a request. You would use a log of your server.
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
  console.log(`${accounting.completed} of ${accounting.scheduled} requests were answered, at ${rate.offered} per second`)
  console.log(`half of them within ${latency.p50} ms`)
  for (const { method, path, completed } of endpoints) console.log(`${method} ${path}: ${completed}`)
  for (const { code, message } of warnings) console.log(`${code}: ${message}`)
}

main()

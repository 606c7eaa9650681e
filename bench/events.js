'use strict'

// How many stream events one core reads, and the cost of one: a run with a server that sends events without a pause.

const { fork } = require('node:child_process')
const http = require('node:http')
const { describeMachine } = require('./machine')
const { parseNumbers } = require('./numbers')
const { line } = require('./table')

const BLOCK_BYTES = 64 * 1024
// Lines about as long as those of a language model, and short ones.
const KINDS = [
  { events: 'sse', data: 24 },
  { events: 'sse', data: 200 },
  { events: 'lines', data: 24 },
  { events: 'lines', data: 200 }
]

const help = `npm run bench -- events [options]

  --seconds S   length of each run, 1 to 60 (default 3)
  --help
`

const parseOptions = (args) => parseNumbers(args, { seconds: { least: 1, most: 60, otherwise: 3 } })

async function main ({ seconds }) {
  process.stdout.write(`Cannonade bench, streams: ${describeMachine()}
One connection, one stream without end, runs of ${seconds} s; CPU of the client's process, user and system

events bytes   hook      events/s  ns/event   MB/s  CPU %  a core could
`)
  for (const kind of KINDS) {
    for (const hasHook of [false, true]) process.stdout.write(`${row(kind, hasHook, await measure(kind, hasHook, seconds))}\n`)
  }
}

async function measure ({ events, data }, hasHook, seconds) {
  const { run } = require('..')
  const child = fork(__filename, ['serve', events, String(data)])
  process.once('exit', () => child.kill('SIGKILL'))
  try {
    const [port, bytesPerEvent] = await new Promise((resolve, reject) => child.once('message', resolve).once('exit', () => reject(new Error('the server has ended'))))
    // A hook that does nothing shows the cost of creating the events.
    const result = await run({
      url: `http://127.0.0.1:${port}`, connections: 1, duration: seconds, timeout: 120, stream: { events }, onEvent: hasHook ? () => {} : undefined
    })
    const { user, system } = result.generator.cpu
    return { bytesPerEvent, events: result.stream.events, rate: result.stream.rate, cpu: user + system, seconds: result.duration }
  } finally {
    child.removeAllListeners('exit')
    child.kill('SIGKILL')
  }
}

function row ({ events: kind }, hasHook, { bytesPerEvent, events, rate, cpu, seconds }) {
  const nanoseconds = cpu / events * 1e9
  return line([
    [kind, -6], [bytesPerEvent, 5], [hasHook ? 'onEvent' : 'none', -8], [Math.round(rate).toLocaleString('en-US'), 11], [nanoseconds.toFixed(0), 9],
    [(rate * bytesPerEvent / 1e6).toFixed(0), 6], [(cpu / seconds * 100).toFixed(0), 6], [Math.round(1e9 / nanoseconds).toLocaleString('en-US'), 13]
  ])
}

// The server's process: blocks of events, as fast as the client reads.
function serve (events, bytes) {
  const data = 'x'.repeat(Number(bytes))
  const event = events === 'sse' ? `data: ${data}\n\n` : `${data}\n`
  const block = Buffer.from(event.repeat(Math.ceil(BLOCK_BYTES / event.length)))
  const server = http.createServer((request, response) => {
    response.on('error', () => {})
    const more = () => {
      while (response.write(block)) { /* until the client is to read */ }
    }
    response.on('drain', more)
    more()
  })
  process.once('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', () => process.send([server.address().port, event.length]))
}

if (require.main === module) serve(...process.argv.slice(3))

module.exports = { help, main, parseOptions }

'use strict'

// Whether memory grows over many minutes with faults: runs of all protocols at once, against a server that keeps failing.

const { parseNumbers } = require('./numbers')
const { describeMachine } = require('./machine')
const processes = require('./processes')

const MINUTES = 10
const LOOKS = 20
// By then code is hot and buffers have their size.
const SETTLED_BY = 0.25
const MOST_GROWTH = 0.05

const help = `npm run bench -- faults [options]

  --minutes N  how long, 0.5 to 1000 (default ${MINUTES})
  --help
`

const parseOptions = (args) => parseNumbers(args, { minutes: { least: 0.5, most: 1000, otherwise: MINUTES } })

async function main ({ minutes }) {
  process.once('exit', () => processes.killAll())
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))
  const server = processes.start([process.execPath, require.resolve('./server/faulty.js')], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const [port, port2] = await new Promise((resolve) => server.stdout.once('data', (line) => resolve(String(line).trim().split(' ').map(Number))))
  console.log(`Memory over ${minutes} minutes with faults in all protocols\n${describeMachine()}\n\nminutes  heap MiB  histograms MiB  resident MiB`)
  const task = { port, port2, minutes, looks: LOOKS }
  const command = [process.execPath, '--expose-gc', require.resolve('./clients/faults.js'), JSON.stringify(task)]
  const text = await processes.outputOf(command, undefined, (chunk) => process.stdout.write(chunk))
  await processes.end(server)
  const rows = text.split('\n\n', 1)[0].trim().split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  const settled = rows.filter(([at]) => at >= minutes * SETTLED_BY)
  const growth = settled.at(-1)[1] / settled[0][1] - 1
  console.log(`\nAfter the first quarter, the heap without histograms grew by ${percent(growth)}; up to ${percent(MOST_GROWTH)} are none.`)
  if (growth > MOST_GROWTH) process.exitCode = 1
}

const percent = (share) => `${(share * 100).toFixed(1)}%`

module.exports = { help, main, parseOptions }

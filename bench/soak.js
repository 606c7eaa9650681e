'use strict'

// Whether memory grows with the number of past connections: a million of them, one request each.

const { shareCores, describeMachine } = require('./machine')
const { parseNumbers } = require('./numbers')
const { prepareTarget } = require('./target')
const processes = require('./processes')

const CONNECTIONS = 1_000_000
const AT_A_TIME = 100
const LOOKS = 10
// By then code is hot and buffers have their size; any increase from there on is growth.
const SETTLED_AFTER = 2
// The heap varies by this much. Eight bytes left behind by each connection would be more at the end.
const MOST_GROWTH_MIB = 4

const help = `npm run bench -- soak [options]

  --connections N  how many, one after the other (default ${CONNECTIONS.toLocaleString('en-US')})
  --help
`

const parseOptions = (args) => parseNumbers(args, { connections: { least: 10_000, isWhole: true, otherwise: CONNECTIONS } })

async function main ({ connections }) {
  const target = prepareTarget()
  const cores = shareCores({ serverIsNode: target.language === 'Node' })
  const server = await target.startServer({ response: { kind: 'closing', bytes: 13 } }, cores.server)
  console.log(`Memory over ${connections.toLocaleString('en-US')} connections, ${AT_A_TIME} at a time
${describeMachine()}, server in ${target.language}

connections  heap MiB  resident MiB`)
  const task = { url: server.url, connections: AT_A_TIME, amount: connections, looks: LOOKS }
  const text = await processes.outputOf([process.execPath, '--expose-gc', require.resolve('./clients/soak.js'), JSON.stringify(task)], cores.client, (chunk) => process.stdout.write(chunk))
  await server.stop()
  const heaps = text.trim().split('\n').map((line) => Number(line.trim().split(/\s+/)[1]))
  if (heaps.length < LOOKS) throw new Error(`the run printed ${heaps.length} of ${LOOKS} lines`)
  const growth = heaps.at(-1) - heaps[SETTLED_AFTER - 1]
  console.log(`\nFrom line ${SETTLED_AFTER} to the last the heap grew by ${growth.toFixed(1)} MiB, of which up to ${MOST_GROWTH_MIB} are none.`)
  if (growth > MOST_GROWTH_MIB) process.exitCode = 1
}

module.exports = { main, parseOptions, help }

'use strict'

// What trace context, and a record of all requests, cost a request: runs with and without, in turns.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { describeMachine } = require('./machine')
const { parseNumbers } = require('./numbers')
const { costsInTurns } = require('./request-cost')
const { prepareTarget } = require('./target')

const LOADS = [{ connections: 100, pipelining: 1 }, { connections: 100, pipelining: 16 }]
const VARIANTS = [
  { name: 'without', opts: {} },
  { name: 'a fixed header', opts: { headers: { traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01` } } },
  { name: 'traceparent', opts: { traceparent: true } },
  { name: 'record: CSV', opts: { record: 'all.csv' } },
  { name: 'record: JSON', opts: { record: 'all.jsonl' } },
  { name: 'both, CSV', opts: { traceparent: true, record: 'all.csv' } }
]

const help = `npm run bench -- record [options]

  --seconds S   length of each run, 0.5 to 60 (default 1)
  --rounds N    how often each variant is run, 1 to 100 (default 9)
  --folder DIR  where the files are written (default: that for temporary files)
  --help
`

function parseOptions (args) {
  return parseNumbers(args, { seconds: { least: 0.5, most: 60, otherwise: 1 }, rounds: { least: 1, most: 100, isWhole: true, otherwise: 9 } }, ['folder'])
}

async function main ({ seconds, rounds, folder: parent = os.tmpdir() }) {
  const target = prepareTarget()
  const folder = fs.mkdtempSync(path.join(parent, 'cannonade-record-'))
  const server = await target.startServer({ response: { kind: 'plain', bytes: 13 } })
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  process.stdout.write(`Cannonade bench, record: ${describeMachine()}
Runs of ${seconds} s in ${rounds} turns, of which the cheapest counts, since other programs only add to it; CPU of the client's process with all its threads

load                     variant           us/request   x without   lines left out
`)
  for (const load of LOADS) {
    const variants = VARIANTS.map(({ opts: { record, ...opts } }) => ({ opts: { url: server.url, ...load, ...opts, ...(record && { record: path.join(folder, record) }) } }))
    const costs = await costsInTurns(variants, { rounds, seconds })
    const least = costs.map((list) => Math.min(...list.map(({ us }) => us)))
    const leftOut = costs.map((list) => list.reduce((sum, { missing }) => sum + missing, 0))
    VARIANTS.forEach(({ name }, which) => process.stdout.write(row(load, name, least[which], least[which] / least[0], leftOut[which])))
  }
  process.exit()
}

function row ({ connections, pipelining }, name, us, ratio, missing) {
  const load = `${connections} connections${pipelining > 1 ? ` x ${pipelining}` : ''}`
  return `${load.padEnd(25)}${name.padEnd(18)}${us.toFixed(2).padStart(10)}${ratio.toFixed(2).padStart(12)}${missing.toLocaleString('en-US').padStart(17)}\n`
}

module.exports = { help, main, parseOptions }

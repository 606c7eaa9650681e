'use strict'

// How close the numbers are to the wire: the service times of a run compared with the packets of the same run, and with a C client that
// does nothing else.

const path = require('node:path')
const { median } = require('../lib/study/statistics/summaries')
const { capture, whyNoCapture } = require('./capture')
const { shareCores, describeMachine } = require('./machine')
const { parseNumbers, readNumber } = require('./numbers')
const { line } = require('./table')
const { prepareTarget, compile } = require('./target')
const processes = require('./processes')
const { tools } = require('./tools')

const RATES = [50, 200, 1000, 10_000]
const CONNECTIONS = 10

const help = `npm run bench -- wire [options]

  --rates N[,N]   requests per second (default ${RATES.join(',')})
  --seconds S     length of each run, 1 to 60 (default 5)
                  (there are four for each rate, two where no C compiler is)
  --help
`

function parseOptions (args) {
  const { rates, ...options } = parseNumbers(args, { seconds: { least: 1, most: 60, otherwise: 5 } }, ['rates'])
  return { ...options, rates: rates?.split(',').map((rate) => readNumber('rates', rate, { least: 1, most: 100_000 })) ?? RATES }
}

async function main ({ rates, seconds }) {
  const why = whyNoCapture()
  if (why !== null) throw new Error(why)
  const target = prepareTarget()
  const bare = compile('bare', path.join(__dirname, 'clients'), ['bare.c'])
  console.log(`Service time beside the packets of the same run, ${seconds} s each, median in microseconds
${describeMachine()}, server in ${target.language}

 rate/s pacing    requests    wire   shown  difference  CPU %  bare C's`)
  for (const rate of rates) {
    for (const pacing of ['precise', 'sleep']) {
      const task = { rate, pacing, seconds }
      const ours = await measure(target, task, runClient)
      const bares = bare === null ? null : await measure(target, task, (task, cores) => runBare(bare, task, cores))
      console.log(row(task, ours, bares))
    }
  }
}

async function measure (target, { rate, pacing, seconds }, runClient) {
  const cores = shareCores({ serverIsNode: target.language === 'Node' })
  const server = await target.startServer({ response: { kind: 'plain', bytes: 13 } }, cores.server)
  try {
    const watched = await capture(Number(new URL(server.url).port))
    const { count, shown, cpu } = await runClient({ url: server.url, rate, pacing, seconds }, cores.client)
    const times = await watched.end()
    if (times.length !== count) throw new Error(`${count} answers were counted, and ${times.length} were on the wire`)
    return { count, wire: median(times), shown, cpu }
  } finally {
    await server.stop()
  }
}

// Microseconds, like all times that are printed here.
async function runClient (task, cores) {
  const options = { ...task, method: 'GET', connections: CONNECTIONS, keepAlive: true, pipelining: 1 }
  const { serviceTime, cpuPercent } = JSON.parse(await processes.outputOf([process.execPath, tools.cannonade.script, JSON.stringify(options)], cores))
  return { count: serviceTime.totalCount, shown: serviceTime.p50 * 1000, cpu: cpuPercent }
}

async function runBare (program, { url, rate, pacing, seconds }, cores) {
  const lines = (await processes.outputOf([program, pacing, new URL(url).port, String(rate), String(seconds)], cores)).trim().split('\n')
  return { count: lines.length, shown: median(lines.map(Number)) / 1000 }
}

function row ({ rate, pacing }, { count, wire, shown, cpu }, bares) {
  return line([[rate, 7], [pacing, -8], [count, 9], [wire.toFixed(1), 7], [shown.toFixed(0), 7], [(shown - wire).toFixed(1), 11], [cpu.toFixed(0), 6],
    [bares === null ? '-' : (bares.shown - bares.wire).toFixed(1), 9]])
}

module.exports = { main, parseOptions, help }

'use strict'

// How near the wire the numbers are: the service time of a run beside the packets of the same run.

const { parseArgs } = require('node:util')
const { capture, whyNoCapture } = require('./capture')
const { shareCores, describeMachine } = require('./machine')
const { prepareTarget } = require('./target')
const processes = require('./processes')
const { tools } = require('./tools')

const RATES = [50, 200, 1000, 10_000]
const CONNECTIONS = 10

const help = `npm run bench -- wire [options]

  --rates N[,N]   requests per second (default ${RATES.join(',')})
  --seconds S     length of each run, 1 to 60 (default 5)
  --help
`

/** @param {string[]} args the words behind \`wire\` */
function parseOptions (args) {
  const { values } = parseArgs({ args, options: { rates: { type: 'string' }, seconds: { type: 'string' }, help: { type: 'boolean' } } })
  const rates = values.rates?.split(',').map(Number) ?? RATES
  const seconds = Number(values.seconds ?? 5)
  if (!rates.every((rate) => rate >= 1 && rate <= 100_000)) throw new Error(`--rates must be numbers from 1 to 100000, not "${values.rates}"`)
  if (!(seconds >= 1 && seconds <= 60)) throw new Error(`--seconds must be a number from 1 to 60, not "${values.seconds}"`)
  return { rates, seconds, help: values.help }
}

async function main ({ rates, seconds }) {
  const why = whyNoCapture()
  if (why !== null) throw new Error(why)
  const target = prepareTarget()
  process.once('exit', () => {
    processes.killAll()
    target.dispose()
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))
  console.log(`Service time beside the packets of the same run, ${seconds} s each, median in microseconds
${describeMachine()}, server in ${target.language}

 rate/s pacing    requests    wire   shown  difference  CPU %`)
  for (const rate of rates) {
    for (const pacing of ['precise', 'sleep']) console.log(row(await measure(target, { rate, pacing, seconds })))
  }
}

async function measure (target, { rate, pacing, seconds }) {
  const cores = shareCores({ serverIsNode: target.language === 'Node' })
  const server = await target.startServer({ response: { kind: 'plain', bytes: 13 } }, cores.server)
  try {
    const watched = await capture(Number(new URL(server.url).port))
    const result = await runClient({ url: server.url, method: 'GET', connections: CONNECTIONS, pipelining: 1, rate, pacing, seconds }, cores.client)
    const times = await watched.end()
    if (times.length !== result.serviceTime.totalCount) {
      throw new Error(`${result.serviceTime.totalCount} answers were counted, and ${times.length} were on the wire`)
    }
    return { rate, pacing, count: times.length, wire: median(times), shown: result.serviceTime.p50 * 1000, cpu: result.cpuPercent }
  } finally {
    await server.stop()
  }
}

async function runClient (task, cores) {
  const child = processes.start([process.execPath, tools.cannonade.script, JSON.stringify(task)], { cores, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk) => { text += chunk })
  const how = await child.ended
  if (text === '') throw new Error(`the run gave no result: ${how}`)
  return JSON.parse(text)
}

function median (values) {
  return values.sort((one, other) => one - other)[Math.ceil(values.length / 2) - 1]
}

function row ({ rate, pacing, count, wire, shown, cpu }) {
  const cells = [[rate, 7], [pacing, -8], [count, 9], [wire.toFixed(1), 7], [shown.toFixed(0), 7], [(shown - wire).toFixed(1), 11], [cpu.toFixed(0), 6]]
  return cells.map(([value, width]) => width < 0 ? String(value).padEnd(-width) : String(value).padStart(width)).join(' ')
}

module.exports = { main, parseOptions, help }

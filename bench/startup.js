'use strict'

// What the first seconds cost: CPU time per request of whole processes, start and end included, in short runs and in longer ones.

const path = require('node:path')
const { parseArgs } = require('node:util')
const { shareCores, describeMachine } = require('./machine')
const { readNumber } = require('./numbers')
const processes = require('./processes')
const scenarios = require('./scenarios')
const { prepareTarget } = require('./target')
const { tools, supports, whyUnusable } = require('./tools')
const { line } = require('./table')
const { median } = require('../lib/study/statistics/summaries')

const SCENARIOS = ['connections-10', 'connections-100', 'http2-1', 'http2-16', 'websocket-10', 'websocket-100']

const help = `npm run bench -- startup [options]

  --scenario NAME[,NAME] only these: ${SCENARIOS.join(' ')}
  --tools NAME[,NAME]    only these: ${Object.keys(tools).join(' ')}
  --beside FOLDER        also the command of another copy of Cannonade, such as an earlier version
  --seconds S            length of the short runs, 0.5 to 60 (default 3)
  --longer S             length of the others, 1 to 600 (default 15)
  --rounds N             turns of each tool, 1 to 100 (default 3)
  --help
`

function parseOptions (args) {
  const text = { type: 'string' }
  const { values } = parseArgs({ args, options: { scenario: text, tools: text, beside: text, seconds: text, longer: text, rounds: text, help: { type: 'boolean' } } })
  return {
    scenarios: chosen('scenario', values.scenario, SCENARIOS).map((name) => scenarios.find((scenario) => scenario.name === name)),
    tools: chosen('tools', values.tools, Object.keys(tools)),
    beside: values.beside,
    seconds: readNumber('seconds', values.seconds, { least: 0.5, most: 60, otherwise: 3 }),
    longer: readNumber('longer', values.longer, { least: 1, most: 600, otherwise: 15 }),
    rounds: readNumber('rounds', values.rounds, { least: 1, most: 100, isWhole: true, otherwise: 3 }),
    help: values.help
  }
}

function chosen (option, text, known) {
  if (text === undefined) return known
  const names = text.split(',')
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`--${option} does not know "${unknown}"; it knows ${known.join(', ')}`)
  return names
}

async function main (options) {
  const { seconds, longer, rounds } = options
  const target = prepareTarget()
  const cores = shareCores()
  console.log(`Cannonade bench, startup: ${describeMachine()}
CPU time per request of whole processes, in runs of ${seconds} s and of ${longer} s that together take as long; medians of ${rounds} turns

${line([['scenario', -32], ['tool', -11], [`us, ${seconds} s`, 9], [`us, ${longer} s`, 9], ['ratio', 6], ['start and warm-up, ms', 22]])}`)
  for (const scenario of options.scenarios) {
    if (scenario.http2 && !target.hasHttp2) continue
    if (scenario.websocket && target.language !== 'C') continue
    const clients = clientsOf(scenario, options)
    const runs = await runInTurns(scenario, clients, options, { target, cores })
    clients.forEach(({ name }, at) => console.log(row(at === 0 ? titleOf(scenario) : '', name, runs[at])))
  }
}

const titleOf = ({ kind, title }) => `${{ http2: 'HTTP/2, ', websocket: 'WebSocket, ' }[kind] ?? ''}${title}`

function clientsOf (scenario, { tools: names, beside }) {
  const clients = names.filter((name) => supports(name, scenario) && whyUnusable(name) === null).map((name) => ({
    name,
    command: name === 'cannonade' ? commandOf(path.join(__dirname, '..')) : tools[name].command
  }))
  return beside === undefined ? clients : [...clients, { name: 'beside', command: commandOf(path.resolve(beside)) }]
}

/** The command of this package in a folder: what users start. */
function commandOf (folder) {
  return ({ url, connections, pipelining, seconds, http2, websocket }) => [
    process.execPath, path.join(folder, 'bin/cannonade.js'), '-c', String(connections), '-p', String(pipelining), '-d', String(seconds),
    ...http2 ? ['--http2'] : [], ...websocket ? ['-b', 'x'.repeat(20), url.replace('http', 'ws')] : [url]
  ]
}

async function runInTurns (scenario, clients, { seconds, longer, rounds }, bench) {
  const runs = clients.map(() => [])
  // The first start of a program reads its files, and the command's stores its code.
  for (const client of clients) await measure(client, scenario, 0.5, bench)
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < clients.length; turn++) {
      const at = (turn + round) % clients.length
      const short = []
      for (let run = 0; run < Math.max(1, Math.round(longer / seconds)); run++) short.push(await measure(clients[at], scenario, seconds, bench))
      runs[at].push({ short: medianOf(short), long: await measure(clients[at], scenario, longer, bench) })
    }
  }
  return runs
}

/** @returns {Promise<{ cpu: number, requests: number }>} `cpu` in microseconds */
async function measure ({ name, command }, scenario, seconds, { target, cores }) {
  const server = await target.startServer(scenario, cores.server)
  try {
    const words = command({ ...scenario, url: server.url, seconds: wholeSecondsOf(name, seconds) })
    // The shell knows what its children used, to the tick of the system.
    const times = await processes.outputOf(['sh', '-c', '"$0" "$@" >/dev/null 2>&1; times', ...words], cores.client)
    const { requests } = await server.count()
    if (requests === 0) throw new Error(`${name} sent no request: ${words.join(' ')}`)
    return { cpu: cpuOf(times), requests }
  } finally {
    await server.stop()
  }
}

// The tools in C take no fractions.
const wholeSecondsOf = (name, seconds) => ['wrk', 'ab', 'h2load'].includes(name) ? Math.ceil(seconds) : seconds

/** The second line: user and system time of the children. */
function cpuOf (times) {
  const [user, system] = times.trim().split('\n')[1].split(' ').map((time) => {
    const [minutes, seconds] = time.split('m')
    return Number(minutes) * 60 + parseFloat(seconds)
  })
  return (user + system) * 1e6
}

/** Of several runs, the one in the middle; other programs may have taken the processor during some. */
function medianOf (runs) {
  return [...runs].sort((a, b) => each(a) - each(b))[Math.floor(runs.length / 2)]
}

const each = ({ cpu, requests }) => cpu / requests

function row (title, name, runs) {
  const of = (value) => median(runs.map(value))
  // What a run takes in addition to its requests.
  const extra = ({ short, long }) => (each(short) - each(long)) / (1 / short.requests - 1 / long.requests)
  return line([
    [title, -32], [name, -11],
    [of(({ short }) => each(short)).toFixed(2), 9], [of(({ long }) => each(long)).toFixed(2), 9],
    [of(({ short, long }) => each(short) / each(long)).toFixed(2), 6],
    [(of(extra) / 1000).toFixed(0), 22]
  ])
}

module.exports = { main, parseOptions, help }

'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { parseOptions, help } = require('./options')
const scenarios = require('./scenarios')
const { supports, whyUnusable } = require('./tools')
const { shareCores, describeMachine, mostOpenFiles } = require('./machine')
const { prepareTarget } = require('./target')
const { measure } = require('./measure')
const { measureStartup, canMeasure } = require('./start-cost')
const { summarize } = require('./summary')
const { tableHead, tableRows } = require('./table')
const { writeRatios, writeTable } = require('./readme')

// Benchmarks of their own, each in a file of that name.
const OTHERS = ['wire', 'startup', 'soak', 'fleet', 'events', 'record', 'slowest', 'users', 'merge', 'faults']

async function main (options) {
  const target = prepareTarget(options.server)
  const unusable = new Map(options.tools.map((tool) => [tool, whyUnusable(tool)]).filter(([, why]) => why))
  const tools = options.tools.filter((tool) => !unusable.has(tool))
  const notes = [...unusable].map(([tool, why]) => `${tool}: ${why}`)
  const lines = []
  const print = (text) => {
    lines.push(text)
    process.stdout.write(text)
  }

  print(introduction(options, target))
  const done = []
  for (const scenario of options.scenarios) {
    const why = whyImpossible(scenario, target)
    if (why) {
      notes.push(`${scenario.name}: ${why}`)
      continue
    }
    const cores = shareCores({ workers: scenario.workers, serverIsNode: languageOf(scenario, target) === 'Node' })
    const { rounds, failures } = await runScenario(scenario, tools, options, { target, cores })
    const rows = addBaseline(summarize(scenario, rounds), done)
    notes.push(...failures, ...remarks(scenario, rows, cores))
    if (done.at(-1)?.scenario.kind !== scenario.kind) print(tableHead(scenario.kind))
    print(tableRows(scenario, rows))
    done.push({ scenario, rows, rounds })
  }
  notes.push(...disturbances(done, target))
  if (notes.length > 0) print(`\n${notes.map((note) => `- ${note}\n`).join('')}`)

  if (options.json) {
    const all = { ...conditions(options, target), notes, scenarios: done }
    fs.writeFileSync(options.json, `${JSON.stringify(all, null, 2)}\n`)
  }
  if (options.write) {
    writeTable(path.join(__dirname, 'README.md'), lines.join(''))
    writeRatios(path.join(__dirname, '../README.md'), done)
  }
}

function conditions ({ rounds, seconds }, target) {
  return {
    date: new Date().toISOString(),
    machine: describeMachine(),
    server: target.language,
    serverTls: target.tlsLanguage,
    rounds,
    seconds
  }
}

function introduction (options, target) {
  const { date, machine, server, serverTls, rounds, seconds } = conditions(options, target)
  const { client } = shareCores()
  return `Cannonade bench, ${date.slice(0, 10)}: ${machine}
Server in ${server} (with TLS in ${serverTls}), ${client ? 'server and client on cores of their own' : 'not pinned to cores'}
Medians of ${rounds} round${rounds > 1 ? 's' : ''} of ${seconds} s, the tools in turn; requests as the server counted them
`
}

function whyImpossible (scenario, target) {
  if (scenario.tls && !target.hasTls) return 'left out, the openssl command is needed to make a certificate'
  if (scenario.http2 && !target.hasHttp2) return 'left out, it needs nginx'
  if (scenario.websocket && target.language !== 'C') return 'left out, it needs the server in C'
  const most = mostOpenFiles()
  if (scenario.connections + 100 > most) return `left out, a process may have ${most} open files here (see ulimit -n)`
  return null
}

function languageOf ({ tls, http2 }, target) {
  if (http2) return 'C'
  return tls ? target.tlsLanguage : target.language
}

async function runScenario (scenario, tools, options, { target, cores }) {
  const isStartup = scenario.kind === 'startup'
  const able = tools.filter((tool) => isStartup ? canMeasure(tool) : supports(tool, scenario))
  const rounds = Object.fromEntries(able.map((tool) => [tool, []]))
  const failures = []
  const count = scenario.rounds ?? options.rounds
  for (let round = 0; round < count; round++) {
    // Each round begins with a different tool, so that none always runs after the same one.
    for (let i = 0; i < able.length; i++) {
      const tool = able[(i + round) % able.length]
      showProgress(`${scenario.name} ${round + 1}/${count} ${tool}`)
      try {
        const bench = { target, cores, seconds: options.seconds }
        rounds[tool].push(isStartup ? await measureStartup(tool, scenario, bench) : await measure(tool, scenario, bench))
      } catch (error) {
        failures.push(`${tool}, ${scenario.name}, round ${round + 1}: ${error.message}`)
      }
    }
  }
  showProgress('')
  return { rounds, failures }
}

/** Memory use of a connection is what exceeds the same tool's use with ten connections. */
function addBaseline (rows, done) {
  const baseline = done.find(({ scenario }) => scenario.name === 'memory-10')
  return rows.map((row) => {
    const base = baseline?.rows.find(({ tool }) => tool === row.tool)
    return base ? { ...row, aboveBaseline: row.peakMemory - base.peakMemory } : row
  })
}

/** What a reader must know before believing a row. */
function remarks (scenario, rows, { client }) {
  const notes = []
  const tools = (test) => rows.filter(test).map(({ tool }) => tool).join(', ')
  const limited = scenario.kind === 'speed' && tools(({ serverBusy }) => serverBusy >= 0.95)
  if (limited) notes.push(`${scenario.name}: the server was busy all the time with ${limited}; req/s there is the server's`)
  if (client && client.length < scenario.workers) {
    notes.push(`${scenario.name}: ${scenario.workers} workers had ${client.length} core, so req/s cannot rise`)
  }
  return notes
}

/**
 * Whether other processes used our cores. Our own threads also compete with each other: the processes of the Node server and two workers on
 * one core always, and the helper threads of a Node client, but then the core is busy with our work.
 */
function disturbances (done, target) {
  const places = done.flatMap(({ scenario, rows }) => {
    const alone = scenario.kind !== 'memory' && scenario.workers === 0 && languageOf(scenario, target) === 'C'
    const disturbed = rows.filter(({ serverWaited, clientWaited, clientBusy }) =>
      alone && (serverWaited >= 0.05 || (clientWaited >= 0.1 && clientBusy < 0.95)))
    return disturbed.length > 0 ? [`${scenario.name} (${disturbed.map(({ tool }) => tool).join(', ')})`] : []
  })
  return places.length > 0 ? [`other programs took a core in ${places.join(', ')}: repeat on a quiet machine`] : []
}

function showProgress (text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}

function listScenarios () {
  const width = Math.max(...scenarios.map(({ name }) => name.length)) + 2
  return scenarios.map(({ name, kind, title }) => `${name.padEnd(width)}${kind.padEnd(9)}${title}\n`).join('')
}

function fail (error) {
  console.error(error.message)
  process.exit(1)
}

function start () {
  const [, , first, ...rest] = process.argv
  if (OTHERS.includes(first)) begin(require(`./${first}`), rest)
  else begin({ parseOptions, help, main }, process.argv.slice(2))
}

function begin ({ parseOptions, help, main }, args) {
  let options
  try {
    options = parseOptions(args)
  } catch (error) {
    console.error(error.message)
    process.exitCode = 2
    return
  }
  if (options.help) process.stdout.write(help)
  else if (options.list) process.stdout.write(listScenarios())
  else main(options).catch(fail)
}

start()

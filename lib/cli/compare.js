'use strict'

const fs = require('node:fs')
const { optionProblem, show } = require('../base/errors')
const format = require('../report/format')
const { clean } = require('../report/text')
const compareSides = require('../study/compare')
const { setUp, startEach, targetsOfCommands } = require('./compared-commands')
const { applySettings } = require('./read-command')
const { checkResultFiles } = require('./result-files')
const { readRuns } = require('./saved-results')
const { strictFlag } = require('./strict')
const { outputFlags, runFlags, setting, showStudy, targetsOf, withConfig } = require('./study')
const { number, seconds } = require('../plan/options/notation')

const compareFlags = [
  setting({ name: 'rounds', argument: 'NUM', read: number, help: 'how often each is run (default 10)' }),
  setting({ letter: 'd', name: 'duration', argument: 'SEC', read: seconds, help: 'how long each run takes (default 5)' }),
  setting({ letter: 'W', name: 'warmup', argument: 'SEC', read: seconds, help: 'how long each is run before the first round (default as long as a run, at most 2)' }),
  setting({ name: 'pause', argument: 'SEC', read: seconds, help: 'pause after each run (default a tenth of its duration)' }),
  setting({ name: 'maxRegression', argument: 'SHARE', help: 'fail where throughput, p50, p99 or the error rate of a later one is shown to be worse by more, such as 5%' }),
  strictFlag,
  {
    name: 'command',
    argument: 'COMMAND',
    set: (options, command) => { options.commands = [...(options.commands ?? []), command] },
    help: 'once for each: start this server for its runs, wait until it listens on a port, and end it after each; the URL is a path then'
  },
  {
    name: 'setup',
    argument: 'COMMAND',
    set: (options, command) => { options.setups = [...(options.setups ?? []), command] },
    help: "run this once before the first run, such as 'npm ci'"
  },
  setting({ name: 'seed', argument: 'NUM', read: number, help: 'of the bootstrap; the same one repeats it (default 0)' })
]

// `cannonade compare URL-A URL-B`, `cannonade compare before.json after.json`
const compare = {
  name: 'compare',
  call: 'cannonade compare',
  usage: 'cannonade compare [options] URL|FILE URL|FILE…',
  summary: 'which is faster, and how sure that is',
  about: [
    'Runs several servers in turns and compares them, or compares results that were saved as JSON (one in a file, or one a ' +
      'line). Each is compared with the first. The intervals hold all together with 95 % confidence, so that a server ' +
      'compared with itself is called different in at most 5 % of all comparisons.'
  ],
  groups: [
    { title: 'Comparison', flags: compareFlags },
    ...runFlags('compare', ['load', 'rate', 'request', 'streams', 'connection', 'fleet'], ['seed', 'amount', 'maxConnectionRequests', 'maxOverallRequests']),
    outputFlags()
  ],
  defaultOf: () => undefined,
  notes: ['The exit code is 1 where --max-regression was exceeded, or with --strict could not be judged, and where nothing was compared. Ctrl-C ends it, with the rounds so far.'],
  examples: [
    'cannonade compare -c 50 localhost:3000 localhost:3001',
    'cannonade compare --rounds 20 -d 10 --max-regression 5% localhost:3000 localhost:3001',
    'cannonade compare before.json after.json',
    "cannonade compare --command 'node a.js' --command 'node b.js' /items",
    "cannonade compare --setup 'npm ci' --command 'node server.js' --command 'cd ../main && node server.js'"
  ],
  optionsFrom,
  run
}

function optionsFrom (settings, operands, rest, config) {
  const flags = { tlsOptions: {}, study: {} }
  applySettings(settings, flags)
  const { options, targets } = withConfig('compare', flags, config)
  checkResultFiles(options)
  if (options.commands !== undefined) return withCommands(options, operands)
  if (options.setups !== undefined) throw optionProblem('setup', '--setup is for servers that are started: give a --command for each')
  if ((operands.length || targets.length) < 2) {
    throw optionProblem('url', 'cannonade compare needs two or more URLs, or files with results', { isUsageNeeded: true })
  }
  const items = operands.length === 0
    ? targets
    : operands.map((operand) => isFile(operand) ? named(readRuns(operand), operand) : targetsOf(options, [operand], targets)[0])
  return { ...options, items }
}

function withCommands ({ commands, setups = [], ...options }, operands) {
  if (commands.length < 2) throw optionProblem('command', `--command is given once for each server, and there is only ${show(commands[0])}`)
  if (operands.length > 1) throw optionProblem('url', `with --command there is one path or URL for all, but there are ${operands.length}`)
  const [opts] = targetsOf(options, [undefined])
  return { ...options, commands, setups, path: operands[0], items: targetsOfCommands(commands, opts, operands[0]) }
}

// 'before.json' might be a host as well, where there is no such file.
function isFile (operand) {
  return /\.(json|ndjson|jsonl)$/i.test(operand) || (!operand.includes('://') && fs.statSync(operand, { throwIfNoEntry: false })?.isFile() === true)
}

// Two files usually are of one URL, and what tells them apart is what they are called.
function named (results, file) {
  const rename = (result) => ({ ...result, title: result.title ? `${result.title} (${file})` : file })
  return Array.isArray(results) ? results.map(rename) : rename(results)
}

async function run (options) {
  const { commands, setups = [], path } = options
  const reach = commands && startEach(commands, path)
  if (setups.length > 0) await setUp(setups)
  const study = compareSides(options.items, options.study, reach)
  return showStudy(study, options, {
    heading: study.seconds > 0 ? `Comparing ${options.items.length} in turns` : `Comparing ${options.items.length} results`,
    lines: { run: line }
  })
}

function line (result, { name, round }) {
  const { latency, requests, errors } = result
  const time = (value) => latency.totalCount === 0 ? format.NOTHING : format.time(value)
  const failed = errors === 0 ? '' : `, ${format.counted(errors, 'error')}`
  return `round ${round + 1}, ${clean(name)}: ${format.rate(requests.average)}/s, p50 ${time(latency.p50)}, p99 ${time(latency.p99)}${failed}`
}

module.exports = { compare }

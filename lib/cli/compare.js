'use strict'

const fs = require('node:fs')
const { optionProblem, show } = require('../base/errors')
const format = require('../words/numbers')
const { clean } = require('../report/text')
const compareSides = require('../study/compare')
const { setUp, startEach, targetsOfCommands } = require('./compared-commands')
const { readRuns } = require('./saved-results')
const { strictFlag } = require('./verdict')
const { durationSetting, pauseSetting, setting, showStudy, studyCommand, targetsOf } = require('./study-command')
const { number, seconds } = require('../plan/options/notation')
const { canMonitor } = require('../plan/watching')
const { isGiven } = require('../values/kinds')

const LENGTH = 'all runs of a comparison last as long as --duration says'

const compare = studyCommand('compare', {
  usage: 'URL|FILE URL|FILE…',
  about: [
    'Runs load tests of several servers in turn and compares them, or compares results that were saved as JSON. Each is compared ' +
      'with the first. The intervals hold simultaneously at 95% confidence: a server compared with itself is reported as ' +
      'different in at most 5% of all comparisons.'
  ],
  title: 'Comparison',
  settings: [
    setting({ name: 'rounds', argument: 'NUM', read: number, help: 'number of runs of each (default 10)' }),
    durationSetting('length of each run (default 5)'),
    setting({ letter: 'W', name: 'warmup', argument: 'SEC', read: seconds, help: 'length of the warm-up of each (default as long as a run, at most 2)' }),
    pauseSetting('pause after each run (default 10% of its duration)'),
    setting({ name: 'maxRegression', argument: 'SHARE', help: 'fail if throughput, p50, p99 or the failure rate of a later one is shown to be worse by more than this, such as 5%' }),
    strictFlag,
    {
      name: 'command',
      argument: 'COMMAND',
      set: (options, command) => { options.commands = [...(options.commands ?? []), command] },
      help: 'server to start for each run and stop afterwards; repeat for each server; the URL is then a path'
    },
    {
      name: 'setup',
      argument: 'COMMAND',
      set: (options, command) => { options.setups = [...(options.setups ?? []), command] },
      help: "command to execute before the first run, such as 'npm ci'; repeatable"
    },
    {
      name: 'diagnose',
      set: (options) => { options.isDiagnosed = true },
      help: 'find out in which functions the servers started by --command differ in time'
    },
    setting({ name: 'seed', argument: 'NUM', read: number, help: 'random seed of the bootstrap; reuse it to reproduce a comparison (default 0)' })
  ],
  without: { amount: LENGTH, maxConnectionRequests: LENGTH, maxOverallRequests: LENGTH },
  notes: ['The exit code is 1 if --max-regression was exceeded, if --strict is given and the check is inconclusive, and if nothing was compared. Ctrl-C ends it, with the rounds so far.'],
  examples: [
    'cannonade compare -c 50 localhost:3000 localhost:3001',
    'cannonade compare --rounds 20 -d 10 --max-regression 5% localhost:3000 localhost:3001',
    'cannonade compare before.json after.json',
    "cannonade compare --command 'node a.js' --command 'node b.js' /items",
    "cannonade compare --setup 'npm ci' --command 'node server.js' --command 'cd ../main && node server.js'"
  ],
  read,
  run
})

function read (options, operands, targets) {
  if (options.commands !== undefined) return withCommands(options, operands, targets)
  if (options.isDiagnosed) throw optionProblem('diagnose', '--diagnose needs a --command for each server, since only servers that Cannonade starts can be diagnosed')
  if (options.setups !== undefined) throw optionProblem('setup', '--setup needs a --command for each server')
  if ((operands.length || targets.length) < 2) {
    const sent = isGiven(options.curl) ? '; the request of --curl is sent to each of the URLs' : ''
    throw optionProblem('url', `cannonade compare needs two or more URLs, or files with results${sent}`, { isUsageNeeded: true })
  }
  const items = operands.length === 0
    ? targets
    : operands.map((operand) => isFile(operand) ? named(readRuns(operand), operand) : targetsOf(options, [operand], targets)[0])
  return { ...options, items }
}

// Like URLs, the servers replace the targets of the config file. If it has only one, its options apply to them, and its path.
function withCommands ({ commands, setups = [], isDiagnosed = false, ...options }, operands, targets) {
  if (commands.length < 2) throw optionProblem('command', `--command must be given once for each server; got only ${show(commands[0])}`)
  const paths = operands.length > 0 || targets.length !== 1 ? operands : [targets[0].url ?? []].flat()
  if (paths.length > 1) throw optionProblem('url', `with --command, give one path or URL for all servers; got ${paths.length}`)
  const [opts] = targetsOf(options, [undefined], targets)
  return { ...options, commands, setups, isDiagnosed, path: paths[0], items: targetsOfCommands(commands, opts, paths[0]) }
}

// A name such as 'before.json' always means a file; other names without a scheme mean one only if it exists.
function isFile (operand) {
  return /\.(json|ndjson|jsonl)$/i.test(operand) || (!operand.includes('://') && fs.statSync(operand, { throwIfNoEntry: false })?.isFile() === true)
}

// Results in different files often have the same URL, so the file name is added to tell them apart.
function named (results, file) {
  const rename = (result) => ({ ...result, title: result.title ? `${result.title} (${file})` : file })
  return Array.isArray(results) ? results.map(rename) : rename(results)
}

async function run (options) {
  const { commands, setups = [], path, isDiagnosed } = options
  const reach = commands && startEach(commands, path, { isDiagnosed, isMonitored: canMonitor() && !options.items.some(({ monitor }) => isGiven(monitor)) })
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

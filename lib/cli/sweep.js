'use strict'

const { contradiction, optionProblem } = require('../base/errors')
const { isGiven } = require('../values/kinds')
const { rowLine } = require('../report/study/sweep')
const { letter } = require('../report/document')
const sweepTargets = require('../study/sweep')
const { NO_SAMPLES } = require('../report/httperf-figures')
const toCSV = require('../study/sweep/csv')
const { durationSetting, joined, pauseSetting, separatorFlag, setting, showStudy, studyCommand, targetsOf } = require('./study-command')
const { OTHER_LENGTH } = require('../study/refusals')
const { connections: rampOrNumber, number, numbers } = require('../plan/options/notation')

const rate = (name, help, sets) => setting({ name, of: 'rates', part: name, sets, argument: 'NUM', read: number, help })
const stop = (name, limit, argument, help) => setting({ name, of: 'stopWhen', part: limit, argument, help })

const sweep = studyCommand('sweep', {
  usage: '--from NUM --to NUM --step NUM URL…',
  about: [
    'Steps through request rates and finds the knee: the rate beyond which more load brings latency instead of throughput. ' +
      'With --connections 1..50, it steps through numbers of users at a time instead. Several URLs are separate targets, which run in turn.'
  ],
  title: 'Sweep',
  settings: [
    rate('from', 'first rate, requests per second'),
    rate('to', 'last rate'),
    rate('step', 'increase from one rate, or number of connections, to the next', ['rates.step', 'connections.step']),
    setting({
      name: 'rates',
      argument: 'LIST',
      set: (options, text) => { options.study.list = numbers(text) },
      help: 'the rates themselves instead, such as 100,200,500'
    }),
    setting({
      letter: 'c',
      name: 'connections',
      argument: 'NUM',
      set: readConnections,
      help: 'step through 1..50 or 1,5,20 connections instead of rates; a single number is that of each rate'
    }),
    durationSetting('length of each run (default 10)'),
    pauseSetting('pause between runs (default 1)'),
    stop('stopErrorRate', 'errorRate', 'SHARE', 'stop when more than this share of all attempts got no response, such as 5%'),
    stop('stopFailureRate', 'failureRate', 'SHARE', 'stop when more than this share failed; responses other than 2xx or 3xx count, too'),
    stop('stopAchievedRatio', 'achievedRatio', 'SHARE', 'stop when less than this share of the rate is achieved, such as 90%'),
    stop('stopP99', 'p99', 'MS', 'stop when the 99th latency percentile exceeds this, such as 200ms')
  ],
  files: [
    { name: 'csv', argument: 'FILE', help: 'also write the rows as CSV' },
    { name: 'columns', argument: 'NAME', help: 'columns of --csv: own or autobench, for which each arrival opens a connection of its own (default own)' },
    separatorFlag
  ],
  without: { sessionAmount: OTHER_LENGTH },
  connections: 100,
  notes: ['Ctrl-C ends the sweep and prints the rows so far.'],
  examples: [
    'cannonade sweep --from 100 --to 2000 --step 100 localhost:3000',
    'cannonade sweep --rates 100,200,500 -d 30 localhost:3000 localhost:3001 --html sweep.html',
    'cannonade sweep --connections 1..50 localhost:3000',
    'cannonade sweep --from 20 --to 200 --step 10 localhost:3000 --csv out.tsv --columns autobench --separator tab'
  ],
  overFile,
  decidedBy: ({ connections }) => connections === undefined ? [] : ['connections'],
  read (options, operands, targets) {
    const isBySocket = operands.length + targets.length === 0
    if (isBySocket && options.socketPath === undefined) {
      throw optionProblem('url', 'cannonade sweep needs the URL of a server', { isUsageNeeded: true })
    }
    checkSteps(options.study)
    // Throws for bad settings now, instead of after the sweep.
    toCSV([], options)
    const all = targetsOf(options, isBySocket ? [undefined] : operands, targets)
    return { ...options, targets: options.columns === 'autobench' ? all.map(asInAutobench) : all }
  },
  run
})

// A range or a list is what the sweep steps through, and anything else is an option of its runs. The last flag counts.
function readConnections (options, text) {
  const range = /^([^/]+?)\.\.([^/]+)$/.exec(text)
  const isOfRuns = range === null && !text.includes(',')
  delete (isOfRuns ? options.study : options).connections
  if (isOfRuns) options.connections = rampOrNumber(text)
  else options.study.connections = range === null ? numbers(text) : { from: number(range[1]), to: number(range[2]) }
}

// A flag that names other steps replaces those of the file; --step alone changes them.
function overFile ({ rates, ...file }, study) {
  const settings = { ...file, ...(rates !== undefined && { [Array.isArray(rates) ? 'list' : 'rates']: rates }) }
  const named = stepsNamedBy(study)
  if (named !== undefined) for (const other of ['list', 'rates', 'connections']) if (other !== named) delete settings[other]
  return joined(settings, study)
}

function stepsNamedBy ({ list, connections, rates = {} }) {
  if (list !== undefined) return 'list'
  if (connections !== undefined) return 'connections'
  return rates.from === undefined && rates.to === undefined ? undefined : 'rates'
}

// Options that determine how many requests share a connection.
const OF_CONNECTIONS = ['connections', 'sessions', 'user', 'scenarios', 'reconnectRate', 'maxConnectionRequests', 'websocket']

// In autobench, a rate is one of connections.
function asInAutobench (target) {
  return OF_CONNECTIONS.some((name) => isGiven(target[name])) ? target : { ...target, sessions: true }
}

function checkSteps ({ rates = {}, list, connections }) {
  const given = ['from', 'to', 'step'].filter((name) => rates[name] !== undefined)
  if (connections !== undefined) {
    const other = list !== undefined ? 'rates' : given.filter((name) => name !== 'step').map((name) => `rates.${name}`)[0]
    if (other !== undefined) throw contradiction('connections', other, 'a sweep steps through one of them')
    if (Array.isArray(connections) && given.length > 0) {
      throw contradiction('connections', 'rates.step', 'the numbers are either named one by one, or counted from one to the other')
    }
    return
  }
  if (list !== undefined && given.length > 0) {
    throw contradiction('rates', `rates.${given[0]}`, 'the rates are either named one by one, or counted from one to the other')
  }
  if (list === undefined && given.length < 3) {
    throw optionProblem('rates', 'cannonade sweep needs --from, --to and --step, or --rates, or a range of --connections')
  }
}

// Prefixes the target's name with its letter, as in the table.
const named = (target, index) => ({ ...target, name: `${letter(index)}: ${target.name}` })

function run (options) {
  const { targets, columns, separator } = options
  const { list, rates, connections, ...settings } = options.study
  const isOfRates = connections === undefined
  // `--step` counts from one number of connections to the next, as it does for rates.
  const steps = isOfRates ? { rates: list ?? rates } : { connections: Array.isArray(connections) ? connections : { ...connections, ...rates } }
  const study = sweepTargets(targets.length === 1 ? targets[0] : targets, { ...settings, ...steps })
  if (options.csv !== undefined && columns === 'autobench') study.on('row', tellMissingSamples())
  return showStudy(study, options, {
    heading: isOfRates ? 'Stepping through the rates' : 'Stepping through the numbers of connections',
    lines: { row: (row) => row.targets.map((target, index) => rowLine(row, named(target, index), row.targets.length === 1)).join('\n') },
    csv: { columns, separator },
    decides: [isOfRates ? 'overallRate' : 'connections']
  })
}

// Says once that the columns of reply rates are empty.
function tellMissingSamples () {
  let isTold = false
  return ({ targets }) => {
    if (isTold || targets.every(({ httperf }) => httperf.replyRate.samples > 0)) return
    isTold = true
    process.stderr.write(`${NO_SAMPLES} Raise --duration.\n`)
  }
}

module.exports = { sweep, tellMissingSamples }

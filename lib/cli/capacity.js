'use strict'

const { axisOf, placeOf } = require('../report/study/axis')
const { stepCells } = require('../report/study/capacity')
const findCapacity = require('../study/capacity')
const { durationSetting, joined, pauseSetting, setting, showStudy, studyCommand, targetOf } = require('./study-command')
const { OTHER_LENGTH } = require('../study/refusals')
const { number, seconds } = require('../plan/options/notation')

const range = (name, help) => setting({ name, of: 'range', part: name, sets: [`rates.${name}`, `connections.${name}`], argument: 'NUM', read: number, help })

const capacity = studyCommand('capacity', {
  usage: "--slo 'p99 < 100ms' URL",
  about: [
    'Finds the highest rate that a server sustains while it meets the objectives: doubles the rate until one is missed, ' +
      'narrows it down, and confirms the answer with a longer run. Reports whether the server or the load generator was the limit. ' +
      'With --of connections, it finds the greatest number of users at a time instead, each of whom waits for a response before the next request.'
  ],
  title: 'Search',
  settings: [
    setting({
      name: 'slo',
      argument: 'TEXT',
      set: (options, text) => { options.study.slo = [...(options.study.slo ?? []), text] },
      help: "objective to meet, such as 'p99 < 100ms'; repeatable (default 'failures == 0')"
    }),
    setting({ name: 'of', argument: 'WHAT', help: 'what to find: rates or connections (default rates)' }),
    setting({ name: 'precision', argument: 'SHARE', help: 'how close to the lowest failing rate (default 5%)' }),
    setting({ name: 'maxDuration', argument: 'SEC', read: seconds, help: 'limit on the total time; runs are made to fit' }),
    range('from', 'first rate, or number of connections, to try (default 50, or 1)'),
    range('to', 'highest one to try (default 100000, or 10000)'),
    durationSetting('length of each run (default 5, or what fits)'),
    pauseSetting('pause between runs (default 10% of the duration)')
  ],
  without: { sessionAmount: OTHER_LENGTH },
  connections: 100,
  notes: ['Ctrl-C ends the search and prints what is known so far.'],
  examples: [
    "cannonade capacity --slo 'p99 < 100ms' --slo 'failures == 0' localhost:3000",
    "cannonade capacity --slo 'p99.9 < 1s' --max-duration 2m --precision 2% localhost:3000",
    "cannonade capacity --of connections --slo 'p99 < 100ms' localhost:3000"
  ],
  overFile,
  decidedBy: (study) => isOfConnections(study) ? ['connections'] : [],
  read: (options, operands, targets) => ({ ...options, target: targetOf('capacity', options, operands, targets) }),
  run
})

const isOfConnections = ({ of, connections }) => (of ?? (connections === undefined ? 'rates' : 'connections')) === 'connections'

// The range of the flags is one of what is searched. If --of chooses that, the file's range for something else doesn't apply.
function overFile ({ rates, connections, ...file }, { range, ...study }) {
  const ranges = { rates, connections }
  const searched = isOfConnections({ of: file.of, connections, ...study }) ? 'connections' : 'rates'
  const settings = { ...file, ...(study.of === undefined ? ranges : { [searched]: ranges[searched] }) }
  return joined(settings, { ...study, ...(range !== undefined && { [searched]: range }) })
}

function run (options) {
  const { study, target } = options
  return showStudy(findCapacity(target, study), options, {
    heading: 'Searching for the capacity',
    isMost: true,
    lines: { step: line },
    decides: [isOfConnections(study) ? 'connections' : 'overallRate', 'drain', 'abortOnFail']
  })
}

function line (step) {
  const axis = axisOf({ axis: step.connections === undefined ? 'rates' : 'connections' })
  const [achieved, p50, p99, passed] = stepCells(step)
  return `${step.phase} ${axis.ofLine(placeOf(step))}: achieved ${achieved}/s, p50 ${p50}, p99 ${p99}, passed: ${passed}`
}

module.exports = { capacity }

'use strict'

const format = require('../words/numbers')
const { stepCells } = require('../report/study/capacity')
const findCapacity = require('../study/capacity')
const { durationSetting, pauseSetting, setting, showStudy, studyCommand, targetOf } = require('./study-command')
const { number, seconds } = require('../plan/options/notation')

const rate = (name, help) => setting({ name, of: 'rates', part: name, argument: 'NUM', read: number, help })

const capacity = studyCommand('capacity', {
  usage: "--slo 'p99 < 100ms' URL",
  summary: 'find the highest rate that meets objectives',
  about: [
    'Finds the highest rate that a server sustains while it meets the objectives: doubles the rate until one is missed, ' +
      'narrows it down, and confirms the answer with a longer run. Reports whether the server or the load generator was the limit.'
  ],
  title: 'Search',
  settings: [
    setting({
      name: 'slo',
      argument: 'TEXT',
      set: (options, text) => { options.study.slo = [...(options.study.slo ?? []), text] },
      help: "objective to meet, such as 'p99 < 100ms'; repeatable (default 'failures == 0')"
    }),
    setting({ name: 'precision', argument: 'SHARE', help: 'how close to the lowest failing rate (default 5%)' }),
    setting({ name: 'maxDuration', argument: 'SEC', read: seconds, help: 'limit on the total time; runs are made to fit' }),
    rate('from', 'first rate to try (default 50)'),
    rate('to', 'highest rate to try (default 100000)'),
    durationSetting('length of each run (default 5, or what fits)'),
    pauseSetting('pause between runs (default 10% of the duration)')
  ],
  without: ['sessionAmount'],
  connections: 100,
  notes: ['Ctrl-C ends the search and prints what is known so far.'],
  examples: [
    "cannonade capacity --slo 'p99 < 100ms' --slo 'failures == 0' localhost:3000",
    "cannonade capacity --slo 'p99.9 < 1s' --max-duration 2m --precision 2% localhost:3000"
  ],
  read: (options, operands, targets) => ({ ...options, target: targetOf('capacity', options, operands, targets) }),
  run
})

function run (options) {
  return showStudy(findCapacity(options.target, options.study), options, {
    heading: 'Searching for the capacity',
    isMost: true,
    lines: { step: line },
    decides: ['overallRate', 'drain', 'abortOnFail']
  })
}

function line (step) {
  const [achieved, p50, p99, passed] = stepCells(step)
  return `${step.phase} ${format.rate(step.rate)}/s: achieved ${achieved}/s, p50 ${p50}, p99 ${p99}, passed: ${passed}`
}

module.exports = { capacity }

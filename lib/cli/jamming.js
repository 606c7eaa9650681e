'use strict'

const { optionProblem } = require('../base/errors')
const { OPTIONS } = require('../plan/options')
const { checkScale, pointLine } = require('../report/study/jamming')
const findJamming = require('../study/jamming')
const toCSV = require('../study/sweep/csv')
const { applySettings } = require('./read-command')
const { checkResultFiles } = require('./result-files')
const { outputFlags, runFlags, setting, showStudy, targetsOf, withConfig } = require('./study')
const { number, numbers, seconds } = require('../plan/options/notation')

const rate = (name, help) => setting({ name, argument: 'NUM', read: number, help })

const jammingFlags = [
  setting({ letter: 'c', name: 'connections', argument: 'LIST', read: numbers, help: 'numbers of connections to test (default 25,100,400)' }),
  rate('start', 'first rate, messages/s (default 5000 / connections)'),
  rate('step', 'increase from one rate to the next (the same)'),
  rate('maxRate', 'last rate (default 200000 / connections)'),
  setting({ letter: 'd', name: 'duration', argument: 'SEC', read: seconds, help: 'length of the run at each rate (default 10)' }),
  setting({ name: 'pause', argument: 'SEC', read: seconds, help: 'pause between runs (default 2)' }),
  setting({ name: 'drain', argument: 'SEC', read: seconds, help: 'how long to wait for all copies (default 5)' }),
  setting({ name: 'limit', argument: 'MS', help: "limit on the median time to the sender's own copy (default 200ms)" }),
  setting({ name: 'payload', argument: 'LIST', read: numbers, help: 'message sizes to test, in bytes, such as 20,1000' })
]

const fileFlags = [
  { name: 'csv', argument: 'FILE', help: 'also write the points as CSV' },
  { name: 'separator', argument: 'TEXT', read: (text) => text.replace(/^(\\t|tab)$/, '\t'), help: 'separator between the cells of --csv, or tab (default ,)' },
  { name: 'scale', argument: 'NAME', help: 'scale of the times in --html: linear or log (default linear)' }
]

// Options that do not apply to messages, or that the study sets.
const OF_REQUESTS = [
  ...OPTIONS.filter(({ notWithWebSocket }) => notWithWebSocket).map(({ name }) => name),
  'curl', 'harTiming', 'expectBody', 'verifyBody', 'keepAlive', 'thinkTime', 'expect'
]

// `cannonade jamming URL`
const jamming = {
  name: 'jamming',
  call: 'cannonade jamming',
  usage: 'cannonade jamming [options] -c 25,100 URL',
  summary: 'find out how many broadcasts a server can carry',
  about: [
    'Finds out how many messages per second a broadcasting server can deliver before it jams: a staircase of rates for each number ' +
      'of connections. Measures how long it takes to recover, and reports whether the load generator jammed first.'
  ],
  groups: [
    { title: 'Staircase', flags: jammingFlags },
    ...runFlags('jamming', ['load', 'request', 'websocket', 'connection'], OF_REQUESTS),
    outputFlags({ csv: fileFlags })
  ],
  defaultOf: () => undefined,
  notes: ['Ctrl-C ends it and prints what is known so far.'],
  examples: [
    'cannonade jamming ws://localhost:3000/chat',
    'cannonade jamming -c 25,100 --start 50 --step 50 -d 5 ws://localhost:3000 --html jam.html'
  ],
  optionsFrom,
  run
}

function optionsFrom (settings, operands, rest, config) {
  const flags = { tlsOptions: {}, study: {} }
  applySettings(settings, flags)
  const { options, targets } = withConfig('jamming', flags, config)
  if ((operands.length || targets.length) > 1 || (operands.length + targets.length === 0 && options.socketPath === undefined)) {
    throw optionProblem('url', 'cannonade jamming needs the URL of one server', { isUsageNeeded: operands.length === 0 })
  }
  checkResultFiles(options)
  // Throws for bad settings now, instead of after the study.
  toCSV([], { separator: options.separator })
  checkScale(options.scale)
  const [target] = targetsOf(options, operands.length + targets.length === 0 ? [undefined] : operands, targets)
  return { ...options, target }
}

function run (options) {
  const { separator, scale, target, study } = options
  return showStudy(findJamming(target, study), options, {
    heading: 'Raising the rate until it jams',
    isMost: true,
    lines: { point: pointLine },
    csv: { separator },
    page: { scale },
    decides: ['overallRate', 'connections', 'drain', 'pipelining', 'timeout', ...(study.payload === undefined ? [] : ['body'])]
  })
}

module.exports = { jamming }

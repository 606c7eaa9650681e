'use strict'

const { OPTIONS } = require('../plan/options')
const { checkScale, pointLine } = require('../report/study/jamming')
const findJamming = require('../study/jamming')
const toCSV = require('../study/sweep/csv')
const { durationSetting, pauseSetting, separatorFlag, setting, showStudy, studyCommand, targetOf } = require('./study-command')
const { number, numbers, seconds } = require('../plan/options/notation')

const rate = (name, help) => setting({ name, argument: 'NUM', read: number, help })

const ONLY_MESSAGES = 'the study sends messages, no HTTP requests'

// Why options do not apply to broadcasts, or are set by the study, by the name of the flag.
const NOT_OF_BROADCASTS = {
  ...Object.fromEntries(OPTIONS.flatMap(({ name, flags, topic, notWithWebSocket }) => {
    const why = topic === 'fleet' ? 'a broadcast runs on one machine' : notWithWebSocket
    return why === undefined ? [] : [name, ...flags.map(({ name: part = name }) => part)].map((flag) => [flag, why])
  })),
  curl: ONLY_MESSAGES,
  harTiming: ONLY_MESSAGES,
  expectBody: ONLY_MESSAGES,
  verifyBody: ONLY_MESSAGES,
  keepAlive: 'connections stay open',
  thinkTime: 'the study sets the rates itself',
  expect: 'each message of the study is a broadcast'
}

const jamming = studyCommand('jamming', {
  usage: '-c 25,100 URL',
  about: [
    'Finds out how many messages per second a broadcasting server can deliver before it jams: for each number of connections, the ' +
      'rate doubles until it is too high, and is then bisected. Measures how long it takes to recover, and reports whether the load ' +
      'generator jammed first.'
  ],
  title: 'Search',
  settings: [
    setting({ letter: 'c', name: 'connections', argument: 'LIST', read: numbers, help: 'numbers of connections to test (default 25,100,400)' }),
    rate('start', 'first rate, messages/s (default 5000 / connections)'),
    rate('step', 'smallest difference between rates (the same)'),
    rate('maxRate', 'highest rate (default 200000 / connections)'),
    durationSetting('length of the run at each rate (default 5)'),
    pauseSetting('pause between runs (default 2)'),
    setting({ name: 'drain', argument: 'SEC', read: seconds, help: 'how long to wait for all copies (default 5)' }),
    setting({ name: 'limit', argument: 'MS', help: "limit on the median time to the sender's own copy (default 200ms)" }),
    setting({ name: 'payload', argument: 'LIST', read: numbers, help: 'message sizes to test, in bytes, such as 20,1000' })
  ],
  without: NOT_OF_BROADCASTS,
  files: [
    { name: 'csv', argument: 'FILE', help: 'also write the points as CSV' },
    separatorFlag,
    { name: 'scale', argument: 'NAME', help: 'scale of the times in --html: linear or log (default linear)' }
  ],
  notes: ['Ctrl-C ends it and prints what is known so far.'],
  examples: [
    'cannonade jamming ws://localhost:3000/chat',
    'cannonade jamming -c 25,100 --start 50 --step 50 -d 5 ws://localhost:3000 --html jam.html'
  ],
  read (options, operands, targets) {
    const target = targetOf('jamming', options, operands, targets)
    // Throws for bad settings now, instead of after the study.
    toCSV([], { separator: options.separator })
    checkScale(options.scale)
    return { ...options, target }
  },
  run
})

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

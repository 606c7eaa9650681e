'use strict'

/** @param {'request'|'message'} noun what was sent */
function wordsOfRuns (noun) {
  const answer = noun === 'message' ? 'what it waits for' : 'its response'
  return [
    [
      'Response time',
      `from the moment a ${noun} was due until the last byte of ${answer}: what a user feels. In the closed model a ` +
        `${noun} is due when it is sent, and this is called latency`
    ],
    ['Service time', `from the moment a ${noun} was sent until the last byte of ${answer}; completed ${noun}s only`],
    ['With unfinished', `the response time, and also the ${noun}s that were never answered, at the age they had reached`],
    ['p50, p99', `percentiles: 50 and 99 percent of the ${noun}s took no longer than this`],
    ['Saturated', 'the load generator, and not the server, set the numbers']
  ]
}

const OF_REQUESTS = wordsOfRuns('request')

const STUDY_WORDS = [
  ['Demanded rate', 'how many requests came due in a second, or sessions, or messages'],
  ['Achieved rate', 'how many per second were answered while the schedule ran'],
  ['Knee', 'the rate from which on more is demanded than is achieved, or latency climbs'],
  ...OF_REQUESTS.filter(([term]) => term === 'p50, p99' || term === 'Saturated')
]

const COMPARISON_WORDS = [
  ['Interval', 'with 95 percent confidence the true difference lies in it. Where zero lies in it too, no difference is shown'],
  ...OF_REQUESTS.filter(([term]) => term === 'p50, p99')
]

module.exports = { COMPARISON_WORDS, STUDY_WORDS, wordsOfRuns }

'use strict'

const RUN_WORDS = [
  [
    'Response time',
    'from the moment a request was due until the last byte of its response: what a user feels. In the closed model a ' +
      'request is due when it is sent, and this is called latency'
  ],
  ['Service time', 'from the moment a request was sent until the last byte of its response; completed requests only'],
  ['With unfinished', 'the response time, and also the requests that were never answered, at the age they had reached'],
  ['p50, p99', 'percentiles: 50 and 99 percent of the requests took no longer than this'],
  ['Saturated', 'the load generator, and not the server, set the numbers']
]

const STUDY_WORDS = [
  ['Demanded rate', 'how many requests came due in a second, or sessions, or messages'],
  ['Achieved rate', 'how many per second were answered while the schedule ran'],
  ['Knee', 'the rate from which on more is demanded than is achieved, or latency climbs'],
  ...RUN_WORDS.filter(([term]) => term === 'p50, p99' || term === 'Saturated')
]

const COMPARISON_WORDS = [
  ['Interval', 'with 95 percent confidence the true difference lies in it. Where zero lies in it too, no difference is shown'],
  ...RUN_WORDS.filter(([term]) => term === 'p50, p99')
]

module.exports = { COMPARISON_WORDS, RUN_WORDS, STUDY_WORDS }

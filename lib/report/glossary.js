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

const chosen = (noun, ...terms) => wordsOfRuns(noun).filter(([term]) => terms.includes(term))

/** @param {'request'|'message'} noun what was sent @param {string} [arrivals] what the rates count */
function wordsOfStudies (noun, arrivals = `${noun}s`) {
  return [
    ['Demanded rate', `how many ${arrivals} came due in a second`],
    ['Achieved rate', 'how many per second were answered while the schedule ran'],
    ['Knee', 'the rate from which on more is demanded than is achieved, or latency climbs'],
    ...chosen(noun, 'p50, p99', 'Saturated')
  ]
}

/** @param {'request'|'message'} noun what was sent */
function wordsOfComparisons (noun) {
  return [
    ['Interval', 'with 95 percent confidence the true difference lies in it. Where zero lies in it too, no difference is shown'],
    ...chosen(noun, 'p50, p99')
  ]
}

module.exports = { wordsOfComparisons, wordsOfRuns, wordsOfStudies }

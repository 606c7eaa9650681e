'use strict'

/** @param {'request'|'message'} noun what was sent */
function wordsOfRuns (noun) {
  const answer = noun === 'message' ? 'the reply that it waits for' : 'its response'
  return [
    [
      'Response time',
      `from when a ${noun} was due to the last byte of ${answer}: what a user feels. In the closed model a ` +
        `${noun} is due when it is sent, and this is called latency`
    ],
    ['Service time', `from when a ${noun} was sent to the last byte of ${answer}; completed ${noun}s only`],
    ['With unfinished', `the response time, including ${noun}s that were never answered, which count with the time they had waited`],
    ['p50, p99', `percentiles: 50% and 99% of the ${noun}s took no longer than this`],
    ['Failures', `${noun}s that failed or timed out, connections that could not be opened, responses with a status other than 2xx or 3xx, and unexpected bodies`],
    ['Saturated', 'the load generator, not the server, determined the numbers']
  ]
}

const chosen = (noun, ...terms) => wordsOfRuns(noun).filter(([term]) => terms.includes(term))

/** @param {'request'|'message'} noun what was sent @param {string} [arrivals] what the rates count */
function wordsOfStudies (noun, arrivals = `${noun}s`) {
  return [
    ['Demanded rate', `how many ${arrivals} came due per second`],
    ['Achieved rate', 'how many of them were completed per second while the schedule ran'],
    ['Knee', 'the rate beyond which less is achieved than demanded, or latency climbs'],
    ...chosen(noun, 'p50, p99', 'Saturated')
  ]
}

/** @param {'request'|'message'} noun what was sent @param {object} axis see study/axis.js */
function wordsOfSweeps (noun, { isOfRates, arrivals }) {
  if (isOfRates) return wordsOfStudies(noun, arrivals)
  return [
    ['Connections', 'how many users there were at a time: each sends its next request when the previous response is complete'],
    ['Achieved rate', `how many ${arrivals} were completed per second`],
    ['Knee', 'the number of connections beyond which more of them bring latency instead of throughput'],
    ...chosen(noun, 'p50, p99', 'Saturated')
  ]
}

function wordsOfJamming () {
  return [
    ['Outgoing', 'messages that the server sends: those that it receives, multiplied by the number of connections'],
    ['Own copy', 'how long it took until the sender of a message received it back'],
    ['Last copy', 'how long it took until everyone had received it'],
    ['Jams', 'the lowest rate at which copies were lost, came too late, or came later and later until the end of the run'],
    ...chosen('message', 'Saturated')
  ]
}

/** @param {'request'|'message'} noun what was sent */
function wordsOfComparisons (noun) {
  return [
    ['Interval', 'the true difference lies within it with 95% confidence. If zero lies within it too, no difference is shown'],
    ...chosen(noun, 'p50, p99')
  ]
}

module.exports = { wordsOfComparisons, wordsOfJamming, wordsOfRuns, wordsOfSweeps }

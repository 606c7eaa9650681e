'use strict'

const { named, words } = require('../../base/errors')
const { perSecond } = require('../../base/rounding')
const { durations, each, from, group, leaf } = require('../fields')
const { gauge, histogram } = require('../series')
const { definePart } = require('./part')

// The rate that the schedule asked for, including parts of the run that were lost, and the rate completed in the window. If a run
// ended before its clock started, it offered nothing. Sessions that were never reported add nothing to the requests offered, because
// it is unknown how many they would have made.
function rateOf ({ counters, sessions }, { seconds, scheduleSeconds, drain, unscheduled }) {
  if (scheduleSeconds <= 0) return { offered: 0, achieved: 0 }
  return {
    offered: perSecond(counters.scheduled - (counters.scheduledInDrain ?? 0) + (sessions === null ? unscheduled : 0), scheduleSeconds),
    // A run by amount may end just before its next request would have been due; that does not make it faster.
    achieved: perSecond(counters.completed - drain.completed, Math.max(seconds, scheduleSeconds))
  }
}

/** The rate that a schedule asks for, and how far behind it requests were sent. */
const schedule = definePart({
  name: 'schedule',
  isIn: ({ schedule }) => schedule !== null,
  condition: words`with a schedule: set ${named('overallRate')}, ${named('connectionRate')}, ${named('stages')} or ${named('bursts')} as well`,
  of: (summary) => summary.open ? summary : null,
  result: (summary, run) => run.plan.schedule === null ? {} : { rate: rateOf(summary, run) },
  drains: ({ schedule }) => schedule !== null,
  fields: {
    rate: group('achieved', { offered: leaf('rate'), achieved: leaf('rate', 'offered') }),
    sendDelay: durations('sendDelay', {
      client: durations(), waiting: durations(), causes: group('connecting', each(['connecting', 'hooks', 'asleep'], from('sent', leaf('milliseconds'))))
    })
  },
  series: [
    histogram('cannonade_send_delay_seconds', 'Time from when a request was due until it was sent, by what it waited for: a free connection, or the load generator itself.',
      [['waitDelay', { cause: 'connection' }], ['clientDelay', { cause: 'generator' }]]),
    gauge('cannonade_requests_waiting', 'Requests that are due and waiting for a free connection.',
      (state, { counters: { scheduled, sent, unsent } }) => scheduled - sent - unsent),
    gauge('cannonade_offered_rate', 'Requests per second currently scheduled.', ({ rate }) => rate)
  ]
})

module.exports = { schedule }

'use strict'

const createRecorder = require('./recorder-of')

/**
 * The accounts of a phase as if it ended now: what is in flight is unfinished, what waits is unsent, and connections are closed.
 * Sent with every sample, in case this member is lost before it reports its end.
 *
 * @param {Phase} phase that has just taken an interval
 * @param {number} now ms, the end of that interval
 * @returns {object[]} two summaries, for `merge`
 */
function accountsSoFar (phase, now) {
  const { recorder, loop, plan } = phase
  const rest = createRecorder(plan)
  const visits = plan.sessions === null ? [] : [...loop.visits]
  const connections = plan.sessions === null ? phase.connections : visits.flatMap(({ connections }) => connections)
  for (const connection of connections) {
    connection.tellMissing(rest, now, loop.lacksConnections)
    connection.eachInFlight((endpoint, dueAt, sentAt, progress) => rest.unfinishedRequest(endpoint, dueAt, sentAt, now, progress))
    if (connection.isOpen) rest.closedConnection(false, connection.lifetime(now))
  }
  loop.eachWaiting((dueAt) => rest.unsentRequest(dueAt, now))
  // What a hook or a connection still holds back is in no queue: of its age nothing is known.
  const missing = recorder.open ? recorder.scheduled - recorder.unsent - recorder.sent - rest.unsent : 0
  for (let count = 0; count < missing; count++) rest.unsentRequest(now, now)
  if (plan.sessions !== null) loop.countUnderWay(rest.sessions, visits, now)
  rest.takeInterval(now)
  return [recorder.soFar(), rest.soFar()]
}

/** The accounts of a phase that has not told any. @returns {object[]} */
function noAccounts (plan) {
  return [createRecorder(plan).summary()]
}

/** The interval of a phase of which nothing was heard. */
function noInterval (plan) {
  const recorder = createRecorder(plan)
  recorder.begin(0)
  return recorder.takeInterval(0)
}

module.exports = { accountsSoFar, noAccounts, noInterval }

'use strict'

const createRecorder = require('./recorder-of')

/**
 * The accounts of a phase as if it ended now: requests in flight count as unfinished, waiting ones as unsent, and connections as
 * closed.
 * Sent with every sample, in case this member is lost before it reports its end.
 *
 * @param {Phase} phase it must have just taken an interval
 * @param {number} now ms, the end of that interval
 * @returns {object[]} two summaries, for `merge`
 */
function accountsSoFar (phase, now) {
  const { recorder, loop, plan } = phase
  const rest = createRecorder(plan)
  if (recorder.called !== null) rest.shareEndpoints(recorder)
  const visits = plan.sessions === null ? [] : [...loop.visits]
  const connections = plan.sessions === null ? phase.connections : visits.flatMap(({ connections }) => connections)
  for (const connection of connections) {
    connection.tellMissing(rest, now, loop.lacksConnections)
    connection.eachInFlight((endpoint, dueAt, sentAt, progress, timeout) => rest.unfinishedRequest(endpoint, dueAt, sentAt, now, progress, timeout))
    if (connection.isOpen) rest.closedConnection(false, connection.lifetime(now))
  }
  loop.eachWaiting((dueAt, scenario) => rest.unsentOf(scenario, dueAt, now))
  // Requests held by a hook or a connection are in no queue, so their age is unknown.
  let missing = recorder.open ? recorder.scheduled - recorder.unsent - recorder.sent - rest.unsent : 0
  for (const { connections, scenario } of visits) {
    const held = Math.min(missing, connections.reduce((sum, { prepared }) => sum + prepared, 0))
    for (let count = 0; count < held; count++) rest.unsentOf(scenario, now, now)
    missing -= held
  }
  for (; missing > 0; missing--) rest.unsentRequest(now, now)
  if (plan.sessions !== null) loop.countUnderWay(rest, visits, now)
  rest.takeInterval(now)
  return [recorder.soFar(), rest.soFar()]
}

/** The accounts of a phase that has not reported any. @returns {object[]} */
function noAccounts (plan) {
  return [createRecorder(plan).summary()]
}

/** The interval of a phase that has reported none. */
function noInterval (plan) {
  const recorder = createRecorder(plan)
  recorder.begin(0)
  return recorder.takeInterval(0)
}

module.exports = { accountsSoFar, noAccounts, noInterval }

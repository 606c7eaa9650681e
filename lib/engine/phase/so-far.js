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
  const { hookShare } = loop
  const rest = createRecorder(plan)
  rest.shareStandstills(recorder)
  if (recorder.called !== null) rest.shareEndpoints(recorder)
  rest.leaveUndecided(recorder)
  const visits = plan.sessions === null ? [] : [...loop.visits]
  const connections = plan.sessions === null ? phase.connections : visits.flatMap(({ connections }) => connections)
  for (const connection of connections) {
    connection.recordMissing(rest, now, loop.lacksConnections)
    connection.eachInFlight((endpoint, dueAt, sentAt, progress, timeout) => rest.unfinishedRequest(endpoint, dueAt, sentAt, now, progress, timeout))
    connection.recordRefused(rest, now)
    if (connection.isOpen) connection.recordEnd(rest, false, now)
    if (!recorder.open) continue
    connection.recordDelays(rest)
    for (const dueAt of connection.preparedDues) rest.unsentOf(loop.scenarioOf(connection), dueAt, now, hookShare)
  }
  loop.eachWaiting((dueAt, scenario) => rest.unsentOf(scenario, dueAt, now, hookShare))
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

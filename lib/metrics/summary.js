'use strict'

const { OUTCOMES } = require('../grpc/status')
const Endpoint = require('./endpoint')
const { cameOf } = require('./missing-times')

const UNUSED = new Endpoint(0)
const UNUSED_CALL = new Endpoint(0, OUTCOMES.length)

/**
 * All that a recorder has counted as plain data: what threads and machines tell each other, and `merge` adds up.
 *
 * @param {Recorder} recorder after `takeInterval`
 * @param {function(Distribution): object} dataOf how a distribution becomes data
 * @param {boolean} isStanding only what can be told at once
 * @returns {object}
 */
function summaryOf (recorder, dataOf, isStanding) {
  const { open, fromDueTime, counters, most, distributions, endpoints, calls, errorCodes, replyWindows, sessions, stream, messages, targets, missing, verifies } = recorder
  return {
    open,
    fromDueTime,
    counters,
    most,
    distributions: Object.fromEntries(Object.entries(distributions).map(([name, distribution]) => [name, dataOf(distribution)])),
    endpoints: endpoints.map((endpoint) => (endpoint ?? (calls ? UNUSED_CALL : UNUSED)).toData(dataOf)),
    missing: missing.toData(dataOf, cameOf(distributions, endpoints, stream?.distributions)),
    verifies,
    errorCodes: errorCodes.toData(),
    replies: replyWindows.toData(recorder.completed),
    sessions: sessions === null ? null : sessions.toData(dataOf),
    stream: stream === null ? null : stream.toData(dataOf),
    messages: messages === null ? null : messages.toData(isStanding),
    targets: targets === null ? null : targets.toData()
  }
}

module.exports = summaryOf

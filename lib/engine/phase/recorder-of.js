'use strict'

const Recorder = require('../../metrics/recorder')
const world = require('../../world')

/**
 * Creates the recorder for a phase with this plan. What few runs need is loaded on demand.
 *
 * @param {object} plan
 * @param {?object} [broadcast] parameters of the BroadcastRecorder if messages are broadcast; otherwise null
 * @param {?{ lines: Lines, isWhole: boolean }} [record] where to write a line for each request; `isWhole`: whether this thread does the
 *   whole run
 * @returns {Recorder}
 */
function createRecorder ({ requests, targets, schedule, sessions, ignoreCoordinatedOmission, excludeErrorStats, timeout, stream, websocket, grpc, isUserCode, scenarios = null, diagnose, slowest }, broadcast = null, record = null) {
  const kindOf = (Kind) => {
    const Own = diagnose ? require('../../metrics/parts/flights').diagnosed(Kind) : Kind
    return record === null ? Own : require('../../metrics/record/recorded')(Own)
  }
  const options = {
    diagnosed: Boolean(diagnose),
    slowest,
    endpoints: requests.length,
    targets,
    // Requests of a session come due by the user's think times, not by the server's readiness for more.
    open: schedule !== null || sessions !== null,
    ignoreCoordinatedOmission,
    excludeErrorStats,
    timeout: timeout * 1000,
    sessions: sessions !== null,
    stream: stream !== null,
    calls: grpc !== null,
    user: isUserCode,
    origin: world.origin(),
    messages: websocket === null ? null : { broadcast }
  }
  const recorder = scenarios === null
    ? new (kindOf(Recorder))(options)
    : new (kindOf(require('../../metrics/mixed-recorder')))(options, scenarios, requests.map(({ scenario }) => scenarios.findIndex(({ name }) => name === scenario)))
  if (record !== null) recorder.recordTo(record.lines, requests, record.isWhole)
  return recorder
}

module.exports = createRecorder

'use strict'

const Recorder = require('../../metrics/recorder')

/**
 * What counts for a phase with this plan.
 *
 * @param {object} plan
 * @param {?object} [broadcast] what a BroadcastRecorder takes, where messages go out to all
 * @returns {Recorder}
 */
function createRecorder ({ requests, targets, schedule, sessions, ignoreCoordinatedOmission, excludeErrorStats, timeout, stream, websocket, grpc }, broadcast = null) {
  return new Recorder({
    endpoints: requests.length,
    targets,
    // What a session sends comes due when its user is done with what went before, whatever the server does.
    open: schedule !== null || sessions !== null,
    ignoreCoordinatedOmission,
    excludeErrorStats,
    timeout: timeout * 1000,
    sessions: sessions !== null,
    stream: stream !== null,
    calls: grpc !== null,
    messages: websocket === null ? null : { broadcast }
  })
}

module.exports = createRecorder

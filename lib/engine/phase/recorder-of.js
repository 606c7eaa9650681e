'use strict'

const Recorder = require('../../metrics/recorder')
const world = require('../../world')

/**
 * Creates the recorder for a phase with this plan.
 *
 * @param {object} plan
 * @param {?object} [broadcast] parameters of the BroadcastRecorder if messages are broadcast; otherwise null
 * @returns {Recorder}
 */
function createRecorder ({ requests, targets, schedule, sessions, ignoreCoordinatedOmission, excludeErrorStats, timeout, stream, websocket, grpc, isUserCode }, broadcast = null) {
  return new Recorder({
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
  })
}

module.exports = createRecorder

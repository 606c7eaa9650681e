'use strict'

const diagnosed = require('../../metrics/diagnosed-recorder')
const MixedRecorder = require('../../metrics/mixed-recorder')
const Recorder = require('../../metrics/recorder')
const world = require('../../world')

/**
 * Creates the recorder for a phase with this plan.
 *
 * @param {object} plan
 * @param {?object} [broadcast] parameters of the BroadcastRecorder if messages are broadcast; otherwise null
 * @returns {Recorder}
 */
function createRecorder ({ requests, targets, schedule, sessions, ignoreCoordinatedOmission, excludeErrorStats, timeout, stream, websocket, grpc, isUserCode, scenarios = null, diagnose, slowest }, broadcast = null) {
  const kindOf = diagnose ? diagnosed : (Kind) => Kind
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
  if (scenarios === null) return new (kindOf(Recorder))(options)
  return new (kindOf(MixedRecorder))(options, scenarios, requests.map(({ scenario }) => scenarios.findIndex(({ name }) => name === scenario)))
}

module.exports = createRecorder

'use strict'

/*
 * How long machines wait for each other. These are in one place because each of them must fit the others.
 */
module.exports = Object.freeze({
  // How often a machine without messages sends a pulse.
  PULSE_MS: 1000,
  // A machine that has sent a message more recently than this needs no pulse.
  QUIET_MS: 900,
  // How often to check who is silent.
  WATCH_MS: 250,
  // A thread whose check is this late was stalled itself, and must not blame others for their silence.
  STANDSTILL_MS: 1000,
  // An agent is lost after five seconds of silence, including the time until the check.
  AGENT_SILENT_MS: 4600,
  // If Redis hasn't responded for this long, it is unreachable, and silence says nothing about the others.
  REDIS_SLOW_MS: 1500,
  // After this long, the leader gives up on an unreachable Redis. The agents have ended their load by then.
  REDIS_GONE_MS: 8500,
  // An agent ends its load within ten seconds of its leader's last message, including the check and the end of its threads.
  LEADER_SILENT_MS: 8000,
  // Messages are kept for as long as a receiver may ask for them again.
  KEPT_MS: 15_000,
  // A message that was signed this long ago, or in the future, doesn't belong to this run.
  STALE_MS: 60_000,
  // How far ahead the common start is: each agent must have received it by then.
  START_AHEAD_MS: 300,
  // Keys that aren't deleted expire after this long: those of the queue, which agents renew, and those of a run.
  QUEUE_EXPIRY_S: 86_400,
  RUN_EXPIRY_S: 3600,
  ENDED_EXPIRY_S: 60
})

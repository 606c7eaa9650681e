'use strict'

/*
 * How long machines wait for each other, in one place, since each of these has to fit the others.
 */
module.exports = Object.freeze({
  // Who has nothing to tell says so once in a while.
  PULSE_MS: 1000,
  // Who has told something not longer ago than this has been heard.
  QUIET_MS: 900,
  // How often somebody looks who has not been heard of.
  WATCH_MS: 250,
  // A thread that looks as late as this has stood still itself, and may not blame others for their silence.
  STANDSTILL_MS: 1000,
  // An agent is lost five seconds after it was last heard of, the look included.
  AGENT_SILENT_MS: 4600,
  // Redis does not answer for so long: it is away, and silence says nothing of the others.
  REDIS_SLOW_MS: 1500,
  // The leader gives up a Redis that has been away for so long. The agents have ended their load by then.
  REDIS_GONE_MS: 8500,
  // An agent ends its load ten seconds after it last heard of its leader, the look and the end of its threads included.
  LEADER_SILENT_MS: 8000,
  // What was told is kept for as long as anybody may ask for it again.
  KEPT_MS: 15_000,
  // A message that was signed so long ago, or ahead, is none of this run.
  STALE_MS: 60_000,
  // How far ahead the common start lies: each agent must have heard of it by then.
  START_AHEAD_MS: 300,
  // What is in Redis without being deleted expires after so long: the queue, which agents keep alive; and what a run has told.
  QUEUE_EXPIRY_S: 86_400,
  RUN_EXPIRY_S: 3600,
  ENDED_EXPIRY_S: 60
})

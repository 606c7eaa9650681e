'use strict'

const { nounOf } = require('../words/noun')
const { count, counted, seconds: inSeconds } = require('../words/numbers')

// A plan has no messages yet, but says how they are sent.
const requests = (value, { websocket }) => counted(value, nounOf({ messages: websocket }))

const stopped = (message) => ({ code: 'STOPPED', message })

/**
 * What has cut a run short: whoever stopped it, `bailout`, or a drain that was over before the answers had come.
 *
 * @param {object} plan
 * @param {object} outcome of an engine
 * @param {boolean} isStopped whether `stop()` was called, or the abort signal came
 * @returns {?{ code: string, message: string }} null where it came to its own end
 */
function cutShort (plan, { summaries, seconds, warnings }, isStopped) {
  const sum = (name) => summaries.reduce((total, { counters }) => total + counters[name], 0)
  const sessions = () => summaries.reduce((total, { sessions }) => total + sessions.counters.completed + sessions.counters.failed, 0)
  if (isStopped) return stopped(`The run was stopped ${howFar(plan, seconds, sum, sessions)}.`)
  const failures = sum('failed') + sum('timedOut') + sum('connectionsFailed') + sum('mismatches')
  if (plan.bailout === null || failures < plan.bailout) return drainTooShort(plan, warnings, sum)
  return stopped(`The run ended early, after ${inSeconds(seconds)} seconds, because it had as many errors as bailout allows (${count(plan.bailout)}).`)
}

// By what was to end it.
function howFar (plan, seconds, sum, endedSessions) {
  const { amount, duration, sessions } = plan
  if (sessions?.amount > 0) return `after ${count(endedSessions())} of its ${counted(sessions.amount, 'session')}, so the result covers only part of it`
  if (amount !== null) return `after ${count(sum('sent'))} of its ${requests(amount, plan)}, so the result covers only part of it`
  if (seconds < duration) return `after ${inSeconds(seconds)} of its ${inSeconds(duration)} seconds, so the result covers only part of it`
  return drains(plan) ? `while it waited for its last responses: ${requests(sum('unfinished'), plan)} were outstanding` : 'at its very end'
}

// What is in flight at the end of a closed model's window is left alone; sessions go on, and copies of a broadcast are waited for.
function drains ({ schedule, sessions, websocket }) {
  return schedule !== null || sessions !== null || websocket?.expect === 'broadcast'
}

// A drain as long as the timeout leaves nothing unanswered that has not timed out.
function drainTooShort (plan, warnings, sum) {
  const { drain, timeout } = plan
  const unfinished = sum('unfinished')
  const isToldOtherwise = warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION')
  if (!drains(plan) || unfinished === 0 || drain >= timeout || isToldOtherwise) return null
  return stopped(`The run ended before all responses had arrived: ${requests(unfinished, plan)} were outstanding when the drain of ${inSeconds(drain)} seconds ended. A longer drain waits for them, up to the timeout of ${inSeconds(timeout)} seconds at most.`)
}

module.exports = cutShort

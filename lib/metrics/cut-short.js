'use strict'

const { nounOf } = require('../words/noun')
const { count, counted, seconds: inSeconds } = require('../words/numbers')
const { PARTS } = require('./parts')

// Before the run, the plan has no count of messages yet, but it does say whether requests are WebSocket messages.
const requests = (value, { websocket }) => counted(value, nounOf({ messages: websocket }))

const outstanding = (value, plan) => `${requests(value, plan)} ${value === 1 ? 'was' : 'were'} outstanding`

const stopped = (message) => ({ code: 'STOPPED', message })

/**
 * Tells what ended a run early: an error of the user's code, `stop()` or an abort signal, `bailout`, or a drain that ended before all
 * responses had arrived.
 *
 * @param {object} plan
 * @param {object} outcome of an engine
 * @param {object} how
 * @param {boolean} how.isStopped whether `stop()` was called, or the abort signal came
 * @param {boolean} [how.hasFailed=false] whether the run ends with an error
 * @returns {?{ code: string, message: string }} null if the run ended on its own
 */
function cutShort (plan, outcome, { isStopped, hasFailed = false }) {
  const { summaries, isInterrupted = true, seconds, warnings } = outcome
  const sum = (name) => summaries.reduce((total, { counters }) => total + counters[name], 0)
  if (hasFailed) return stopped(`The run failed ${howFar(plan, outcome, sum)}.`)
  // It may have been stopped after it had ended on its own, while its connections were still closing.
  if (isStopped && isInterrupted && !isWhole(plan, outcome, sum)) return stopped(`The run was stopped ${howFar(plan, outcome, sum)}.`)
  const failures = sum('failed') + sum('timedOut') + sum('connectionsFailed') + sum('mismatches')
  if (plan.bailout === null || failures < plan.bailout) return drainTooShort(plan, warnings, sum)
  return stopped(`The run ended early, after ${inSeconds(seconds)} seconds, because it had as many errors as bailout allows (${count(plan.bailout)}).`)
}

// Whether stopping the run cut nothing off: everything that came due had been sent and answered. Sessions and copies may still have been
// under way.
function isWhole (plan, { seconds }, sum) {
  const { amount, duration, sessions, websocket } = plan
  if (sessions !== null || websocket?.expect === 'broadcast' || sum('unfinished') + sum('unsent') > 0) return false
  return amount === null ? seconds >= duration : sum('sent') >= amount
}

// Describes progress in the unit that was to end the run: sessions, requests or seconds.
function howFar (plan, { summaries, seconds }, sum) {
  const { amount, duration } = plan
  const known = PARTS.filter((part) => part.isIn(plan)).map((part) => part.howFar(plan, summaries)).find((told) => told !== null)
  if (known !== undefined) return `after ${known}, so the result covers only part of it`
  if (amount !== null) return `after ${count(sum('sent'))} of its ${requests(amount, plan)}, so the result covers only part of it`
  if (seconds < duration) return `after ${inSeconds(seconds)} of its ${inSeconds(duration)} seconds, so the result covers only part of it`
  const unfinished = sum('unfinished')
  return drains(plan) && unfinished > 0 ? `while it waited for its last responses: ${outstanding(unfinished, plan)}` : 'at its very end'
}

// In the closed model, requests in flight at the end of the window are not waited for, unless a part has to.
const drains = (plan) => PARTS.some((part) => part.drains(plan))

// If the drain is at least as long as the timeout, every request has either been answered or timed out by its end.
function drainTooShort (plan, warnings, sum) {
  const { drain, timeout } = plan
  const unfinished = sum('unfinished')
  const isToldOtherwise = warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION')
  if (!drains(plan) || unfinished === 0 || drain >= timeout || isToldOtherwise) return null
  return stopped(`The run ended before all responses had arrived: ${outstanding(unfinished, plan)} when the drain of ${inSeconds(drain)} seconds ended. A longer drain waits for them, up to the timeout of ${inSeconds(timeout)} seconds at most.`)
}

module.exports = cutShort

'use strict'

const { ROUNDED_TO_MS } = require('./round')

// The times of the world are whole microseconds, and those of threads are relative to clocks of their own.
const ROUNDED_MS = 2e-3

/**
 * Whether a person ended a thread's part of a round: what was in flight or waiting then is cut off by when, and not by how slow it is.
 *
 * @param {Round} round
 * @param {object} part one of its `parts`
 * @returns {?boolean} null: that is not clear from when it ended
 */
function isInterrupted (round, part) {
  const { drawn: { end, threads }, world } = round
  // Threads hear of it by a message, and none of them before its time.
  const heardAt = end === null ? Infinity : world.begunAt / 1000 + end.after + (threads?.message ?? 0)
  if (part.finishedAt < heardAt - ROUNDED_MS) return false
  return mayHaveEndedItself(round, part) ? null : true
}

// At the same time, or before the person had heard of it. With everything answered, nothing would have been cut off.
function mayHaveEndedItself ({ plan, drawn, result }, { begunAt, endedAt, finishedAt }) {
  const { accounting: { scheduled }, errors, mismatches } = result
  if (plan.bailout !== null && errors + mismatches >= plan.bailout) return true
  const { amount, duration, drain } = plan
  // By how many ms timers may fire too early.
  const tolerance = (drawn.client.timersEarlyUs ?? 0) / 1000 + ROUNDED_TO_MS
  const hasWindow = amount === null ? endedAt - begunAt >= duration * 1000 - tolerance : scheduled >= amount
  return hasWindow && finishedAt - endedAt >= drain * 1000 - tolerance
}

/**
 * Of values that were cut off if their thread's part was, all that may be meant: the parts that are unclear were cut off or not.
 *
 * @param {Round} round
 * @param {object[]} entries each with its `part`
 * @returns {object[][]} which of them were cut off
 */
function possiblyCutOff (round, entries) {
  return round.parts.reduce((possible, part) => {
    const own = entries.filter((entry) => entry.part === part)
    const isCutOff = own.length === 0 ? false : isInterrupted(round, part)
    return possible.flatMap((others) => [...(isCutOff === true ? [] : [others]), ...(isCutOff === false ? [] : [[...others, ...own]])])
  }, [[]])
}

module.exports = { isInterrupted, possiblyCutOff }

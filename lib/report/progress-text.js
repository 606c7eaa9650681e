'use strict'

const { rate: showRate } = require('../words/numbers')
const { widthOf, withoutEscapes } = require('./text')

const WIDEST_BAR = 60
const NARROWEST_BAR = 5

/**
 * Formats a line of progress. The template has the tokens of the npm package `progress`: `:bar`, `:percent`, `:current`,
 * `:total` (requests, or seconds if the run has a duration), `:elapsed` and `:eta` (seconds) and `:rate` (requests per
 * second).
 *
 * @param {string} template such as `running [:bar] :percent`; other text is kept
 * @param {object} progress
 * @param {number} progress.current how much is done
 * @param {number} progress.total how much there is to do
 * @param {number} progress.elapsed seconds since the start
 * @param {number} progress.rate requests per second
 * @param {number} columns the width of the terminal
 * @returns {string} the line; a `:bar` takes the remaining width of the terminal
 */
function progressText (template, { current, total, elapsed, rate }, columns) {
  const share = total > 0 ? Math.min(1, Math.max(0, current / total)) : 0
  const remaining = share > 0 ? elapsed * (1 / share - 1) : 0
  const text = template
    .replace(/:percent/g, () => `${Math.floor(share * 100)}%`)
    .replace(/:current/g, () => String(Math.floor(Math.min(current, total))))
    .replace(/:total/g, () => String(total))
    .replace(/:elapsed/g, () => elapsed.toFixed(1))
    .replace(/:eta/g, () => remaining.toFixed(1))
    .replace(/:rate/g, () => showRate(rate))
  // The last column stays empty, since many terminals wrap to the next line when it is written to.
  const room = columns - 1 - widthOf(withoutEscapes(text.replace(/:bar/g, '')))
  return text.replace(/:bar/g, () => barText(share, Math.min(WIDEST_BAR, Math.max(NARROWEST_BAR, room))))
}

function barText (share, size) {
  return '='.repeat(Math.round(share * size)).padEnd(size)
}

/**
 * Returns the goal of a run, which ends after a number of requests, a number of sessions, or a duration.
 *
 * @param {object} opts `instance.opts`: `duration` in seconds
 * @returns {{ total: number, reached: ?function(object): number }} `reached(tick)` returns the progress at a `tick`; null
 *   if the goal is a duration
 */
function goalOf ({ amount, duration, sessions }) {
  if (sessions?.amount > 0) return { total: Number(sessions.amount), reached: ({ sessions: so }) => so ? so.completed + so.failed : 0 }
  if (amount) return { total: amount, reached: ({ sent, requests = 0 }) => sent ?? requests }
  return { total: duration, reached: null }
}

module.exports = { goalOf, progressText }

'use strict'

const { verdictsOf } = require('../../thresholds/evaluate')
const { failuresOf } = require('../../metrics/failure-count')
const { doneOf, nounOf } = require('../../words/noun')
const numbers = require('../../words/numbers')
const { error, note, warning } = require('../document')
const { failureFigures } = require('../failures')
const { cleanName } = require('../text')

// From this share on, an achieved rate counts as achieved.
const ACHIEVED_SHARE = 0.99

/** How a run went, in a sentence or two; if it went badly, without what went well. @param {object} result from `readResult` @returns {object[]} one sentence of a document */
function verdictOf (result) {
  const findings = [responses(result), thresholds(result), rate(result), generator(result)].filter(Boolean)
  const isBad = findings.some(({ severity }) => severity === 'error')
  const text = findings.filter(({ severity }) => !isBad || severity !== 'note').map(({ text }) => text).join(' ')
  return text === '' ? [] : [isBad ? error(text) : note(text)]
}

function responses (result) {
  const noun = nounOf(result)
  const completed = result.accounting?.completed ?? result.requests?.total
  if (completed === 0) return error(`No ${noun} was ${doneOf(noun)}.`)
  const { share, isBad } = failureFigures(result)
  if (isBad) return error(`${share} of the ${noun}s failed.`)
  return numbers.isNumber(failuresOf(result).atLeast) ? note(`No ${noun} failed.`) : null
}

function thresholds (result) {
  const all = verdictsOf(result)
  if (all.length === 0) return null
  const missed = all.filter(({ passed }) => !passed).map(({ threshold }) => cleanName(threshold))
  if (missed.length === 0) return note(all.length === 1 ? 'The threshold was met.' : `All ${all.length} thresholds were met.`)
  if (all.length === 1) return error(`The threshold was not met: ${missed[0]}.`)
  return error(`${missed.length} of ${numbers.counted(all.length, 'threshold')} ${missed.length === 1 ? 'was' : 'were'} not met: ${missed.join(', ')}.`)
}

function rate ({ rate, sessions }) {
  if (sessions || !(rate?.offered > 0) || !numbers.isNumber(rate.achieved)) return null
  if (rate.achieved >= ACHIEVED_SHARE * rate.offered) return note('The rate was achieved.')
  return warning(`Only ${numbers.percent(rate.achieved / rate.offered)} of the rate was achieved.`)
}

const HELD_UP = {
  machine: 'Other programs held up the load generator, so the latency includes its delays.',
  hooks: 'Hooks or listeners held up the load generator, so the latency includes its delays.'
}

function generator ({ generator }) {
  if (generator?.saturated !== true) return null
  return warning(HELD_UP[generator.cause] ?? 'The load generator was saturated, so the numbers show its limits as well as the server\'s.')
}

module.exports = { verdictOf }

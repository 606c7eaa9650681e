'use strict'

const { CODES, isOurs, reasonOf } = require('../base/errors')
const { userPlaceOf } = require('../base/user-code')
const { counted } = require('../words/numbers')

// A message may contain an id, so there may be as many messages as sessions.
const MOST_KEPT = 1000
const MOST_SHOWN = 20
const LONGEST_MESSAGE = 500
const OTHERS = 'others'

/** Why sessions of user code failed, and how often. */
class Failures {
  constructor () {
    this.counts = new Map()
  }

  /** @param {*} error what the user's function threw @param {?string} scenario */
  count (error, scenario) {
    const code = isOurs(error) ? error.code : null
    const message = reasonOf(error).slice(0, LONGEST_MESSAGE)
    const key = keyOf({ message, code, scenario })
    const known = this.counts.get(key)
    if (known !== undefined) known.count++
    else if (this.counts.size < MOST_KEPT) this.counts.set(key, { message, code, scenario, count: 1, isOfCode: isOfCode(code), place: userPlaceOf(error) })
    else this.countOther()
  }

  countOther () {
    const others = this.counts.get(OTHERS)
    if (others === undefined) this.counts.set(OTHERS, othersOf(1))
    else others.count++
  }

  toData () {
    return [...this.counts.values()].map((failure) => ({ ...failure }))
  }
}

const keyOf = ({ message, code, scenario }) => JSON.stringify([message, code, scenario])

const othersOf = (count) => ({ message: OTHERS, code: null, scenario: null, count, isOthers: true, isOfCode: false, place: null })

// What the server or the network did is not an error of the user's code; what the code asked for may be one.
function isOfCode (code) {
  return code === null || code === CODES.BAD_OPTION
}

/** Adds up the data of several recorders. @param {object[][]} parts from toData @returns {object[]} the most frequent first */
function mergeFailures (parts) {
  const sums = new Map()
  for (const failure of parts.flat()) {
    const key = failure.isOthers ? OTHERS : keyOf(failure)
    const known = sums.get(key)
    if (known === undefined) sums.set(key, { ...failure })
    else known.count += failure.count
  }
  const others = sums.get(OTHERS)
  sums.delete(OTHERS)
  const sorted = [...sums.values()].sort((one, other) => other.count - one.count)
  return others === undefined ? sorted : [...sorted, others]
}

/** `sessions.failures` of a result. @param {object[]} failures merged */
function failuresResult (failures) {
  const shown = failures.filter(({ isOthers }) => !isOthers).slice(0, MOST_SHOWN)
  const rest = failures.filter((failure) => !shown.includes(failure)).reduce((sum, { count }) => sum + count, 0)
  return [...shown, ...(rest > 0 ? [othersOf(rest)] : [])].map(({ message, code, scenario, count }) => ({ message, code, scenario, count }))
}

/** One warning for each message, whatever the scenario. @param {object[]} failures merged */
function failureWarnings (failures) {
  const byMessage = new Map()
  for (const { message, count, place, isOfCode } of failures) {
    if (!isOfCode) continue
    const known = byMessage.get(message)
    if (known !== undefined) known.count += count
    else if (byMessage.size < MOST_SHOWN) byMessage.set(message, { count, place })
  }
  return [...byMessage].map(([message, { count, place }]) => ({
    code: 'USER_CODE_FAILED',
    // A word such as `session` before the colon would make what follows look like a secret, which reports hide.
    message: `In ${counted(count, 'session')}, the user function failed: ${message}${place === null ? '' : ` (at ${place})`}`
  }))
}

module.exports = { Failures, failureWarnings, failuresResult, mergeFailures }

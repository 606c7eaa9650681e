'use strict'

/**
 * For what is right only while the machine does not stand still: tries it again until it is good, at most so often. What
 * is never good is the fault of nothing but the code.
 *
 * @template T
 * @param {number} times
 * @param {function(): Promise<T>} trial
 * @param {function(T): boolean} isGood
 * @returns {Promise<T>} the first good outcome, or else the last one
 */
async function attempts (times, trial, isGood) {
  const outcome = await trial()
  return times === 1 || isGood(outcome) ? outcome : attempts(times - 1, trial, isGood)
}

module.exports = { attempts }

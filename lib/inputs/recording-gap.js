'use strict'

// So few pauses may be the fault of times that are wrong: one, or one in ten requests. Users do read a page for some minutes.
const MOST_GAPS = 10
const SHARE_OF_GAPS = 0.1
const SHORTEST_SECONDS = 600
// How much longer than all the rest together.
const TIMES_THE_REST = 10

const UNITS = [['day', 86_400], ['hour', 3600], ['minute', 60]]

/** Keeps the longest of the pauses that it is told of, and where each begins. */
class Gaps {
  constructor () {
    /** Descending. */
    this.longest = []
    this.count = 0
    this.total = 0
  }

  /** @param {number} seconds @param {number} place */
  add (seconds, place) {
    this.count++
    this.total += seconds
    const { longest } = this
    if (longest.length === MOST_GAPS && seconds <= longest.at(-1).seconds) return
    const at = longest.findIndex((gap) => gap.seconds < seconds)
    longest.splice(at === -1 ? longest.length : at, 0, { seconds, place })
    if (longest.length > MOST_GAPS) longest.pop()
  }

  /**
   * The pauses that make a recording what it is: each is long by itself, and many times as long as all that is left without
   * them. One wrong time makes a recording of a second take years.
   *
   * @returns {Array<{ seconds: number, place: number }>} the longest first
   */
  get outliers () {
    const most = Math.max(1, Math.floor(this.count * SHARE_OF_GAPS))
    let rest = this.total
    let found = 0
    this.longest.slice(0, most).forEach(({ seconds }, index) => {
      rest = Math.max(0, rest - seconds)
      if (seconds >= SHORTEST_SECONDS && seconds > TIMES_THE_REST * rest) found = index + 1
    })
    return this.longest.slice(0, found)
  }
}

/**
 * @param {Gaps} gaps
 * @param {function(number): string} where a pause is, by its place, in words
 * @param {string} advice
 * @returns {object[]} a warning, or none
 */
function gapWarnings (gaps, where, advice) {
  const { outliers } = gaps
  if (outliers.length === 0) return []
  const [{ seconds, place }] = outliers
  const others = outliers.length === 1 ? '' : `, and ${outliers.length - 1} more such pause${outliers.length === 2 ? '' : 's'}`
  const rest = Math.max(0, gaps.total - outliers.reduce((sum, gap) => sum + gap.seconds, 0))
  return [{
    code: 'RECORDING_GAP',
    message: `For ${inWords(seconds)} of the recording nothing is due: ${where(place)}${others}. All the rest takes ${inWords(rest)}. ${advice}`
  }]
}

// In the largest unit of which there are two at least.
function inWords (seconds) {
  const [unit, length] = UNITS.find(([, length]) => seconds >= 2 * length) ?? ['second', 1]
  const count = Math.round(seconds / length * 10) / 10
  return `${count.toLocaleString('en-US')} ${unit}${count === 1 ? '' : 's'}`
}

module.exports = { Gaps, gapWarnings }

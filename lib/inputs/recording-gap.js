'use strict'

// Wrong timestamps cause only a few long pauses, so at most 10 are reported, and at most a tenth of all pauses (but at
// least one). Pauses under 10 minutes are plausible, since users do read a page for some minutes.
const MOST_GAPS = 10
const SHARE_OF_GAPS = 0.1
const SHORTEST_SECONDS = 600
// An outlier is more than this many times as long as the rest of the recording.
const TIMES_THE_REST = 10

const UNITS = [['day', 86_400], ['hour', 3600], ['minute', 60]]

/** Keeps the longest pauses of a recording, and the place of each. */
class Gaps {
  constructor () {
    /** In descending order. */
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
   * The pauses that dominate a recording: each is long in itself, and many times as long as the rest of the recording. A
   * single wrong timestamp can make a recording of one second take years.
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
 * @param {function(number): string} describes the position of a pause
 * @param {string} advice
 * @returns {object[]} one warning, or empty
 */
function gapWarnings (gaps, where, advice) {
  const { outliers } = gaps
  if (outliers.length === 0) return []
  const [{ seconds, place }] = outliers
  const others = outliers.length === 1 ? '' : `, and ${outliers.length - 1} more such pause${outliers.length === 2 ? '' : 's'}`
  const rest = Math.max(0, gaps.total - outliers.reduce((sum, gap) => sum + gap.seconds, 0))
  return [{
    code: 'RECORDING_GAP',
    message: `Nothing is due for ${inWords(seconds)} ${where(place)}${others}. All the rest takes ${inWords(rest)}. ${advice}`
  }]
}

// Uses the largest unit in which the duration is 2 or more.
function inWords (seconds) {
  const [unit, length] = UNITS.find(([, length]) => seconds >= 2 * length) ?? ['second', 1]
  const count = Math.round(seconds / length * 10) / 10
  return `${count.toLocaleString('en-US')} ${unit}${count === 1 ? '' : 's'}`
}

module.exports = { Gaps, gapWarnings }

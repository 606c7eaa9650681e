'use strict'

/*
 * What all charts over time have in common. A sample tells of the stretch of time up to its end, and is drawn over it; the first
 * one from its beginning.
 */

const MOST_POINTS = 800

/** The values of samples, one for each of `timesOf`. */
const fromTheStart = (values) => [values[0], ...values]

/** When the first of some samples began, and when each of them ended, s. @param {object[]} samples from `samplesOf`, at least one */
function timesOf (samples) {
  const [{ time, seconds }] = samples
  return [Math.max(0, Number((time - seconds).toFixed(3))), ...samples.map(({ time }) => time)]
}

/** The axis of a chart of some samples, of which the others of its page may have more. */
function timeAxis (samples) {
  const end = samples.reduce((max, { time }) => Math.max(max, time), 0)
  return { scale: 'linear', min: 0, max: end || 1, label: 'seconds from the start', name: 'time', unit: 's' }
}

module.exports = { MOST_POINTS, fromTheStart, timeAxis, timesOf }

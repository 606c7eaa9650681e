'use strict'

const { chartFigure } = require('./chart')

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

/**
 * A chart over time; those of a page have one cursor, and are zoomed together.
 *
 * @param {object} figure as for `chartFigure`, but for `chart`
 * @param {object[]} figure.samples what is drawn, from `samplesOf`; `all` of them, where several were joined into one
 * @param {number} figure.height
 * @param {object} figure.y
 * @param {object[]} figure.series each with its `values`, one for each sample
 * @param {function(Array[]): Array[]} [figure.edges] makes other data of the times and the values at them
 */
function timeChart ({ samples, all = samples, height, y, series, edges = (data) => data, ...figure }) {
  // A mark stands for its sample once.
  const data = edges([timesOf(samples), ...series.map(({ values, isMarks }) => isMarks ? [0, ...values] : fromTheStart(values))])
  return drawn({ ...figure, height, y, series, data, x: timeAxis(all) })
}

/** The same of lines whose values are at common `times`. */
function alignedChart ({ times, all, height, y, series, ...figure }) {
  return drawn({ ...figure, height, y, series, data: [times, ...series.map(({ values }) => values)], x: timeAxis(all) })
}

function drawn ({ height, x, y, series, data, ...figure }) {
  const looks = series.map(({ name, color, line, isFilled, isMarks, isJoined, unit }) => ({ name, color, line, isFilled, isMarks, isJoined, unit }))
  return chartFigure({ ...figure, chart: { height, group: 'time', steps: 'before', x, y, series: looks, data } })
}

module.exports = { MOST_POINTS, alignedChart, fromTheStart, timeChart, timesOf }

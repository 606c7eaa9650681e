'use strict'

const { linearAxis } = require('../axes')
const numbers = require('../../words/numbers')

/*
 * Shared by all charts over time. A sample covers the time up to its end, so its value is drawn over that interval; the
 * first one starts at its beginning.
 */

const MOST_POINTS = 800

/** Repeats the first value, so that there is one value for each of `timesOf`. */
const fromTheStart = (values) => [values[0], ...values]

/**
 * Returns the start of the first sample and the end of each, in seconds. @param {object[]} samples from `samplesOf`, at
 * least one
 */
function timesOf (samples) {
  const [{ time, seconds }] = samples
  return [Math.max(0, Number((time - seconds).toFixed(3))), ...samples.map(({ time }) => time)]
}

/** Returns the time axis for samples. Pass all samples of a page, so that its charts share one axis. */
function timeAxis (samples) {
  const end = samples.reduce((max, { time }) => Math.max(max, time), 0)
  return { scale: 'linear', min: 0, max: end || 1, label: 'seconds from the start', name: 'time', unit: 's' }
}

/**
 * Creates a chart over time. All charts of a page share the cursor and the zoom.
 *
 * @param {object} figure as for `chartFigure` (html/chart.js), except `chart`
 * @param {object[]} figure.samples the samples to draw, from `samplesOf`; `all`: the original ones, if several were
 *   merged
 * @param {number} figure.height
 * @param {object} figure.y
 * @param {object[]} [figure.levels] horizontal lines
 * @param {object[]} figure.series each with its `values`, one per sample
 * @param {function(Array[]): Array[]} [figure.edges] transforms the times and values
 */
function timeChart ({ samples, all = samples, height, y, levels, series, edges = (data) => data, ...figure }) {
  // A mark must appear only once per sample, so the first value is not repeated.
  const data = edges([timesOf(samples), ...series.map(({ values, isMarks }) => isMarks ? [0, ...values] : fromTheStart(values))])
  return drawn({ ...figure, height, y, levels, series, data, x: timeAxis(all) })
}

/** Like `timeChart`, for lines with values at common `times`. */
function alignedChart ({ times, all, height, y, series, ...figure }) {
  return drawn({ ...figure, height, y, series, data: [times, ...series.map(({ values }) => values)], x: timeAxis(all) })
}

function drawn ({ height, x, y, levels = [], series, data, ...figure }) {
  const looks = series.map(({ name, color, line, isFilled, isMarks, isJoined, unit }) => ({ name, color, line, isFilled, isMarks, isJoined, unit }))
  return { chart: { ...figure, chart: { height, group: 'time', steps: 'before', x, y, levels, series: looks, data } } }
}

/**
 * Creates a chart over time of a few lines from 0, such as the processor time of each process.
 *
 * @param {object} figure `id`, `title`, `samples` and `all` as for timeChart
 * @param {string} figure.unit of the values; `label`: of the axis
 * @param {Array<{ name: string, color: string, values: Array<?number> }>} figure.lines
 */
function lineChart ({ id, title, unit, label, samples, all, lines }) {
  const values = lines.flatMap((line) => line.values)
  const most = values.reduce((max, value) => Math.max(max, value ?? 0), 0)
  return timeChart({
    id,
    title,
    summary: `${title}: at most ${numbers.count(Math.round(most))}${unit === '%' ? '' : ' '}${unit}.`,
    samples,
    all,
    height: 180,
    y: linearAxis(values, label, { unit }),
    series: lines.map((line) => ({ ...line, line: 'solid' }))
  })
}

module.exports = { lineChart, MOST_POINTS, alignedChart, fromTheStart, timeChart, timesOf }

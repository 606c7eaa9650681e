'use strict'

const { number, percentileAt } = require('./numbers')
const { FONT, color, widthOf } = require('./theme')

const LABEL_GAP = 14
// What uPlot calls a logarithmic scale.
const LOGARITHMIC = 3

/** An axis (see chart.js) as uPlot wants it; `size` in pixels. */
function axisFor (axis, side, size) {
  const isHorizontal = side === 'x'
  const show = axis.labels ? (value) => axis.labels[value - 1] || '' : axis.scale === 'percentile' ? percentileAt : number
  const settings = {
    scale: side,
    label: fitting(axis.label, size),
    labelSize: 18,
    labelGap: 2,
    font: FONT,
    labelFont: FONT,
    gap: 6,
    // At least so wide, so that charts under one another usually stand flush.
    size: isHorizontal ? 28 : (u, texts) => 14 + Math.max(36, ...(texts || []).map(widthOf)),
    stroke: () => color('soft'),
    grid: { stroke: () => color('grid'), width: 1 },
    ticks: { show: false },
    values: (u, splits) => splits.map(show)
  }
  if (axis.labels) settings.space = Math.max(...axis.labels.map(widthOf)) + LABEL_GAP
  if (axis.isWhole) settings.incrs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
  if (axis.scale !== 'linear') {
    const gap = (a, b) => isHorizontal ? (widthOf(show(a)) + widthOf(show(b))) / 2 + LABEL_GAP : 22
    settings.splits = (u, index, from, to) => logarithmicSplits(from, to, size, gap)
    settings.filter = (u, splits) => splits
  }
  return settings
}

// What stands in brackets is given up where there is no room for it.
function fitting (label, pixels) {
  return widthOf(label) > pixels ? label.replace(/(,[^,()]*)?\)$/, (all, more) => more ? ')' : all).replace(/ \((?!ms\)|%\))[^)]*\)$/, '') : label
}

/** The scale of an axis. What is shown of x changes when a reader picks a part of it. */
function scaleFor (axis, side) {
  // Looked at each time: what is drawn while a run goes on grows.
  const whole = () => [axis.min, axis.max]
  const range = side === 'x' ? (u, min, max) => u.picked === true ? [min, max] : whole() : whole
  return axis.scale === 'linear' ? { time: false, range } : { distr: LOGARITHMIC, log: 10, time: false, range }
}

/**
 * Where the lines of a logarithmic axis stand: 1, 2, 5, 10, 20, … where there is room. The powers of ten come first, since
 * between them a reader can guess.
 *
 * @param {number} from greater than 0
 * @param {number} to
 * @param {number} pixels between the two
 * @param {function(number, number): number} gapBetween how many pixels two values need
 * @returns {number[]} in rising order
 */
function logarithmicSplits (from, to, pixels, gapBetween) {
  const accepted = []
  const position = (value) => Math.log(value / from) / Math.log(to / from) * pixels
  for (const step of [1, 2, 5]) {
    for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
      const value = Number((step * 10 ** power).toPrecision(1))
      const hasRoom = accepted.every((other) => Math.abs(position(other) - position(value)) >= gapBetween(value, other))
      if (value >= from * 0.999 && value <= to * 1.001 && hasRoom) accepted.push(value)
    }
  }
  return accepted.sort((a, b) => a - b)
}

module.exports = { axisFor, scaleFor }

'use strict'

const { number, percentileAt } = require('./numbers')
const logarithmicSplits = require('./splits')
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

module.exports = { axisFor, scaleFor }

/* global uPlot */
'use strict'

const { withUnit } = require('./numbers')
const { color } = require('./theme')

const DASHES = { solid: undefined, dashed: [7, 4], dotted: [4, 3] }
const HALO_WIDTH = 7
// A value holds up to its own x, or from there to the next one.
const STEPS = { before: -1, after: 1 }

/** A series (see chart.js) as uPlot wants it. */
function seriesFor (series, spec) {
  const stroke = () => color(series.color)
  const show = withUnit(series.unit === undefined ? spec.y : series)
  const settings = { label: series.name, scale: 'y', stroke, value: (u, value) => show(value) }
  if (series.isMarks) return { ...settings, scale: 'marks', paths: () => null, points: { show: false } }
  return {
    ...settings,
    width: series.isHalo ? HALO_WIDTH : 1.75,
    alpha: series.isHalo ? 0.4 : 1,
    dash: DASHES[series.line],
    spanGaps: series.isJoined === true,
    paths: series.isLoose ? () => null : spec.steps ? uPlot.paths.stepped({ align: STEPS[spec.steps] }) : undefined,
    fill: series.isFilled ? () => color(series.color) + '22' : undefined,
    points: { show: series.hasPoints === true || spec.data[0].length === 1, size: 7, fill: stroke, stroke }
  }
}

/**
 * The series from the bottom to the top: halos, whole lines, and those with gaps, through which one sees what lies
 * beneath. Of each kind the first is uppermost.
 */
function drawingOrder (spec) {
  const height = ({ isHalo, line }) => isHalo ? 0 : line === 'solid' ? 1 : 2
  return [...spec.series].reverse().sort((a, b) => height(a) - height(b))
}

module.exports = { drawingOrder, seriesFor }

/* global uPlot */
'use strict'

const { axisFor, scaleFor } = require('./axes')
const drawExtras = require('./marks')
const { withUnit } = require('./numbers')
const { drawingOrder, seriesFor } = require('./series')

// The legend keeps the order of the page, whatever the order in which the series are drawn.
function orderLegend (plot, spec) {
  const rows = [...plot.root.querySelectorAll('.u-series')]
  rows[0].classList.add('position')
  rows[0].style.order = String(rows.length)
  drawingOrder(spec).forEach((series, index) => {
    rows[index + 1].style.order = String(spec.series.indexOf(series))
    rows[index + 1].classList.toggle('marks', series.isMarks === true)
    rows[index + 1].classList.toggle('halo', series.isHalo === true)
  })
  plot.setLegend({ idx: null })
}

/**
 * Draws a chart, in the place of the one that was drawn before.
 *
 * @param {{ spec: object, figure: Element, plot: ?uPlot }} chart
 * @param {number} [width] default: as wide as its place
 */
function build (chart, width) {
  const { spec, figure } = chart
  const target = figure.querySelector('.plot')
  if (chart.plot) chart.plot.destroy()
  figure.classList.add('drawn')
  const size = width || target.clientWidth
  const drawn = drawingOrder(spec)
  const options = {
    width: size,
    height: size < 480 ? Math.round(spec.height * 0.85) : spec.height,
    padding: [10, 14, 0, 0],
    cursor: { sync: spec.group ? { key: spec.group, setSeries: false } : undefined, points: { size: 6 } },
    legend: { markers: { width: 2, dash: (u, index) => (drawn[index - 1] || {}).line || 'solid' } },
    scales: { x: scaleFor(spec.x), y: scaleFor(spec.y), marks: { auto: false, range: [0, 1] } },
    axes: [axisFor(spec.x, 'x', size - 80), axisFor(spec.y, 'y', spec.height - 60)],
    series: [
      { label: spec.x.name || spec.x.label, value: (u, value) => withUnit(spec.x)(value) },
      ...drawn.map((series) => seriesFor(series, spec))
    ],
    hooks: { draw: [(u) => drawExtras(u, spec)] }
  }
  const [xs, ...values] = spec.data
  chart.plot = new uPlot(options, [xs, ...drawn.map((series) => values[spec.series.indexOf(series)])], target) // eslint-disable-line new-cap -- its own name
  orderLegend(chart.plot, spec)
  chart.width = size
}

module.exports = build

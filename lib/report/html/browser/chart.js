/* global uPlot */
'use strict'

const { axisFor, scaleFor } = require('./axes')
const { drawExtras, drawHeat, drawPairs } = require('./marks')
const { number, withUnit } = require('./numbers')
const { drawingOrder, seriesFor } = require('./series')
const { widthOf } = require('./theme')

// Half of the last number below the axis stands to the right of it.
const LEAST_PADDING = 14

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
 * A reader looks closer at a part by dragging over it, and at the whole again with a double click. Of a chart of steps, the
 * step is pointed at that the pointer is over.
 */
function cursorFor ({ group, steps }) {
  return {
    sync: group ? { key: group, setSeries: false } : undefined,
    points: { size: 6 },
    drag: { x: true, y: false, setScale: false },
    bind: { dblclick: (u) => () => (group ? uPlot.sync(group).plots : [u]).forEach(showWhole) },
    dataIdx: steps === undefined ? undefined : (u, series, closest, x) => stepAt(u.data[0], closest, x, steps)
  }
}

function stepAt (xs, closest, x, steps) {
  if (steps === 'before') return x > xs[closest] && closest < xs.length - 1 ? closest + 1 : closest
  return x < xs[closest] && closest > 0 ? closest - 1 : closest
}

function pick (u) {
  const { left, width } = u.select
  if (width < 5) return
  u.picked = true
  u.root.classList.add('picked')
  u.setScale('x', { min: u.posToVal(left, 'x'), max: u.posToVal(left + width, 'x') })
  u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false)
}

function showWhole (u) {
  u.picked = false
  u.root.classList.remove('picked')
  u.setScale('x', { min: u.data[0][0], max: u.data[0].at(-1) })
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
    padding: [10, Math.max(LEAST_PADDING, 4 + widthOf(number(spec.x.max)) / 2), 0, 0],
    cursor: cursorFor(spec),
    legend: { markers: { width: 2, dash: (u, index) => (drawn[index - 1] || {}).line || 'solid' } },
    scales: { x: scaleFor(spec.x, 'x'), y: scaleFor(spec.y, 'y'), marks: { auto: false, range: [0, 1] } },
    axes: [axisFor(spec.x, 'x', size - 80), axisFor(spec.y, 'y', spec.height - 60)],
    series: [
      { label: spec.x.name || spec.x.label, value: (u, value) => withUnit(spec.x)(value) },
      ...drawn.map((series) => seriesFor(series, spec))
    ],
    hooks: { drawAxes: [(u) => drawHeat(u, spec), (u) => spec.isPaired && drawPairs(u, spec)], draw: [(u) => drawExtras(u, spec)], setSelect: [(u) => pick(u)] }
  }
  const [xs, ...values] = spec.data
  chart.plot = new uPlot(options, [xs, ...drawn.map((series) => values[spec.series.indexOf(series)])], target) // eslint-disable-line new-cap -- its own name
  orderLegend(chart.plot, spec)
  chart.width = size
}

/**
 * Draws other values in a chart that is there; from anew where there is more to change than its values.
 *
 * @param {{ spec: object, figure: Element, plot: ?uPlot }} chart
 * @param {object} spec the one that holds from now on
 */
function update (chart, spec) {
  const known = chart.spec
  if (!chart.plot || shapeOf(known) !== shapeOf(spec)) {
    chart.spec = spec
    build(chart)
    return
  }
  // What draws it has the description that it was made of.
  for (const side of ['x', 'y']) Object.assign(known[side], spec[side])
  Object.assign(known, { data: spec.data, lines: spec.lines, levels: spec.levels, hollow: spec.hollow, heat: spec.heat })
  const [xs, ...values] = spec.data
  chart.plot.setData([xs, ...drawingOrder(known).map((series) => values[known.series.indexOf(series)])], chart.plot.picked !== true)
}

function shapeOf ({ x, y, series, data }) {
  const kinds = [x, y].map(({ scale, label }) => [scale, label])
  return JSON.stringify([kinds, series, data[0].length === 1])
}

module.exports = Object.assign(build, { update })

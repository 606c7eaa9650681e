'use strict'

const { linearRange, logRange } = require('../axes')
const { isNumber } = require('../../words/numbers')

const BINS = 60
const WORTH_A_LOG_AXIS = 30

/**
 * Shows the latency distribution as a bar chart. The numbers are in the table of percentiles, another view of the same
 * histograms.
 *
 * @param {object[]} series `{ name, color, line, distribution }`, see `distributionOf`
 * @param {'request'|'message'} noun
 * @returns {?object} null if no histogram is known
 */
function histogramFigure (series, noun) {
  const known = series.filter(({ distribution }) => distribution.recorded !== null)
    .map((one) => ({ ...one, recorded: one.distribution.recorded() }))
  if (known.length === 0) return null
  const edges = edgesFor(known.flatMap(({ recorded }) => [recorded.at(0).value, recorded.at(-1).value]))
  const shares = known.map(({ recorded, distribution }) => sharesIn(edges.values, recorded, distribution.count))
  return {
    chart: {
      id: 'latency-histogram',
      title: 'Latency distribution',
      note: `Share of all ${noun}s in each latency range.`,
      summary: `Latency distribution. ${known.map((one, index) => fullestInWords(one.name, edges.values, shares[index])).join(' ')}`,
      chart: {
        height: 220,
        steps: 'after',
        x: { ...edges.axis, label: edges.axis.scale === 'log' ? 'latency (ms, logarithmic)' : 'latency (ms)', name: 'from', unit: 'ms' },
        y: { scale: 'linear', ...linearRange(shares.flat()), label: `share of ${noun}s (%)`, unit: '%' },
        series: known.map(({ name, color, line }) => ({ name, color, line, isFilled: known.length === 1 })),
        data: [edges.values, ...shares]
      }
    }
  }
}

// Returns the edges of the bins. All bins appear equally wide, on a logarithmic axis too.
function edgesFor (extremes) {
  const max = Math.max(...extremes)
  const min = Math.min(...extremes.filter((value) => value > 0), max)
  if (max > WORTH_A_LOG_AXIS * min) {
    const range = logRange([min, max])
    const ratio = range.max / range.min
    return { axis: { scale: 'log', ...range }, values: evenly((share) => range.min * ratio ** share) }
  }
  const range = linearRange([max])
  return { axis: { scale: 'linear', ...range }, values: evenly((share) => range.max * share) }
}

const evenly = (at) => Array.from({ length: BINS + 1 }, (_, index) => Number(at(index / BINS).toPrecision(6)))

// Returns the share of each bin in percent, followed by a zero that ends the drawing.
function sharesIn (edges, recorded, count) {
  const shares = new Array(edges.length).fill(0)
  let bin = 0
  for (const { value, count: here } of recorded) {
    while (bin < edges.length - 2 && value >= edges[bin + 1]) bin++
    shares[bin] += here / count * 100
  }
  return shares.map((share) => Number(share.toPrecision(4)))
}

function fullestInWords (name, edges, shares) {
  const fullest = shares.reduce((best, share, index) => share > shares[best] ? index : best, 0)
  const show = (value) => isNumber(value) ? String(Number(value.toPrecision(3))) : ''
  return `${name}: most often, in ${show(shares[fullest])}%, from ${show(edges[fullest])} to ${show(edges[fullest + 1])} ms.`
}

module.exports = histogramFigure

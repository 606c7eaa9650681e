'use strict'

// How numbers are written beside a chart: three significant digits, as many as the histograms hold.

function number (value) {
  if (value === null || value === undefined) return ''
  if (value === 0) return '0'
  const decimals = Math.abs(value) >= 1000 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.min(decimals, 6) })
}

const percentileAt = (x) => Number((100 - 100 / x).toFixed(7))

function withUnit (axis) {
  return (value) => {
    if (value === null || value === undefined) return ''
    if (axis.labels) return `${axis.labels[value - 1]} ${axis.unit}`
    if (axis.scale === 'percentile') return `${percentileAt(value)}%`
    if (axis.unit === '%') return `${number(value)}%`
    return axis.unit ? `${number(value)} ${axis.unit}` : number(value)
  }
}

module.exports = { number, percentileAt, withUnit }

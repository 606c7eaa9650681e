'use strict'

const { counted, isNumber, seconds, size, thousands } = require('./format')

const count = (value) => isNumber(value) ? value : 0

/**
 * How the samples were taken, as it stands under the tables.
 *
 * @param {object} result
 * @returns {string[]} lines
 */
function samplingLines ({ sampleInt, samples }) {
  const interval = (isNumber(sampleInt) && sampleInt > 0 ? sampleInt : 1000) / 1000
  return [
    interval === 1 ? 'Req/Bytes counts sampled once per second.' : `Req/Bytes counts sampled every ${counted(interval, 'second')}.`,
    `# of samples: ${count(samples)}`
  ]
}

/**
 * The result in a few lines: how much in how long, and what went wrong. Programs read these lines with regular
 * expressions written for autocannon, hence the fixed plurals (`1 errors (1 timeouts)`) and plain digits.
 *
 * @param {object} result
 * @param {object} colors from picocolors
 * @returns {string[]} lines; a single one where nothing went wrong
 */
function summaryLines (result, colors) {
  const { requests, throughput, bytes } = result
  const sent = count(requests?.sent ?? requests?.total)
  const read = count(bytes?.read ?? throughput?.total)
  const lines = [`${thousands(sent)} requests in ${seconds(count(result.duration))}s, ${size(read)} read`]

  if (count(result.non2xx) > 0) lines.unshift(`${count(result['2xx'])} 2xx responses, ${result.non2xx} non 2xx responses`)
  if (count(result.errors) > 0) lines.push(colors.red(`${result.errors} errors (${count(result.timeouts)} timeouts)`))
  if (count(result.mismatches) > 0) lines.push(colors.red(`${result.mismatches} requests with mismatched body`))
  if (count(result.resets) > 0) lines.push(`request pipeline was reset ${result.resets} ${result.resets === 1 ? 'time' : 'times'}`)
  return lines
}

module.exports = { samplingLines, summaryLines }

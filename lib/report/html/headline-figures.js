'use strict'

const { isMarked } = require('../../thresholds/certainty')
const { atLeast } = require('../format')
const { looks } = require('./chart')
const { html } = require('./markup')
const numbers = require('./numbers')
const { attempts } = require('./runs')
const swatch = require('./swatch')
const table = require('./table')

/** The six numbers that are asked for first. */
function headlineFigures ({ result }) {
  return {
    markup: html`<dl class="figures">
${[throughput(result), ...latencies(result), errors(result), completed(result)].map(figure)}</dl>
`
  }
}

/** One large figure. */
function figure ({ name, value, unit, more, isBad }) {
  const amount = html`${value}${unit ? html` <small>${unit}</small>` : ''}`
  return html`<div class="figure${isBad ? ' bad' : ''}"><dt>${name}</dt><dd class="value">${amount}</dd><dd class="more">${more}</dd></div>
`
}

function throughput ({ requests, rate }) {
  const spread = numbers.isNumber(requests?.stddev) ? `± ${numbers.rate(requests.stddev)} (standard deviation)` : ''
  return {
    name: 'Requests/s',
    value: numbers.rate(rate?.achieved ?? requests?.average),
    more: rate ? `of ${numbers.rate(rate.offered)} that came due` : spread
  }
}

function latencies (result) {
  const { latency, rate } = result
  const what = rate ? 'response' : 'latency'
  const one = (name, key, more) => {
    const { value, unit } = numbers.durationParts(latency, key)
    return { name, value: atLeast(value, isMarked(result, key)), unit, more }
  }
  return [
    one(`Median ${what}`, 'p50', 'half take no longer'),
    one(`p99 ${what}`, 'p99', 'one in 100 is slower'),
    one(`Longest ${what}`, 'max', numbers.isNumber(latency?.totalCount) ? `of ${numbers.count(latency.totalCount)}` : '')
  ]
}

function errors (result) {
  const { errors = 0, timeouts = 0, non2xx = 0, mismatches = 0 } = result
  const more = [
    errors > 0 && numbers.share(errors, attempts(result)),
    timeouts > 0 && `${numbers.count(timeouts)} timed out`,
    non2xx > 0 && `${numbers.count(non2xx)} responses not 2xx`,
    mismatches > 0 && `${numbers.count(mismatches)} wrong bodies`
  ].filter(Boolean).join(', ')
  return { name: 'Errors', value: numbers.count(errors), more: more || 'and only 2xx responses', isBad: errors > 0 }
}

function completed (result) {
  const total = result.accounting?.completed ?? result.requests?.total
  const sent = result.accounting?.sent ?? result.requests?.sent
  return { name: 'Completed', value: numbers.count(total), more: numbers.isNumber(sent) ? `of ${numbers.count(sent)} sent` : '' }
}

/** The same for several runs, one a row. */
function headlineTable (runs) {
  const all = runs.flatMap(({ result }) => ['p50', 'p99', 'max'].map((key) => result.latency?.[key]))
  const milliseconds = numbers.durations(all)
  return {
    markup: table({
      caption: 'The runs side by side',
      head: ['Run', 'Requests/s', 'Offered/s', 'p50 ms', 'p99 ms', 'Longest ms', 'Errors', 'Errors %', 'Not 2xx', 'Completed'],
      rows: runs.map(({ name, result }, index) => [
        { content: html`${swatch(looks(index))}${name}`, className: 'long' },
        numbers.rate(result.rate?.achieved ?? result.requests?.average),
        result.rate ? numbers.rate(result.rate.offered) : numbers.NONE,
        ...['p50', 'p99', 'max'].map((key) => result.latency?.totalCount === 0 ? numbers.NONE : atLeast(milliseconds(result.latency?.[key]), isMarked(result, key))),
        { content: numbers.count(result.errors), className: result.errors > 0 ? 'fail' : '' },
        numbers.share(result.errors, attempts(result)),
        numbers.count(result.non2xx),
        numbers.count(result.accounting?.completed ?? result.requests?.total)
      ])
    })
  }
}

module.exports = { figure, headlineFigures, headlineTable }

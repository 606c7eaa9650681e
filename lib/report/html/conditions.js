'use strict'

const { html } = require('./markup')
const numbers = require('../../words/numbers')
const { listedOptions } = require('./options')
const provenance = require('../provenance')
const { modelInWords, targets } = require('./runs')
const table = require('./table')

/**
 * Shows the test conditions: the target, the options, the connections, and how busy the load generator was.
 *
 * @param {Array<{ name: string, result: object }>} runs
 * @param {object} [options] the options of the run, instead of those in its result
 */
function conditions (runs, options) {
  const columns = runs.map(({ result }) => new Map(conditionsOf(result)))
  const names = [...new Set(columns.flatMap((column) => [...column.keys()]))]
  return [{
    markup: table({
      caption: 'Conditions of the run',
      head: ['Condition', ...runs.map(({ name }) => runs.length > 1 ? name : 'Value')],
      isHeadHeard: runs.length === 1,
      isStacked: runs.length > 1,
      kinds: ['text', ...runs.map(() => 'text')],
      rows: names.map((name) => [
        { content: name, className: 'short' },
        ...columns.map((column) => ({ content: column.get(name) ?? numbers.NOTHING, className: 'long' }))
      ])
    })
  }, optionTable(options ? [{ name: '', options }] : runs.map(({ name, result }) => ({ name, options: result.options })))]
}

/**
 * Shows the options of runs, side by side if there are several.
 *
 * @param {Array<{ name: string, options: ?object }>} runs
 * @returns {?object} null if none are known
 */
function optionTable (runs) {
  const known = runs.filter(({ options }) => options !== null && typeof options === 'object')
  if (known.length === 0) return null
  const columns = known.map(({ options }) => new Map(listedOptions(options)))
  const names = [...new Set(columns.flatMap((column) => [...column.keys()]))]
  return {
    markup: table({
      caption: 'Options used',
      isCaptionSeen: true,
      isHeadHeard: known.length === 1,
      isStacked: known.length > 1,
      head: ['Option', ...(known.length === 1 ? ['Value'] : known.map(({ name }) => name))],
      kinds: ['text', ...known.map(() => 'text')],
      rows: names.map((name) => [
        { content: html`<code>${name}</code>`, className: 'short' },
        ...columns.map((column) => ({ content: column.get(name) ?? numbers.NOTHING, className: 'long' }))
      ])
    })
  }
}

/** Shows the options of a study: of one target, or of each of several. */
function studyOptions (given, names = []) {
  return optionTable([given].flat().map((options, index) => ({ name: names[index] ?? `Target ${index + 1}`, options })))
}

function conditionsOf (result) {
  const { pipelining, workers, sampleInt, duration, drain, warmup, bytes, start } = result
  return [
    ['Target', targets(result).join(', ')],
    ['Started', numbers.moment(start)],
    ['Duration', numbers.span(duration)],
    ['Model', modelInWords(result)],
    pipelining > 1 && ['Pipelining', numbers.count(pipelining)],
    workers > 0 && ['Workers', numbers.count(workers)],
    warmup && ['Warm-up', `${numbers.span(warmup.duration)}, excluded from the numbers`],
    drain?.seconds > 0 && ['Drain', `${numbers.span(drain.seconds)} after the end, during which ${numbers.count(drain.completed)} more completed`],
    numbers.isNumber(sampleInt) && ['Sample interval', numbers.span(sampleInt / 1000)],
    ['Connections', connectionsOf(result)],
    ['Time to connect', connectTimeOf(result)],
    bytes && ['Bytes', `${numbers.size(bytes.read)} read, ${numbers.size(bytes.written)} written`],
    ['Load generator', generatorOf(result)],
    ...provenance(result.environment)
  ].filter((row) => row && row[1] !== '')
}

function connectionsOf ({ connectionStats }) {
  if (!connectionStats) return ''
  const { opened, failed, closedByServer, closedByClient, peak } = connectionStats
  return [
    `${numbers.count(opened)} opened`,
    `at most ${numbers.count(peak)} at a time`,
    failed > 0 && `${numbers.count(failed)} failed`,
    closedByServer > 0 && `${numbers.count(closedByServer)} closed by the server`,
    closedByClient > 0 && `${numbers.count(closedByClient)} closed by Cannonade`
  ].filter(Boolean).join(', ')
}

function connectTimeOf ({ connectTime }) {
  if (!(connectTime?.totalCount > 0)) return ''
  const parts = [['DNS', 'dns'], ['TCP', 'tcp'], ['TLS', 'tls']]
    .filter(([, key]) => connectTime[key]?.totalCount > 0)
    .map(([name, key]) => `${name} ${numbers.time(connectTime[key].p50)}`)
  return `median ${numbers.time(connectTime.p50)}, longest ${numbers.time(connectTime.max)}${parts.length > 1 ? ` (medians: ${parts.join(', ')})` : ''}`
}

function generatorOf ({ generator }) {
  if (!generator) return ''
  const utilization = generator.eventLoop?.utilization
  return [
    numbers.isNumber(generator.cpu?.percent) && `${numbers.percent(generator.cpu.percent / 100)} of a CPU core`,
    numbers.isNumber(utilization) && `event loop busy ${numbers.percent(utilization)} of the time`,
    generator.saturated ? 'saturated: the numbers include its delays' : 'not saturated'
  ].filter(Boolean).join(', ')
}

/** Returns the target, and the conditions in one line, for the top of the page. */
function lead (result) {
  const when = numbers.moment(result.start)
  const what = [when, numbers.span(result.duration), modelInWords(result)].filter(Boolean).join(' · ')
  return html`<p class="lead"><span class="url">${targets(result).join(', ')}</span></p>
<p class="lead">${what}</p>
`
}

module.exports = { conditions, lead, studyOptions }

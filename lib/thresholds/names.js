'use strict'

const { percentileName } = require('../metrics/statistics')
const { suggest } = require('../base/suggest')
const { badThreshold } = require('../base/errors')
const shape = require('./shape')

// The parts of a name are separated by dots or enclosed in brackets: latency.p99.9, endpoints[0].latency.p95,
// endpoints['log in'].failed. In a percentile, a dot is a decimal point.
const PART = /\.?(?:(p\(?\d+(?:[._]\d+)?\)?)(?=[.[]|$)|([\w$-]+)|\[\s*(?:'([^']*)'|"([^"]*)"|([^\]'"\s]+))\s*\])/y
const PERCENTILE = /^p\(?(\d+(?:[._]\d+)?)\)?$/

// Names that other tools use for these fields.
const OTHER_NAMES = new Map(Object.entries({
  avg: 'average', med: 'p50', median: 'p50', std: 'stddev', rps: 'requests.average', tps: 'requests.average'
}))

/**
 * Finds the field of a result that a name refers to.
 *
 * @param {string} name a percentile alone, such as p99 or warmup.p99, refers to the latency
 * @param {string} threshold the whole text, for error messages
 * @returns {object} plain data: `metric`, the full name; `path`, the keys from the result down (a title is in an object);
 *   `kind`, `whole`, `absent`, `basis` and `trend` as in shape.js; `isDuration`: whether it is a statistic of durations, which may be
 *   empty; `percentile`: `{ histogram, percent }` if the value must be read from a histogram, otherwise null
 * @throws {CannonadeError} CANNONADE_BAD_THRESHOLD
 */
function findField (name, threshold) {
  const fail = (why) => { throw badThreshold(threshold, why) }
  const parts = partsOf(name, fail)

  let place = { node: shape.result, metric: '', path: [], isDuration: false, percentile: null }
  for (const part of parts) place = stepInto(place, part, fail)
  if (place.node.short !== undefined) place = stepInto(place, place.node.short, fail)

  const { node, ...field } = place
  if (node.kind === undefined) fail(`${place.metric} is a group of values: choose one, such as ${exampleIn(place)}`)
  return { ...field, kind: node.kind, whole: node.whole, absent: node.absent ?? null, basis: node.basis ?? null, trend: node.trend ?? null }
}

function exampleIn ({ node, metric }) {
  return node.inBrackets ? `${metric}${node.example}.${node.entry.example}` : node.isNamed ? metric + node.example : join(metric, node.example)
}

function partsOf (name, fail) {
  const parts = []
  PART.lastIndex = 0
  for (let end = 0; end < name.length; end = PART.lastIndex) {
    const found = PART.exec(name)
    if (found === null) fail(`${name} is not the name of a field, such as p99, errors or requests.average`)
    parts.push(found.slice(1).find((part) => part !== undefined))
  }
  return parts
}

function stepInto (place, part, fail) {
  const { node } = place
  if (node.entry !== undefined) return stepIntoOpen(place, part, fail)
  if (node.fields === undefined) fail(`${place.metric} is a single value and has no ${part}`)
  const percentile = PERCENTILE.exec(part)
  if (percentile === null) return stepToField(place, part, fail)
  const percent = Number(percentile[1].replace('_', '.'))
  if (node.fields.has('p50')) return stepToPercentile(place, percent, fail)
  if (node.fields.has('latency')) return stepToPercentile(stepToField(place, 'latency', fail), percent, fail)
  return stepToField(place, part, fail)
}

function stepToField (place, part, fail) {
  const { node } = place
  const next = node.fields.get(part)
  if (next === undefined) fail(`${join(place.metric, part)} is not a field of a result${suggestion(place, part)}`)
  return {
    ...place,
    node: next,
    metric: join(place.metric, part),
    path: [...place.path, part],
    isDuration: node.isDuration === true && next.kind === 'milliseconds'
  }
}

function stepToPercentile (place, percent, fail) {
  const { node, metric } = place
  const key = percentileName(percent)
  if (percent > 100) fail(`a percentile is between 0 and 100, so there is no ${join(metric, key)}${likelier(percent)}`)
  if (node.fields.has(key)) return stepToField(place, key, fail)
  if (!node.histogram) {
    const known = [...node.fields.keys()].filter((name) => PERCENTILE.test(name)).join(', ')
    fail(`${metric} has the percentiles ${known}, but not ${key}`)
  }
  const field = stepToField(place, 'p50', fail)
  return {
    ...field,
    metric: join(metric, key),
    path: [...place.path, key],
    percentile: { histogram: node.histogram, percent }
  }
}

// Many people write 'p999' for the 99.9th percentile.
function likelier (percent) {
  const digits = String(percent)
  return /^99\d+$/.test(digits) ? `: did you mean p${digits.slice(0, 2)}.${digits.slice(2)}?` : ''
}

function stepIntoOpen (place, part, fail) {
  const complaint = place.node.complaint(part)
  if (complaint !== null) fail(`in ${place.metric}, ${part} ${complaint}`)
  const { entry, inBrackets, isNamed } = place.node
  if (isNamed) return { ...place, node: entry, metric: nameIn(place.metric, part), path: [...place.path, { name: part }] }
  if (!inBrackets) return { ...place, node: entry, metric: join(place.metric, part), path: [...place.path, part] }
  const isNumber = /^\d+$/.test(part)
  return {
    ...place,
    node: entry,
    metric: `${place.metric}[${isNumber ? part : `'${part}'`}]`,
    path: [...place.path, isNumber ? Number(part) : { title: part }]
  }
}

// A name that is not a word is in brackets.
function nameIn (metric, name) {
  if (/^[\w$-]+$/.test(name)) return join(metric, name)
  return name.includes("'") ? `${metric}["${name}"]` : `${metric}['${name}']`
}

function join (metric, part) {
  return metric === '' ? part : `${metric}.${part}`
}

function suggestion ({ node, metric }, part) {
  const names = [...node.fields.keys()]
  const meant = OTHER_NAMES.get(part) ?? suggest(part, names)
  if (meant !== undefined) return `: did you mean ${join(metric, meant)}?`
  if (node.fields.get('latency')?.fields.has(part)) return `: did you mean ${join(metric, 'latency')}.${part}?`
  return metric === '' ? ', such as p99, errors or requests.average' : ''
}

module.exports = { findField }

'use strict'

const { optionError } = require('../base/errors')
const { kind, isObject } = require('./kinds')
const { timerSecondsOrZero } = require('./duration')

/**
 * The pause of a user before a request, in seconds: fixed, drawn from a range each time, or exponentially distributed
 * around a mean. 0 means no pause.
 */
const thinkTime = kind('a duration, a range as [from, to] or { from, to }, or { mean }', (value, name) => {
  if (isObject(value) && 'mean' in value) return readMean(value, name)
  const range = readRange(value, name)
  if (range === undefined) return undefined
  if (range.to < range.from) throw optionError(name, value, 'a range from the shortest to the longest time')
  return range.to === 0 ? null : range
}, { keys: ['from', 'to', 'mean'] })

function readMean (value, name) {
  if ('from' in value || 'to' in value) throw optionError(name, value, 'either a range or a mean')
  const mean = timerSecondsOrZero.read(value.mean, `${name}.mean`)
  return mean === 0 ? null : { mean }
}

function readRange (value, name) {
  const { read } = timerSecondsOrZero
  if (isObject(value)) return { from: read(value.from, `${name}.from`), to: read(value.to, `${name}.to`) }
  if (!Array.isArray(value)) return { from: read(value, name), to: read(value, name) }
  return value.length === 2 ? { from: read(value[0], `${name}[0]`), to: read(value[1], `${name}[1]`) } : undefined
}

/** The think time of a single request. Here 0 overrides the think time of the run: this request has no pause. */
const ownThinkTime = kind(thinkTime.allowed, (value, name) => thinkTime.read(value, name) ?? { from: 0, to: 0 })

module.exports = { thinkTime, ownThinkTime }

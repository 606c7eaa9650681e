'use strict'

const { optionError } = require('../errors')
const { kind, isObject } = require('./kinds')
const { timerSecondsOrZero } = require('./duration')

/**
 * The pause between a response and the same connection's next request, in seconds: fixed, or drawn anew each time from
 * a range. 0 is no pause.
 */
const thinkTime = kind('a duration, or a range as [from, to] or { from, to }', (value, name) => {
  const range = readRange(value, name)
  if (range === undefined) return undefined
  if (range.to < range.from) throw optionError(name, value, 'a range from the shorter to the longer time')
  return range.to === 0 ? null : range
})

function readRange (value, name) {
  const { read } = timerSecondsOrZero
  if (isObject(value)) return { from: read(value.from, `${name}.from`), to: read(value.to, `${name}.to`) }
  if (!Array.isArray(value)) return { from: read(value, name), to: read(value, name) }
  return value.length === 2 ? { from: read(value[0], `${name}[0]`), to: read(value[1], `${name}[1]`) } : undefined
}

module.exports = { thinkTime }

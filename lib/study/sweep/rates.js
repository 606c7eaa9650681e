'use strict'

const { named, optionError, words } = require('../../base/errors')
const { kind, rate, isObject } = require('../../values/kinds')

// More rates are never practical, and a step that is far too small must not fill the memory.
const MOST = 10000
// Rounding: 0.1 + 0.1 + … doesn't exactly reach its multiple.
const TOLERANCE = 1e-9

/** The rates of a sweep in ascending order, requests per second. */
const rates = kind('an object { from, to, step }, or an array of numbers greater than 0', (value, name) => {
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined
    return [...new Set(value.map((each, index) => rate.read(each, `${name}[${index}]`)))].sort((a, b) => a - b)
  }
  if (!isObject(value)) return undefined
  const [from, to, step] = ['from', 'to', 'step'].map((part) => rate.read(value[part], `${name}.${part}`))
  if (to < from) throw optionError(`${name}.to`, to, words`at least ${named(`${name}.from`)}, which is ${from}`)
  return ladder(from, to, step, name)
})

function ladder (from, to, step, name) {
  const count = Math.floor((to - from) / step + TOLERANCE) + 1
  if (count > MOST) throw optionError(`${name}.step`, step, `large enough for at most ${MOST} rates: from ${from} to ${to} it makes ${count}`)
  return Array.from({ length: count }, (_, index) => Number((from + index * step).toPrecision(12)))
}

module.exports = { rates }

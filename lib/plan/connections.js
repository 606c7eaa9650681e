'use strict'

const { optionError } = require('../errors')
const { kind, toNumber, wholeNumber, isObject } = require('./kinds')
const { duration } = require('./duration')

const oneOrMore = wholeNumber(1)
const noneOrMore = wholeNumber(0)

/** How many connections: a number, or `{ from, to, over }` for one that grows within `over` seconds. */
const connections = kind('a whole number, 1 or more, or { from, to, over } for a ramp', (value, name) => {
  if (isObject(value)) {
    const from = noneOrMore.read(value.from, `${name}.from`)
    const to = oneOrMore.read(value.to, `${name}.to`)
    if (to < from) throw optionError(`${name}.to`, value.to, `${name}.from (${from}) or more`)
    return { from, to, over: duration.read(value.over, `${name}.over`) }
  }
  const number = toNumber(value)
  return Number.isSafeInteger(number) && number >= 1 ? number : undefined
})

/** @returns {number} the most connections there are at a time */
function mostConnections (read) {
  return isObject(read) ? read.to : read
}

module.exports = { connections, mostConnections }

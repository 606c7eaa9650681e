'use strict'

const { either, named, optionError, words } = require('../base/errors')
const { kind, toNumber, wholeNumber, isObject } = require('../values/kinds')
const { duration } = require('../values/duration')

// More than any machine has ports. Without this limit, a typo would open connections until memory runs out.
const MOST = 1e6
// Scripts that halve an odd number pass fractions, so fractions are rounded down.
const fromOne = kind(wholeNumber(1, MOST).allowed, wholeOf)
const fromNone = wholeNumber(0, MOST)

function wholeOf (value) {
  const number = Math.floor(toNumber(value))
  return number >= 1 && number <= MOST ? number : undefined
}

/** The number of connections: a number, or `{ from, to, over }` to grow it over `over` seconds. */
const connections = kind(words`${fromOne.allowed}, or ${either('{ from, to, over } for a ramp', 'FROM..TO/SEC for a ramp, such as 10..100/30s')}`, (value, name) => {
  if (isObject(value)) {
    const from = fromNone.read(value.from, `${name}.from`)
    const to = fromOne.read(value.to, `${name}.to`)
    if (to < from) throw optionError(`${name}.to`, value.to, words`${named(`${name}.from`)} (${from}) or more`)
    return { from, to, over: duration.read(value.over, `${name}.over`) }
  }
  return wholeOf(value)
}, { keys: ['from', 'to', 'over'] })

/** @returns {number} the maximum number of concurrent connections */
function mostConnections (read) {
  return isObject(read) ? read.to : read
}

module.exports = { connections, fromOne, mostConnections }

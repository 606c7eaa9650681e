'use strict'

const { either, named, optionError, words } = require('../base/errors')
const { kind, toNumber, wholeNumber, isObject } = require('../values/kinds')
const { duration } = require('../values/duration')

// No machine has as many ports; a slip of the hand shall not make it open them until its memory is used up.
const MOST = 1e6
// Half of an odd number is written as it comes, and there are no half connections.
const fromOne = kind(wholeNumber(1, MOST).allowed, wholeOf)
const fromNone = wholeNumber(0, MOST)

function wholeOf (value) {
  const number = Math.floor(toNumber(value))
  return number >= 1 && number <= MOST ? number : undefined
}

/** How many connections: a number, or `{ from, to, over }` for one that grows within `over` seconds. */
const connections = kind(words`${fromOne.allowed}, or ${either('{ from, to, over } for a ramp', 'FROM..TO/SEC for a ramp, such as 10..100/30s')}`, (value, name) => {
  if (isObject(value)) {
    const from = fromNone.read(value.from, `${name}.from`)
    const to = fromOne.read(value.to, `${name}.to`)
    if (to < from) throw optionError(`${name}.to`, value.to, words`${named(`${name}.from`)} (${from}) or more`)
    return { from, to, over: duration.read(value.over, `${name}.over`) }
  }
  return wholeOf(value)
}, { keys: ['from', 'to', 'over'] })

/** @returns {number} the most connections there are at a time */
function mostConnections (read) {
  return isObject(read) ? read.to : read
}

module.exports = { connections, fromOne, mostConnections }

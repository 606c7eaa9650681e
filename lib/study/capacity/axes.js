'use strict'

const { optionError, named, words } = require('../../base/errors')
const { count, isObject, kind, rate } = require('../../values/kinds')
const { RATES, USERS } = require('../sweep/axes')

/*
 * What a search varies, as in a sweep: the request rate of the open model, or the number of connections of the closed model. In
 * addition to what sweep/axes.js describes:
 *
 * - `range`: the kind of the setting with the first and the highest value, and `defaultRange`
 * - `least(from, duration)`: the lowest value to test
 * - `isWhole`: whether only whole numbers make sense
 * - `drains(plan)`: whether runs wait for responses at their end
 */

// A run with fewer requests says nothing about a rate.
const FEWEST_REQUESTS = 10

const rangeOf = (one, { from: first, to: highest }, what) => kind(`an object { from, to }: ${what}`, (value, name) => {
  if (!isObject(value)) return undefined
  const to = one.read(value.to ?? Math.max(highest, value.from ?? 0), `${name}.to`)
  const from = one.read(value.from ?? Math.min(first, to), `${name}.from`)
  if (to < from) throw optionError(`${name}.to`, to, words`at least ${named(`${name}.from`)}, which is ${from}`)
  return { from, to }
})

const OF_RATES = { from: 50, to: 100000 }
// A single user shows how fast the server is if nobody waits for others.
const OF_USERS = { from: 1, to: 10000 }

const BY_RATE = {
  ...RATES,
  field: 'rate',
  study: 'capacity',
  range: rangeOf(rate, OF_RATES, 'two rates per second'),
  defaultRange: OF_RATES,
  least: (from, duration) => Math.min(from, FEWEST_REQUESTS / duration),
  isWhole: false,
  drains: () => true
}

const BY_USERS = {
  ...USERS,
  study: 'capacity of connections',
  range: rangeOf(count, OF_USERS, 'two whole numbers'),
  defaultRange: OF_USERS,
  least: () => 1,
  isWhole: true,
  // The closed model has no drain, except for the rest of sessions and for copies of broadcasts.
  drains: ({ sessions, websocket }) => sessions !== null || websocket?.expect === 'broadcast'
}

module.exports = { BY_RATE, BY_USERS }

'use strict'

const { count, counted, rate: perSecond } = require('../../words/numbers')
const { sustainedRate } = require('../keeping-up')
const { limitedBy, withSaturation } = require('../limited-by')
const { withConnections } = require('../targets')
const { kneeOf, kneeOfUsers } = require('./knee')
const { targetOf } = require('./row')

/*
 * What a sweep varies from row to row: the request rate of the open model, or the number of connections of the closed model. Each
 * connection stands for a user, who waits for a response before sending the next request.
 *
 * - `setting`: the setting with the values; `field`: the property of a row with its value
 * - `study`: whose options are rejected, see refusals.js
 * - `complete(opts)`: adds defaults to the options of a target
 * - `optionsFor(value)`: the options of a run
 * - `measure(target, result, idle, value)`: a target of a row, see row.js
 * - `limitOf(result, idle, target)`: the bottleneck, also if the target kept up
 * - `kneeOf(points)`: see knee.js
 * - `plural`, `number(value)`, `inWords(value, ratesOf)`, `together(values, ratesOf)`: for sentences
 */

const RATES = {
  setting: 'rates',
  field: 'demanded',
  study: 'sweep',
  complete: withConnections,
  optionsFor: (rate) => ({ overallRate: rate }),
  measure: ({ name, opts }, result, idle, demanded) => targetOf(name, result, idle, { demanded, arrivals: opts.arrivals }),
  limitOf: (result, idle, { keepsUp }) => withSaturation(limitedBy(result, idle, keepsUp), result, idle).limitedBy,
  kneeOf,
  plural: 'rates',
  number: perSecond,
  inWords: (value, ratesOf) => `${perSecond(value)} ${ratesOf} per second`,
  together: (values, ratesOf) => `${values} ${ratesOf} per second`
}

const USERS = {
  setting: 'connections',
  field: 'connections',
  study: 'sweep of connections',
  complete: (opts) => opts,
  optionsFor: (connections) => ({ connections }),
  measure: ({ name }, result, idle) => targetOf(name, result, idle, { assessment: { sustained: sustainedRate(result), keepsUp: null } }),
  // Users wait for the server, so nothing but the generator's own work could make them slower.
  limitOf: (result, idle) => withSaturation({ limitedBy: 'server', reasons: [] }, result, idle).limitedBy,
  kneeOf: kneeOfUsers,
  plural: 'numbers',
  number: count,
  inWords: (value) => counted(value, 'connection'),
  together: (values) => `${values} connections`
}

module.exports = { RATES, USERS }

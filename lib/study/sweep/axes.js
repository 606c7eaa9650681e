'use strict'

const { seedOfRepetition } = require('../../load/seeds')
const { isGiven } = require('../../values/kinds')
const { count, counted, rate: perSecond } = require('../../words/numbers')
const { assess, sustainedRate, underWayAt } = require('../keeping-up')
const { errorsBy, limitedBy, withSaturation } = require('../limited-by')
const { seedOfArrivals } = require('../random-arrivals')
const { withConnections } = require('../targets')
const { kneeOf, kneeOfUsers } = require('./knee')

/*
 * What a sweep varies from row to row: the request rate of the open model, or the number of connections of the closed model. Each
 * connection stands for a user, who waits for a response before sending the next request.
 *
 * - `setting`: the setting with the values; `field`: the property of a row with its value
 * - `study`: whose options are rejected, see refusals.js
 * - `complete(opts)`: adds defaults to the options of a target
 * - `optionsFor(value)`: the options of a run
 * - `seedFor(opts, { value, duration, times })`: the seed of a run after so many others at this value, as an option. A value that is tested
 *   again meets other arrivals: the same ones would repeat an accident
 * - `assess(result, value, how)`: see keeping-up.js; `keepsUp` is null if no rate is demanded
 * - `limitOf(result, idle, target)`: the bottleneck, also if the target kept up, see limited-by.js
 * - `kneeOf(points)`: see knee.js
 * - `noun`, `plural`, `preposition`, `number(value)`, `inWords(value, ratesOf)`, `together(values, ratesOf)`: for sentences
 */

// The default of a run.
const SAMPLE_MS = 1000

const RATES = {
  setting: 'rates',
  field: 'demanded',
  study: 'sweep',
  complete: withConnections,
  optionsFor: (rate) => ({ overallRate: rate }),
  seedFor (opts, { value: rate, duration, times }) {
    if (opts.arrivals !== 'poisson') return repeated(opts, times)
    return { seed: seedOfArrivals(opts.seed, { rate, duration, settled: underWayAt(duration, Number(opts.sampleInt ?? SAMPLE_MS)), times }) }
  },
  assess,
  limitOf: (result, idle, { keepsUp }) => withSaturation(limitedBy(result, idle, keepsUp), result, idle),
  kneeOf,
  noun: 'rate',
  plural: 'rates',
  preposition: 'at',
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
  seedFor: (opts, { times }) => repeated(opts, times),
  assess: (result) => ({ sustained: sustainedRate(result), keepsUp: null }),
  limitOf: ofUsers,
  kneeOf: kneeOfUsers,
  noun: 'number of connections',
  plural: 'numbers',
  preposition: 'with',
  number: count,
  inWords: (value) => counted(value, 'connection'),
  together: (values) => `${values} connections`
}

const repeated = ({ seed }, times) => isGiven(seed) ? { seed: seedOfRepetition(Number(seed), times) } : {}

// Users wait for the server, so nothing but the generator's own work, or what it lacks, could make them slower.
function ofUsers (result) {
  const { limitedBy, reasons } = errorsBy(result)
  return { limitedBy: result.generator.saturated ? 'generator' : limitedBy, reasons }
}

module.exports = { RATES, USERS }

'use strict'

const { named, words } = require('../base/errors')
const { OPTIONS } = require('../plan/options')

const NO_MEASUREMENT = 'a run that it ends before its time is no measurement of the server'
const OTHER_LENGTH = 'it would end a run before the duration that the study sets'

const ALL = { repetition: 'a study ends', end: NO_MEASUREMENT }
const WITH_A_LENGTH = { ...ALL, length: OTHER_LENGTH }

const SETS_RATE = 'the search for the capacity sets it'
const JAMMED = 'each level ends where the server jams'
const STAYS_OPEN = 'connections stay open, and one that is lost is a failure'
const STAIRCASE = 'the staircase sets the rates itself'

/**
 * What the studies decide themselves, and why it can't be given: by what options decide (`decides` of a descriptor) or by the name
 * of one option, which goes first.
 */
const REFUSED = {
  compare: ALL,
  sweep: {
    ...WITH_A_LENGTH,
    rate: 'a sweep sets the rate itself',
    abortOnFail: words`each rate is held for the duration of the sweep, and ${named('stopWhen')} ends it`
  },
  capacity: {
    ...WITH_A_LENGTH,
    rate: SETS_RATE,
    amount: SETS_RATE,
    drain: SETS_RATE,
    replay: 'the search for the capacity sets the rate',
    thresholds: 'they are given as slo',
    abortOnFail: 'the search ends runs that are lost by itself'
  },
  jamming: {
    ...WITH_A_LENGTH,
    rate: STAIRCASE,
    amount: STAIRCASE,
    sessions: STAIRCASE,
    connections: 'they are given as the setting connections',
    drain: 'it is a setting of the study',
    timeout: 'how long messages are waited for is the setting drain',
    pipelining: 'it is unlimited here',
    reconnectRate: STAYS_OPEN,
    maxConnectionRequests: STAYS_OPEN,
    maxOverallRequests: STAYS_OPEN,
    thresholds: JAMMED,
    abortOnFail: JAMMED
  }
}

/**
 * The options that a study refuses.
 *
 * @param {string} study 'compare', 'sweep', 'capacity' or 'jamming'
 * @returns {Map<string, string>} by the name of the option, why
 */
function refusalsOf (study) {
  const why = REFUSED[study]
  return new Map(OPTIONS.flatMap(({ name, decides }) => {
    const reason = why[name] ?? why[decides]
    return reason === undefined ? [] : [[name, reason]]
  }))
}

module.exports = { OTHER_LENGTH, refusalsOf }

'use strict'

const { named, words } = require('../base/errors')
const { OPTIONS } = require('../plan/options')

const NO_MEASUREMENT = 'a run that it ends early does not measure the server'
const OTHER_LENGTH = 'it would end a run before the duration that the study sets'

const COMPARED = { repetition: 'a study ends', end: NO_MEASUREMENT, record: 'each of its runs would overwrite the file; record a single run at the setting in question' }
const ALL = { ...COMPARED, diagnose: 'a profiler would slow the server down; diagnose a single run' }
const WITH_A_LENGTH = { ...ALL, length: OTHER_LENGTH }

const SET_BY_SEARCH = 'the search for the capacity sets it'
const USE_SLO = words`use the setting ${named('slo')}`
const ENDS_RUNS = 'the search itself ends runs that can no longer pass'
const JAMMED = 'each level ends where the server jams'
const STAYS_OPEN = 'connections stay open; a lost one is a failure'
const STEPS = 'the study sets the rates itself'

/**
 * What the studies decide themselves, and why it can't be given: by what options decide (`decides` of a descriptor) or by the name
 * of one option, which goes first.
 */
const REFUSED = {
  compare: COMPARED,
  sweep: {
    ...WITH_A_LENGTH,
    rate: 'a sweep sets the rate itself',
    abortOnFail: words`each rate is held for the duration of the sweep; ${named('stopWhen')} ends the sweep`
  },
  'sweep of connections': {
    ...WITH_A_LENGTH,
    rate: 'in a sweep of connections, each user waits for a response before the next request',
    connections: 'the sweep sets them',
    abortOnFail: words`each number of connections is held for the duration of the sweep; ${named('stopWhen')} ends the sweep`
  },
  capacity: {
    ...WITH_A_LENGTH,
    rate: SET_BY_SEARCH,
    amount: SET_BY_SEARCH,
    drain: SET_BY_SEARCH,
    replay: 'the search for the capacity sets the rate',
    thresholds: USE_SLO,
    abortOnFail: ENDS_RUNS
  },
  'capacity of connections': {
    ...WITH_A_LENGTH,
    rate: 'in a search for the number of connections, each user waits for a response before the next request',
    connections: 'the search sets them',
    drain: SET_BY_SEARCH,
    thresholds: USE_SLO,
    abortOnFail: ENDS_RUNS
  },
  jamming: {
    ...WITH_A_LENGTH,
    rate: STEPS,
    amount: STEPS,
    sessions: STEPS,
    user: STEPS,
    scenarios: STEPS,
    connections: 'use the setting connections',
    drain: 'it is a setting of the study',
    timeout: 'the setting drain defines how long to wait for messages',
    pipelining: 'it is unlimited in this study',
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
 * @param {string} study a key of REFUSED
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

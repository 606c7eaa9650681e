'use strict'

const { OUTCOMES } = require('../grpc/status')
const Endpoint = require('./endpoint')
const { distributionsOf } = require('./missing-times')
const { dataOfParts, liveParts, timesOfParts } = require('./parts')

const UNUSED = new Endpoint(0)
const UNUSED_CALL = new Endpoint(0, OUTCOMES.length)

/**
 * Everything that a recorder has counted, as plain data: what threads and machines send each other, and `merge` adds up.
 *
 * @param {Recorder} recorder after `takeInterval`
 * @param {function(Distribution): object} dataOf converts a distribution to data
 * @param {boolean} isInterim only what is available quickly
 * @returns {object}
 */
function summaryOf (recorder, dataOf, isInterim) {
  const { open, fromDueTime, counters, most, distributions, endpoints, calls, errorCodes, missing, verifies } = recorder
  const times = timesOfParts({ ...liveParts(recorder), counters, endpoints: [] })
  return {
    open,
    fromDueTime,
    counters,
    most,
    distributions: Object.fromEntries(Object.entries(distributions).map(([name, distribution]) => [name, dataOf(distribution)])),
    endpoints: endpoints.map((endpoint) => (endpoint ?? (calls ? UNUSED_CALL : UNUSED)).toData(dataOf)),
    ...(recorder.called !== null && { called: recorder.called.toData() }),
    missing: missing.toData(dataOf, distributionsOf(distributions, endpoints, times)),
    verifies,
    errorCodes: errorCodes.toData(recorder.startedAt),
    ...dataOfParts(recorder, dataOf, isInterim)
  }
}

module.exports = summaryOf

'use strict'

const { PARTS } = require('./parts')

/*
 * Times in a result that may lack values, because some requests or connections never reached the point that is measured. Maps the name
 * of the histogram to the path of the figure in the result.
 */
const FIGURES = {
  latency: 'latency',
  serviceTime: 'serviceTime',
  timeToFirstByte: 'timeToFirstByte',
  timeToStatusLine: 'timeToStatusLine',
  transferTime: 'transferTime',
  sendDelay: 'sendDelay',
  clientDelay: 'sendDelay.client',
  waitDelay: 'sendDelay.waiting',
  connectTime: 'connectTime',
  dnsTime: 'connectTime.dns',
  tcpTime: 'connectTime.tcp',
  tlsTime: 'connectTime.tls',
  connectionLifetime: 'connectionStats.lifetime',
  ...Object.assign({}, ...PARTS.map(({ figures }) => figures))
}

/** Name of a figure's histogram, by the figure's path in a result. */
const HISTOGRAM_OF = new Map(Object.entries(FIGURES).map(([name, place]) => [place, name]))

/** Name of the histogram with the missing values of a figure. */
const missingName = (name) => `${name}Missing`

/** Name of the histogram with those values of a figure that the person cut off who stopped the run. */
const interruptedName = (name) => `${name}Interrupted`

module.exports = { FIGURES, HISTOGRAM_OF, interruptedName, missingName }

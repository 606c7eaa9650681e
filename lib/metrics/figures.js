'use strict'

const { PARTS } = require('./parts')

/*
 * The times of a result of which some values may be missing, since what they are of never came to that point: where each stands in the
 * result, by the name of its histogram there.
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

/** The name of a figure's histogram, by where the figure stands in a result. */
const HISTOGRAM_OF = new Map(Object.entries(FIGURES).map(([name, place]) => [place, name]))

/** What the histogram of a figure's missing values is called. */
const missingName = (name) => `${name}Missing`

module.exports = { FIGURES, HISTOGRAM_OF, missingName }

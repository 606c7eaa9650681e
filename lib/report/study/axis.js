'use strict'

const numbers = require('../../words/numbers')

/**
 * What a sweep or a capacity search varies, for its reports: `field` is the property of a row with the value, `x` describes the axis of
 * charts. The other properties are column headings and parts of sentences.
 *
 * @param {object} study as read by well-formed.js
 * @returns {object}
 */
function axisOf (study) {
  const arrivals = arrivalsOf(study)
  return study.axis === 'connections' ? ofConnections(arrivals) : ofRates(arrivals)
}

function ofRates (arrivals) {
  const inWords = (value) => `${numbers.rate(value)} ${arrivals} per second`
  return {
    arrivals,
    isOfRates: true,
    field: 'demanded',
    column: { name: 'Demanded', of: 'rate', short: rateHead(arrivals, 'Demanded') },
    tableTitle: 'All rates',
    noun: 'rate',
    plural: 'rates',
    preposition: 'at',
    caption: 'Results at each rate',
    ofRates: arrivals === 'requests' ? '' : `; demanded and achieved rates are ${arrivals} per second`,
    throughputTitle: 'Demanded and achieved rate',
    throughputSummary: 'Achieved against demanded rate',
    latencyTitle: 'Latency against rate',
    latencyNote: `Response time, counted from when a ${nounOfArrivals(arrivals)} was due.`,
    latencySummary: 'Latency against demanded rate',
    streamsTitle: 'First event and gaps against rate',
    streamsSummary: 'First event and gaps against demanded rate.',
    streamsCaption: 'Streams at each rate',
    x: { label: `demanded ${arrivals} per second`, name: 'demanded', unit: '/s' },
    number: numbers.rate,
    inWords,
    steps: (values) => `${values.length} rates from ${numbers.rate(values[0])} to ${inWords(values.at(-1))}`,
    ofLine: (value) => `${numbers.rate(value)}/s`,
    most: (value) => `at ${numbers.rate(value)} demanded`,
    kneeLabel: (value) => `knee ${numbers.rate(value)}/s`,
    knee: ({ rate, p50, p99 }) => `${inWords(rate)} (p50 ${numbers.time(p50)}, p99 ${numbers.time(p99)})`,
    copedWith: 'kept up with',
    beyond: (value) => `at ${numbers.rate(value)}`
  }
}

function ofConnections (arrivals) {
  const inWords = (value) => numbers.counted(value, 'connection')
  return {
    arrivals,
    isOfRates: false,
    field: 'connections',
    column: { name: 'Connections', of: 'count' },
    tableTitle: 'All numbers of connections',
    noun: 'number of connections',
    plural: 'numbers of connections',
    preposition: 'with',
    caption: 'Results for each number of connections',
    ofRates: arrivals === 'requests' ? '' : `; achieved rates are ${arrivals} per second`,
    throughputTitle: 'Throughput against connections',
    throughputSummary: 'Throughput against the number of connections',
    latencyTitle: 'Latency against connections',
    latencyNote: `Counted from when a ${nounOfArrivals(arrivals)} was sent.`,
    latencySummary: 'Latency against the number of connections',
    streamsTitle: 'First event and gaps against connections',
    streamsSummary: 'First event and gaps against the number of connections.',
    streamsCaption: 'Streams for each number of connections',
    x: { label: 'connections', name: 'connections', unit: '' },
    number: numbers.count,
    inWords,
    steps: (values) => `${values.length} numbers of connections from ${numbers.count(values[0])} to ${numbers.count(values.at(-1))}`,
    ofLine: inWords,
    most: (value) => `with ${inWords(value)}`,
    kneeLabel: (value) => `knee ${numbers.count(value)}`,
    knee: ({ connections, achieved, p50, p99 }) =>
      `${inWords(connections)} (${numbers.rate(achieved)} ${arrivals} per second, p50 ${numbers.time(p50)}, p99 ${numbers.time(p99)})`,
    copedWith: 'completed more for up to',
    beyond: (value) => `with ${numbers.count(value)}`
  }
}

/** The value of the axis at which a knee, or a step of a search, is. @param {{ rate: ?number, connections: ?number }} place */
const placeOf = ({ rate, connections }) => rate ?? connections ?? null

const KINDS = ['requests', 'sessions', 'messages', 'arrivals']

/** Returns what the rates of a study count; `requests` by default. @returns {string} */
function arrivalsOf ({ ratesOf }) {
  return KINDS.includes(ratesOf) ? ratesOf : 'requests'
}

/** Returns what is sent for a kind of arrivals. @returns {'request'|'message'} */
function nounOfArrivals (arrivals) {
  return arrivals === 'messages' ? 'message' : 'request'
}

/** Returns the head of a column of rates, such as `Sessions/s`; for requests, the usual name. */
function rateHead (arrivals, usual) {
  return arrivals === 'requests' ? usual : `${arrivals[0].toUpperCase()}${arrivals.slice(1)}/s`
}

module.exports = { axisOf, placeOf, nounOfArrivals, rateHead }

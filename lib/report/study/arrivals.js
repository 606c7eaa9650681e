'use strict'

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

module.exports = { arrivalsOf, nounOfArrivals, rateHead }

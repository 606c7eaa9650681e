'use strict'

const KINDS = ['requests', 'sessions', 'messages', 'arrivals']

/** What the rates of a study are of: `requests`, but for those whose arrivals are something else. @returns {string} */
function arrivalsOf ({ ratesOf }) {
  return KINDS.includes(ratesOf) ? ratesOf : 'requests'
}

/** What is sent, where such arrive. @returns {'request'|'message'} */
function nounOfArrivals (arrivals) {
  return arrivals === 'messages' ? 'message' : 'request'
}

/** The head of a column of rates: `Sessions/s`, or what it is called where these are of requests. */
function rateHead (arrivals, usual) {
  return arrivals === 'requests' ? usual : `${arrivals[0].toUpperCase()}${arrivals.slice(1)}/s`
}

module.exports = { arrivalsOf, nounOfArrivals, rateHead }

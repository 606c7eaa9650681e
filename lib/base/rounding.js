'use strict'

/** Rounds as the numbers of results are rounded: what follows is the noise of a calculation. */
function thousandth (value) {
  return Math.round(value * 1000) / 1000
}

/** A rate; 0 if there was no time. */
function perSecond (amount, seconds) {
  return seconds > 0 ? thousandth(amount / seconds) : 0
}

module.exports = { perSecond, thousandth }

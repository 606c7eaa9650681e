'use strict'

/*
 * Numbers as they stand in the sentences of a result, written as the tables write them: commas between the thousands, three
 * significant digits for times and shares but never less than whole numbers, and whole numbers for counts.
 */

const DIGITS = 3

// By decimals: to make one takes a hundred times as long as to use it.
const FORMATS = []

function grouped (value, decimals) {
  FORMATS[decimals] ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: decimals })
  return FORMATS[decimals].format(value)
}

// As many as make three digits.
function decimalsOf (value) {
  if (!Number.isFinite(value) || value === 0) return 0
  return Math.min(20, Math.max(0, DIGITS - 1 - Math.floor(Math.log10(Math.abs(value)))))
}

/** How many: `12,000`. */
function count (value) {
  return grouped(value, 0)
}

/** How many of what: `1 request`, `12,000 requests`. */
function counted (value, noun, plural = `${noun}s`) {
  return `${count(value)} ${value === 1 ? noun : plural}`
}

/** What a run sends: with WebSocket a request is a message. @param {{ messages?: object }} result @returns {'request'|'message'} */
function nounOf ({ messages }) {
  return messages ? 'message' : 'request'
}

/** Without the word: `0.25`, `1.5`, `3,600`. */
function seconds (value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 1 ? 3 : 1 })
}

/** `58.5 ms`, `2,533 ms`. */
function milliseconds (value) {
  return `${grouped(value, decimalsOf(value))} ms`
}

/** Events per second: `741.6`, `1,500`, `0.05`. */
function rate (perSecond) {
  return grouped(perSecond, Math.abs(perSecond) >= 1000 ? 0 : Math.max(1, decimalsOf(perSecond)))
}

/** A share as `50.5 %`, `1,100 %`. */
function percent (share, digits = DIGITS) {
  return `${grouped(Number((share * 100).toPrecision(digits)), 20)} %`
}

module.exports = { count, counted, milliseconds, nounOf, percent, rate, seconds }

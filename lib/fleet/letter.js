'use strict'

const { decode, encode } = require('./codec')
const { STALE_MS } = require('./limits')

/*
 * One message as it is sent: an object of texts, signed as a whole.
 *
 *     { from: 'leader', number: '7', last: '7', at: '1760000000000', body: '["*","stop"]', signature }
 *
 * A pulse has no number and no body.
 */

/** @param {Seal} seal of the run */
function toEntry (seal, from, number, last, at, message) {
  const parts = [from, number ?? '', last, Math.round(at), message === null ? '' : encode(message)]
  const [, numbered, last_, told, body] = parts.map(String)
  return { from, number: numbered, last: last_, at: told, body, signature: seal.sign('message', ...parts) }
}

/**
 * @param {Seal} seal of the run
 * @param {Object<string, string>} entry as it came
 * @param {number} now by the same clock as `at`, ms
 * @returns {?{ from: string, number: ?number, last: number, message: * }} null where it is not of this run
 */
function fromEntry (seal, { from, number, last, at, body, signature }, now) {
  if (!seal.isGood(signature, 'message', from, number, last, at, body)) return null
  if (Math.abs(now - Number(at)) > STALE_MS) return null
  return { from, number: number === '' ? null : Number(number), last: Number(last), message: body === '' ? null : decode(body) }
}

module.exports = { toEntry, fromEntry }

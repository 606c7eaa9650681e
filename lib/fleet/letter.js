'use strict'

const { decode, encode } = require('./codec')
const { STALE_MS } = require('./limits')

/*
 * One message as it is sent: an object of texts, signed as a whole.
 *
 *     { from: 'leader', to: '*', number: '7', last: '7', at: '1760000000000', body: '["stop"]', signature }
 *
 * A pulse has no number, and no body unless it asks again: then that is the number of the first message that its sender has missed.
 * All agents get what the leader tells, and read what is for them.
 */

/**
 * @param {Seal} seal of the run
 * @param {object} letter `from`, `to`, `number` (null: a pulse), `last`, `at` (ms), `message` (plain data); of a pulse `again`, where it asks
 */
function toEntry (seal, { from, to, number, last, at, message, again = '' }) {
  const texts = [from, to, number ?? '', last, Math.round(at), number === null ? again : encode(message)].map(String)
  const [, , numbered, lastOne, told, body] = texts
  return { from, to, number: numbered, last: lastOne, at: told, body, signature: seal.sign('message', ...texts) }
}

/**
 * @param {Seal} seal of the run
 * @param {Object<string, string>} entry as it came
 * @param {number} now by the same clock as `at`, ms
 * @returns {?{ from: string, to: string, number: ?number, last: number, again: ?number, read: function(): * }} null where it is not of this run
 */
function fromEntry (seal, { from, to, number, last, at, body, signature }, now) {
  if (!seal.isGood(signature, 'message', from, to, number, last, at, body)) return null
  if (Math.abs(now - Number(at)) > STALE_MS) return null
  const isPulse = number === ''
  return { from, to, number: isPulse ? null : Number(number), last: Number(last), again: isPulse && body !== '' ? Number(body) : null, read: () => decode(body) }
}

module.exports = { toEntry, fromEntry }

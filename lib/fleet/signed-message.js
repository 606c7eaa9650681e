'use strict'

const { decode, encode } = require('./codec')
const { STALE_MS } = require('./limits')

/*
 * One message as it is sent: an object of strings, signed as a whole.
 *
 *     { from: 'leader', to: '*', number: '7', last: '7', at: '1760000000000', body: '["stop"]', signature }
 *
 * A pulse has no number. It has a body only if its sender has missed messages: the number of the first of them.
 * All agents get all messages of the leader, and read those addressed to them.
 */

/**
 * @param {Seal} seal of the run
 * @param {object} parts `from`, `to`, `number` (null: a pulse), `last`, `at` (ms), `message` (plain data); a pulse may have `again`
 */
function toEntry (seal, { from, to, number, last, at, message, again = '' }) {
  const texts = [from, to, number ?? '', last, Math.round(at), number === null ? again : encode(message)].map(String)
  const [, , numbered, lastOne, told, body] = texts
  return { from, to, number: numbered, last: lastOne, at: told, body, signature: seal.sign('message', ...texts) }
}

/**
 * @param {Seal} seal of the run
 * @param {Object<string, string>} entry as received
 * @param {number} now by the same clock as `at`, ms
 * @returns {?{ from: string, to: string, number: ?number, last: number, again: ?number, read: function(): * }} null if it doesn't belong to this run
 */
function fromEntry (seal, { from, to, number, last, at, body, signature }, now) {
  if (!seal.isGood(signature, 'message', from, to, number, last, at, body)) return null
  if (Math.abs(now - Number(at)) > STALE_MS) return null
  const isPulse = number === ''
  return { from, to, number: isPulse ? null : Number(number), last: Number(last), again: isPulse && body !== '' ? Number(body) : null, read: () => decode(body) }
}

module.exports = { toEntry, fromEntry }

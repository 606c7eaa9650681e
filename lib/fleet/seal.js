'use strict'

const { createHmac, randomBytes, timingSafeEqual } = require('node:crypto')
const { decode, encode } = require('./codec')
const { STALE_MS } = require('./limits')

/*
 * Only those who have the key can give orders to agents. The key itself never leaves its machine: messages are signed with
 * HMAC-SHA256. Three things are signed, each with its purpose, so that none can be used as another:
 *
 *     invitation    with the key              the number of the run (used once), its expiry
 *     plan          with the key              the number of the run, when it was signed, the plan
 *     messages      with a key of the run     the sender, the number of the message, its contents
 */

/** The number of a run, which is used only once. */
function newNumber () {
  return randomBytes(16).toString('hex')
}

class Seal {
  /** @param {string|Buffer} key */
  constructor (key) {
    this.key = key
  }

  /** @param {...(string|number)} parts the first is the purpose @returns {string} */
  sign (...parts) {
    // Each part is preceded by its length, so that no other division into parts has the same signature.
    const text = parts.map(String).map((part) => `${part.length}:${part}`).join('')
    return createHmac('sha256', this.key).update(text).digest('base64url')
  }

  /** @param {string} signature @param {...(string|number)} parts @returns {boolean} */
  isGood (signature, ...parts) {
    const expected = Buffer.from(this.sign(...parts))
    const given = Buffer.from(String(signature))
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  /** For the messages of one run. @param {string} run its number @returns {Seal} */
  ofRun (run) {
    return new Seal(createHmac('sha256', this.key).update(`cannonade run ${run}`).digest())
  }
}

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

module.exports = { Seal, newNumber, toEntry, fromEntry }

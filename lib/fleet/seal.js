'use strict'

const { createHmac, randomBytes, timingSafeEqual } = require('node:crypto')

/*
 * Who has the key can tell agents what to do, and nobody else. The key itself never leaves its machine: what is sent has an
 * HMAC-SHA256 beside it. Three things are signed, each for its purpose, so that none passes for another:
 *
 *     invitation    with the key          the number of the run (used once), until when it holds
 *     plan          with the key          the number of the run, when it was signed, the plan
 *     messages      with one of the run   who speaks, the number of the message, what he says
 */

/** A number that is used once: of a run. */
function newNumber () {
  return randomBytes(16).toString('hex')
}

class Seal {
  /** @param {string|Buffer} key */
  constructor (key) {
    this.key = key
  }

  /** @param {...(string|number)} parts the first says what for @returns {string} */
  sign (...parts) {
    // Each with its length before it: no other division into parts has the same signature.
    const text = parts.map(String).map((part) => `${part.length}:${part}`).join('')
    return createHmac('sha256', this.key).update(text).digest('base64url')
  }

  /** @param {string} signature @param {...(string|number)} parts @returns {boolean} */
  isGood (signature, ...parts) {
    const expected = Buffer.from(this.sign(...parts))
    const given = Buffer.from(String(signature))
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  /** For what is told in one run. @param {string} run its number @returns {Seal} */
  ofRun (run) {
    return new Seal(createHmac('sha256', this.key).update(`cannonade run ${run}`).digest())
  }
}

module.exports = { Seal, newNumber }

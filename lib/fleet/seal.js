'use strict'

const { createHmac, randomBytes, timingSafeEqual } = require('node:crypto')

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

module.exports = { Seal, newNumber }

'use strict'

const { CannonadeError, CODES } = require('../../../base/errors')
const world = require('../../../world')
const { Pending } = require('./pending')

const LONGEST_MS = 1000

/**
 * What the calls and think times of a session get after it has ended: rejections, in later turns. Code that retries forever must not
 * keep the thread busy, so each rejection comes later than the one before.
 */
class Refusals {
  constructor () {
    this.count = 0
  }

  /** @returns {Promise} */
  next () {
    const pending = new Pending()
    const ms = Math.min(LONGEST_MS, 2 ** Math.min(this.count++, 10))
    world.setTimeout(() => pending.settle(undefined, sessionEnded()), ms).unref()
    return pending.promise
  }
}

function sessionEnded () {
  return new CannonadeError(CODES.SESSION_ENDED, 'the session is over: nothing more can be sent in it')
}

module.exports = { Refusals, sessionEnded }

'use strict'

const { CannonadeError, CODES } = require('../base/errors')
const isThenable = require('./thenable')

/**
 * Which request a connection sends next, with the user's context: the requests in order, round and round. Each round
 * starts with a fresh context, and with a row of the feed, if there is one; a setupRequest that returns something falsy
 * starts a new round at once.
 */
class RequestSequence {
  /**
   * @param {Step[]} steps shared by all connections to one target; replaced, never changed
   * @param {function(): object} newContext
   * @param {function()} onReset
   * @param {?Feed} feed which all sequences of this thread share
   */
  constructor (steps, newContext, onReset, feed) {
    this.steps = steps
    this.newContext = newContext
    this.onReset = onReset
    this.feed = feed
    /** The step that is sent next. */
    this.cursor = 0
    /** The step that was sent last: the one a client's setHeaders means. */
    this.current = 0
    this.context = null
    this.row = null
    this.isMidRound = false
  }

  /** Whether a request is known by when it is due, so that what goes back is asked for again. */
  get isByDueTime () {
    return false
  }

  /** What fails where `next` throws. */
  get hookName () {
    return `requests[${this.cursor}].setupRequest`
  }

  /** How many requests the round that has begun still has. */
  get leftInRound () {
    return this.isMidRound ? this.steps.length - this.cursor : 0
  }

  /** How many requests, from the next one on, go out until one has said that its connection ends; Infinity: none does. */
  get untilClosing () {
    const { steps, cursor } = this
    for (let count = 1; count <= steps.length; count++) {
      if (steps[(cursor + count - 1) % steps.length].encoded.closes) return count
    }
    return Infinity
  }

  /** How many requests there still are; Infinity where rows do not run out. */
  get left () {
    return this.feed === null || this.feed.left > 0 ? Infinity : this.leftInRound
  }

  /**
   * @returns {?object|Promise<?object>} `{ step, encoded, context }`, a promise where setupRequest gives one; null where
   *   there is no row for another round
   * @throws what the hook throws, CANNONADE_BAD_OPTION where it returns no good request, CANNONADE_BAD_SEQUENCE where the
   *   first request of a round is refused; `cursor` then tells the step
   */
  next () {
    if (this.cursor >= this.steps.length) this.cursor = 0
    if (this.cursor === 0 && !this.beginRound()) return null
    const { row } = this
    let step = this.steps[this.cursor]
    if (step.hooks.setupRequest === null) return this.take(step, step.encodedFor(row))
    step = step.filledFor(row)
    const draft = step.hooks.setupRequest(step.draft(row), this.context)
    if (isThenable(draft)) return Promise.resolve(draft).then((awaited) => this.accept(step, awaited))
    return this.accept(step, draft)
  }

  beginRound () {
    if (this.feed !== null) {
      this.row = this.feed.next()
      if (this.row === null) return false
    }
    this.context = this.newContext()
    this.isMidRound = true
    return true
  }

  accept (step, draft) {
    if (draft) return this.take(step, step.encode(draft))
    if (this.cursor === 0) {
      throw new CannonadeError(CODES.BAD_SEQUENCE, 'First setupRequest() failed did not returned valid request. Stopping: setupRequest of the first request must return a request, since there is none to start again from')
    }
    this.cursor = 0
    this.isMidRound = false
    this.onReset()
    return this.next()
  }

  take (step, encoded) {
    this.current = this.cursor
    this.cursor = this.cursor + 1 >= this.steps.length ? 0 : this.cursor + 1
    this.isMidRound = this.cursor > 0
    return { step, encoded, context: this.context }
  }

  /** Replaces the request that this connection is currently on. */
  change (request, hooks) {
    const steps = this.steps.slice()
    steps[this.current] = steps[this.current].with(request, hooks)
    this.steps = steps
  }

  replace (steps) {
    this.steps = steps
    this.cursor = 0
    this.current = 0
    this.isMidRound = false
  }
}

module.exports = RequestSequence

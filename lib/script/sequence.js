'use strict'

const { CannonadeError, CODES } = require('../base/errors')
const { isThenable } = require('../base/user-code')
const { RoundRobin } = require('../load/request-order')

/**
 * The requests of one connection with the user's context, in the order given by `order`. Each round starts with a fresh
 * context, and with a row of the feed, if there is one. If a setupRequest returns a falsy value, a new round starts at once.
 */
class RequestSequence {
  /**
   * @param {Step[]} steps shared by all connections to the same target; never modified, only replaced
   * @param {RoundRobin} order determines the next step, see load/request-order.js
   * @param {function(): object} newContext
   * @param {function()} onReset
   * @param {?Feed} feed shared by all sequences of this thread
   */
  constructor (steps, order, newContext, onReset, feed) {
    this.steps = steps
    /** Those of the plan, whose titles name endpoints. */
    this.planned = steps
    this.order = order
    this.newContext = newContext
    this.onReset = onReset
    this.feed = feed
    /** The step that was sent last: a client's setHeaders changes this one. */
    this.current = 0
    this.context = null
    /** The row of the current round; null between rounds. */
    this.row = null
    /** Rows of requests that were set up in vain. */
    this.unused = []
    /** The step whose setupRequest was called last. */
    this.attempted = steps[0]
  }

  /** Whether requests are identified by their due time, so that a returned request is simply requested again. */
  get isByDueTime () {
    return this.order.isByArrival
  }

  /** The name of the hook to report if `next` throws. */
  get hookName () {
    return `${this.attempted.where}.setupRequest`
  }

  /** How many requests are left in the round of this connection's current row. */
  get leftOfRow () {
    return this.row === null ? 0 : this.order.leftInRound
  }

  get nextEndpoint () {
    return this.steps[this.order.next].endpoint
  }

  /**
   * How many of the next `within` requests will be sent up to and including the first that closes its connection; Infinity if
   * none does.
   */
  untilClosing (within) {
    return this.order.untilClosing(this.steps, within)
  }

  /** How many requests are left; Infinity if rows do not run out. */
  get left () {
    return this.feed === null || this.feed.left > 0 || this.unused.length > 0 ? Infinity : this.leftOfRow
  }

  /**
   * @returns {?object|Promise<?object>} `{ step, encoded, context, row }`, or a promise for it if setupRequest is asynchronous; null
   *   if there is no row for another round. A promise is for undefined if the connection has lost the arrival meanwhile
   * @throws what the hook throws; CANNONADE_BAD_OPTION if it returns an invalid request; CANNONADE_BAD_SEQUENCE if it returns a
   *   falsy value for the first request of a round. `hookName` then names the hook
   */
  next () {
    return this.setUpNext()
  }

  setUpNext () {
    if (this.order.beginsRound && !this.beginRound()) return null
    const { row } = this
    let step = this.steps[this.order.next]
    if (step.hooks.setupRequest === null) return this.take(step, step.encodedFor(row))
    step = step.filledFor(row)
    this.attempted = step
    const draft = step.hooks.setupRequest(step.draft(row), this.context)
    if (!isThenable(draft)) return this.accept(step, draft)
    const { version } = this
    return Promise.resolve(draft).then((awaited) => {
      if (this.version === version) return this.accept(step, awaited)
      this.leave(row)
      this.endRound()
      return undefined
    })
  }

  /** A request with this row will not be sent. */
  leave (row) {
    if (row) this.unused.push(row)
  }

  /** The connection sends something else for what came due, such as a redirect. */
  passOver () {
    this.order.passOver()
  }

  /** Changes when a connection loses the arrival whose request is being set up. */
  get version () {
    return this.order.version
  }

  beginRound () {
    if (this.feed !== null) {
      this.row = this.unused.pop() ?? this.feed.next()
      if (this.row === null) return false
    }
    this.context = this.newContext()
    return true
  }

  endRound () {
    this.row = null
  }

  accept (step, draft) {
    if (draft) {
      const encoded = step.encode(draft)
      return this.take(draft.title === step.request.title ? step : this.titled(step, draft.title), encoded)
    }
    if (this.order.beginsRound) {
      throw new CannonadeError(CODES.BAD_SEQUENCE, 'First setupRequest() failed did not returned valid request. Stopping: setupRequest of the first request must return a request, since there is none to start again from')
    }
    this.order.restart()
    this.endRound()
    this.onReset()
    return this.setUpNext()
  }

  take (step, encoded) {
    const { row } = this
    this.current = this.order.take()
    if (this.order.beginsRound) this.endRound()
    return { step, encoded, context: this.context, row }
  }

  /** Returns the step, counted under the endpoint that has a title, if there is one. */
  titled (step, title) {
    const namesake = title === undefined ? undefined : this.planned.find(({ request }) => request.title === title)
    return namesake === undefined ? step : step.countedUnder(namesake.endpoint)
  }

  /** Replaces the current request of this connection. */
  change (request, hooks) {
    const steps = this.steps.slice()
    steps[this.current] = this.titled(steps[this.current].with(request, hooks), request.title)
    this.steps = steps
  }

  replace (steps) {
    this.steps = steps
    this.order = new RoundRobin(steps.length)
    this.current = 0
    this.endRound()
  }
}

module.exports = RequestSequence

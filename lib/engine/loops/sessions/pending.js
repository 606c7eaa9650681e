'use strict'

const { keepHarmless } = require('./unawaited')

let resolveNext = null
let rejectNext = null

// One function for all promises: a closure for each would be made for every call.
function keep (resolve, reject) {
  resolveNext = resolve
  rejectNext = reject
}

const ignore = () => {}

/** A promise that the library settles for user code. */
class Pending {
  constructor () {
    this.promise = new Promise(keep)
    this.resolve = resolveNext
    this.reject = rejectNext
    /** Its index among those of its session that have not settled. */
    this.place = 0
  }

  /** Settles the promise. An error that nobody awaits is not an unhandled rejection. */
  settle (value, error) {
    if (error === null) {
      this.resolve(value)
      return
    }
    keepHarmless(error)
    this.promise.catch(ignore)
    this.reject(error)
  }
}

/** A request that user code has asked for, with all its redirects. */
class Call extends Pending {
  /**
   * @param {object} entry what its script sends: `{ step, encoded, context, call }`; replaced by each redirect
   * @param {?number} timeout its own, ms; null for that of the run
   * @param {number} number how many calls of the session were made before it
   */
  constructor (entry, timeout, number) {
    super()
    this.entry = entry
    this.timeout = timeout
    this.number = number
    this.dueAt = 0
    entry.call = this
  }

  get isCall () {
    return true
  }
}

/** The time limit of a call with a short timeout of its own. */
class Deadline {
  /** @param {UserVisit} visit */
  constructor (visit) {
    this.visit = visit
  }

  /** Called by the agenda. */
  onTime (time, now) {
    this.visit.expire(now)
  }
}

/** A think time, or what else user code waits for until a time. */
class Pause extends Pending {
  /** @param {UserVisit} visit @param {number} until ms @param {?Error} [error] with which it is rejected then */
  constructor (visit, until, error = null) {
    super()
    this.visit = visit
    this.until = until
    this.error = error
  }

  get isCall () {
    return false
  }

  /** Called by the agenda. */
  onTime () {
    this.visit.paused(this)
  }
}

/** Returns a rejected promise that is not an unhandled rejection. */
function rejected (error) {
  keepHarmless(error)
  const promise = Promise.reject(error)
  promise.catch(ignore)
  return promise
}

module.exports = { Call, Deadline, Pause, Pending, rejected }

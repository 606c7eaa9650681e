'use strict'

const EventEmitter = require('node:events')

/**
 * An EventEmitter that is also a promise of its outcome. A promise is created only when somebody asks for it, so an error
 * causes no unhandled rejection if nobody did.
 */
class Awaitable extends EventEmitter {
  #outcome = null
  #waiting = []

  /**
   * @param {object} [settings]
   * @param {boolean} [settings.isThenable] false: `await` returns the instance itself, and only `outcomeOf` gives the
   *   promise
   */
  constructor ({ isThenable = true } = {}) {
    super()
    if (!isThenable) Object.assign(this, { then: undefined, catch: undefined, finally: undefined })
  }

  /**
   * Returns a promise of the outcome, even for an instance that is not thenable.
   *
   * @param {Awaitable} awaitable
   * @returns {Promise<*>}
   */
  static outcomeOf (awaitable) {
    return awaitable.#promise()
  }

  /**
   * Sets the outcome, once, and settles all promises, also future ones. (Static, so that only the creator of an instance
   * uses it.)
   *
   * @param {Awaitable} awaitable
   * @param {{ error: ?Error, result: * }} outcome
   * @returns {boolean} whether anybody was waiting
   */
  static settle (awaitable, outcome) {
    awaitable.#outcome = outcome
    const waiting = awaitable.#waiting.splice(0)
    for (const { resolve, reject } of waiting) {
      if (outcome.error) reject(outcome.error)
      else resolve(outcome.result)
    }
    return waiting.length > 0
  }

  /** Emits `error`, which throws without a listener, unless `isHeard`: a promise or a callback got the error. */
  static emitError (awaitable, error, isHeard) {
    const isSafe = !isHeard || awaitable.listenerCount('error') > 0
    awaitable.emit(isSafe ? 'error' : EventEmitter.errorMonitor, error)
  }

  #promise () {
    if (this.#outcome !== null) {
      const { error, result } = this.#outcome
      return error ? Promise.reject(error) : Promise.resolve(result)
    }
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  then (onFulfilled, onRejected) {
    return this.#promise().then(onFulfilled, onRejected)
  }

  catch (onRejected) {
    return this.#promise().catch(onRejected)
  }

  finally (onFinally) {
    return this.#promise().finally(onFinally)
  }

  // The remaining member of Promise, so that types may declare that a Promise is returned.
  get [Symbol.toStringTag] () {
    return this.constructor.name
  }
}

module.exports = Awaitable

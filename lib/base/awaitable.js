'use strict'

const EventEmitter = require('node:events')

/**
 * An EventEmitter that is a promise of its outcome at the same time. A promise is made for each one who asks, so that where
 * nobody has asked nothing is rejected either.
 */
class Awaitable extends EventEmitter {
  #outcome = null
  #waiting = []

  /**
   * @param {object} [settings]
   * @param {boolean} [settings.isThenable] false: `await` gives the instance itself, and `outcomeOf` alone has the promise
   */
  constructor ({ isThenable = true } = {}) {
    super()
    if (!isThenable) Object.assign(this, { then: undefined, catch: undefined, finally: undefined })
  }

  /**
   * A promise of the outcome, also of one that is no thenable.
   *
   * @param {Awaitable} awaitable
   * @returns {Promise<*>}
   */
  static outcomeOf (awaitable) {
    return awaitable.#promise()
  }

  /**
   * Tells all who wait, and who will: once. (Static, as it is nobody's business but that of who makes the instance.)
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

  /** Emits `error`, which is thrown where nobody has heard of it in any way. */
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

  // All that a Promise has, so that one may be declared where an instance is returned.
  get [Symbol.toStringTag] () {
    return this.constructor.name
  }
}

module.exports = Awaitable

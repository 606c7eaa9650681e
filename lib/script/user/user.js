'use strict'

const { optionError } = require('../../base/errors')
const { isThenable } = require('../../base/user-code')
const { createRandom, Exponential } = require('../../load/random')
const { seedOfPauses, seedOfUser } = require('../../load/seeds')
const { text } = require('../../values/kinds')
const { thinkTime } = require('../../values/duration')

const NO_PAUSE = Object.freeze({ from: 0, to: 0 })
const LONGEST_PLAIN_SECONDS = 1e6

/** The user of a session: what a user function gets. */
class User {
  #visit
  #seed
  #pauses = null
  #random = null

  /**
   * @param {UserVisit} visit
   * @param {number} seed of the run
   * @param {?object} row of the feed
   * @param {?string} scenario
   */
  constructor (visit, seed, row, scenario) {
    this.#visit = visit
    this.#seed = seed
    this.row = row
    this.index = visit.number
    this.scenario = scenario
  }

  get (path, opts) {
    return this.#visit.call('GET', path, opts)
  }

  head (path, opts) {
    return this.#visit.call('HEAD', path, opts)
  }

  post (path, opts) {
    return this.#visit.call('POST', path, opts)
  }

  put (path, opts) {
    return this.#visit.call('PUT', path, opts)
  }

  patch (path, opts) {
    return this.#visit.call('PATCH', path, opts)
  }

  delete (path, opts) {
    return this.#visit.call('DELETE', path, opts)
  }

  /** @param {object} request `{ method, path, … }` */
  request (request) {
    return this.#visit.request(request)
  }

  /** Pauses. @param {number|string|Array|object} time seconds, a text, [from, to] or { mean } */
  think (time) {
    let pause
    try {
      pause = typeof time === 'number' && time >= 0 && time < LONGEST_PLAIN_SECONDS ? time : this.#draw(thinkTime.read(time, 'user.think()') ?? NO_PAUSE)
    } catch (error) {
      return this.#visit.rejected(error)
    }
    return this.#visit.think(pause * 1000)
  }

  #draw ({ from, to, mean }) {
    if (from === to && mean === undefined) return from
    this.#pauses ??= createRandom(seedOfPauses(this.#seed, this.index))
    return mean === undefined ? from + (to - from) * this.#pauses.next() : mean * new Exponential(this.#pauses).next()
  }

  /** Counts whether something is as it should be. @returns {boolean} whether it is */
  check (name, ok) {
    const read = text.read(name, 'the name of a check')
    if (isThenable(ok)) throw optionError(`the result of the check '${read}'`, ok, 'a value and not a promise: await it')
    this.#visit.check(read, Boolean(ok))
    return Boolean(ok)
  }

  /** A number in [0, 1), which depends only on the seed and the session's index. */
  random () {
    this.#random ??= createRandom(seedOfUser(this.#seed, this.index))
    return this.#random.next()
  }

  /** Aborted when the run ends before the session does. */
  get signal () {
    return this.#visit.signal
  }
}

module.exports = User

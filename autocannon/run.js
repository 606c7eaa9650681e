'use strict'

const run = require('..')

const EVENTS = ['start', 'tick', 'response', 'reqError', 'reqMismatch', 'done', 'error']

/**
 * A run whose events a tracker of the caller's emits.
 *
 * @param {object} opts
 * @param {?EventEmitter} [tracker] gets `stop()` and `opts` as well; without one the instance itself is returned
 * @param {function(?Error, object)} [cb]
 * @returns {EventEmitter}
 */
module.exports = function (opts, tracker, cb) {
  const instance = run(opts, cb)
  if (!tracker) return instance
  for (const event of EVENTS) instance.on(event, (...args) => tracker.emit(event, ...args))
  return Object.assign(tracker, { opts: instance.opts, stop: instance.stop })
}

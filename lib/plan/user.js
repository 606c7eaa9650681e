'use strict'

const { contradiction } = require('../base/errors')
const { isGiven } = require('../values/kinds')
const { isUserCode } = require('./scenarios')

/**
 * Returns the user's options with those that `user` and `scenarios` imply: what arrives are sessions.
 *
 * @param {object} given
 * @returns {object}
 */
function withSessions (given) {
  const isAskedFor = (name) => isGiven(given[name]) && given[name] !== false
  if ((!isAskedFor('user') && !isAskedFor('scenarios')) || isAskedFor('sessions')) return given
  return Object.assign(Object.create(Object.getPrototypeOf(given)), given, { sessions: true })
}

/**
 * Throws if the headers of all calls have a placeholder that the feed cannot fill.
 *
 * @param {object} options as read
 * @param {object} base the request that calls are merged into
 * @param {?object} feed of the plan
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function checkHeaders (options, base, feed) {
  if (!isUserCode(options) || feed === null) return
  const { checkParts, splitRequest } = require('../values/placeholders')
  checkParts(feed.rows, splitRequest({ ...base, path: '/' }, '/'), 'headers')
}

/**
 * Throws if parts of other options conflict with users as code.
 *
 * @param {object} options as read
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function checkUser ({ user, sessions }) {
  if (user === null) return
  if (sessions.calls !== null) throw contradiction('user', 'sessions.calls', 'a session ends when the function does')
  if (sessions.log !== null) throw contradiction('user', 'sessions.log', 'the function decides what is sent')
}

module.exports = { checkHeaders, checkUser, withSessions }

'use strict'

/**
 * Under this key the options may say what no option says: how another tool, in whose place this one stands, speaks and
 * behaves. For the commands that take the command lines of other tools; nobody else needs it.
 */
const MANNER = Symbol('manner')

const OURS = Object.freeze({
  /** In the request line: '1.1' or '1.0'. */
  httpVersion: '1.1',
  /** Whether a request has a Host header. */
  hostHeader: true,
  /** Connections are ended with a reset and not with a FIN. */
  closesWithReset: false,
  /** Whether a session goes on, on another connection, where the server has closed one between two requests. */
  reopens: true
})

/**
 * @param {object} given what the user wrote
 * @returns {object} as above, each of it
 */
function mannerOf (given) {
  return { ...OURS, ...given?.[MANNER] }
}

/** A target that is spoken to in this manner. */
function mannered (target, { httpVersion, hostHeader }) {
  if (httpVersion === OURS.httpVersion && hostHeader) return target
  return { ...target, httpVersion, hostHeader: hostHeader ? target.hostHeader : null }
}

module.exports = { MANNER, mannerOf, mannered }

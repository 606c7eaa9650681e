'use strict'

/**
 * Under this key, options may have what no public option sets: how another tool behaves on the wire. Commands that emulate
 * other tools use it.
 */
const EMULATION = Symbol('emulation')

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
function emulationOf (given) {
  return { ...OURS, ...given?.[EMULATION] }
}

/** A target as the emulated tool sends requests to it. */
function emulated (target, { httpVersion, hostHeader }) {
  if (httpVersion === OURS.httpVersion && hostHeader) return target
  return { ...target, httpVersion, hostHeader: hostHeader ? target.hostHeader : null }
}

module.exports = { EMULATION, emulationOf, emulated }

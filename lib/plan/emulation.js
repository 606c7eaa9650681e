'use strict'

/**
 * Commands that emulate another tool set, under this key, how that tool behaves on the wire. There are no public options
 * for these settings.
 */
const EMULATION = Symbol('emulation')

const OURS = Object.freeze({
  /** The version in the request line: '1.1' or '1.0'. */
  httpVersion: '1.1',
  /** Whether a request has a Host header. */
  hostHeader: true,
  /** Whether connections are closed with a reset instead of a FIN. */
  closesWithReset: false,
  /** Whether a session continues on a new connection if the server closes one between two requests. */
  reopens: true
})

/**
 * @param {object} given the user's options
 * @returns {object} the settings above, with defaults filled in
 */
function emulationOf (given) {
  return { ...OURS, ...given?.[EMULATION] }
}

/** Returns the target with the HTTP version and Host header of the emulated tool. */
function emulated (target, { httpVersion, hostHeader }) {
  if (httpVersion === OURS.httpVersion && hostHeader) return target
  return { ...target, httpVersion, hostHeader: hostHeader ? target.hostHeader : null }
}

module.exports = { EMULATION, emulationOf, emulated }

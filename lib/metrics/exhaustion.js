'use strict'

const { count, counted } = require('../words/numbers')

// Errors that mean the load generator ran out of a resource. Files: in this process (EMFILE) or on the whole system (ENFILE). Ports:
// when the system picks a free one (EADDRNOTAVAIL), and for a requested local address (EADDRINUSE).
const FILES = ['EMFILE', 'ENFILE']
const PORTS = ['EADDRNOTAVAIL', 'EADDRINUSE']

// Thresholds relative to the failed attempts and to all attempts. Below them, the failures did not limit the run: for example, a
// single attempt that failed and then succeeded when retried.
const MOST_OF_FAILED = 0.5
const OF_ALL = 0.1

/**
 * Counts the attempts to connect that failed because this machine had no free file descriptor or local port, or does not have the
 * requested local address. All of these are limits of the load generator and not caused by the server.
 *
 * @param {object} result its `errorCodes` and `connectionStats`
 * @returns {{ files: number, ports: number, addresses: number, codes: object }} counts; `codes`: the error codes that occurred, by
 *   the same names
 */
function exhaustionOf ({ errorCodes = {}, connectionStats }) {
  const codes = { files: present(errorCodes, FILES), ports: [], addresses: [] }
  for (const code of present(errorCodes, PORTS)) {
    if (isNoAddress(code, errorCodes[code])) codes.addresses.push(code)
    // If no connection was opened at all, the system has no route to the address, for example because it lacks IPv6.
    else if (connectionStats.opened > 0) codes.ports.push(code)
  }
  const all = (names) => names.reduce((sum, code) => sum + errorCodes[code].count, 0)
  return { files: all(codes.files), ports: all(codes.ports), addresses: all(codes.addresses), codes }
}

function present (errorCodes, names) {
  return names.filter((code) => Object.hasOwn(errorCodes, code))
}

// The system reports this error for a bind to an address that does not belong to this machine.
function isNoAddress (code, { message }) {
  return code === 'EADDRNOTAVAIL' && message.startsWith('bind ')
}

/**
 * Explains why the generator did not have enough connections, if the shortage was large enough to determine the outcome of the run.
 *
 * @param {object} result
 * @returns {?string} the reason; null if it had enough
 */
function reasonForExhaustion (result) {
  const { opened = 0, failed = 0 } = result.connectionStats ?? {}
  if (failed === 0) return null
  const { files, ports, addresses } = exhaustionOf(result)
  const lacking = files + ports + addresses
  if (lacking < MOST_OF_FAILED * failed || lacking < OF_ALL * (opened + failed)) return null
  return `the load generator ${lackInWords(files, ports, addresses)}, so ${count(lacking)} of ${counted(opened + failed, 'connection')} could not be opened`
}

function lackInWords (files, ports, addresses) {
  if (files >= ports + addresses) return 'ran out of file descriptors'
  return ports >= addresses ? 'ran out of local ports' : 'was given a local address that this machine does not have'
}

module.exports = { exhaustionOf, reasonForExhaustion }

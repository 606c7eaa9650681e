'use strict'

const { count, counted } = require('../words/numbers')

// What a load generator runs out of. Files: of this process (EMFILE), of the whole system (ENFILE). Ports: where the system
// looks for a free one itself (EADDRNOTAVAIL), and on a local address that was asked for (EADDRINUSE).
const FILES = ['EMFILE', 'ENFILE']
const PORTS = ['EADDRNOTAVAIL', 'EADDRINUSE']

// Of the attempts that failed, and of all: what one attempt met that was tried again at once is no limit of anything.
const MOST_OF_FAILED = 0.5
const OF_ALL = 0.1

/**
 * Which attempts to connect failed because this machine had no file descriptor, no local port, or not the local address
 * that was asked for. Each of them is the load generator's limit, and none of the server's doing.
 *
 * @param {object} result its `errorCodes` and `connectionStats`
 * @returns {{ files: number, ports: number, addresses: number, codes: object }} how many; `codes`: those of them that came
 *   up, by what they stand for
 */
function exhaustionOf ({ errorCodes = {}, connectionStats }) {
  const codes = { files: present(errorCodes, FILES), ports: [], addresses: [] }
  for (const code of present(errorCodes, PORTS)) {
    if (isNoAddress(code, errorCodes[code])) codes.addresses.push(code)
    // Where not one came up, there is no way from here to there: of a family of addresses that the machine does not have.
    else if (connectionStats.opened > 0) codes.ports.push(code)
  }
  const all = (names) => names.reduce((sum, code) => sum + errorCodes[code].count, 0)
  return { files: all(codes.files), ports: all(codes.ports), addresses: all(codes.addresses), codes }
}

function present (errorCodes, names) {
  return names.filter((code) => Object.hasOwn(errorCodes, code))
}

// The system says so of a socket that is to be bound to an address that is not this machine's.
function isNoAddress (code, { message }) {
  return code === 'EADDRNOTAVAIL' && message.startsWith('bind ')
}

/**
 * Why the generator had not enough connections, where that is so much that it decided what a run came to.
 *
 * @param {object} result
 * @returns {?string} in words; null where it had enough
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

'use strict'

const ILLEGAL_IN_REQUEST_LINE = /[^\x21-\x7e]+/g

/**
 * Percent-encodes what is not allowed in a request line: spaces, control characters and anything that is not ASCII. Removes the
 * fragment, which is not sent.
 *
 * @param {string} target
 * @returns {string}
 */
function encodeTarget (target) {
  return target.split('#', 1)[0].replace(ILLEGAL_IN_REQUEST_LINE, run => {
    let encoded = ''
    for (const byte of Buffer.from(run)) encoded += '%' + byte.toString(16).toUpperCase().padStart(2, '0')
    return encoded
  })
}

module.exports = { encodeTarget }

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

// A number, a UUID, or a hash in hexadecimal digits: at least seven of them with a decimal digit among them, since 'decade' is a
// word. A suffix such as '.json' may follow.
const VARIABLE = /(?<=\/)(?:[+-]?\d+(?:\.\d+)?|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?=[a-f]*\d)[\da-f]{7,})(?=(?:\.[a-z][\da-z]*)*(?:\/|$))/gi

/**
 * The path under which requests are grouped if they have no title: without its query, and with `*` for each segment that identifies
 * one thing among many, so that /items/1 and /items/2 are one endpoint.
 *
 * @param {string} path such as '/items/4711?page=2', without a fragment
 * @returns {string} such as '/items/*'
 */
function pathGroup (path) {
  const [whole] = path.split('?', 1)
  return /\d/.test(whole) ? whole.replace(VARIABLE, '*') : whole
}

module.exports = { encodeTarget, pathGroup }

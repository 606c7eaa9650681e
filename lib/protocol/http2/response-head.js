'use strict'

const { HeaderFields } = require('../../http/header-fields')

// RFC 9113, section 8.2.1: no upper-case letters, spaces, control or non-ASCII characters; a colon only at the beginning.
// eslint-disable-next-line no-control-regex
const BAD_NAME = /[\x00-\x20A-Z:\x7f-\xff]/
// eslint-disable-next-line no-control-regex
const BAD_VALUE = /[\x00\r\n]|^[ \t]|[ \t]$/
const STATUS = /^[1-9]\d\d$/
const LENGTH = /^\d{1,15}$/

// Section 8.2.2: connection-specific fields are forbidden.
const OF_CONNECTIONS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

/** The framing information in the header section of a response (RFC 9113, section 8.3.2), and its fields for hooks. */
class ResponseHead {
  constructor () {
    this.status = 0
    /** Octets of the body; -1 when no Content-Length was given. */
    this.contentLength = -1
    /** Its Content-Encoding; '' for none. */
    this.coding = ''
    this.raw = []
    this.headerFields = null
  }

  /** Its header fields for hooks, without pseudo-headers; created on demand. @returns {HeaderFields} */
  fieldsIn () {
    this.headerFields ??= new HeaderFields(this.raw)
    return this.headerFields
  }

  /** For a HeadMemo; no copy is needed, since this object is never modified. */
  copy () {
    return this
  }
}

/**
 * @param {string[]} fields of a header block: name, value, …
 * @returns {ResponseHead|string} a string if the response is malformed: the reason, as the end of a sentence
 */
function readHead (fields) {
  const head = new ResponseHead()
  if (fields.length === 0 || fields[0] !== ':status') return 'it does not begin with a :status'
  if (!STATUS.test(fields[1])) return 'its :status is not a status code'
  head.status = Number(fields[1])
  if (head.status === 101) return 'it switches protocols, which HTTP/2 does not have'
  head.raw = fields.slice(2)
  const problem = checkFields(head.raw) || readFraming(head)
  return problem === '' ? head : problem
}

/**
 * @param {string[]} fields of a header block after the body
 * @returns {string} why they are not valid trailers; '' if they are
 */
function checkTrailers (fields) {
  return checkFields(fields)
}

function checkFields (fields) {
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index]
    if (BAD_NAME.test(name) || name === '') return name[0] === ':' ? 'a pseudo-header in an illegal place' : 'the name of a header has illegal characters'
    if (BAD_VALUE.test(fields[index + 1])) return 'the value of a header has illegal characters'
    if (OF_CONNECTIONS.has(name)) return `it has the header ${name}, which HTTP/2 forbids`
    if (name === 'te' && fields[index + 1] !== 'trailers') return 'it has the header te, which HTTP/2 forbids'
  }
  return ''
}

function readFraming (head) {
  for (let index = 0; index < head.raw.length; index += 2) {
    const value = head.raw[index + 1]
    if (head.raw[index] === 'content-length') {
      if (!LENGTH.test(value)) return 'its content-length is not a number'
      if (head.contentLength !== -1 && head.contentLength !== Number(value)) return 'it has two different content-lengths'
      head.contentLength = Number(value)
    } else if (head.raw[index] === 'content-encoding') {
      head.coding += head.coding === '' ? value : `, ${value}`
    }
  }
  return ''
}

module.exports = { ResponseHead, readHead, checkTrailers }

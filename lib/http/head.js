'use strict'

/** A head longer than this is an attack or a mistake; Node's own limit is 16 KiB. */
const MAX_HEAD_BYTES = 65536

/** Returned by `parseHead` if the bytes so far are the beginning of a head. */
const INCOMPLETE = -1
/** Returned by `parseHead` if the bytes can't become a head; `head.problem` says why. */
const INVALID = -2

const TAB = 9
const LF = 10
const CR = 13
const SPACE = 32
const COLON = 58
const DELETE = 127
const VERSION = Buffer.from('HTTP/1.')

// RFC 9110, section 5.6.2: the characters of a field name.
const TOKEN = new Uint8Array(256)
for (const char of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") TOKEN[char.charCodeAt(0)] = 1

// The only fields that determine where a response ends and whether the connection continues.
const CONTENT_LENGTH = Buffer.from('content-length')
const TRANSFER_ENCODING = Buffer.from('transfer-encoding')
const CONNECTION = Buffer.from('connection')
// Needed to decode the body if something reads it.
const CONTENT_ENCODING = Buffer.from('content-encoding')
// The usual values of Connection.
const KEEP_ALIVE = Buffer.from('keep-alive')
const CLOSE = Buffer.from('close')

/** 1 for each byte that may occur in the value of a field: all except control characters other than a tab. */
const TEXT = new Uint8Array(256).fill(1, SPACE)
TEXT[DELETE] = 0
TEXT[TAB] = 1

/** What the status line and the headers of a response say about its framing (RFC 9112). */
class Head {
  constructor () {
    this.clear()
  }

  clear () {
    this.status = 0
    /** Bytes of the body; -1 without a Content-Length. */
    this.contentLength = -1
    this.hasTransferEncoding = false
    this.chunked = false
    this.isHttp10 = false
    /** The server accepts no further request on this connection. */
    this.close = false
    /** The server closes the connection even if there is a keep-alive as well. */
    this.closeIsFinal = false
    this.problem = ''
    /** The Content-Encoding; '' if there is none. */
    this.coding = ''
    /** Whether the line being read continues one of Content-Encoding. */
    this.continuesCoding = false
    this.headerFields = null
    /** For an incomplete head: how many bytes are complete lines, which needn't be read again. */
    this.bytesRead = 0
  }

  copy () {
    return Object.assign(new Head(), this)
  }

  /**
   * The header fields for hooks, parsed only if a hook uses them.
   *
   * @param {Buffer} buffer
   * @param {number} start position of the head in it
   * @param {number} end
   * @returns {HeaderFields}
   */
  fieldsIn (buffer, start, end) {
    this.headerFields ??= new (require('./header-fields').HeaderFields)(rawHeaders(buffer.subarray(start, end)))
    return this.headerFields
  }
}

/**
 * Parses a response head that begins at `start`. A line may end in a bare LF, as RFC 9112 section 2.2 allows.
 *
 * @param {Buffer} buffer
 * @param {number} start
 * @param {number} end end of the received bytes
 * @param {Head} head is filled in
 * @returns {number} the position after the head, or INCOMPLETE, or INVALID
 */
function parseHead (buffer, start, end, head) {
  head.clear()
  return parseFields(buffer, start, parseStatusLine(buffer, start, end, head), end, head)
}

/**
 * Continues with a head that was INCOMPLETE when more of it has arrived. However a head is split into packets, an invalid one is
 * rejected at the same byte.
 *
 * @param {Buffer} buffer begins with the head
 * @param {number} end end of the received bytes
 * @param {Head} head the same as before
 * @returns {number} as in `parseHead`
 */
function resumeHead (buffer, end, head) {
  if (head.bytesRead === 0) return parseHead(buffer, 0, end, head)
  return parseFields(buffer, 0, head.bytesRead, end, head)
}

// Parses from the line at `position` to the empty line.
function parseFields (buffer, start, position, end, head) {
  while (position >= 0) {
    head.bytesRead = position - start
    if (position >= end) return INCOMPLETE
    const byte = buffer[position]
    if (byte === LF) return position + 1
    if (byte === CR) {
      if (position + 1 >= end) return INCOMPLETE
      return buffer[position + 1] === LF ? position + 2 : invalid(head, 'a carriage return without a line feed in the head')
    }
    position = parseField(buffer, position, end, head)
  }
  return position
}

function parseStatusLine (buffer, start, end, head) {
  for (let index = 0; index < VERSION.length; index++) {
    if (start + index >= end) return INCOMPLETE
    if (buffer[start + index] !== VERSION[index]) return invalid(head, 'it does not begin with HTTP/1.')
  }
  // HTTP/1.x SSS: the version's last digit, a space and three digits.
  if (start + 12 >= end) return INCOMPLETE
  const minor = buffer[start + 7]
  if (minor !== 48 && minor !== 49) return invalid(head, 'its version is neither HTTP/1.0 nor HTTP/1.1')
  // An HTTP/1.0 server closes unless it says otherwise.
  head.isHttp10 = head.close = minor === 48
  const status = parseStatus(buffer, start + 9)
  const after = buffer[start + 12]
  if (buffer[start + 8] !== SPACE || status < 100 || (after !== SPACE && after !== CR && after !== LF)) {
    return invalid(head, 'its status line is malformed')
  }
  head.status = status
  return endOfLine(buffer, start + 12, end, head)
}

function parseStatus (buffer, position) {
  let status = 0
  for (let index = 0; index < 3; index++) {
    const digit = buffer[position + index] - 48
    if (digit < 0 || digit > 9) return -1
    status = status * 10 + digit
  }
  return status
}

// Parses one field line. Fields that don't affect framing are skipped, reading each byte once. A line is complete when the next one
// begins with something other than a space.
function parseField (buffer, start, end, head) {
  let position = start
  while (position < end && TOKEN[buffer[position]] === 1) position++
  if (position >= end) return INCOMPLETE
  const isContinuation = position === start && (buffer[start] === SPACE || buffer[start] === TAB)
  if (!isContinuation && (buffer[position] !== COLON || position === start)) return invalid(head, 'a header line is malformed')
  const next = endOfLine(buffer, position, end, head)
  if (next < 0) return next
  if (next >= end) return INCOMPLETE
  const isFolded = buffer[next] === SPACE || buffer[next] === TAB
  if (isFolded && isFraming(buffer, start, position)) return invalid(head, 'a header about its length is folded over two lines')
  if (!isContinuation) readFraming(buffer, start, position, next, head)
  else if (head.continuesCoding) head.coding += ` ${buffer.toString('latin1', start, next).trim()}`
  head.continuesCoding = isFolded && (isContinuation ? head.continuesCoding : is(buffer, start, position, CONTENT_ENCODING))
  return head.problem === '' ? next : INVALID
}

function isFraming (buffer, start, end) {
  return is(buffer, start, end, CONTENT_LENGTH) || is(buffer, start, end, TRANSFER_ENCODING) || is(buffer, start, end, CONNECTION)
}

function readFraming (buffer, start, colon, next, head) {
  switch (colon - start) {
    case 10:
      if (is(buffer, start, colon, CONNECTION)) readConnection(buffer, colon, next, head)
      break
    case 14:
      if (is(buffer, start, colon, CONTENT_LENGTH)) readContentLength(buffer, colon, next, head)
      break
    case 16:
      if (is(buffer, start, colon, CONTENT_ENCODING)) head.coding += `${head.coding === '' ? '' : ','}${fieldValue(buffer, colon, next)}`
      break
    case 17:
      if (is(buffer, start, colon, TRANSFER_ENCODING)) readTransferEncoding(fieldValue(buffer, colon, next), head)
      break
  }
}

function is (buffer, start, end, name) {
  if (end - start !== name.length) return false
  for (let index = 0; index < name.length; index++) {
    // Setting bit 5 converts an ASCII capital to lower case, and turns no other token character into a letter of these names.
    if ((buffer[start + index] | 32) !== name[index]) return false
  }
  return true
}

function fieldValue (buffer, colon, next) {
  return buffer.toString('latin1', colon + 1, next).trim()
}

function readConnection (buffer, colon, next, head) {
  const start = startOfValue(buffer, colon, next)
  const end = endOfValue(buffer, start, next)
  if (is(buffer, start, end, KEEP_ALIVE)) keepAlive(head)
  else if (is(buffer, start, end, CLOSE)) closeFinally(head)
  else readConnectionOptions(fieldValue(buffer, colon, next), head)
}

function readConnectionOptions (value, head) {
  for (const option of value.toLowerCase().split(',')) {
    const word = option.trim()
    if (word === 'close') closeFinally(head)
    else if (word === 'keep-alive') keepAlive(head)
  }
}

function keepAlive (head) {
  if (!head.closeIsFinal) head.close = false
}

function closeFinally (head) {
  head.close = true
  head.closeIsFinal = true
}

function readContentLength (buffer, colon, next, head) {
  const start = startOfValue(buffer, colon, next)
  const length = decimal(buffer, start, endOfValue(buffer, start, next))
  if (Number.isNaN(length)) head.problem = 'its Content-Length is not a number'
  else if (head.contentLength !== -1 && head.contentLength !== length) head.problem = 'it has two different Content-Lengths'
  else head.contentLength = length
}

// A number of at most 15 digits; NaN for anything else.
function decimal (buffer, start, end) {
  if (end === start || end - start > 15) return NaN
  let number = 0
  for (let position = start; position < end; position++) {
    const digit = buffer[position] - 48
    if (digit < 0 || digit > 9) return NaN
    number = number * 10 + digit
  }
  return number
}

function startOfValue (buffer, colon, next) {
  let position = colon + 1
  while (position < next && isAround(buffer[position])) position++
  return position
}

function endOfValue (buffer, start, next) {
  let position = next
  while (position > start && isAround(buffer[position - 1])) position--
  return position
}

// Whether a byte is no part of a value if it is before or after it: spaces, and the end of the line.
function isAround (byte) {
  return byte === SPACE || byte === TAB || byte === CR || byte === LF
}

function readTransferEncoding (value, head) {
  head.hasTransferEncoding = true
  head.chunked = /(?:^|,)[ \t]*chunked[ \t,]*$/i.test(value)
  // HTTP/1.0 doesn't define Transfer-Encoding, so the connection can't be reused after this response (RFC 9112, section 6.1).
  if (head.isHttp10) closeFinally(head)
}

// Returns the position after this line. Control characters are invalid in a head.
function endOfLine (buffer, position, end, head) {
  while (position < end) {
    const byte = buffer[position++]
    if (TEXT[byte] === 1) continue
    if (byte === LF) return position
    if (byte === CR) {
      if (position >= end) return INCOMPLETE
      if (buffer[position] === LF) return position + 1
      return invalid(head, 'a carriage return without a line feed in the head')
    }
    return invalid(head, 'a control character in the head')
  }
  return INCOMPLETE
}

/**
 * Marks the values of all fields that `parseHead` doesn't read: with another text of the same length in their place, it returns the
 * same.
 *
 * @param {Buffer} bytes a head that `parseHead` has accepted
 * @returns {Uint8Array} 1 for each byte of such a value, 0 for all other bytes
 */
function unreadValues (bytes) {
  const marks = new Uint8Array(bytes.length)
  let start = bytes.indexOf(LF) + 1
  while (start < bytes.length) {
    let colon = start
    while (TOKEN[bytes[colon]] === 1) colon++
    const next = bytes.indexOf(LF, start) + 1
    // Neither the continuation of a field nor the empty line begins with a name.
    if (colon > start && !isRead(bytes, start, colon)) marks.fill(1, colon + 1, bytes[next - 2] === CR ? next - 2 : next - 1)
    start = next
  }
  return marks
}

function isRead (buffer, start, end) {
  return isFraming(buffer, start, end) || is(buffer, start, end, CONTENT_ENCODING)
}

function invalid (head, problem) {
  head.problem = problem
  return INVALID
}

/**
 * The header fields of a head that `parseHead` has accepted, as `[name, value, name, value, …]`.
 *
 * @param {Buffer} bytes
 * @returns {string[]} names as the server wrote them
 */
function rawHeaders (bytes) {
  const { trimSpaces } = require('./header-fields')
  const fields = []
  const lines = bytes.toString('latin1').split(/\r?\n/)
  for (const line of lines.slice(1)) {
    if (line === '') continue
    if (line[0] === ' ' || line[0] === '\t') {
      if (fields.length > 0) fields.push(joined(fields.pop(), trimSpaces(line)))
      continue
    }
    const colon = line.indexOf(':')
    fields.push(line.slice(0, colon), trimSpaces(line.slice(colon + 1)))
  }
  return fields
}

// The parts of a folded value, one of which may be empty: spaces at both ends of the whole don't belong to it.
function joined (value, more) {
  return value === '' || more === '' ? value + more : `${value} ${more}`
}

module.exports = { Head, parseHead, resumeHead, rawHeaders, unreadValues, INCOMPLETE, INVALID, MAX_HEAD_BYTES, TEXT, CR, LF }

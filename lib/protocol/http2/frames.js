'use strict'

const {
  SETTINGS, RST_STREAM, PING, GOAWAY, WINDOW_UPDATE, ACK, FRAME_HEADER_BYTES, ENABLE_PUSH, INITIAL_WINDOW_SIZE,
  MAX_HEADER_LIST_SIZE, DEFAULT_WINDOW
} = require('./constants')

/** The first octets of every connection (RFC 9113, section 3.4). */
const MAGIC = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')

/** The largest header block that is read, as it comes and decoded. */
const MOST_HEADER_BYTES = 256 * 1024

/** Writes a frame's header (RFC 9113, section 4.1). @returns {number} the position behind it */
function writeFrameHeader (buffer, at, length, type, flags, streamId) {
  buffer[at] = length >>> 16
  buffer[at + 1] = length >>> 8
  buffer[at + 2] = length
  buffer[at + 3] = type
  buffer[at + 4] = flags
  writeWord(buffer, at + 5, streamId)
  return at + FRAME_HEADER_BYTES
}

function writeWord (buffer, at, value) {
  buffer[at] = value >>> 24
  buffer[at + 1] = value >>> 16
  buffer[at + 2] = value >>> 8
  buffer[at + 3] = value
}

/** A frame whose payload is a few words of 32 bits. */
function frameOfWords (type, flags, streamId, ...words) {
  const buffer = Buffer.allocUnsafe(FRAME_HEADER_BYTES + 4 * words.length)
  writeFrameHeader(buffer, 0, 4 * words.length, type, flags, streamId)
  words.forEach((word, index) => writeWord(buffer, FRAME_HEADER_BYTES + 4 * index, word))
  return buffer
}

/** @param {Array<[number, number]>} settings identifiers and values */
function settingsFrame (settings) {
  const buffer = Buffer.allocUnsafe(FRAME_HEADER_BYTES + 6 * settings.length)
  let at = writeFrameHeader(buffer, 0, 6 * settings.length, SETTINGS, 0, 0)
  for (const [identifier, value] of settings) {
    at = buffer.writeUInt16BE(identifier, at)
    at = buffer.writeUInt32BE(value, at)
  }
  return buffer
}

function rstStreamFrame (streamId, code) {
  return frameOfWords(RST_STREAM, 0, streamId, code)
}

function windowUpdateFrame (streamId, increment) {
  return frameOfWords(WINDOW_UPDATE, 0, streamId, increment)
}

/** There is no push, so the last stream of the server's that we know of is none. */
function goawayFrame (code) {
  return frameOfWords(GOAWAY, 0, 0, 0, code)
}

/** The answer to the PING whose eight octets begin at `start`. */
function pingAckFrame (buffer, start) {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + 8)
  writeFrameHeader(frame, 0, 8, PING, ACK, 0)
  buffer.copy(frame, FRAME_HEADER_BYTES, start, start + 8)
  return frame
}

const SETTINGS_ACK = frameOfWords(SETTINGS, ACK, 0)

/** The windows in which a server sends its bodies, and the octets that open a connection with them. */
class ReceiveWindows {
  /**
   * @param {number} stream octets that it may send on a stream before a WINDOW_UPDATE
   * @param {number} connection the same of all streams together, more than DEFAULT_WINDOW
   */
  constructor (stream, connection) {
    this.stream = stream
    this.connection = connection
    this.preface = Buffer.concat([
      MAGIC,
      settingsFrame([[ENABLE_PUSH, 0], [INITIAL_WINDOW_SIZE, stream], [MAX_HEADER_LIST_SIZE, MOST_HEADER_BYTES]]),
      windowUpdateFrame(0, connection - DEFAULT_WINDOW)
    ])
  }
}

/*
 * They are wide, so that what is measured is the server and not the wait for a WINDOW_UPDATE; and what comes is counted or
 * given to a hook at once, so they cost no memory.
 */
const WINDOWS = new ReceiveWindows(16 * 1024 * 1024, 1024 * 1024 * 1024)

module.exports = {
  MAGIC,
  ReceiveWindows,
  WINDOWS,
  SETTINGS_ACK,
  MOST_HEADER_BYTES,
  writeFrameHeader,
  writeWord,
  settingsFrame,
  rstStreamFrame,
  windowUpdateFrame,
  goawayFrame,
  pingAckFrame
}

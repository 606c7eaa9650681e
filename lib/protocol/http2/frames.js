'use strict'

const {
  SETTINGS, RST_STREAM, PING, GOAWAY, WINDOW_UPDATE, ACK, FRAME_HEADER_BYTES, ENABLE_PUSH, INITIAL_WINDOW_SIZE,
  MAX_HEADER_LIST_SIZE, DEFAULT_WINDOW
} = require('./constants')

/** The first octets of every connection (RFC 9113, section 3.4). */
const MAGIC = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')

/** The largest header block that is accepted, both encoded and decoded. */
const MOST_HEADER_BYTES = 256 * 1024

/** Writes a frame header (RFC 9113, section 4.1). @returns {number} the position after it */
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

/** Creates a frame whose payload consists of 32-bit words. */
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

/** Server push is disabled, so the last stream id of the server is always 0. */
function goawayFrame (code) {
  return frameOfWords(GOAWAY, 0, 0, 0, code)
}

/** Creates the reply to the PING whose eight octets begin at `start`. */
function pingAckFrame (buffer, start) {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + 8)
  writeFrameHeader(frame, 0, 8, PING, ACK, 0)
  buffer.copy(frame, FRAME_HEADER_BYTES, start, start + 8)
  return frame
}

const SETTINGS_ACK = frameOfWords(SETTINGS, ACK, 0)

/** The flow-control windows for responses, and the connection preface that announces them. */
class ReceiveWindows {
  /**
   * @param {number} stream how many octets the server may send on a stream before a WINDOW_UPDATE
   * @param {number} connection the same for all streams together; more than DEFAULT_WINDOW
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
 * The windows are large, so that responses never wait for a WINDOW_UPDATE, which would distort the measurement. They need
 * no memory, since received data is counted or passed to a hook immediately.
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
  rstStreamFrame,
  windowUpdateFrame,
  goawayFrame,
  pingAckFrame
}

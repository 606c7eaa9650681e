'use strict'

/*
 * HTTP/2 frames (RFC 9113), as the simulated server writes and reads them. It shares no code with the client under test, so that the
 * two can't agree on the same mistake.
 */

const TYPES = ['DATA', 'HEADERS', 'PRIORITY', 'RST_STREAM', 'SETTINGS', 'PUSH_PROMISE', 'PING', 'GOAWAY', 'WINDOW_UPDATE', 'CONTINUATION']
const FLAGS = { ACK: 0x1, END_STREAM: 0x1, END_HEADERS: 0x4, PADDED: 0x8, PRIORITY: 0x20 }
const SETTINGS = { HEADER_TABLE_SIZE: 1, ENABLE_PUSH: 2, MAX_CONCURRENT_STREAMS: 3, INITIAL_WINDOW_SIZE: 4, MAX_FRAME_SIZE: 5, MAX_HEADER_LIST_SIZE: 6 }
const ERRORS = [
  'NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT', 'STREAM_CLOSED', 'FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL',
  'COMPRESSION_ERROR', 'CONNECT_ERROR', 'ENHANCE_YOUR_CALM', 'INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED'
]

const MAGIC = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const HEAD_BYTES = 9
const SETTING_BYTES = 6
/** The default window, and the largest one allowed. */
const USUAL_WINDOW = 65535
const LARGEST_WINDOW = 2 ** 31 - 1
/** The default maximum of a frame's payload, and the largest one that SETTINGS may allow. */
const USUAL_FRAME = 16384
const LARGEST_FRAME = 2 ** 24 - 1

const NOTHING = Buffer.alloc(0)

/** @param {string} type by its name @returns {Buffer} the frame */
function frameOf (type, flags, stream, payload = NOTHING) {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = TYPES.indexOf(type)
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** @param {...number} words of 32 bits */
function wordsOf (...words) {
  const bytes = Buffer.alloc(4 * words.length)
  words.forEach((word, index) => bytes.writeUInt32BE(word, 4 * index))
  return bytes
}

/** The payload of SETTINGS. @param {Array<[string, number]>} settings names and values; a name may occur twice */
function settingsOf (settings) {
  return Buffer.concat(settings.map(([name, value]) => {
    const bytes = Buffer.alloc(SETTING_BYTES)
    bytes.writeUInt16BE(SETTINGS[name], 0)
    bytes.writeUInt32BE(value, 2)
    return bytes
  }))
}

/** @returns {?object} the first frame in some bytes: `{ type, flags, stream, payload, length }`, `length` includes its header; null if it is incomplete */
function firstFrame (bytes) {
  if (bytes.length < HEAD_BYTES) return null
  const length = HEAD_BYTES + bytes.readUIntBE(0, 3)
  if (bytes.length < length) return null
  return { type: TYPES[bytes[3]] ?? `0x${bytes[3].toString(16)}`, flags: bytes[4], stream: bytes.readUInt32BE(5), payload: bytes.subarray(HEAD_BYTES, length), length }
}

module.exports = {
  FLAGS,
  SETTINGS,
  ERRORS,
  MAGIC,
  HEAD_BYTES,
  SETTING_BYTES,
  USUAL_WINDOW,
  LARGEST_WINDOW,
  USUAL_FRAME,
  LARGEST_FRAME,
  frameOf,
  wordsOf,
  settingsOf,
  firstFrame
}

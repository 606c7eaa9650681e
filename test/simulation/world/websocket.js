'use strict'

const crypto = require('node:crypto')

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const NO_STATUS = 1005
const OPCODES = { 1: 'TEXT', 2: 'BINARY', 8: 'CLOSE', 9: 'PING', 10: 'PONG' }

const RESERVED_BIT = 'RESERVED BIT'
const BEYOND_WINDOW = 'BEYOND ITS WINDOW'
/** What a client must not write. */
const NO_MESSAGES = new Set([RESERVED_BIT, BEYOND_WINDOW])

/** Returns the bytes of a server's frame. @param {string} type a name in OPCODES */
function serverFrame (type, payload = '') {
  const bytes = Buffer.from(payload)
  const opcode = Number(Object.keys(OPCODES).find((key) => OPCODES[key] === type))
  return Buffer.concat([Buffer.of(0x80 | opcode), lengthField(bytes.length), bytes])
}

// Below 2 ** 32.
function lengthField (length) {
  if (length < 126) return Buffer.of(length)
  if (length < 65536) return Buffer.of(126, length >> 8, length & 255)
  const field = Buffer.alloc(9, 0)
  field[0] = 127
  field.writeUInt32BE(length, 5)
  return field
}

/** The same as several fragments, with a Ping between them. @param {string} type a name in OPCODES @param {number} count */
function fragments (type, payload, count) {
  const bytes = Buffer.from(payload)
  const frames = []
  for (let index = 0; index < count; index++) {
    const frame = serverFrame(type, bytes.subarray(index * bytes.length / count, (index + 1) * bytes.length / count))
    if (index > 0) frame[0] &= 0xf0
    if (index < count - 1) frame[0] &= 0x7f
    frames.push(frame, ...(index === 0 && count > 1 ? [serverFrame('PING', 'between')] : []))
  }
  return Buffer.concat(frames)
}

/** Returns a Close frame. @param {number} code 1005: without a code */
function closing (code) {
  return serverFrame('CLOSE', code === NO_STATUS ? '' : Buffer.of(code >> 8, code & 255))
}

/**
 * Returns a server's handshake response.
 *
 * @param {string} head of the request
 * @param {number} [status=101]
 * @param {string} [without] the name of a field that is missing
 * @param {?string} [extensions] the value of Sec-WebSocket-Extensions
 */
function acceptance (head, status = 101, without = '', extensions = null) {
  const [, key] = /\r\nsec-websocket-key: *(\S+)/i.exec(head)
  const accept = crypto.createHash('sha1').update(key + GUID).digest('base64')
  const fields = [['Upgrade', 'websocket'], ['Connection', 'Upgrade'], ['Sec-WebSocket-Accept', accept], ...(extensions === null ? [] : [['Sec-WebSocket-Extensions', extensions]])].filter(([name]) => name !== without)
  return `HTTP/1.1 ${status} Said\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

/**
 * Parses the first frame that a client has written: a text or control frame, below 2 ** 32 octets.
 *
 * @param {Buffer} bytes
 * @param {?Deflation} deflation if compression was agreed on
 * @returns {?{ length: number, method: string, path: string }} `method` is the type, `path` the contents; null if it is incomplete
 */
function clientFrame (bytes, deflation) {
  if (bytes.length < 2) return null
  const short = bytes[1] & 127
  const keyStart = short === 127 ? 10 : short === 126 ? 4 : 2
  if (bytes.length < keyStart) return null
  const payloadLength = short === 127 ? bytes.readUInt32BE(6) : short === 126 ? bytes.readUInt16BE(2) : short
  const length = keyStart + 4 + payloadLength
  if (bytes.length < length) return null
  const payload = Buffer.from(bytes.subarray(keyStart + 4, length))
  for (let index = 0; index < payload.length; index++) payload[index] ^= bytes[keyStart + (index & 3)]
  if ((bytes[0] & 0x70) !== 0) return { length, ...compressedMessage(bytes[0], payload, deflation) }
  return { length, method: OPCODES[bytes[0] & 15], path: (bytes[0] & 15) === 8 ? String(payload.length < 2 ? NO_STATUS : payload.readUInt16BE()) : payload.toString() }
}

// Without an agreement, or with a reference beyond the window, it is not a message.
function compressedMessage (first, payload, deflation) {
  const method = OPCODES[first & 15]
  if ((first & 0x70) !== 0x40 || deflation === null || (method !== 'TEXT' && method !== 'BINARY')) return { method: RESERVED_BIT, path: '' }
  try {
    return { method, path: deflation.decompressOfClient(payload).toString() }
  } catch {
    return { method: BEYOND_WINDOW, path: '' }
  }
}

module.exports = { acceptance, clientFrame, closing, fragments, serverFrame, NO_MESSAGES, NO_STATUS }

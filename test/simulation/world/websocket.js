'use strict'

const crypto = require('node:crypto')

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const OPCODES = { 1: 'TEXT', 2: 'BINARY', 8: 'CLOSE', 9: 'PING', 10: 'PONG' }

/** The bytes of a frame as a server sends it. @param {string} type of OPCODES */
function serverFrame (type, payload = '') {
  const bytes = Buffer.from(payload)
  const opcode = Number(Object.keys(OPCODES).find((key) => OPCODES[key] === type))
  const head = bytes.length < 126 ? Buffer.of(0x80 | opcode, bytes.length) : Buffer.of(0x80 | opcode, 126, bytes.length >> 8, bytes.length & 255)
  return Buffer.concat([head, bytes])
}

/** What a server says to a handshake. @param {string} head of the request */
function acceptance (head) {
  const [, key] = /\r\nsec-websocket-key: *(\S+)/i.exec(head)
  const accept = crypto.createHash('sha1').update(key + GUID).digest('base64')
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
}

/**
 * The first frame that a client has written, of texts and control frames below 64 KiB.
 *
 * @param {Buffer} bytes
 * @returns {?{ length: number, method: string, path: string }} `method` is the type, `path` what is in it; null: it is not all there
 */
function clientFrame (bytes) {
  if (bytes.length < 2) return null
  const short = bytes[1] & 127
  if (short === 126 && bytes.length < 4) return null
  const keyStart = short === 126 ? 4 : 2
  const payloadLength = short === 126 ? bytes.readUInt16BE(2) : short
  const length = keyStart + 4 + payloadLength
  if (bytes.length < length) return null
  const payload = Buffer.from(bytes.subarray(keyStart + 4, length))
  for (let index = 0; index < payload.length; index++) payload[index] ^= bytes[keyStart + (index & 3)]
  return { length, method: OPCODES[bytes[0] & 15], path: (bytes[0] & 15) === 8 ? String(payload.length < 2 ? 1005 : payload.readUInt16BE()) : payload.toString() }
}

module.exports = { acceptance, clientFrame, serverFrame }

'use strict'

const { Receiver } = require('ws')
const FrameReader = require('../../../lib/protocol/websocket/frame-reader')

const OPCODES = { CONTINUATION: 0, TEXT: 1, BINARY: 2, CLOSE: 8, PING: 9, PONG: 10 }
const STALE = 0x81

/**
 * Any frame as bytes, valid or not.
 *
 * @param {string|number} type of OPCODES
 * @param {string|Buffer} [payload]
 * @param {object} [opts] `fin`, `rsv` (bits 0x70), `mask` (a key), `size` (bits of the length: 7, 16 or 64), `length` (if it differs
 *   from that of the payload)
 */
function frame (type, payload = '', { fin = true, rsv = 0, mask = null, size, length } = {}) {
  const bytes = Buffer.from(payload)
  const says = length ?? bytes.length
  const bits = size ?? (says < 126 ? 7 : says < 65536 ? 16 : 64)
  const head = Buffer.alloc(bits === 7 ? 2 : bits === 16 ? 4 : 10)
  head[0] = (fin ? 0x80 : 0) | rsv | (typeof type === 'number' ? type : OPCODES[type])
  head[1] = (mask === null ? 0 : 0x80) | (bits === 7 ? says : bits === 16 ? 126 : 127)
  if (bits === 16) head.writeUInt16BE(says, 2)
  if (bits === 64) head.writeBigUInt64BE(BigInt(says), 2)
  if (mask === null) return Buffer.concat([head, bytes])
  return Buffer.concat([head, mask, bytes.map((byte, index) => byte ^ mask[index & 3])])
}

/** What our reader makes of bytes that arrive in pieces of a size: messages, control frames, and the code with which it ends. */
class Heard {
  constructor (limit, { wantsPayload = true, inflater = null } = {}) {
    this.told = []
    /** When the first octet of each message arrived. */
    this.begun = []
    this.code = null
    this.problem = ''
    this.reader = new FrameReader(this, limit)
    this.reader.reset(inflater)
    this.reader.wantsPayload = wantsPayload
  }

  onMessage (opcode, buffer, start, end, firstByteAt) {
    this.begun.push(firstByteAt)
    this.told.push([opcode === 1 ? 'text' : 'bytes', buffer === null ? end - start : buffer.toString('latin1', start, end)])
  }

  onPing (buffer, start, end) {
    this.told.push(['ping', buffer.toString('latin1', start, end)])
  }

  onPong () {
    this.told.push(['pong'])
  }

  onClose (code, reason) {
    this.told.push(['close', code, reason])
  }

  onViolation (code, problem) {
    this.code = code
    this.problem = problem
  }
}

function hear (bytes, size, { limit = 1 << 20, ...opts } = {}) {
  const heard = new Heard(limit, opts)
  for (let start = 0; start < bytes.length && !heard.reader.stopped; start += size) {
    const piece = bytes.subarray(start, start + size)
    // Bytes before and after what was received must not be read.
    const buffer = Buffer.concat([Buffer.alloc(3, STALE), piece, Buffer.alloc(20, STALE)])
    // Each octet arrives at the time at which its piece begins.
    heard.reader.execute(buffer, 3, 3 + piece.length, start)
  }
  return heard
}

/** What the receiver of the ws package makes of the same, in one piece. */
function hearOfWs (bytes, { limit = 1 << 20 } = {}) {
  const told = []
  let code = null
  const receiver = new Receiver({ isServer: false, maxPayload: limit, allowSynchronousEvents: true })
  receiver.on('message', (data, isBinary) => told.push([isBinary ? 'bytes' : 'text', data.latin1Slice()]))
  receiver.on('ping', (data) => told.push(['ping', data.latin1Slice()]))
  receiver.on('pong', () => told.push(['pong']))
  receiver.on('conclude', (closeCode, reason) => told.push(['close', closeCode, reason.toString()]))
  receiver.on('error', () => {})
  // Calls `_write` directly, without the buffering of streams. The status code is stored under a symbol of the package.
  receiver._write(bytes, 'buffer', (error) => {
    if (error) code = Object.getOwnPropertySymbols(error).map((symbol) => error[symbol]).find(Number.isInteger)
  })
  return { told, code }
}

module.exports = { frame, hear, hearOfWs }

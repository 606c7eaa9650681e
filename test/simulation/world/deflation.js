'use strict'

const zlib = require('node:zlib')

const [TEXT, BINARY] = [1, 2]
const FIN = 0x80
const RSV1 = 0x40
const LARGEST_WINDOW_BITS = 15
const { Z_SYNC_FLUSH } = zlib.constants
// What every compressed message would end with (RFC 7692, section 7.2.1).
const TAIL = Buffer.of(0, 0, 255, 255)
// The smallest that zlib writes, so that a message cannot refer back further than its window.
const SMALLEST_CHUNK = 64

/** permessage-deflate on one connection, from the server's side: with a window that earlier messages fill, or one that is empty each time. */
class Deflation {
  /**
   * @param {object} settings
   * @param {boolean} [settings.serverForgets=false] server_no_context_takeover
   * @param {boolean} [settings.clientForgets=false] client_no_context_takeover
   * @param {?number} [settings.serverBits] server_max_window_bits, 9 to 15
   * @param {?number} [settings.clientBits] client_max_window_bits, 8 to 15
   * @param {number} [settings.plainEvery=Infinity] each n-th message is not compressed
   */
  constructor ({ serverForgets = false, clientForgets = false, serverBits = null, clientBits = null, plainEvery = Infinity }) {
    Object.assign(this, { serverForgets, clientForgets, serverBits, clientBits, plainEvery })
    this.messages = 0
    this.written = Buffer.alloc(0)
    this.read = Buffer.alloc(0)
  }

  /** The value of Sec-WebSocket-Extensions. */
  get agreement () {
    const { serverForgets, clientForgets, serverBits, clientBits } = this
    return [
      'permessage-deflate',
      ...(serverForgets ? ['server_no_context_takeover'] : []),
      ...(clientForgets ? ['client_no_context_takeover'] : []),
      ...(serverBits === null ? [] : [`server_max_window_bits=${serverBits}`]),
      ...(clientBits === null ? [] : [`client_max_window_bits="${clientBits}"`])
    ].join('; ')
  }

  // What the next message may refer to.
  after (history, message) {
    return this.serverForgets ? history : Buffer.concat([history, message]).subarray(-(2 ** (this.serverBits ?? LARGEST_WINDOW_BITS)))
  }

  /** The same bytes with unfragmented messages compressed. What is not a frame stays as it is, and so does what follows it. */
  compress (bytes) {
    const frames = []
    let rest = bytes
    for (let frame = firstFrame(rest); frame !== null; frame = firstFrame(rest)) {
      const { head, length } = frame
      const isMessage = rest[0] === (FIN | TEXT) || rest[0] === (FIN | BINARY)
      const isPlain = !isMessage || this.messages++ % this.plainEvery === this.plainEvery - 1
      frames.push(isPlain ? rest.subarray(0, head + length) : this.compressed(rest[0], rest.subarray(head, head + length)))
      rest = rest.subarray(head + length)
    }
    return Buffer.concat([...frames, rest])
  }

  compressed (first, payload) {
    const options = { finishFlush: Z_SYNC_FLUSH, windowBits: this.serverBits ?? LARGEST_WINDOW_BITS, ...(this.written.length > 0 && { dictionary: this.written }) }
    const bytes = zlib.deflateRawSync(payload, options).subarray(0, -TAIL.length)
    this.written = this.after(this.written, payload)
    const length = bytes.length < 126 ? Buffer.of(bytes.length) : Buffer.of(126, bytes.length >> 8, bytes.length & 255)
    return Buffer.concat([Buffer.of(first | RSV1), length, bytes])
  }

  /** A message of the server, as the client must read it. */
  decompress (payload) {
    const message = zlib.inflateRawSync(Buffer.concat([payload, TAIL]), { finishFlush: Z_SYNC_FLUSH, ...(this.read.length > 0 && { dictionary: this.read }) })
    this.read = this.after(this.read, message)
    return message
  }

  /** A message of the client, each of which is compressed by itself; throws if it refers back further than it may. */
  decompressOfClient (payload) {
    return zlib.inflateRawSync(Buffer.concat([payload, TAIL]), { finishFlush: Z_SYNC_FLUSH, windowBits: this.clientBits ?? LARGEST_WINDOW_BITS, chunkSize: SMALLEST_CHUNK })
  }
}

// Below 65,536 bytes, and not masked.
function firstFrame (bytes) {
  if (bytes.length < 2 || bytes[1] > 126) return null
  const head = bytes[1] === 126 ? 4 : 2
  if (bytes.length < head) return null
  const length = head === 2 ? bytes[1] : bytes.readUInt16BE(2)
  return bytes.length < head + length ? null : { head, length }
}

module.exports = Deflation

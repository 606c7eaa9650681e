'use strict'

const net = require('node:net')
const { track } = require('../../support/tracked')

const MAGIC = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const TYPES = ['DATA', 'HEADERS', 'PRIORITY', 'RST_STREAM', 'SETTINGS', 'PUSH_PROMISE', 'PING', 'GOAWAY', 'WINDOW_UPDATE', 'CONTINUATION']
const END_STREAM = 1
const ACK = 1
const END_HEADERS = 4

/** `:status: 200`, from the static table of HPACK. */
const OK = Buffer.of(0x88)

/** A frame as bytes, by the name or number of its type. */
function frame (type, flags, streamId, payload = '') {
  const bytes = Buffer.from(payload)
  const head = Buffer.alloc(9)
  head.writeUIntBE(bytes.length, 0, 3)
  head[3] = typeof type === 'number' ? type : TYPES.indexOf(type)
  head[4] = flags
  head.writeUInt32BE(streamId, 5)
  return Buffer.concat([head, bytes])
}

function words (...values) {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index))
  return bytes
}

/** The payload of SETTINGS. @param {Object<number, number>} settings by identifier */
function settings (values) {
  return Buffer.concat(Object.entries(values).map(([identifier, value]) => {
    const bytes = Buffer.alloc(6)
    bytes.writeUInt16BE(Number(identifier), 0)
    bytes.writeUInt32BE(value, 2)
    return bytes
  }))
}

/** A field as a literal without indexing and without Huffman encoding. */
function literal (name, value) {
  return Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value, 'latin1')])
}

/**
 * A server that sends HTTP/2 frames and enforces no rules: a script determines what it sends.
 *
 * @param {object} t
 * @param {function(object, object)} onFrame `(peer, { type, flags, id, payload })` for each frame of the client. A peer has
 *   `send(type, flags, id, payload)`, `answer(id, body)`, `socket` and `index` (of the connection, from 0)
 * @param {object} [opts]
 * @param {function(object)} [opts.onConnection] instead of sending empty SETTINGS
 */
async function frameServer (t, onFrame, { onConnection = (peer) => peer.send('SETTINGS', 0, 0) } = {}) {
  const server = net.createServer({ noDelay: true })
  const tracked = Object.assign(await track(t, server), { frames: [], peers: 0 })
  server.on('connection', (socket) => {
    const peer = {
      socket,
      index: tracked.peers++,
      requests: 0,
      send: (type, flags, id, payload) => socket.write(frame(type, flags, id, payload)),
      answer: (id, body = 'ok') => socket.write(Buffer.concat([frame('HEADERS', END_HEADERS, id, OK), frame('DATA', END_STREAM, id, body)]))
    }
    let rest = Buffer.alloc(0)
    let hasMagic = false
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      if (!hasMagic) {
        if (rest.length < MAGIC.length) return
        hasMagic = rest.latin1Slice(0, MAGIC.length) === MAGIC
        rest = rest.subarray(MAGIC.length)
      }
      while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
        const length = rest.readUIntBE(0, 3)
        const seen = { type: TYPES[rest[3]], flags: rest[4], id: rest.readUInt32BE(5), payload: Buffer.from(rest.subarray(9, 9 + length)) }
        rest = rest.subarray(9 + length)
        tracked.frames.push({ ...seen, peer: peer.index })
        if (seen.type === 'HEADERS') tracked.requests++
        onFrame(peer, seen)
      }
    })
    onConnection(peer)
  })
  /** The error codes in frames of a type that the clients have sent. */
  tracked.codes = (type) => tracked.frames.filter((seen) => seen.type === type).map(({ payload }) => payload.readUInt32BE(type === 'GOAWAY' ? 4 : 0))
  return tracked
}

module.exports = { frameServer, frame, words, settings, literal, OK, END_STREAM, END_HEADERS, ACK }

'use strict'

const t = require('tap')
const BodyWriter = require('../../../lib/protocol/http1/body-writer')

/** A socket that keeps what is written, and how many writes it was joined to. */
function recordingSocket (takesMore = () => true) {
  const written = []
  let corks = 0
  let groups = 0
  return {
    written,
    get groups () { return groups },
    cork () { if (corks++ === 0) groups++ },
    uncork () { corks-- },
    write (bytes) {
      if (corks === 0) groups++
      written.push(bytes)
      return takesMore(written)
    }
  }
}

t.test('a body in pieces: what is written, in how many writes, and what is counted', async (t) => {
  const pieces = ['x', 'é'.repeat(8), 'y'.repeat(300)].map((text) => Buffer.from(text))
  const CASES = {
    'in chunks': [true, '1\r\nx\r\n10\r\néééééééé\r\n12c\r\n' + 'y'.repeat(300) + '\r\n0\r\n\r\n', 4],
    'of a known length': [false, 'xéééééééé' + 'y'.repeat(300), 3]
  }
  for (const [what, [isChunked, expected, writes]] of Object.entries(CASES)) {
    const socket = recordingSocket()
    let counted = 0
    const writer = new BodyWriter(socket, isChunked, (bytes) => { counted += bytes })
    for (const piece of pieces) t.equal(writer.write(piece), true)
    writer.end()
    const bytes = Buffer.concat(socket.written)
    t.equal(bytes.toString(), expected, what)
    t.equal(counted, bytes.length, `${what}: counted`)
    t.equal(socket.groups, writes, `${what}: writes`)
  }
})

t.test('a socket that takes no more after a piece says so', async (t) => {
  for (const isChunked of [true, false]) {
    const full = new BodyWriter(recordingSocket(() => false), isChunked, () => {})
    t.equal(full.write(Buffer.from('x')), false)
    // All of a chunk is written together, so the last answer counts.
    const nearlyFull = new BodyWriter(recordingSocket((written) => written.length < 3), true, () => {})
    t.equal(nearlyFull.write(Buffer.from('x')), false)
  }
})

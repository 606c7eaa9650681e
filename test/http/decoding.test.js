'use strict'

const zlib = require('node:zlib')
const t = require('tap')
const { run } = require('../..')
const { frameServer, literal, OK, END_STREAM, END_HEADERS } = require('../protocol/http2/frame-server')
const { httpServer, rawServer } = require('../support/servers')
const { violations } = require('../support/accounts')
const { decodeBody, framesOf } = require('../../lib/http/content-coding')

const TEXT = 'a body with an ä in it, '.repeat(500)
const CODED = {
  gzip: zlib.gzipSync(TEXT),
  'X-GZIP': zlib.gzipSync(TEXT),
  deflate: zlib.deflateSync(TEXT),
  'deflate ': zlib.deflateRawSync(TEXT),
  br: zlib.brotliCompressSync(TEXT),
  'gzip, br': zlib.brotliCompressSync(zlib.gzipSync(TEXT)),
  'deflate,identity,GZip': zlib.gzipSync(zlib.deflateSync(TEXT)),
  identity: Buffer.from(TEXT),
  '': Buffer.from(TEXT)
}

// RFC 8878: a frame with one segment and one raw block, and a skippable frame.
const hex = (...parts) => Buffer.from(parts.join(''), 'hex')
const ZSTD_OK = hex('28b52ffd', '20', '02', '110000', '6f6b')
const ZSTD_SKIPPED = hex('502a4d18', '03000000', 'aabbcc')
const HAS_ZSTD = zlib.zstdDecompressSync !== undefined
if (HAS_ZSTD) {
  const part = zlib.zstdCompressSync(TEXT.slice(0, 5000))
  CODED.zstd = Buffer.concat([part, ZSTD_SKIPPED, zlib.zstdCompressSync(TEXT.slice(5000), { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } })])
  CODED['gzip, zstd'] = zlib.zstdCompressSync(zlib.gzipSync(TEXT))
}

const serving = (t, coding, body) => httpServer(t, (request, response) => {
  response.writeHead(200, { 'content-encoding': coding, ...(request.url === '/whole' && { 'content-length': body.length }) })
  if (request.method === 'HEAD') response.end()
  else if (request.url === '/whole') response.end(body)
  else {
    response.write(body.subarray(0, 7))
    setTimeout(() => response.end(body.subarray(7)), 2)
  }
})
// The machine may be busy, which is not the subject of these tests.
const codesOf = ({ warnings }) => warnings.map(({ code }) => code).filter((code) => code === 'BODY_NOT_DECODED')

t.test('verifyBody, expectBody, onResponse and the client see the decoded body', async (t) => {
  for (const [coding, body] of Object.entries(CODED)) {
    const server = await serving(t, coding, body)
    const seen = { bodies: new Set(), onResponse: new Set(), verified: new Set() }
    const requests = ['/whole', '/pieces'].map((path) => ({ path, onResponse: (status, text) => { seen.onResponse.add(text) } }))
    const options = { url: server.url, connections: 2, amount: 8 }
    const setupClient = (client) => client.on('body', (buffer) => seen.bodies.add(buffer.toString()))
    const results = [
      await run({ ...options, expectBody: TEXT, requests: [{ path: '/whole' }, { path: '/pieces' }] }),
      await run({ ...options, requests, setupClient, verifyBody: (text) => seen.verified.add(text) })
    ]
    for (const result of results) {
      t.same(violations(result), [], coding)
      t.equal(result.accounting.completed, 8, coding)
      t.equal(result.mismatches, 0, coding)
      t.same(codesOf(result), [], coding)
      t.ok(result.throughput.total >= 8 * body.length, 'bytes are those of the wire')
    }
    for (const each of Object.values(seen)) t.same([...each], [TEXT], coding)
  }
})

t.test('codings may be listed in several fields, in the order in which they were applied', async (t) => {
  const fields = [['content-encoding', 'deflate, gzip'], ['vary', 'accept-encoding'], ['Content-Encoding', ''], ['CONTENT-ENCODING', 'br']]
  const body = zlib.brotliCompressSync(zlib.gzipSync(zlib.deflateSync(TEXT)))
  const http1 = async (lines) => (await rawServer(t, (socket) => socket.write(Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`), body
  ])))).url
  const http2 = await frameServer(t, (peer, { type, id }) => {
    if (type !== 'HEADERS') return
    peer.send('HEADERS', END_HEADERS, id, Buffer.concat([OK, ...fields.map(([name, value]) => literal(name.toLowerCase(), value))]))
    peer.send('DATA', END_STREAM, id, body)
  })
  for (const [url, options] of [
    [await http1(fields.map((field) => field.join(': '))), {}],
    [await http1(['Content-Encoding: deflate,', '\t gzip ', ' , br', 'Vary: *', '  folded, too']), {}],
    [await http1(['X-Folded: gzip,', ' identity', 'Content-Encoding:', ' deflate', 'Content-Encoding: gzip,br']), {}],
    [http2.url, { http2: true }]
  ]) {
    const result = await run({ url, ...options, connections: 1, amount: 4, expectBody: TEXT })
    t.same([result.accounting.completed, result.mismatches, codesOf(result)], [4, 0, []])
  }
})

t.test('deflate: in zlib format with any window, or without it', async (t) => {
  for (const bytes of ['', 'a', TEXT].map((text) => Buffer.from(text))) {
    for (const level of [0, 1, 9]) {
      for (let windowBits = 9; windowBits <= 15; windowBits++) {
        for (const coded of [zlib.deflateSync(bytes, { windowBits, level }), zlib.deflateRawSync(bytes, { windowBits, level })]) t.ok(decodeBody(coded, 'deflate', 1e6).equals(bytes), `${windowBits} ${level}`)
      }
    }
  }
})

t.test('zstd is decoded frame by frame, by a decoder of single ones', async (t) => {
  const decoded = (bytes, longest = 1000) => {
    try {
      return decodeBody(bytes, 'zstd', longest).toString()
    } catch (error) {
      return error.message
    }
  }
  // A frame with a window, a checksum and an RLE block.
  const other = hex('28b52ffd', '04', '58', '2b0000', '61', '00000000')
  t.same(framesOf(Buffer.concat([ZSTD_OK, ZSTD_SKIPPED, other, ZSTD_OK])), [[0, 11], [22, 36], [36, 47]])
  const large = Buffer.concat([hex('5f2a4d18', '00000200'), Buffer.alloc(0x20000, ZSTD_OK)])
  t.same(framesOf(Buffer.concat([large, ZSTD_OK])), [[large.length, large.length + 11]])
  for (let length = 1; length < ZSTD_OK.length; length++) t.throws(() => framesOf(ZSTD_OK.subarray(0, length)), { message: 'it is truncated' })
  for (let length = 1; length < ZSTD_SKIPPED.length; length++) t.throws(() => framesOf(ZSTD_SKIPPED.subarray(0, length)), { message: 'it is truncated' })
  t.throws(() => framesOf(Buffer.concat([ZSTD_OK, zlib.gzipSync('x')])), { message: 'it is not zstd' })
  t.throws(() => framesOf(hex('28b52ffd', '20', '02', '170000', '6f6b')), { message: /a block of an unknown type/ })
  t.throws(() => framesOf(Buffer.concat(new Array(10_001).fill(ZSTD_OK))), { message: /more than 10000 frames/ })
  if (!HAS_ZSTD) {
    t.match(decoded(ZSTD_OK), `Node.js ${process.version} cannot decode it; 22.15 and 23.8 and later can`)
    // Decodes frames such as ZSTD_OK.
    zlib.zstdDecompressSync = (frame, { maxOutputLength }) => {
      if (frame[5] > maxOutputLength) throw new RangeError('larger than allowed')
      return frame.subarray(9, 9 + frame[5])
    }
    t.teardown(() => { delete zlib.zstdDecompressSync })
  }
  t.equal(decoded(Buffer.concat([ZSTD_OK, ZSTD_SKIPPED, ZSTD_OK])), 'okok')
  t.equal(decoded(Buffer.concat([ZSTD_OK, ZSTD_OK]), 4), 'okok')
  for (const [frames, longest] of [[1, 1], [2, 3], [2, 2], [3, 5], [3, 4]]) t.match(decoded(Buffer.concat(Array(frames).fill(ZSTD_OK)), longest), /larger than|longer than/, `${frames} frames, ${longest} bytes`)
  t.match(decoded(ZSTD_OK.subarray(0, -1)), 'it is truncated')
})

t.test('why a body cannot be decoded', async (t) => {
  const { gzip, br } = CODED
  for (const [coding, body, why] of [
    ['compress', gzip, 'this coding is unknown'], ['gzip, sdch', gzip, 'this coding is unknown'], ['gzip,'.repeat(6), gzip, 'it has more than 5 codings'], ['gzip, br', br, 'incorrect header check'],
    ['gzip', gzip.subarray(0, -9), 'unexpected end of file'], ['deflate', gzip, /invalid|incorrect/], ['br', gzip, /Decompression failed|ERR_/], ['zstd', Buffer.from('no zstd at all'), /it is not zstd|cannot decode/]
  ]) t.throws(() => decodeBody(body, coding, 1e6), { message: why }, coding)
  t.throws(() => decodeBody(gzip, 'gzip', 1), /larger than 1 byte/)
  t.equal(String(decodeBody([1, 2, 3, 4, 5].reduce((body) => zlib.gzipSync(body), Buffer.from('x')), 'gzip,'.repeat(5), 1e6)), 'x')
  for (const coding of ['', ' , ', 'identity', 'IDENTITY,,']) t.equal(decodeBody(gzip, coding, 1), gzip, 'as it is')
})

t.test('a body that cannot be decoded is complete; it is a mismatch if bodies are verified', async (t) => {
  const gzip = CODED.gzip
  for (const [index, [coding, body]] of [['gzip', gzip.subarray(0, 50)], ['gzip', Buffer.from('no gzip')], ['zstd', gzip], ['br', gzip], ['gzip,'.repeat(6), gzip]].entries()) {
    const server = await serving(t, coding, body)
    const seen = new Set()
    const requests = [{ path: '/whole', onResponse: (status, text) => { seen.add(text) } }]
    const options = { url: server.url, connections: 2, amount: 6 }
    const checked = await run({ ...options, requests, verifyBody: () => true })
    t.same(violations(checked), [])
    t.equal(checked.accounting.completed, 6)
    t.equal(checked.errors, 0)
    t.equal(checked.mismatches, 6)
    t.same(codesOf(checked), ['BODY_NOT_DECODED'], 'once')
    t.match(checked.warnings.find(({ code }) => code === 'BODY_NOT_DECODED').message, coding)
    t.same([...seen], [body.toString()], 'a hook gets it as received')

    // Threads decode as this one does, so they aren't tested for each case.
    const expecting = await run({ ...options, workers: index === 0 ? 2 : undefined, expectBody: TEXT })
    t.equal(expecting.mismatches, 6)
    t.same(codesOf(expecting), ['BODY_NOT_DECODED'], 'once for all threads')
    t.equal((await run({ ...options, requests })).mismatches, 0, 'nobody verifies it')
    t.same(codesOf(await run(options)), [], 'nobody reads it')
  }
})

t.test('responses without a body have nothing to decode', async (t) => {
  const server = await serving(t, 'gzip', CODED.gzip)
  const result = await run({ url: server.url, method: 'HEAD', amount: 4, connections: 1, expectBody: '' })
  t.equal(result.mismatches, 0)
  t.same(codesOf(result), [])
})

t.test('encoded and plain bodies alternate on one connection', async (t) => {
  const server = await httpServer(t, (request, response, number) => {
    const coding = Object.keys(CODED)[number % 5]
    if (number % 2 === 0) response.end(TEXT)
    else response.writeHead(200, { 'content-encoding': coding }).end(CODED[coding])
  })
  const result = await run({ url: server.url, amount: 60, connections: 2, pipelining: 3, expectBody: TEXT })
  t.equal(result.accounting.completed, 60)
  t.equal(result.mismatches, 0)
  t.same(codesOf(result), [])
})

t.test('a small body cannot decompress into one that fills the memory', async (t) => {
  const bomb = zlib.gzipSync(zlib.gzipSync(Buffer.alloc(5_000_000)))
  t.equal(decodeBody(bomb, 'gzip, gzip', 5_000_000).length, 5_000_000)
  for (const longest of [4_999_999, 100]) t.throws(() => decodeBody(bomb, 'gzip, gzip', longest), /larger than|too large/i)
  t.throws(() => decodeBody(zlib.brotliCompressSync(Buffer.alloc(1000)), 'br', 999), /larger than|too large/i)
  t.throws(() => decodeBody(zlib.deflateRawSync(Buffer.alloc(1000)), 'deflate', 999), /larger than|too large/i)
})

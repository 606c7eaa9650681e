'use strict'

// The opening handshake, octet by octet: what is requested, which responses accept it, and why others do not. And what compression is
// agreed on.

const { createHash } = require('node:crypto')
const zlib = require('node:zlib')
const t = require('tap')
const BroadcastIds = require('../../../lib/protocol/websocket/broadcast-id')
const { Inflater, deflate, readAgreement } = require('../../../lib/protocol/websocket/deflate')
const Opening = require('../../../lib/protocol/websocket/opening')

const TARGET = { hostHeader: 'shop:8080', path: '/chat?room=1' }

function openingOf ({ protocols = [], compress = false, headers = [], idReplacement = false, target = {}, traceparent = null } = {}) {
  return new Opening({ websocket: { protocols, compress, headers }, idReplacement }, { ...TARGET, ...target }, traceparent)
}

const linesOf = (opening) => opening.request.toString('latin1').split('\r\n')

t.test('the request: its lines in order, and the headers of the user in place of others', async (t) => {
  const plain = openingOf()
  const [first, host, upgrade, connection, key, version, ...end] = linesOf(plain)
  t.same([first, host, upgrade, connection, version, end], ['GET /chat?room=1 HTTP/1.1', 'Host: shop:8080', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13', ['', '']])
  t.equal(Buffer.from(/^Sec-WebSocket-Key: (.*)$/.exec(key)[1], 'base64').length, 16)
  t.not(linesOf(openingOf())[4], key)
  t.match(plain.line, { method: 'GET', path: '/chat?room=1' })
  t.match(plain, { status: 0, problem: '', informational: 0, behind: 0, fields: null, inflater: null, windowBits: 0 })
  const all = openingOf({ protocols: ['a', 'b'], compress: true, headers: [['HOST', 'other'], ['X', 'y'], ['x', 'z']], target: { authorization: 'Basic QQ==' }, traceparent: '00-1-2-01' })
  const names = linesOf(all).slice(1, -2).map((line) => line.startsWith('Sec-WebSocket-Key') ? 'key' : line)
  t.same(names, ['Upgrade: websocket', 'Connection: Upgrade', 'key', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Protocol: a, b', 'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits', 'Authorization: Basic QQ==', 'traceparent: 00-1-2-01', 'HOST: other', 'X: y', 'x: z'])
  const withIds = openingOf({ idReplacement: true, target: { path: '/[<id>]' }, headers: [['X', '[<id>]']] })
  const [line, ...rest] = linesOf(withIds)
  const id = line.slice('GET /'.length, -' HTTP/1.1'.length)
  t.ok(id.length > 10 && rest.includes(`X: ${id}`), 'the same id everywhere')
  t.equal(withIds.line.path, `/${id}`)
  t.ok(linesOf(openingOf({ target: { path: '/[<id>]' } }))[0].includes('[<id>]'))
})

const acceptOf = (opening) => createHash('sha1').update(opening.headers.get('sec-websocket-key') + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64')

/** The lines of a response that accepts. */
const accepting = (opening, changes = {}) => {
  const lines = { Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Accept': acceptOf(opening), ...changes }
  return `HTTP/1.1 101 x\r\n${Object.entries(lines).filter(([, value]) => value !== null).flatMap(([name, value]) => [value].flat().map((each) => `${name}: ${each}\r\n`)).join('')}\r\n`
}

/** Gives a response to an opening, in pieces of this size. @returns {object} what it found, and after how many octets */
function answered (opening, text, size = text.length) {
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size)
    if (!opening.read(Buffer.concat([piece, Buffer.from('rubbish')]), piece.length)) continue
    const { status, problem, behind, informational } = opening
    return { status, problem, behind, informational, after: Math.min(bytes.length, at + size) }
  }
  return null
}

t.test('a response that accepts, in pieces of any size, after interim ones, and with frames behind it', async (t) => {
  const before = 'HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'
  for (const size of [1, 2, 7, 50, 1000]) {
    for (const [interim, informational] of [['', 0], [before, 2]]) {
      const opening = openingOf()
      const text = interim + accepting(opening, { X: 'y' })
      const found = answered(opening, text + 'frames', size)
      t.match(found, { status: 101, problem: '', informational })
      t.equal(found.after - found.behind, text.length, `pieces of ${size}`)
      t.equal(opening.fields.prototype?.x ?? opening.fields.x, 'y')
    }
  }
  t.equal(answered(openingOf(), 'HTTP/1.1 101 x\r\nUpgrade: webso', 5), null, 'not complete')
})

t.test('why a response does not accept', async (t) => {
  const problem = (changes, settings) => {
    const opening = openingOf(settings)
    return answered(opening, accepting(opening, changes)).problem
  }
  for (const fine of [{}, { Upgrade: 'WebSocket' }, { Connection: 'keep-alive, upgrade' }, { Connection: ['keep-alive', 'UPGRADE'] }, { 'Sec-WebSocket-Extensions': '' }]) t.equal(problem(fine), '', JSON.stringify(fine))
  for (const bad of [null, 'h2c', 'websocket, x']) t.equal(problem({ Upgrade: bad }), 'its response has no Upgrade: websocket')
  for (const bad of [null, 'keep-alive', 'upgraded']) t.equal(problem({ Connection: bad }), 'its response has no Connection: Upgrade')
  for (const bad of [null, 'abc']) t.equal(problem({ 'Sec-WebSocket-Accept': bad }), 'its Sec-WebSocket-Accept does not match our key')
  const protocols = ['a', 'b']
  t.equal(problem({ 'Sec-WebSocket-Protocol': 'b' }, { protocols }), '')
  t.equal(problem({}, { protocols }), 'it chose none of the subprotocols a, b')
  t.equal(problem({ 'Sec-WebSocket-Protocol': 'c' }, { protocols }), 'it chose the subprotocol c, which was not requested')
  t.equal(problem({ 'Sec-WebSocket-Protocol': 'a' }), 'it chose the subprotocol a, which was not requested')
  t.equal(problem({ 'Sec-WebSocket-Extensions': 'permessage-deflate' }), 'it chose the extension permessage-deflate, which was not requested')
  t.equal(problem({ 'Sec-WebSocket-Extensions': 'other' }, { compress: true }), 'it chose the extension other, which does not match the offer permessage-deflate; client_max_window_bits')
  for (const status of [200, 302, 404, 503]) t.match(answered(openingOf(), `HTTP/1.1 ${status} x\r\n\r\nbody`), { status, problem: `it responded with status ${status}` })
  t.match(answered(openingOf(), 'HTTP/1.1 abc\r\n\r\n').problem, /^its response is not valid: ./)
  const long = `HTTP/1.1 101 x\r\nX: ${'y'.repeat(1 << 20)}`
  t.match(answered(openingOf(), long, 10_000).problem, /^its response has a head of more than \d+ bytes$/)
  const compressing = openingOf({ compress: true })
  t.match(answered(compressing, accepting(compressing, { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits=10; server_max_window_bits=9; server_no_context_takeover' })), { problem: '' })
  t.match(compressing, { windowBits: 10, inflater: { windowBits: 9, windowBytes: 512, forgets: true } })
})

t.test('what a server may answer to an offer of compression', async (t) => {
  const plain = { windowBits: 15, forgets: false, ownWindowBits: 15 }
  const NAME = 'permessage-deflate'
  for (const [answer, expected, offer] of [
    [NAME, plain],
    ['Permessage-Deflate', plain],
    [`${NAME}; client_max_window_bits=9`, { ...plain, ownWindowBits: 9 }],
    [`${NAME};client_max_window_bits="15" ; server_no_context_takeover`, { ...plain, forgets: true }],
    [`${NAME}; server_max_window_bits=8`, { ...plain, windowBits: 8 }],
    [`${NAME}; client_no_context_takeover`, plain],
    [`${NAME}; client_max_window_bits`, null],
    [`${NAME}; client_max_window_bits=7`, null],
    [`${NAME}; client_max_window_bits=16`, null],
    [`${NAME}; client_max_window_bits=09`, null],
    [`${NAME}; server_max_window_bits`, null],
    [`${NAME}; server_no_context_takeover=1`, null],
    [`${NAME}; server_no_context_takeover; server_no_context_takeover`, null],
    [`${NAME}; x`, null],
    [`${NAME}; x=9`, null],
    [`${NAME}; =9`, null],
    ['other', null],
    ['', null],
    // Other offers: what they require must be confirmed, and nothing else requested.
    [`${NAME}; client_max_window_bits=9`, null, NAME],
    [NAME, null, `${NAME}; server_no_context_takeover`],
    [`${NAME}; server_no_context_takeover`, { ...plain, forgets: true }, `${NAME}; server_no_context_takeover`],
    [NAME, null, `${NAME}; server_max_window_bits=10`],
    [`${NAME}; server_max_window_bits=11`, null, `${NAME}; server_max_window_bits=10`],
    [`${NAME}; server_max_window_bits=10`, { ...plain, windowBits: 10 }, `${NAME}; server_max_window_bits=10`],
    [`${NAME}; client_max_window_bits=12`, { ...plain, ownWindowBits: 11 }, `${NAME}; client_max_window_bits=11`],
    [NAME, { ...plain, ownWindowBits: 11 }, `${NAME}; client_max_window_bits=11`],
    [NAME, plain, `other, ${NAME}; server_max_window_bits=9, ${NAME}`],
    [NAME, null, 'other']
  ]) t.strictSame(readAgreement(answer, offer), expected, `${answer} to ${offer}`)
})

t.test('messages of a server that refer to earlier ones, as far back as agreed', async (t) => {
  // A server's compressor with context, and ours without.
  const messages = [Buffer.from('hello hello hello'), Buffer.alloc(0), Buffer.from('hello again'), Buffer.alloc(700, 'abcdefghijklmnopq'), Buffer.from('hello hello again, abcdefghijklmnopq')]
  const compressAll = async (windowBits) => {
    const deflater = zlib.createDeflateRaw({ windowBits })
    const all = []
    for (const message of messages) {
      const chunks = []
      deflater.on('data', (chunk) => chunks.push(chunk))
      if (message.length > 0) deflater.write(message)
      await new Promise((resolve) => deflater.flush(zlib.constants.Z_SYNC_FLUSH, resolve))
      deflater.removeAllListeners('data')
      const bytes = Buffer.concat(chunks)
      all.push(message.length === 0 ? Buffer.of(0) : bytes.subarray(0, bytes.length - 4))
    }
    return all
  }
  for (const windowBits of [9, 12, 15]) {
    const inflater = new Inflater({ windowBits, forgets: false })
    t.same((await compressAll(windowBits)).map((bytes) => inflater.inflate(bytes, 1000)?.toString()), messages.map(String), `${windowBits}`)
    t.ok(inflater.history.length <= 2 ** windowBits)
    t.equal(inflater.history.toString(), Buffer.concat(messages).subarray(-(2 ** windowBits)).toString())
    const forgetful = new Inflater({ windowBits, forgets: true })
    for (const message of messages) t.equal(forgetful.inflate(deflate(message, windowBits), 1000).toString(), message.toString())
    t.equal(forgetful.history, null)
  }
  const inflater = new Inflater({ windowBits: 15, forgets: false })
  t.equal(inflater.inflate(deflate(Buffer.alloc(1000)), 1000).length, 1000)
  t.equal(inflater.isTooLarge, false)
  t.equal(inflater.inflate(deflate(Buffer.alloc(1001)), 1000), null)
  t.equal(inflater.isTooLarge, true)
  t.equal(inflater.inflate(Buffer.alloc(5, 0xff), 1000), null)
  t.equal(inflater.isTooLarge, false)
  t.match(new Inflater({ windowBits: 8, forgets: false }), { windowBits: 9, windowBytes: 256 })
})

t.test('the ids of broadcasts: 28 characters that tell part, number and due time, wherever they stand', async (t) => {
  const ids = new BroadcastIds('0k3v9a2xm', 37)
  t.same([ids.lastNumber, BroadcastIds.LENGTH, BroadcastIds.RUN_LENGTH], [-1, 28, 9])
  const first = ids.next(1.7e15)
  const second = ids.next(36 ** 5)
  t.equal(first, `0k3v9a2xm110000000${(1.7e15).toString(36).padStart(10, '0')}`)
  t.equal(second, '0k3v9a2xm1100000010000100000')
  t.equal(ids.lastNumber, 1)
  const reader = new BroadcastIds('0k3v9a2xm', 0)
  const find = (text, start = 0, end = text.length) => reader.find(Buffer.from(text), start, end) ? [reader.foundPart, reader.foundNumber, reader.foundDueAt] : null
  t.same(find(second), [37, 1, 36 ** 5])
  t.same(find(`<<<${first}>>>`), [37, 0, 1.7e15])
  t.equal(reader.place, 3)
  t.same(find(`<${first}>`), [37, 0, 1.7e15])
  t.same(find(`xx<${second}>yy`, 2, 2 + 30), [37, 1, 36 ** 5])
  t.equal(reader.place, 1, 'from the start of the payload')
  for (const other of ['', 'x', second.slice(1), `${second.slice(0, -1)}`, second.replace('0k3', '1k3'), `${second.slice(0, 20)}-${second.slice(21)}`, `${second.slice(0, 9)}-${second.slice(10)}`, `${second.slice(0, 12)}A${second.slice(13)}`]) t.equal(find(other), null, other)
  t.equal(find(`${second}`, 0, 27), null)
})

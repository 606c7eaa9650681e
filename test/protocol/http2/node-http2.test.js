'use strict'

const http2 = require('node:http2')
const net = require('node:net')
const { once } = require('node:events')
const t = require('tap')
const { WINDOWS } = require('../../../lib/protocol/http2/frames')
const Incoming = require('../../../lib/protocol/http2/incoming')
const { StreamTable } = require('../../../lib/protocol/http2/stream-table')
const { createRandom } = require('../../../lib/load/random')
const { track } = require('../../support/tracked')

const REQUESTS = 60

/** The parts of a connection that incoming frames need; records what is reported. */
class Listener {
  constructor () {
    this.windows = WINDOWS
    this.streams = new StreamTable(REQUESTS, WINDOWS.stream)
    this.nextStreamId = 1
    this.owner = { recorder: { informational: 0 } }
    this.received = []
    this.problem = null
    this.responses = this
    this.outgoing = this
    this.incoming = new Incoming(this)
    for (let index = 0; index < REQUESTS; index++) {
      const slot = this.streams.open(this.nextStreamId, 65535)
      this.nextStreamId += 2
      // Blocks of a few endpoints are compared with each other.
      this.streams.endpoint[slot] = index % 3
      this.received[(this.streams.id[slot] - 1) / 2] = { status: 0, fields: [], body: '', trailers: [] }
    }
  }

  responseIn (slot) {
    return this.received[(this.streams.id[slot] - 1) / 2]
  }

  isHead () { return false }
  headCame (slot, head) { Object.assign(this.responseIn(slot), { status: head.status, fields: head.raw.slice() }) }
  bodyCame (slot, buffer, start, end) { this.responseIn(slot).body += buffer.latin1Slice(start, end) }
  trailersCame (slot, fields) { this.responseIn(slot).trailers = fields.slice() }
  answered (slot) {
    this.incoming.forget(slot)
    this.streams.close(slot)
  }

  malformed (slot, problem) { this.problem ??= problem }
  breakConnection (code, problem) { this.problem ??= problem }
  settingsCame () { return null }
  answer () {}
  windowGrew () {}
  goawayCame () {}
}

/** A proxy that keeps everything in both directions. */
async function tee (t, port) {
  const proxy = net.createServer((socket) => {
    const onward = net.connect(port, '127.0.0.1')
    onward.on('data', (bytes) => tracked.received.push(bytes))
    socket.pipe(onward)
    onward.pipe(socket)
    for (const each of [socket, onward]) each.on('error', () => {})
  })
  const tracked = Object.assign(await track(t, proxy), { received: [] })
  return tracked
}

// Responses of all kinds: few or many headers, equal or different each time, long ones, trailers, large bodies.
function answer (stream, index, next) {
  const headers = { ':status': [200, 200, 200, 404, 206][index % 5], 'content-type': 'text/plain', 'x-kind': `kind ${index % 3}` }
  for (let count = Math.floor(next() * 6); count > 0; count--) headers[`x-${Math.floor(next() * 5)}`] = 'äöü ~ '.repeat(Math.floor(next() * 40)) + Math.floor(next() * 3)
  if (index % 7 === 0) headers['x-long'] = 'long'.repeat(6000)
  if (index % 4 === 0) headers['set-cookie'] = ['a=1', `b=${index}`]
  stream.on('error', () => {})
  stream.respond(headers, { waitForTrailers: index % 6 === 0 })
  stream.on('wantTrailers', () => stream.sendTrailers({ 'x-trailer': `${index}` }))
  stream.end('body '.repeat(Math.floor(next() ** 4 * 20_000)))
}

const fieldsOf = (raw) => Array.from({ length: raw.length / 2 }, (_, index) => `${raw[2 * index]}: ${raw[2 * index + 1]}`).sort()

t.test('node:http2 reads the same from the same bytes', async (t) => {
  const random = createRandom(11)
  const next = typeof random === 'function' ? random : () => random.next()
  const server = http2.createServer({ maxSendHeaderBlockLength: 200_000 })
  server.on('stream', (stream, headers) => answer(stream, Number(headers[':path'].slice(1)), next))
  const target = await track(t, server)
  const proxy = await tee(t, target.port)

  const session = http2.connect(proxy.url, { maxHeaderListPairs: 1000, settings: { initialWindowSize: 2 ** 24, maxHeaderListSize: 2 ** 17 } })
  t.teardown(() => session.destroy())
  await once(session, 'connect')
  session.setLocalWindowSize(2 ** 26)
  const expected = await Promise.all(Array.from({ length: REQUESTS }, async (_, index) => {
    const stream = session.request({ ':path': `/${index}` })
    const response = { body: '', trailers: [] }
    stream.on('response', (headers, flags, raw) => { response.raw = raw })
    stream.on('trailers', (headers, flags, raw) => { response.trailers = raw })
    stream.setEncoding('latin1').on('data', (text) => { response.body += text })
    await once(stream, 'close')
    return response
  }))
  session.close()

  const bytes = Buffer.concat(proxy.received)
  for (const size of [1, 7, 100, 1000, 65536]) {
    const listener = new Listener()
    const buffer = Buffer.alloc(65536)
    for (let start = 0; start < bytes.length; start += size) {
      const length = bytes.copy(buffer, 0, start, start + size)
      listener.incoming.execute(buffer, length, 0)
    }
    t.equal(listener.problem, null, `pieces of ${size}`)
    t.equal(listener.streams.inFlight, 0)
    const different = listener.received.findIndex((response, index) => {
      const { raw, body, trailers } = expected[index]
      return String(response.status) !== raw[1] || response.body !== body || String(fieldsOf(response.fields)) !== String(fieldsOf(raw.slice(2))) ||
        String(fieldsOf(response.trailers)) !== String(fieldsOf(trailers))
    })
    t.equal(different, -1, 'all are the same')
  }
})

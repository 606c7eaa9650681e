'use strict'

/*
 * Mutated captures of what servers say, cut anywhere, to connections without a network: nothing may crash, hang, grow or
 * lose a request. `npm run fuzz` plays 1,000,000 of them, the tests 20,000. `node test/http2/fuzz.js COUNT SEED`.
 */

const { createPlan } = require('../../lib/plan')
const { createRandom } = require('../../lib/load/random')
const http2 = require('../../lib/protocol/http2')
const { RECEIVE_BUFFER } = require('../../lib/transport/connect')
const { frame, words, settings, literal, OK, END_STREAM, END_HEADERS } = require('./frame-server')

const REQUESTS = 4
const MOST_BYTES_OUT = 100_000

// What servers say after four requests have been sent: streams 1, 3, 5 and 7.
const CAPTURES = [
  [1, 3, 5, 7].flatMap((id) => [frame('HEADERS', END_HEADERS, id, Buffer.concat([OK, literal('content-length', '2')])), frame('DATA', END_STREAM, id, 'ok')]),
  [7, 3, 5, 1].flatMap((id) => [frame('HEADERS', 0, id, OK), frame('CONTINUATION', END_HEADERS, id, literal('x-y', 'z')), frame('DATA', 8, id, '\x02ok\0\0'), frame('HEADERS', END_HEADERS | END_STREAM, id, literal('x-trailer', 'z'))]),
  [frame('HEADERS', END_HEADERS, 1, literal(':status', '103')), frame('PING', 0, 0, '12345678'), frame('SETTINGS', 0, 0, settings({ 1: 0, 3: 100, 4: 70000 })), frame('RST_STREAM', 0, 3, words(7)), frame('GOAWAY', 0, 0, words(5, 0)), frame('WINDOW_UPDATE', 0, 5, words(100))],
  // Entries of the dynamic table: added, read, evicted.
  [1, 3, 5, 7].map((id) => frame('HEADERS', END_HEADERS | END_STREAM, id, Buffer.concat([OK, Buffer.from(id === 1 ? '5885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff' : 'bfbe', 'hex')])))
].map((frames) => Buffer.concat(frames))

/** As much of a Recorder as a connection calls: a whole one takes a hundred times as long to make as an input to play. */
class Counts {
  constructor () {
    this.open = true
    this.fromDueTime = true
    this.outlook = { sent () {} }
    for (const name of ['sent', 'completed', 'failed', 'timedOut', 'unfinished', 'bytesRead', 'bytesWritten', 'informational']) this[name] = 0
  }

  look () {}
  delayedSend () {}
  recordDelay () {}
  openedConnection () {}
  closedConnection () {}
  completedRequest () { this.completed++ }
  receivedReply () {}
  unfinishedRequest () { this.unfinished++ }
}

/** An owner that does nothing but count. */
class Owner {
  constructor (plan) {
    this.plan = plan
    this.isOpenModel = true
    this.watchesResponses = false
    this.memos = []
    this.recorder = new Counts()
    this.returned = 0
  }

  ready () {}
  closed () {}
  unwritten () { this.returned++ }
  warn () {}
  connectionFailed () {}
  connectionBroken () {}
  requestFailed () { this.recorder.failed++ }
  requestTimedOut () { this.recorder.timedOut++ }
}

/** A socket that takes everything. */
class Sink {
  constructor () {
    this.bytes = 0
    this.writable = true
    this.writableLength = 0
  }

  write (bytes) {
    this.bytes += bytes.length
    return true
  }

  cork () {}
  uncork () {}
  once () {}
  end () {}
  destroy () {}
}

const { plan } = createPlan({ url: 'http://localhost', http2: true, pipelining: REQUESTS, timeout: 10, overallRate: 1 })
const [target] = plan.targets
const set = new http2.RequestTrain([http2.encodeRequest(plan.requests[0], target)], [0])

/**
 * @param {number} count how many inputs
 * @param {number} seed
 * @throws Error with the input, where something is wrong
 */
function fuzz (count, seed) {
  const random = createRandom(seed)
  const next = typeof random === 'function' ? random : () => random.next()
  const connection = new http2.Connection(plan, 0, target, set)
  for (let index = 0; index < count; index++) {
    const input = mutate(CAPTURES[Math.floor(next() * CAPTURES.length)], next)
    try {
      play(connection, input, 1 + Math.floor(next() * input.length))
    } catch (error) {
      error.message += `\nseed ${seed}, input ${index}: ${input.toString('hex')}`
      throw error
    }
  }
}

function mutate (capture, next) {
  let bytes = Buffer.from(capture)
  const changes = Math.floor(next() * 4)
  for (let change = 0; change < changes; change++) {
    const at = Math.floor(next() * bytes.length)
    switch (Math.floor(next() * 5)) {
      case 0:
        bytes[at] = Math.floor(next() * 256)
        break
      case 1:
        bytes[at] ^= 1 << Math.floor(next() * 8)
        break
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + Math.floor(next() * 12))])
        break
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.floor(next() * bytes.length))])
        break
      default:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes])
    }
    if (bytes.length === 0) return Buffer.alloc(1)
  }
  return bytes
}

function play (connection, input, size) {
  const owner = new Owner(plan)
  const socket = new Sink()
  connection.owner = owner
  begin(connection, socket)
  for (let index = 0; index < REQUESTS; index++) connection.send(0)
  connection.flush(0)
  for (let start = 0; start < input.length && connection.isOpen; start += size) receive(connection, input.subarray(start, start + size))
  if (socket.bytes > MOST_BYTES_OUT) throw new Error(`${socket.bytes} octets were sent in return`)
  connection.abandon(0)
  const { sent, completed, failed, timedOut, unfinished } = owner.recorder
  if (sent !== completed + failed + timedOut + unfinished || sent + owner.returned !== REQUESTS) {
    throw new Error(`${sent} sent, ${completed} completed, ${failed} failed, ${unfinished} unfinished, ${owner.returned} given back`)
  }
  if (connection.streams.inFlight !== 0 || connection.waiting.count !== 0) throw new Error('a stream is left over')
}

// As if the way to the server had been gone.
function begin (connection, socket) {
  connection.beginLife()
  connection.state = 1
  connection.socket = socket
  connection.handshake = { hasReached: true, startedAt: 0, phase: 'connect', times: () => ({ total: 0, dns: null, tcp: 0, tls: null }) }
  connection.reached(0)
  receive(connection, frame('SETTINGS', 0, 0))
}

function receive (connection, bytes) {
  bytes.copy(RECEIVE_BUFFER)
  connection.received(bytes.length)
}

module.exports = fuzz

if (require.main === module) {
  const count = Number(process.argv[2] ?? 1_000_000)
  const seed = Number(process.argv[3] ?? Date.now() % 1e9)
  const started = performance.now()
  fuzz(count, seed)
  console.log(`${count} inputs, seed ${seed}: no fault in ${((performance.now() - started) / 1000).toFixed(1)} s, ${(process.memoryUsage().heapUsed / 1e6).toFixed(0)} MB of heap`)
}

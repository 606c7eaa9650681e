'use strict'

/*
 * Mutated captures of what servers send, cut anywhere: the reader hears what the package ws hears, and ends where it ends;
 * and played to connections without a network, nothing may crash, hang, grow or lose a message. `npm run fuzz` plays
 * 1,000,000 of them, the tests 10,000. `node test/websocket/fuzz.js COUNT SEED`.
 */

const { createPlan } = require('../../lib/plan')
const { createRandom } = require('../../lib/load/random')
const websocket = require('../../lib/protocol/websocket')
const { createIds } = websocket
const { MessageRecorder } = require('../../lib/metrics/messages')
const { RECEIVE_BUFFER } = require('../../lib/transport/connect')
const { acceptance } = require('../simulation/world/websocket')
const { frame, hear, hearOfWs } = require('./frames')

const MESSAGES = 4
const LIMIT = 2000
const MOST_BYTES_OUT = 10_000

const euro = Buffer.from('€uro')
const CAPTURES = [
  [frame('TEXT', 'one'), frame('TEXT', 'two'), frame('BINARY', Buffer.of(0, 255)), frame('TEXT', euro)],
  [frame('TEXT', euro.subarray(0, 2), { fin: false }), frame('PING', 'ping'), frame('CONTINUATION', euro.subarray(2)), frame('CLOSE', Buffer.of(3, 233, 111, 107))],
  [frame('TEXT', 'x'.repeat(200)), frame('BINARY', 'y'.repeat(126), { fin: false }), frame('CONTINUATION', '', { fin: false }), frame('CONTINUATION', 'z', { size: 64 })],
  [frame('PONG', 'x'), frame('PING'), frame('TEXT', ''), frame('TEXT', 'last'), frame('CLOSE')]
].map((frames) => Buffer.concat(frames))

/**
 * @param {number} count how many inputs
 * @param {number} seed
 * @throws Error with the input, where something is wrong
 */
function fuzz (count, seed) {
  const random = createRandom(seed)
  const next = typeof random === 'function' ? random : () => random.next()
  const connections = [{}, { expect: 'nothing' }, { expect: 'broadcast' }, { match: (text) => text.length }].map(connectionFor)
  for (let index = 0; index < count; index++) {
    const input = mutate(CAPTURES[Math.floor(next() * CAPTURES.length)], next)
    const size = 1 + Math.floor(next() * input.length)
    try {
      compareWithWs(input, size, next() < 0.5)
      play(connections[index % connections.length], input, size)
    } catch (error) {
      error.message += `\nseed ${seed}, input ${index}, pieces of ${size}: ${input.toString('hex')}`
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

// --- the same as ws

function compareWithWs (input, size, wantsPayload) {
  const ours = hear(input, size, { limit: LIMIT, wantsPayload })
  const theirs = hearOfWs(input, { limit: LIMIT })
  // Whoever does not keep a message knows only how long it is.
  const lengths = ([kind, what]) => kind === 'close' || kind === 'ping' ? [kind, what] : [kind, typeof what === 'string' ? what.length : what]
  const comparable = ({ told }) => JSON.stringify(wantsPayload ? told : told.map(lengths))
  if (comparable(ours) !== comparable(theirs) || ours.code !== theirs.code) {
    throw new Error(`we hear ${comparable(ours)} and end with ${ours.code}, ws hears ${comparable(theirs)} and ends with ${theirs.code}`)
  }
}

// --- connections

/** As much of a Recorder as a connection calls. */
class Counts {
  constructor (broadcast) {
    this.open = true
    this.fromDueTime = true
    for (const name of ['sent', 'completed', 'failed', 'timedOut', 'unfinished', 'bytesRead', 'bytesWritten', 'informational']) this[name] = 0
    this.messages = new MessageRecorder(broadcast)
  }

  look () {}
  delayedSend () {}
  receivedReply () {}
  openedConnection () {}
  closedConnection () {}
  completedMessage () { this.completed++ }
  unfinishedRequest () { this.unfinished++ }
}

/** An owner that does nothing but count. */
class Owner {
  constructor (plan) {
    this.plan = plan
    this.isOpenModel = true
    this.watchesResponses = false
    this.memos = []
    this.partings = { add: () => {} }
    this.ids = createIds(plan, 'run000000', 0)
    this.recorder = new Counts(this.ids === null ? null : { run: 'run000000', part: 0, retention: 1000 })
    this.returned = 0
  }

  ready () {}
  closed () {}
  copiesCame () {}
  unwritten () { this.returned++ }
  warn () {}
  connectionFailed (code, phase, message) { throw new Error(message) }
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
    this.first = null
  }

  write (bytes) {
    this.first ??= bytes
    this.bytes += bytes.length
    return true
  }

  cork () {}
  uncork () {}
  once () {}
  destroy () {}
}

function connectionFor (settings) {
  const { plan, hooks } = createPlan({ url: 'ws://localhost', body: 'hello', pipelining: MESSAGES, websocket: { maxMessage: LIMIT, ...settings }, timeout: 10, overallRate: 1 })
  const [target] = plan.targets
  const train = new websocket.RequestTrain([websocket.encodeRequest(plan.requests[0], target)], [0])
  return { plan, connection: new websocket.Connection(plan, 0, target, train, hooks) }
}

function play ({ plan, connection }, input, size) {
  const owner = new Owner(plan)
  const socket = new Sink()
  connection.owner = owner
  begin(connection, socket)
  for (let index = 0; index < MESSAGES; index++) connection.send(0)
  connection.flush(0)
  const before = socket.bytes
  for (let start = 0; start < input.length && connection.isOpen; start += size) receive(connection, input.subarray(start, start + size))
  if (socket.bytes - before > MOST_BYTES_OUT) throw new Error(`${socket.bytes - before} octets were sent in return`)
  connection.abandon(0)
  const { sent, completed, failed, timedOut, unfinished } = owner.recorder
  if (sent !== completed + failed + timedOut + unfinished || sent + owner.returned !== MESSAGES) {
    throw new Error(`${sent} sent, ${completed} completed, ${failed} failed, ${unfinished} unfinished, ${owner.returned} given back`)
  }
  if (connection.flight.inFlight !== 0 || connection.flight.prepared !== 0) throw new Error('a message is left over')
}

// As if the way to the server had been gone.
function begin (connection, socket) {
  connection.beginLife()
  connection.state = 1
  connection.socket = socket
  connection.handshake = { hasReached: true, startedAt: 0, phase: 'connect', times: () => ({ total: 0, dns: null, tcp: 0, tls: null }) }
  connection.reached(0)
  receive(connection, Buffer.from(acceptance(socket.first.latin1Slice()), 'latin1'))
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
  console.log(`WebSocket: ${count} inputs, seed ${seed}: no fault in ${((performance.now() - started) / 1000).toFixed(1)} s, ${(process.memoryUsage().heapUsed / 1e6).toFixed(0)} MB of heap`)
}

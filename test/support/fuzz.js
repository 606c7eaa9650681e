'use strict'

/*
 * Fuzzes protocols with mutated captures: the bytes that servers send, changed in a few places and cut anywhere, are passed to
 * connections without a network. Nothing may crash, hang, leak memory or lose a request.
 */

const { createRandom } = require('../../lib/load/random')
const { RoundRobin } = require('../../lib/load/request-order')
const { RECEIVE_BUFFER } = require('../../lib/transport/connect')
const Sockets = require('../../lib/transport/sockets')
const world = require('../../lib/world')

/** The part of a Recorder that a connection uses: creating a complete one takes a hundred times as long as processing an input. */
class Counts {
  constructor (messages = null) {
    this.open = true
    this.fromDueTime = true
    this.forecast = { sent () {}, takeLook: () => -Infinity }
    this.delays = { record () {} }
    for (const name of ['sent', 'completed', 'failed', 'timedOut', 'unfinished', 'bytesRead', 'bytesWritten', 'informational']) this[name] = 0
    this.messages = messages
  }

  look () {}
  latencyOf () { return 0 }
  delayedSend () {}
  receivedReply () {}
  openedConnection () {}
  closedConnection () {}
  completedRequest () { this.completed++ }
  completedMessages (count) { this.completed += count }
  unfinishedRequest () { this.unfinished++ }
}

/** An owner that does nothing but count. */
class Owner {
  /** @param {object} plan @param {?object} [ids] see `createIds` of WebSocket @param {?MessageRecorder} [messages] */
  constructor (plan, ids = null, messages = null) {
    this.plan = plan
    this.isOpenModel = true
    this.watchesResponses = false
    this.memos = []
    this.closingSockets = { add: () => {} }
    this.ids = ids
    this.recorder = new Counts(messages)
    this.returned = 0
    this.hasFailedToOpen = false
  }

  ready () {}
  closed () {}
  copiesCame () {}
  unwritten () { this.returned++ }
  warn () {}
  connectionFailed () { this.hasFailedToOpen = true }
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
  end () {}
  destroy () {}
}

/** Puts a connection into the state after a successful handshake. @returns {Sink} its socket */
function reach (connection, owner) {
  const socket = new Sink()
  connection.owner = owner
  connection.sockets ??= new Sockets(owner.plan)
  connection.order = new RoundRobin(connection.train.requests.length)
  connection.beginLife()
  connection.state = 1
  connection.socket = socket
  connection.handshake = { hasReached: true, startedAt: 0, phase: 'connect', times: () => ({ total: 0, dns: null, tcp: 0, tls: null }) }
  connection.reached(0)
  return socket
}

function receive (connection, bytes) {
  bytes.copy(RECEIVE_BUFFER)
  connection.received(bytes.length)
}

/** Sends requests, receives the input in pieces, and compares the accounting with what was sent. */
function exchange (connection, socket, { requests, input, size, mostBytesOut }) {
  for (let index = 0; index < requests; index++) connection.send(0)
  connection.flush()
  const before = socket.bytes
  for (let start = 0; start < input.length && connection.isInUse; start += size) receive(connection, input.subarray(start, start + size))
  if (socket.bytes - before > mostBytesOut) throw new Error(`${socket.bytes - before} octets were sent in return`)
  connection.abandon(world.now())
  const { recorder: { sent, completed, failed, timedOut, unfinished }, returned } = connection.owner
  if (sent !== completed + failed + timedOut + unfinished || sent + returned !== requests) {
    throw new Error(`${sent} sent, ${completed} completed, ${failed} failed, ${unfinished} unfinished, ${returned} given back`)
  }
}

/**
 * @param {Buffer[]} captures
 * @param {function({ input: Buffer, size: number, index: number, capture: number, isAsItWas: boolean, next: function(): number })} play throws
 *   if something is wrong; `size`: of the pieces, `next`: random numbers from 0 to 1
 * @returns {function(number, number)} processes that many inputs with that seed; throws with the input if something is wrong
 */
function createFuzzer (captures, play) {
  return function fuzz (count, seed) {
    const random = createRandom(seed)
    const next = typeof random === 'function' ? random : () => random.next()
    for (let index = 0; index < count; index++) {
      const capture = Math.floor(next() * captures.length)
      const input = mutate(captures[capture], next)
      const size = 1 + Math.floor(next() * input.length)
      try {
        play({ input, size, index, capture, isAsItWas: input.equals(captures[capture]), next })
      } catch (error) {
        error.message += `\nseed ${seed}, input ${index}, pieces of ${size}: ${input.toString('hex')}`
        throw error
      }
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

/** The command of a fuzzer: `node fuzz.js COUNT SEED`. */
function playFromCommandLine (name, fuzz) {
  const count = Number(process.argv[2] ?? 1_000_000)
  const seed = Number(process.argv[3] ?? Date.now() % 1e9)
  const started = performance.now()
  fuzz(count, seed)
  console.log(`${name}: ${count} inputs, seed ${seed}: no fault in ${((performance.now() - started) / 1000).toFixed(1)} s, ${(process.memoryUsage().heapUsed / 1e6).toFixed(0)} MB of heap`)
}

module.exports = { Owner, createFuzzer, exchange, playFromCommandLine, reach, receive }

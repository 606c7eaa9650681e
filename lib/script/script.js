'use strict'

const Client = require('./client')
const { show } = require('../base/errors')
const { isThenable } = require('../base/user-code')
const { HookCalls, MessageCalls } = require('./hook-calls')
const ReceivedBody = require('./received-body')
const RequestBody = require('./request-body')
const world = require('../world')

const UNWANTED = Object.freeze({ bytes: Buffer.alloc(0), text: null, problem: null })

/** The state of one response while it arrives. Each object is reused for one response after another. */
class Reply {
  constructor () {
    this.received = new ReceivedBody()
    this.begin()
  }

  begin (coding = '') {
    this.received.begin(coding)
    this.fields = null
    this.wantsBody = false
    /** The request that this response redirects to. */
    this.redirected = null
  }
}

/**
 * Connects a connection to the user's code: it calls setupRequest before a request, and onResponse, onMessage, verifyBody and the
 * client's listeners after the response. Connections without hooks do not need one.
 *
 * Hooks may be asynchronous. The requests of a connection are set up one after the other, in order. A request's place becomes
 * free only after its onResponse and verifyBody have settled (see PendingHooks), so anything a hook learned from a response is available
 * when the connection's next request is set up.
 */
class Script {
  /**
   * @param {Connection} connection
   * @param {RequestSequence} sequence
   * @param {object} base the request that a client's changes are merged into
   * @param {?Navigation} navigation for cookies and redirects
   * @param {object} protocol for encoding requests
   * @param {?Client} [client] the client of another connection of the same session
   */
  constructor (connection, sequence, base, navigation, protocol, client = null) {
    this.connection = connection
    this.sequence = sequence
    this.base = base
    this.navigation = navigation
    this.protocol = protocol
    this.client = client ?? new Client(this)
    /** The session that the connection belongs to; null without sessions. */
    this.visit = null
    this.calls = new HookCalls(this)
    /** What it does with messages, if they are not responses; null with HTTP. */
    this.messages = protocol.hasOnlyBodies === true ? new MessageCalls(this) : null
    this.isSettingUp = false
    this.setUp = null
    this.setUpVersion = 0
    /** Whether a request has a timeout of its own: see UserScript. */
    this.hasTimeouts = false
    /** The request bodies that are being sent, by slot. */
    this.outgoing = new Map()
    /** By slot of the connection: what was sent, and the state of its response. */
    this.entries = []
    this.replies = []
    /** Requests that the server refused to process. They are sent before any others. */
    this.again = []
  }

  // The connection's owner changes between a warm-up and the run.
  get owner () {
    return this.connection.owner
  }

  /** Takes over a connection that had no script so far: requests in flight get their entries. */
  takeOver () {
    const { connection, sequence } = this
    sequence.context = sequence.newContext()
    const stepOf = (slot) => sequence.steps.findIndex(({ endpoint }) => endpoint === connection.endpointOf(slot))
    // The current request is the one just answered, for a listener of `response`; the first one if nothing has been sent.
    sequence.current = connection.sentEver === 0 ? 0 : stepOf(connection.lastTaken)
    for (const slot of connection.slotsInFlight) {
      const step = sequence.steps[stepOf(slot)]
      this.entries[slot] = { step, encoded: step.encoded, context: sequence.context }
    }
  }

  replyIn (slot) {
    this.replies[slot] ??= new Reply()
    return this.replies[slot]
  }

  // --- requests

  /** How many requests this script can give to the connection now. */
  get supply () {
    return this.isBlocked ? 0 : this.sequence.left + this.waiting
  }

  /** How many requests wait to go out that the sequence does not have any more: redirects, what a server refused, what is set up. */
  get waiting () {
    const redirects = this.navigation === null ? 0 : this.navigation.waiting.length
    return redirects + this.again.length + (this.setUp === null ? 0 : 1)
  }

  // Without interleaving, nothing else can be sent until a request body is complete.
  get isBlocked () {
    return this.outgoing.size > 0 && !this.connection.interleaves
  }

  /**
   * How many requests will be sent up to and including the first that closes its connection, as far as is known before
   * setupRequest.
   */
  get untilClosing () {
    const { ahead, sequence } = this
    const place = ahead.findIndex(({ encoded }) => encoded.closes)
    return place === -1 ? ahead.length + sequence.untilClosing(this.connection.depth) : place + 1
  }

  /** The requests that go out before those of the sequence. */
  get ahead () {
    const { navigation, setUp } = this
    return [...(navigation === null ? [] : navigation.waiting), ...(setUp === null ? [] : [setUp])]
  }

  /** Whether it has no request left, and none that is being sent. */
  get isSpent () {
    return this.supply === 0 && this.outgoing.size === 0
  }

  /** How many places of the connection are held by hooks that have not settled. */
  get settling () {
    return this.calls.pending.places
  }

  /** Whether any hook has not settled. */
  get isHeld () {
    return this.settling > 0 || this.isSettingUp
  }

  /** Occupies all places of the connection until setupClient has settled. */
  waitForClient (promise) {
    this.calls.pending.waitForClient(promise)
  }

  /** Sends the requests given to the connection, and waits for setupRequest if needed. */
  pump () {
    const { connection } = this
    if (!connection.isOpen) return
    // For a single write, corking the stream costs more than it saves.
    const isOne = connection.prepared === 1
    const { socket } = connection
    if (!isOne) socket.cork()
    this.sendPrepared()
    if (!isOne) socket.uncork()
  }

  sendPrepared () {
    const { connection } = this
    while (connection.hasPrepared && !this.isSettingUp && !this.isBlocked && connection.mayBegin && this.owner.maySend) {
      let entry
      try {
        entry = this.nextEntry()
      } catch (error) {
        this.setupFailed(error)
        return
      }
      if (isThenable(entry)) this.await(entry)
      else if (entry === null) this.runDry()
      else this.transmit(entry)
    }
  }

  nextEntry () {
    if (this.again.length > 0) return this.again.shift()
    const redirected = this.navigation === null ? null : this.navigation.next()
    if (redirected !== null) {
      this.sequence.passOver()
      return redirected
    }
    const { setUp } = this
    this.setUp = null
    if (setUp !== null && this.isCurrent(setUp)) return setUp
    return this.sequence.next()
  }

  // Which request an arrival is depends on the arrival, if they have weights.
  isCurrent ({ row }) {
    if (this.setUpVersion === this.sequence.version) return true
    this.sequence.leave(row)
    return false
  }

  // No feed row is left for the requests given to the connection.
  runDry () {
    this.connection.returnUnwritten()
    this.owner.checkEnd()
  }

  await (promise) {
    const since = world.now()
    const dueAt = this.connection.nextPrepared
    this.isSettingUp = true
    promise.then((entry) => {
      this.isSettingUp = false
      this.connection.hookMsSoFar += world.now() - since
      if (entry !== undefined) this.keepSetUp(entry, dueAt)
      if (entry === null) this.runDry()
      else if (this.connection.hasPrepared) this.pump()
      // The request it was meant for is gone: its deadline has passed, or the connection broke and was reopened.
      else if (this.connection.isOpen) this.owner.ready(this.connection, world.now())
      else this.owner.reconsider(this.connection)
    }, (error) => {
      this.isSettingUp = false
      this.setupFailed(error)
    })
  }

  // If the connection has broken meanwhile, this request is sent first after it reopens.
  keepSetUp (entry) {
    this.setUp = entry
    this.setUpVersion = this.sequence.version
  }

  setupFailed (error) {
    this.owner.hookFailed(this.sequence.hookName, error)
  }

  transmit (request) {
    const { connection } = this
    const entry = this.navigation === null ? request : this.navigation.depart(request)
    const slot = connection.book(entry.step.endpoint, world.now())
    this.entries[slot] = entry
    connection.write(entry.encoded, slot)
    if (entry.encoded.closes) connection.sentClosing()
    if (entry.encoded.stream !== null) this.sendBody(slot, entry)
  }

  sendBody (slot, { step, encoded, context }) {
    const { source, length } = encoded.stream
    const body = new RequestBody(this.connection.bodyWriter(slot, length), length)
    this.outgoing.set(slot, body)
    body.send(source, context).then((isSent) => {
      if (isSent) this.bodySent(slot)
    }, (error) => this.owner.hookFailed(`${step.where}.body`, error))
  }

  bodySent (slot) {
    const { connection, owner } = this
    const now = world.now()
    if (connection.room <= 0) connection.becameFree(now)
    this.outgoing.delete(slot)
    this.pump()
    if (connection.isOpen) owner.ready(connection, now)
  }

  // --- responses

  /** Whether the response has no body because it answers a HEAD request. */
  isHead (slot) {
    return this.entries[slot].encoded.isHead
  }

  /**
   * Handles the head of the response to the request in a slot.
   *
   * @param {number} slot
   * @param {object} head with `status`, `coding` and `fieldsIn(buffer, start, end)`
   * @param {Buffer} buffer
   * @param {number} start where the head starts in the buffer
   * @param {number} end
   * @returns {boolean} whether the body is needed
   */
  onHead (slot, head, buffer, start, end) {
    const entry = this.entries[slot]
    const reply = this.replyIn(slot)
    reply.begin(head.coding)
    const isHeard = this.calls.isHeard('headers')
    if (isHeard || this.readsResponse(entry) || this.navigation !== null) reply.fields = head.fieldsIn(buffer, start, end)
    if (isHeard) this.calls.tell('headers', { statusCode: head.status, headers: reply.fields.raw.slice() })
    if (this.navigation !== null) reply.redirected = this.navigation.arrive(entry, head.status, reply.fields.raw)
    reply.wantsBody = this.wantsBody(entry, reply)
    return reply.wantsBody
  }

  wantsBody (entry, { redirected }) {
    if (this.calls.isHeard('body')) return true
    return redirected === null && (this.readsResponse(entry) || this.owner.checksBody)
  }

  /** Whether the user's code reads the response to a request. */
  readsResponse ({ step }) {
    return step.hooks.onResponse !== null
  }

  /**
   * Handles a piece of a body that is needed.
   *
   * @param {number} slot
   * @param {Buffer} buffer
   * @param {number} start
   * @param {number} end
   * @param {boolean} isWhole whether it is the last piece of a body of known length
   * @returns {string} why it cannot be kept; '' if it was
   */
  onBody (slot, buffer, start, end, isWhole) {
    const { received } = this.replyIn(slot)
    received.add(buffer, start, end, isWhole && !this.calls.isHeard('body'))
    return received.problem ?? ''
  }

  /** Whether the events of the response in a slot are needed. */
  wantsEvents (slot) {
    return this.entries[slot].step.hooks.onEvent !== null && this.replyIn(slot).redirected === null
  }

  /** Handles an event of the response in a slot. */
  onEvent (slot, event) {
    this.calls.onEvent(this.entries[slot], event)
  }

  /** @param {?object} [call] how a gRPC call ended, and the method that reads its message */
  onComplete (slot, status, bytes, milliseconds, call = null) {
    const entry = this.entries[slot]
    const reply = this.replyIn(slot)
    const { fields, redirected, received: { coding } } = reply
    const { wantsBody } = reply
    let body = wantsBody ? reply.received.finish() : UNWANTED
    this.entries[slot] = undefined
    reply.begin()
    if (this.outgoing.has(slot)) this.connection.answeredEarly(slot)
    if (body.problem !== null) this.warnOfCoding(coding, body.problem)
    if (call !== null && wantsBody) body = call.read(body, this.owner)
    if (body.text !== null && redirected === null && this.owner.checksBody) {
      if (body.problem !== null) this.owner.mismatched(body.text, this.owner.scenarioOf(this.connection))
      else this.calls.checkBody(body.text)
    }
    if (body.bytes.length > 0) this.calls.tell('body', body.bytes)
    if (redirected !== null) this.redirect(redirected)
    else this.reportResponse(entry, status, body.text, fields, milliseconds, call)
    this.calls.tell('response', status, bytes, milliseconds)
    if (this.owner.watchesResponses) this.owner.responded(this.connection, status, bytes, milliseconds)
    if (this.visit !== null) this.visit.answered(status, redirected !== null, this.connection.now)
  }

  redirect (entry) {
    this.navigation.waiting.push(entry)
  }

  reportResponse (entry, status, text, fields, milliseconds, call) {
    this.calls.onResponse(entry, status, text, fields, call)
  }

  warnOfCoding (coding, problem) {
    this.owner.warn({
      code: 'BODY_NOT_DECODED',
      message: `A body with the Content-Encoding ${show(coding)} could not be decoded: ${problem}. If bodies are checked it counts as a mismatch; hooks get it undecoded.`
    })
  }

  /** Stops sending a request body. */
  cancelBody (slot) {
    this.outgoing.get(slot)?.cancel()
    this.outgoing.delete(slot)
  }

  /** The request in a slot has failed, but the connection stays open. */
  onFailed (slot) {
    this.cancelBody(slot)
    this.entries[slot] = undefined
    this.replies[slot]?.begin()
  }

  /** The server did not process the request in a slot, which was due at `dueAt`, and allows a retry, the `place`th of those that wait. */
  sendAgain (slot, dueAt, place) {
    const { bare, ...entry } = this.entries[slot]
    this.keepRefused(bare === undefined ? entry : { ...entry, encoded: bare }, dueAt, place)
    this.onFailed(slot)
  }

  keepRefused (entry, dueAt, place) {
    if (this.sequence.isByDueTime) this.sequence.leave(entry.row)
    else this.again.splice(place, 0, entry)
  }

  onClose () {
    for (const body of this.outgoing.values()) body.cancel()
    this.outgoing.clear()
    this.entries = []
    // Releases the memory of their bodies, which counts against the budget shared by all connections.
    for (const reply of this.replies) reply?.begin()
  }
}

module.exports = Script

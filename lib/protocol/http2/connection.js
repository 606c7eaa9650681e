'use strict'

const { CODES } = require('../../errors')
const { RECEIVE_BUFFER } = require('../../transport/connect')
const world = require('../../world')
const Connection = require('../connection')
const { EventStream, ALL } = require('../stream/event-stream')
const { NO_ERROR, PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, CANCEL, ENHANCE_YOUR_CALM, DEFAULT_WINDOW, LARGEST_WINDOW, LARGEST_STREAM_ID, errorName } = require('./constants')
const { PREFACE, STREAM_WINDOW, goawayFrame, rstStreamFrame } = require('./frames')
const { sizeUpdate } = require('./hpack/encoder')
const { DEFAULT_TABLE_SIZE } = require('./hpack/dynamic-table')
const { Incoming, AWAITS_HEAD } = require('./incoming')
const Outbox = require('./outbox')
const PeerSettings = require('./settings')
const { StreamTable } = require('./stream-table')
const Uploads = require('./uploads')
const Waiting = require('./waiting')

const ALPN = ['h2']
const HTTP1_FIRST_BYTE = 0x48
// Of streams that were reset; what still comes for an older one is taken for one that has ended.
const MOST_RESETS = 4096
// Of answers to its frames that a server does not read.
const MOST_UNREAD_BYTES = 1024 * 1024

const FAREWELL_MS = 500

const outbox = new Outbox()

/**
 * One HTTP/2 connection (RFC 9113) and its life, from top to bottom: open, reached, usable, sent, received, answered or
 * failed, ended, closed. A stream is a request; streams end in any order, and most of what goes wrong ends only one.
 */
class Http2Connection extends Connection {
  constructor (plan, index, target, set) {
    super(plan, index, target, set)
    this.depth = plan.pipelining
    this.streams = new StreamTable(this.depth)
    this.waiting = new Waiting(this.depth)
    this.incoming = new Incoming(this)
    this.uploads = new Uploads(this)
    this.cursor = 0
    this.now = 0
    this.lastTaken = 0
    /** By their slots, what reads the events of responses; null where these are no streams of events. */
    this.events = plan.stream === null ? null : []
    /** Requests of the sequence, by their index, that the server has not taken: they go out before others do. */
    this.again = []
    /** Closed model: requests that this connection sends again itself. */
    this.owed = []
  }

  beginLife () {
    super.beginLife()
    this.settings = null
    this.nextStreamId = 1
    /** How many streams there may be at a time. */
    this.streamLimit = 0
    /** What we may send, on all streams together, before a WINDOW_UPDATE. */
    this.sendWindow = DEFAULT_WINDOW
    this.table = null
    this.tablePrefix = null
    /** Streams that are over before their time, by whether it was us who said so; null: none. */
    this.resets = null
    this.endedHere = 0
    this.lastStreamId = Infinity
    this.goaway = null
    this.endsByRequest = false
    this.answers = []
    /** The code of the GOAWAY with which it ends, where that is no NO_ERROR. */
    this.farewell = null
  }

  /** What is offered by ALPN. */
  get protocols () {
    return ALPN
  }

  get interleaves () {
    return true
  }

  /** Whether a hook for bodies is content with their text. */
  get isTextEnough () {
    return true
  }

  /** How many requests it has, sent or still to be written. */
  get busy () {
    return this.streams.inFlight + this.waiting.count + this.owed.length
  }

  get prepared () {
    return this.waiting.count
  }

  get mayBegin () {
    return this.takesRequests && this.streams.inFlight < this.streamLimit
  }

  /** Whether it has to be opened again for its own sake. */
  get isOwing () {
    return this.owed.length > 0
  }

  // --- opening (section 3.4)

  reached (now) {
    if (this.target.secure && this.socket.alpnProtocol !== 'h2') {
      this.failedToOpen(CODES.NO_HTTP2, 'tls', 'the server does not speak HTTP/2: it did not choose h2 (ALPN)')
      return
    }
    this.settings = new PeerSettings()
    this.sendWindow = DEFAULT_WINDOW
    this.incoming.reset()
    this.put(PREFACE)
  }

  // Servers that know ALPN but not h2 end the handshake with an alert of this name.
  failed (code, message, syscall) {
    if (this.isConnecting && String(code).includes('NO_APPLICATION_PROTOCOL')) {
      this.failedToOpen(CODES.NO_HTTP2, 'tls', 'the server does not speak HTTP/2: it refused h2 (ALPN)')
    } else {
      super.failed(code, message, syscall)
    }
  }

  /** It can be used when the server's SETTINGS are there. */
  receivedOpening (length) {
    if (RECEIVE_BUFFER[0] === HTTP1_FIRST_BYTE && !this.incoming.hasSettings && !this.incoming.reader.midway) {
      this.failedToOpen(CODES.BAD_RESPONSE, 'parse', 'the server answers in HTTP/1.1 and not in HTTP/2')
      return false
    }
    const now = world.now()
    this.now = now
    this.owner.recorder.bytesRead += length
    this.incoming.execute(RECEIVE_BUFFER, length, now)
    if (!this.isConnecting) return false
    this.sendAnswers()
    if (!this.incoming.hasSettings) return true
    // What is owed is older than all that the owner has to give.
    for (const request of this.owed) this.waiting.add(request.dueAt, request.begunAt)
    this.owed.length = 0
    this.connected(now)
    if (this.hasPrepared && this.mayBegin) this.flush(world.now())
    return this.afterPacket(now, false)
  }

  // --- sending

  /** How many more requests may be given to `send` now. */
  get room () {
    if (!this.takesRequests) return 0
    const prepared = this.waiting.count
    const { inFlight } = this.streams
    let room = this.streamLimit - inFlight - prepared
    if (this.script !== null) room = Math.min(room, this.depth - inFlight - prepared - this.script.settling, this.script.supply - prepared)
    const { reconnectRate, maxConnectionRequests } = this.owner.plan
    if (this.train.closes) room = Math.min(room, 1 - this.sentHere - prepared)
    if (reconnectRate !== null) room = Math.min(room, reconnectRate - this.sentHere - prepared)
    if (maxConnectionRequests !== null) room = Math.min(room, maxConnectionRequests - this.sentEver - prepared)
    return room
  }

  /** Takes one request that came due at `dueAt`; `flush` writes it. Only when there is room. */
  send (dueAt) {
    this.waiting.add(dueAt)
  }

  /** When the oldest request came due that `send` has taken and nobody has written; Infinity: there is none. */
  get oldestPrepared () {
    return this.waiting.count === 0 ? Infinity : this.waiting.oldest
  }

  /** Forgets it. @returns {number} when it came due */
  dropPrepared () {
    return this.waiting.take()
  }

  /** Writes what `send` has taken, in one piece, as far as the server's limit of streams goes. */
  flush (now) {
    if (this.script !== null) {
      this.script.pump()
      return
    }
    const { train, waiting } = this
    while (waiting.count > 0 && this.mayBegin) {
      const request = train.requests[this.nextRequest()]
      const slot = this.book(train.endpoints[request.index], now)
      this.streams.request[slot] = request.index
      this.begin(request, slot)
      if (request.closes) this.sentClosing()
    }
    this.writeOut()
  }

  nextRequest () {
    if (this.again.length > 0) return this.again.shift()
    const index = this.cursor
    this.cursor = index + 1 === this.train.requests.length ? 0 : index + 1
    return index
  }

  /** Books the next request as sent. @returns {number} its slot */
  book (endpoint, now) {
    const { streams, waiting } = this
    const begunAt = waiting.oldestBegunAt
    const dueAt = waiting.take()
    const slot = streams.open(this.nextStreamId)
    this.nextStreamId += 2
    if (this.nextStreamId > LARGEST_STREAM_ID) this.sentClosing()
    streams.dueAt[slot] = dueAt
    streams.sentAt[slot] = now
    streams.begunAt[slot] = begunAt < 0 ? now : begunAt
    streams.endpoint[slot] = endpoint
    streams.state[slot] = AWAITS_HEAD
    streams.bytes[slot] = 0
    streams.footerBytes[slot] = 0
    streams.received[slot] = 0
    streams.receiveWindow[slot] = STREAM_WINDOW
    streams.sendWindow[slot] = this.settings.window
    this.sentHere++
    this.sentEver++
    const { recorder } = this.owner
    recorder.sent++
    if (recorder.open) this.keepDelay(slot, now)
    if (streams.inFlight === this.streamLimit && this.streamLimit < this.depth) this.warnOfLimit()
    return slot
  }

  // The server may yet say that it has not taken the request: only its last sending counts.
  keepDelay (slot, now) {
    const { streams } = this
    this.owner.recorder.outlook.sent(now)
    streams.freeSince[slot] = this.freeSince
    streams.turn[slot] = this.turn
    streams.held[slot] = this.held
    streams.apart[slot] = this.apart
  }

  warnOfLimit () {
    this.owner.warn({
      code: 'STREAM_LIMIT',
      message: `The server takes no more than ${this.streamLimit} requests at a time on a connection (SETTINGS_MAX_CONCURRENT_STREAMS), so pipelining ${this.depth} had no effect beyond that.`
    })
  }

  /** The connection ends with the response to the request that was sent last. */
  sentClosing () {
    this.isLast = true
    this.endsByRequest = true
  }

  /** For a script: writes a request that was booked. */
  write (request, slot) {
    this.begin(request, slot)
    this.writeOut()
  }

  // Its frames into the outbox: all that the windows allow.
  begin (request, slot) {
    const { streams } = this
    const wire = this.wireOf(request)
    const { bodyLength } = wire
    const withBody = bodyLength > 0 && bodyLength <= this.sendWindow && bodyLength <= streams.sendWindow[slot]
    const id = wire.idPlaces.length > 0 || request.parts.bodyPlaces.length > 0 ? world.nextId() : ''
    outbox.add(wire, streams.id[slot], id, withBody)
    if (withBody) {
      this.sendWindow -= bodyLength
      streams.sendWindow[slot] -= bodyLength
    } else if (wire.hasBody) {
      this.uploads.begin(slot, request.bodyWith(id))
    }
  }

  wireOf (request) {
    if (this.tablePrefix !== null) {
      const wire = request.encode(this.table, false, this.tablePrefix)
      this.tablePrefix = null
      return wire
    }
    const wire = this.train.wire(request, this.table)
    this.table = wire.next
    return wire
  }

  writeOut () {
    const bytes = outbox.take()
    if (bytes === null) return
    this.put(bytes)
    outbox.written(this.socket)
    if (this.uploads.size > 0) this.uploads.pump()
  }

  put (bytes) {
    this.owner.recorder.bytesWritten += bytes.length
    this.socket.write(bytes)
  }

  /** For a script: what takes the body of a request just written. */
  bodyWriter (slot) {
    return this.uploads.writer(slot)
  }

  /** Answered before all of its body was sent: no server wants the rest any more. */
  answeredEarly (slot) {
    this.script.cancelBody(slot)
  }

  // --- what comes in return: small frames, written together when all of a packet is read

  answer (frame) {
    this.answers.push(frame)
  }

  sendAnswers () {
    const { answers, socket } = this
    if (answers.length === 0 || socket === null) return
    const bytes = answers.length === 1 ? answers[0] : Buffer.concat(answers)
    this.answers = []
    this.put(bytes)
    if (socket.writableLength > MOST_UNREAD_BYTES && this.uploads.size === 0) {
      this.breakConnection(ENHANCE_YOUR_CALM, 'it sends frames and does not read the answers')
    }
  }

  // --- receiving

  received (length) {
    if (!this.isOpen) return this.receivedEarly(length)
    const now = world.now()
    this.now = now
    this.owner.recorder.look(now)
    this.owner.recorder.bytesRead += length
    const wasFull = this.owner.isOpenModel && this.room <= 0
    const ended = this.endedHere
    const limit = this.streamLimit
    this.incoming.execute(RECEIVE_BUFFER, length, now)
    return this.afterPacket(now, this.endedHere !== ended || this.streamLimit > limit, wasFull)
  }

  afterPacket (now, isFreer, wasFull = false) {
    if (!this.isOpen) return false
    this.sendAnswers()
    if (!this.isOpen) return false
    if (this.isOver) {
      this.retire()
      return false
    }
    if (!isFreer) return true
    if (wasFull && (this.script === null || this.room > 0)) this.becameFree(now)
    if (this.hasPrepared && this.mayBegin) this.flush(world.now())
    this.owner.ready(this, this.script === null ? now : world.now())
    return true
  }

  // Nothing is in flight, and nothing more may be.
  get isOver () {
    if (this.streams.inFlight > 0) return false
    const { reconnectRate } = this.owner.plan
    return this.isLast || (reconnectRate !== null && this.sentHere >= reconnectRate)
  }

  /** SETTINGS of the server (section 6.5). @returns {?object} what is wrong with them */
  settingsCame (buffer, start, end) {
    const { settings, streams } = this
    const { window, tableSize } = settings
    const wrong = settings.read(buffer, start, end)
    if (wrong !== null) return wrong
    this.streamLimit = Math.min(this.depth, settings.concurrentStreams)
    this.resizeTable(tableSize)
    if (settings.window === window) return null
    // Section 6.9.2: a new initial window moves those of all streams, below zero too.
    for (const slot of streams.slots) {
      streams.sendWindow[slot] += settings.window - window
      if (streams.sendWindow[slot] > LARGEST_WINDOW) return { code: FLOW_CONTROL_ERROR, problem: 'SETTINGS_INITIAL_WINDOW_SIZE makes the window of a stream too large' }
    }
    this.uploads.pump()
    return null
  }

  // A larger table than the usual is of no use to us (RFC 7541, section 4.2).
  resizeTable (before) {
    const capacity = Math.min(DEFAULT_TABLE_SIZE, this.settings.tableSize)
    if (this.table !== null && capacity === Math.min(DEFAULT_TABLE_SIZE, before)) return
    const isUsual = this.table === null && capacity === DEFAULT_TABLE_SIZE
    this.table = this.train.emptyTable(capacity)
    this.tablePrefix = isUsual ? null : sizeUpdate(capacity)
  }

  windowGrew (increment) {
    this.sendWindow += increment
    if (this.sendWindow > LARGEST_WINDOW) this.breakConnection(FLOW_CONTROL_ERROR, 'a WINDOW_UPDATE frame makes the window of the connection too large')
    else this.uploads.pump()
  }

  streamWindowGrew (slot, increment) {
    const { sendWindow } = this.streams
    sendWindow[slot] += increment
    if (sendWindow[slot] > LARGEST_WINDOW) this.malformed(slot, 'a WINDOW_UPDATE frame makes the window of the stream too large', FLOW_CONTROL_ERROR)
    else this.uploads.pump()
  }

  /** Whether the response to what was sent in a slot has no body because of its request. */
  isHead (slot) {
    return this.script === null ? this.train.isHead(this.streams.endpoint[slot]) : this.script.isHead(slot)
  }

  headCame (slot, head) {
    if (this.script !== null) this.streams.wantsBody[slot] = this.script.onHead(slot, head) ? 1 : 0
    if (this.events === null) return
    this.events[slot] ??= new EventStream(this, this.owner.plan.stream)
    this.events[slot].begin(slot, head, this.streams.sentAt[slot], this.now)
  }

  bodyCame (slot, buffer, start, end) {
    const cutAt = this.events === null ? ALL : this.events[slot].take(buffer, start, end, this.now)
    const problem = this.problemWithBody(slot, buffer, start, cutAt === ALL ? end : cutAt)
    if (problem !== '') {
      this.malformed(slot, problem, CANCEL)
    } else if (cutAt !== ALL) {
      this.streams.received[slot] -= end - cutAt
      this.answered(slot)
    }
  }

  problemWithBody (slot, buffer, start, end) {
    const { wantsBody, expected, received } = this.streams
    if (this.events !== null && this.events[slot].problem !== '') return `its body ${this.events[slot].problem}`
    if (this.script === null || wantsBody[slot] === 0 || start === end) return ''
    return this.script.onBody(slot, buffer, start, end, this.isTextEnough && expected[slot] === received[slot])
  }

  /** For its events: a response has lasted for as long as the plan gives it. */
  streamLimitReached (slot) {
    const now = world.now()
    this.now = now
    this.owner.recorder.look(now)
    const wasFull = this.owner.isOpenModel && this.room <= 0
    this.answered(slot)
    this.afterPacket(now, true, wasFull)
  }

  trailersCame (slot, fields) {}

  /** A response is complete. */
  answered (slot) {
    if (this.events === null) {
      this.completed(slot, false)
      return
    }
    const { now } = this
    const events = this.events[slot]
    this.now = events.finish(now)
    // Its stream is reset where it was cut off; the others live on.
    this.completed(slot, events.isCut)
    this.now = now
  }

  completed (slot, isCut) {
    const { owner, streams } = this
    const streamId = streams.id[slot]
    this.endStream(slot)
    this.answeredHere++
    this.fruitless = 0
    const status = streams.status[slot]
    const bytes = streams.bytes[slot]
    this.count(slot, status, bytes)
    owner.recorder.receivedReply(streams.headBytes[slot], streams.received[slot], streams.footerBytes[slot])
    const isUploading = this.uploads.has(slot)
    if (this.script !== null || owner.watchesResponses) this.observed(slot, status, bytes)
    // The server may say so itself (section 8.1); it has answered all the same.
    if (isUploading || isCut) this.reset(streamId, slot, CANCEL)
    if (this.answeredHere === owner.plan.reconnectRate) this.isLast = true
  }

  count (slot, status, bytes) {
    const { owner: { recorder }, streams, now } = this
    recorder.completedRequest(streams.endpoint[slot], status, bytes, streams.dueAt[slot], streams.sentAt[slot], streams.firstByteAt[slot], now, streams.headAt[slot])
  }

  // Somebody wants to know of this response.
  observed (slot, status, bytes) {
    const { owner, streams, now } = this
    const milliseconds = now - (owner.recorder.fromDueTime ? streams.dueAt : streams.sentAt)[slot]
    if (this.script !== null) this.script.onComplete(slot, status, bytes, milliseconds, this.callIn(slot))
    else owner.responded(this, status, bytes, milliseconds)
  }

  /** How the call in a slot ended, for hooks; null: it is none of gRPC. */
  callIn (slot) {
    return null
  }

  // The request in a slot has ended, whichever way.
  endStream (slot) {
    const { owner: { recorder }, streams } = this
    if (recorder.open) recorder.recordDelay(streams.dueAt[slot], streams.freeSince[slot], streams.sentAt[slot], streams.turn[slot], streams.held[slot], streams.apart[slot])
    this.leaveStream(slot)
  }

  leaveStream (slot) {
    this.incoming.forget(slot)
    this.events?.[slot]?.stop()
    this.streams.wantsBody[slot] = 0
    this.lastTaken = slot
    this.streams.close(slot)
    this.endedHere++
  }

  // --- what goes wrong with one stream

  /** A response that is none (section 8.1.1): its stream is reset, the others live on. */
  malformed (slot, problem, code) {
    const streamId = this.streams.id[slot]
    this.fail(slot, CODES.BAD_RESPONSE, 'parse', `the server's answer is no valid response: ${problem} (${errorName(code)})`)
    this.reset(streamId, slot, code)
  }

  /** RST_STREAM of the server (section 6.4). */
  resetCame (slot, code) {
    const streamId = this.streams.id[slot]
    this.fail(slot, CODES.STREAM_RESET, 'receive', `the server reset the stream (${errorName(code)})`)
    this.uploads.drop(slot)
    this.remember(streamId, false)
  }

  fail (slot, code, phase, message) {
    const { streams } = this
    this.endStream(slot)
    if (this.script !== null) this.script.onFailed(slot)
    this.owner.requestFailed(streams.endpoint[slot], streams.dueAt[slot], streams.sentAt[slot], world.now(), code, phase, message, this)
  }

  // We want no more of a stream that has left its slot.
  reset (streamId, slot, code) {
    this.uploads.drop(slot)
    this.remember(streamId, true)
    this.answer(rstStreamFrame(streamId, code))
  }

  remember (streamId, isByUs) {
    this.resets ??= new Map()
    this.resets.set(streamId, isByUs)
    if (this.resets.size > MOST_RESETS) this.resets.delete(this.resets.keys().next().value)
  }

  /** A frame has come for a stream that the server itself had reset. */
  refuseLate (streamId) {
    this.answer(rstStreamFrame(streamId, STREAM_CLOSED))
  }

  // --- deadlines

  /** When the oldest request in flight began to wait, ms; Infinity when there is none. */
  oldest (fromDueTime) {
    const { streams, owed, waiting } = this
    let oldest = waiting.oldestOwed
    for (const { begunAt } of owed) oldest = Math.min(oldest, begunAt)
    if (streams.inFlight === 0) return oldest
    const starts = fromDueTime ? streams.dueAt : streams.begunAt
    for (let slot = 0; slot < this.depth; slot++) {
      if (streams.id[slot] !== 0 && starts[slot] < oldest) oldest = starts[slot]
    }
    return oldest
  }

  // What it waits for while it is closed, too.
  waitsSince (fromDueTime) {
    return this.isConnecting ? Math.min(this.handshake.startedAt, this.oldest(fromDueTime)) : this.oldest(fromDueTime)
  }

  /** What has waited the longest is late: requests are timed out and cancelled, the connection lives on. */
  expire () {
    const fromDueTime = this.owner.isOpenModel
    const start = this.oldest(fromDueTime)
    if (this.isConnecting && this.handshake.startedAt <= start) {
      this.expireOpening()
      return
    }
    const { streams } = this
    const starts = fromDueTime ? streams.dueAt : streams.begunAt
    for (const slot of streams.slots) {
      if (starts[slot] <= start) this.timeOut(slot)
    }
    this.expireOwed(start)
    if (!this.isOpen) return
    this.sendAnswers()
    if (this.isOver) this.retire()
    else this.owner.ready(this, world.now())
  }

  timeOut (slot) {
    const { streams } = this
    const streamId = streams.id[slot]
    this.endStream(slot)
    if (this.script !== null) this.script.onFailed(slot)
    this.owner.requestTimedOut(streams.endpoint[slot], streams.dueAt[slot], streams.sentAt[slot], this)
    this.reset(streamId, slot, CANCEL)
  }

  // Sent once, not taken, and not sent again in time: that was its only sending.
  expireOwed (start) {
    const late = this.waiting.takeOwed(start)
    this.owed = this.owed.filter((request) => {
      if (request.begunAt > start) return true
      late.push(request)
      return false
    })
    for (const { dueAt, begunAt } of late) {
      const endpoint = this.forgetAgain()
      this.owner.recorder.sent++
      this.sentEver++
      this.owner.requestTimedOut(endpoint, dueAt, begunAt, this)
    }
  }

  // Of the requests to be sent again the first is the oldest. @returns {number} its endpoint
  forgetAgain () {
    if (this.script !== null) return this.script.again.shift()?.step.endpoint ?? 0
    return this.train.endpoints[this.again.shift() ?? 0]
  }

  // --- GOAWAY (section 6.8)

  /** The server takes no more streams than those up to `lastId`. */
  goawayCame (lastId, code, text) {
    if (lastId > this.lastStreamId) {
      this.breakConnection(PROTOCOL_ERROR, 'a GOAWAY frame takes back what an earlier one said')
      return
    }
    this.lastStreamId = lastId
    this.isLast = true
    if (code !== NO_ERROR) {
      const said = text === '' ? '' : `: ${text}`
      this.goaway = `the server ended the connection with GOAWAY (${errorName(code)})${said}`
    }
    const { streams } = this
    for (const slot of streams.slots) {
      if (streams.id[slot] > lastId) this.takeBack(slot)
    }
    // What is in flight comes to an end; what is not yet written goes elsewhere.
    this.returnUnwritten()
  }

  // The server has not touched this request and never will: it may be sent again, as if it had not been sent.
  takeBack (slot) {
    const { owner, script, streams } = this
    const dueAt = streams.dueAt[slot]
    const begunAt = streams.begunAt[slot]
    if (script !== null) script.sendAgain(slot)
    else this.again.push(streams.request[slot])
    this.uploads.drop(slot)
    this.leaveStream(slot)
    owner.recorder.sent--
    this.sentEver--
    if (owner.isOpenModel) owner.unwritten(this, dueAt)
    else this.owed.push({ dueAt, begunAt })
  }

  // --- ending

  /** Ends a connection that owes nothing and may take nothing more. */
  retire () {
    const byUs = this.lastStreamId === Infinity
    if (this.goaway !== null) this.owner.connectionBroken(CODES.GOAWAY, 'receive', this.goaway)
    this.goaway = null
    this.close(!byUs)
  }

  /** A connection error of the server's (section 5.4.1): it is told the code, and nothing more is read. */
  breakConnection (code, problem) {
    this.incoming.stop()
    const message = `the server's answer is no valid HTTP/2: ${problem} (${errorName(code)})`
    this.farewell = code
    if (this.isConnecting) this.failedToOpen(CODES.BAD_RESPONSE, 'parse', message)
    else this.breakOff(CODES.BAD_RESPONSE, 'parse', message, false)
  }

  /** The connection is of no use any more, for the reason given. */
  breakOff (code, phase, message, byServer) {
    if (this.goaway !== null && byServer) {
      code = CODES.GOAWAY
      message = this.goaway
    }
    this.goaway = null
    if (this.streams.inFlight === 0) this.owner.connectionBroken(code, phase, message)
    this.loseAll(code, phase, message)
    this.close(byServer)
  }

  // The oldest request takes the blame; each other one is a failure of its own.
  loseAll (code, phase, message) {
    for (const slot of this.streams.slots) {
      this.fail(slot, code, phase, message)
      code = CODES.LOST_IN_PIPELINE
      message = 'the connection broke, which another of its requests is counted for'
    }
  }

  /** Calls back for each request in flight: its endpoint, when it came due, when it was sent. */
  eachInFlight (visit) {
    const { streams } = this
    for (const slot of streams.slots) visit(streams.endpoint[slot], streams.dueAt[slot], streams.sentAt[slot])
  }

  /** The run is over: what is in flight stays unfinished. */
  abandon (now) {
    const { streams } = this
    for (const slot of streams.slots) {
      this.endStream(slot)
      this.owner.recorder.unfinishedRequest(streams.endpoint[slot], streams.dueAt[slot], streams.sentAt[slot], now)
    }
    this.owed.length = 0
    this.close(false)
  }

  close (byServer) {
    this.incoming.stop()
    this.uploads.clear()
    this.answers = []
    super.close(byServer)
  }

  /**
   * The last word (section 5.4.1), where the server may still hear it. A socket that is closed while something comes in
   * takes back what it has sent, so the code of an error is given a moment to arrive.
   */
  letGo (socket) {
    const { farewell } = this
    this.farewell = null
    const isSpokenTo = this.settings !== null && socket.writable && socket.writableLength <= MOST_UNREAD_BYTES
    this.settings = null
    if (isSpokenTo) {
      const frame = goawayFrame(farewell ?? NO_ERROR)
      this.owner.recorder.bytesWritten += frame.length
      socket.write(frame)
    }
    if (!isSpokenTo || farewell === null) {
      super.letGo(socket)
      return
    }
    socket.end()
    const timer = world.setTimeout(() => socket.destroy(), FAREWELL_MS)
    socket.once('close', () => world.clearTimeout(timer))
  }

  /** What was given to `send` and not written goes back to the owner. */
  returnUnwritten () {
    const { waiting } = this
    while (waiting.count > 0) {
      const begunAt = waiting.oldestBegunAt
      const dueAt = waiting.take()
      if (begunAt < 0) this.owner.unwritten(this, dueAt)
      else this.owed.push({ dueAt, begunAt })
    }
  }

  /** The slots of the requests in flight, oldest first. */
  get slotsInFlight () {
    return this.streams.slots
  }

  /** Of the request in a slot. */
  endpointOf (slot) {
    return this.streams.endpoint[slot]
  }

  // --- what the socket tells

  /** The server has sent its FIN. */
  ended () {
    if (this.isConnecting) {
      this.handshake.ended()
      return
    }
    this.now = world.now()
    if (this.streams.inFlight > 0) this.breakOff(...this.howItEnded(), true)
    else if (this.goaway !== null) this.retire()
    else if (this.isOpen) this.close(true)
  }

  howItEnded () {
    const { streams, incoming } = this
    const isMidway = incoming.reader.midway || streams.slots.some((slot) => streams.state[slot] !== AWAITS_HEAD)
    if (isMidway) return [CODES.TRUNCATED_RESPONSE, 'receive', 'the server closed the connection in the middle of a response']
    return [CODES.CLOSED_BY_SERVER, 'receive', 'the server closed the connection before it answered']
  }
}

module.exports = Http2Connection

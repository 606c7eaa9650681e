'use strict'

const BlockMemo = require('./block-memo')
const {
  HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION, ACK, END_STREAM,
  END_HEADERS, PADDED, WITH_PRIORITY, NO_ERROR, PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR,
  COMPRESSION_ERROR, ENHANCE_YOUR_CALM, FRAME_HEADER_BYTES, typeName
} = require('./constants')
const FrameReader = require('./frame-reader')
const { MOST_HEADER_BYTES, pingAckFrame, windowUpdateFrame } = require('./frames')
const { HeaderBlock } = require('./header-block')
const HeaderDecoder = require('./hpack/decoder')
const { readHead, checkTrailers } = require('./response-head')
const { NONE, AWAITS_HEAD, HAS_HEAD } = require('./stream-table')

// Frames in a row that bring no response any further: a server that sends more of them does nothing else.
const MOST_IDLE_FRAMES = 1000
// A connection remembers the blocks of so many endpoints, each for itself.
const MOST_MEMOS = 16

/**
 * What comes in on one connection: frames, and what they mean for its streams (RFC 9113, sections 5 and 6). It tells
 * the connection's responses: `headCame(slot, head)`, `bodyCame(slot, buffer, start, end)`, `trailersCame(slot, fields)`,
 * `answered(slot)`, `malformed(slot, problem, code)`, `resetCame(slot, code)`;
 * what goes out: `settingsCame(buffer, start, end)`, which acknowledges them, `windowGrew(increment)`, `streamWindowGrew(slot, increment)`, and
 * `answer(frame)` for what has to be sent in return;
 * and the connection itself: `goawayCame(lastId, code, text)` and `breakConnection(code, problem, streamId)`.
 */
class Incoming {
  /** @param {Http2Connection} connection */
  constructor (connection) {
    this.connection = connection
    this.streams = connection.streams
    this.responses = connection.responses
    this.outgoing = connection.outgoing
    this.windows = connection.windows
    this.reader = new FrameReader(this)
    this.block = new HeaderBlock()
    this.memos = []
    this.decoder = null
    this.reset()
  }

  /** Begins afresh, for a new connection. */
  reset () {
    this.reader.reset()
    this.block.reset()
    this.memos.length = 0
    this.decoder = new HeaderDecoder(MOST_HEADER_BYTES)
    this.hasSettings = false
    /** Of the frame that is being read: the stream to blame for an error in it. 0: the connection. */
    this.streamId = 0
    this.idleFrames = 0
    /** What the server may send still, on all streams together. */
    this.window = this.windows.connection
    this.dataSlot = NONE
    /** Whether the DATA frame that is being read has carried nothing yet. */
    this.isDataEmpty = true
    this.blockAt = 0
  }

  /**
   * @param {Buffer} buffer
   * @param {number} length how many octets of it are valid
   * @param {number} now when they arrived, ms
   */
  execute (buffer, length, now) {
    this.reader.execute(buffer, length, now)
  }

  stop () {
    this.reader.stopped = true
  }

  fail (code, problem) {
    this.connection.breakConnection(code, problem, this.streamId)
  }

  // --- frames

  onFrameError (code, problem) {
    this.streamId = 0
    this.fail(code, problem)
  }

  // What comes first, and what belongs together (sections 3.4 and 6.10).
  isInOrder (type, flags, streamId) {
    this.streamId = streamId
    if (!this.hasSettings && (type !== SETTINGS || (flags & ACK) !== 0)) {
      this.fail(PROTOCOL_ERROR, `it begins with a ${typeName(type)} frame${type === SETTINGS ? ' that acknowledges ours' : ''} and not with its own SETTINGS`)
      return false
    }
    const { block } = this
    if (block.streamId !== 0 && (type !== CONTINUATION || streamId !== block.streamId)) {
      this.fail(PROTOCOL_ERROR, `a ${typeName(type)} frame in the middle of a header block`)
      return false
    }
    return true
  }

  onFrame (type, flags, streamId, buffer, start, end) {
    if (!this.isInOrder(type, flags, streamId)) return
    switch (type) {
      case HEADERS: return this.readHeaders(flags, streamId, buffer, start, end)
      case CONTINUATION: return this.readContinuation(flags, streamId, buffer, start, end)
      case RST_STREAM: return this.readRstStream(streamId, buffer, start, end)
      case SETTINGS: return this.readSettings(flags, streamId, buffer, start, end)
      case PING: return this.readPing(flags, streamId, buffer, start, end)
      case GOAWAY: return this.readGoaway(streamId, buffer, start, end)
      case WINDOW_UPDATE: return this.readWindowUpdate(streamId, buffer, start, end)
      case PRIORITY: return this.readPriority(streamId, end - start)
      case PUSH_PROMISE: return this.fail(PROTOCOL_ERROR, 'it pushed, although push is disabled')
      // Section 4.1: what is not known is ignored.
      default: this.countIdle(typeName(type))
    }
  }

  /** A frame that brings nothing: tolerated, as long as it is not all that comes. */
  countIdle (what) {
    if (++this.idleFrames > MOST_IDLE_FRAMES) this.fail(ENHANCE_YOUR_CALM, `a flood of ${what} frames`)
  }

  /** Something of a response has come, or of a request has gone: it is no flood that stands between. */
  broughtForward () {
    this.idleFrames = 0
  }

  // --- header blocks

  readHeaders (flags, streamId, buffer, start, end) {
    const frameBytes = FRAME_HEADER_BYTES + end - start
    if ((flags & PADDED) !== 0) {
      if (start === end) return this.fail(FRAME_SIZE_ERROR, 'a HEADERS frame with padding has no room for its length')
      end -= buffer[start++]
    }
    if ((flags & WITH_PRIORITY) !== 0) start += 5
    if (start > end) return this.fail(PROTOCOL_ERROR, 'the padding of a HEADERS frame is longer than the frame')
    if (!this.isOfStream(HEADERS, streamId)) return
    this.blockAt = this.reader.frameAt
    const endsStream = (flags & END_STREAM) !== 0
    if ((flags & END_HEADERS) !== 0) return this.readBlock(streamId, endsStream, buffer, start, end, frameBytes)
    this.block.begin(streamId, endsStream)
    this.keepPiece(this.block.add(buffer, start, end, frameBytes))
  }

  readContinuation (flags, streamId, buffer, start, end) {
    const { block } = this
    if (block.streamId === 0) return this.fail(PROTOCOL_ERROR, 'a CONTINUATION frame without a header block to continue')
    if (!this.keepPiece(block.continue(buffer, start, end, FRAME_HEADER_BYTES + end - start))) return
    if ((flags & END_HEADERS) === 0) return
    const { endsStream, frameBytes } = block
    const bytes = block.take()
    this.readBlock(streamId, endsStream, bytes, 0, bytes.length, frameBytes)
  }

  keepPiece (problem) {
    if (problem !== '') this.fail(ENHANCE_YOUR_CALM, problem)
    return problem === ''
  }

  readBlock (streamId, endsStream, buffer, start, end, frameBytes) {
    const slot = this.streams.slotOf(streamId)
    if (slot === NONE) return this.readLateBlock(streamId, buffer, start, end)
    this.streams.bytes[slot] += frameBytes
    if (this.streams.state[slot] === HAS_HEAD) {
      this.streams.footerBytes[slot] = frameBytes
      return this.readTrailers(slot, endsStream, buffer, start, end)
    }
    this.streams.headBytes[slot] = frameBytes
    const memo = this.memoOf(this.streams.endpoint[slot])
    if (memo.recognises(buffer, start, end, this.decoder.table)) return this.gotHead(slot, memo.head, endsStream)
    if (!this.decode(buffer, start, end)) return
    const head = readHead(this.decoder.fields)
    if (typeof head === 'string') return this.responses.malformed(slot, head, PROTOCOL_ERROR)
    if (head.status < 200) return this.gotInterim(slot, endsStream)
    memo.learn(buffer, start, end, head, this.decoder)
    this.gotHead(slot, head, endsStream)
  }

  memoOf (endpoint) {
    const index = endpoint % MOST_MEMOS
    this.memos[index] ??= new BlockMemo()
    return this.memos[index]
  }

  decode (buffer, start, end) {
    const { decoder } = this
    if (decoder.decode(buffer, start, end)) return true
    if (decoder.isTooLarge) this.fail(ENHANCE_YOUR_CALM, `a header block is too large: ${decoder.problem}`)
    else this.fail(COMPRESSION_ERROR, `a header block cannot be decoded: ${decoder.problem}`)
    return false
  }

  // A block changes the table, whoever it was for.
  readLateBlock (streamId, buffer, start, end) {
    if (!this.decode(buffer, start, end)) return
    this.cameLate(HEADERS, streamId)
  }

  gotInterim (slot, endsStream) {
    if (endsStream) return this.responses.malformed(slot, 'an interim response ends its stream', PROTOCOL_ERROR)
    this.connection.owner.recorder.informational++
    this.countIdle('interim HEADERS')
  }

  gotHead (slot, head, endsStream) {
    const { streams } = this
    this.broughtForward()
    streams.state[slot] = HAS_HEAD
    streams.status[slot] = head.status
    streams.firstByteAt[slot] = this.blockAt
    streams.headAt[slot] = this.reader.now
    const hasNoBody = head.status === 204 || head.status === 304 || this.responses.isHead(slot)
    streams.expected[slot] = hasNoBody ? 0 : head.contentLength
    this.responses.headCame(slot, head)
    if (endsStream) this.ended(slot)
  }

  // Section 8.1: trailers end the stream.
  readTrailers (slot, endsStream, buffer, start, end) {
    if (!this.decode(buffer, start, end)) return
    if (!endsStream) return this.responses.malformed(slot, 'a second head follows its first', PROTOCOL_ERROR)
    const problem = checkTrailers(this.decoder.fields)
    if (problem !== '') return this.responses.malformed(slot, `in its trailers, ${problem}`, PROTOCOL_ERROR)
    this.responses.trailersCame(slot, this.decoder.fields)
    this.ended(slot)
  }

  // Section 8.1.1: a body has the length that was told.
  ended (slot) {
    const { expected, received } = this.streams
    if (expected[slot] >= 0 && received[slot] !== expected[slot]) {
      const problem = `its body has ${received[slot]} octets and not the ${expected[slot]} of its content-length`
      return this.responses.malformed(slot, problem, PROTOCOL_ERROR)
    }
    this.responses.answered(slot)
  }

  // --- DATA (section 6.1)

  onDataFrame (flags, streamId, length) {
    this.dataSlot = NONE
    if (!this.isInOrder(0, flags, streamId) || !this.isOfStream(0, streamId)) return
    this.window -= length
    if (this.window < 0) return this.fail(FLOW_CONTROL_ERROR, 'it sends more than the window of the connection')
    if (this.window < this.windows.connection / 2) this.openWindow()
    const slot = this.streams.slotOf(streamId)
    if (slot === NONE) return this.cameLate(0, streamId, length)
    const { streams } = this
    streams.bytes[slot] += FRAME_HEADER_BYTES + length
    if (streams.state[slot] === AWAITS_HEAD) return this.responses.malformed(slot, 'its body comes before its head', PROTOCOL_ERROR)
    streams.receiveWindow[slot] -= length
    if (streams.receiveWindow[slot] < 0) return this.responses.malformed(slot, 'it sends more than the window of the stream', FLOW_CONTROL_ERROR)
    if (streams.receiveWindow[slot] < streams.window / 2 && (flags & END_STREAM) === 0) {
      this.outgoing.answer(windowUpdateFrame(streamId, streams.window - streams.receiveWindow[slot]))
      streams.receiveWindow[slot] = streams.window
    }
    this.dataSlot = slot
    this.isDataEmpty = true
  }

  openWindow () {
    const { connection } = this.windows
    this.outgoing.answer(windowUpdateFrame(0, connection - this.window))
    this.window = connection
  }

  onData (buffer, start, end) {
    const slot = this.dataSlot
    if (slot === NONE) return
    this.broughtForward()
    this.isDataEmpty = false
    const { expected, received } = this.streams
    received[slot] += end - start
    if (expected[slot] >= 0 && received[slot] > expected[slot]) {
      const problem = expected[slot] === 0 ? 'it has a body, which is not allowed' : `its body is longer than the ${expected[slot]} octets of its content-length`
      this.responses.malformed(slot, problem, PROTOCOL_ERROR)
    } else {
      this.responses.bodyCame(slot, buffer, start, end)
    }
  }

  onDataEnd (flags) {
    const slot = this.dataSlot
    this.dataSlot = NONE
    if (slot === NONE) return
    if ((flags & END_STREAM) !== 0) this.ended(slot)
    else if (this.isDataEmpty) this.countIdle('empty DATA')
  }

  /** A stream is over: what still comes of a frame of its is nobody's. */
  forget (slot) {
    if (this.dataSlot === slot) this.dataSlot = NONE
  }

  // --- streams

  // Section 5.1: only what we have begun may be spoken of.
  isOfStream (type, streamId) {
    const isOurs = streamId % 2 === 1 && streamId < this.connection.nextStreamId
    if (isOurs) return true
    this.fail(PROTOCOL_ERROR, streamId === 0 ? `a ${typeName(type)} frame without a stream` : `a ${typeName(type)} frame on the idle stream ${streamId}`)
    return false
  }

  // Something for a stream that is over (section 5.1, closed).
  cameLate (type, streamId, length = 1) {
    const isByUs = this.responses.resets.wasByUs(streamId)
    if (isByUs === undefined) return this.fail(STREAM_CLOSED, `a ${typeName(type)} frame on the stream ${streamId}, which has ended`)
    if (!isByUs) this.responses.refuseLate(streamId)
    if (!isByUs || length === 0) this.countIdle(`late ${typeName(type)}`)
  }

  readRstStream (streamId, buffer, start, end) {
    if (end - start !== 4) return this.fail(FRAME_SIZE_ERROR, `a RST_STREAM frame of ${end - start} octets`)
    if (!this.isOfStream(RST_STREAM, streamId)) return
    const slot = this.streams.slotOf(streamId)
    if (slot === NONE) return this.countIdle('late RST_STREAM')
    this.broughtForward()
    this.responses.resetCame(slot, buffer.readUInt32BE(start))
  }

  readPriority (streamId, length) {
    if (streamId === 0) return this.fail(PROTOCOL_ERROR, 'a PRIORITY frame without a stream')
    if (length !== 5) {
      const slot = this.streams.slotOf(streamId)
      const problem = `a PRIORITY frame of ${length} octets`
      return slot === NONE ? this.fail(FRAME_SIZE_ERROR, problem) : this.responses.malformed(slot, problem, FRAME_SIZE_ERROR)
    }
    this.countIdle('PRIORITY')
  }

  // --- the connection

  readSettings (flags, streamId, buffer, start, end) {
    if (streamId !== 0) return this.fail(PROTOCOL_ERROR, 'a SETTINGS frame on a stream')
    if ((flags & ACK) !== 0) {
      if (start !== end) return this.fail(FRAME_SIZE_ERROR, 'an acknowledgement of SETTINGS with a payload')
      return this.countIdle('SETTINGS')
    }
    if ((end - start) % 6 !== 0) return this.fail(FRAME_SIZE_ERROR, `a SETTINGS frame of ${end - start} octets`)
    this.hasSettings = true
    const wrong = this.outgoing.settingsCame(buffer, start, end)
    if (wrong !== null) return this.fail(wrong.code, wrong.problem)
    this.countIdle('SETTINGS')
  }

  readPing (flags, streamId, buffer, start, end) {
    if (streamId !== 0) return this.fail(PROTOCOL_ERROR, 'a PING frame on a stream')
    if (end - start !== 8) return this.fail(FRAME_SIZE_ERROR, `a PING frame of ${end - start} octets`)
    if ((flags & ACK) === 0) this.outgoing.answer(pingAckFrame(buffer, start))
    this.countIdle('PING')
  }

  readGoaway (streamId, buffer, start, end) {
    if (streamId !== 0) return this.fail(PROTOCOL_ERROR, 'a GOAWAY frame on a stream')
    if (end - start < 8) return this.fail(FRAME_SIZE_ERROR, `a GOAWAY frame of ${end - start} octets`)
    const lastId = buffer.readUInt32BE(start) & 0x7fffffff
    const code = buffer.readUInt32BE(start + 4)
    this.countIdle('GOAWAY')
    this.connection.goawayCame(lastId, code, code === NO_ERROR ? '' : buffer.latin1Slice(start + 8, Math.min(end, start + 208)))
  }

  readWindowUpdate (streamId, buffer, start, end) {
    if (end - start !== 4) return this.fail(FRAME_SIZE_ERROR, `a WINDOW_UPDATE frame of ${end - start} octets`)
    const increment = buffer.readUInt32BE(start) & 0x7fffffff
    if (streamId === 0) {
      if (increment === 0) return this.fail(PROTOCOL_ERROR, 'a WINDOW_UPDATE frame of 0 octets')
      return this.outgoing.windowGrew(increment)
    }
    if (!this.isOfStream(WINDOW_UPDATE, streamId)) return
    const slot = this.streams.slotOf(streamId)
    if (slot === NONE) return
    if (increment === 0) return this.responses.malformed(slot, 'a WINDOW_UPDATE frame of 0 octets', PROTOCOL_ERROR)
    this.outgoing.streamWindowGrew(slot, increment)
  }
}

module.exports = Incoming

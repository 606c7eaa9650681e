'use strict'

const { acceptance, serverFrame } = require('./websocket')
const { Link } = require('./wire')

const REASONS = { 200: 'OK', 302: 'Found', 404: 'Not Found', 500: 'Internal Server Error', 503: 'Service Unavailable' }

/**
 * A server, described by what it does. Times are in ms; a time may be a function of the request, which has `number` (over
 * all connections, from 0), `connection`, `numberOnConnection`, `method`, `path`, `at` (ms since the beginning).
 *
 * @typedef {object} ServerSettings
 * @property {string} [host='10.0.0.1'] an address, or a name that has to be looked up
 * @property {number} [port=80]
 * @property {string} [path] of a unix socket, instead
 * @property {boolean} [secure=false] its URL is https
 * @property {number|'silence'} [handshake=0] what TLS takes
 * @property {string[]} [protocols] for ALPN
 * @property {number} [lookup=0] what looking up its name takes
 * @property {?string} [lookupError] why it cannot be looked up
 * @property {object} [link] `{ delay, jitter, split }`, see Link
 * @property {number} [slots=Infinity] how many requests it works on at a time
 * @property {number} [queue=Infinity] how many wait; to what comes beyond it says `overflow`
 * @property {*} [overflow=503]
 * @property {number|function} [serviceTime=0]
 * @property {?number} [keepAlive=null] how many requests it answers on one connection
 * @property {*|function} [answer=200] what it says: a status, or an object `{ status, headers, body, bodyAfter, cutAt, then }`
 *   (`bodyAfter`: the body comes so many ms after the head; `cutAt`: only the first bytes are sent; `then: 'end' | 'reset'`
 *   after it), `{ pieces: [[ms, text], …] }` (a stream: each piece comes so many ms after the head; `framing: 'chunked' |
 *   'length' | 'close'`, and it ends `endAfter` ms after the head, by default with the last piece), `{ bytes }` as they are, or `'reset' | 'end' | 'silence'`
 * @property {?string|function} [websocket] it speaks WebSocket: `'echo'`, `'broadcast'` (to all, the sender too), `'silence'`, or a
 *   function of a message's entry (`path` is the text, `peer` its connection) that gives what is said: `[{ to, frame }]`, where `to`
 *   is a connection. Its `url` is ws: then. Handshakes are answered at once, and so are Close and Ping
 * @property {number} [copyTime=0] of a broadcast: each copy goes out so many ms after the one before
 * @property {function(number): string} [attempt] what becomes of a connection by its number: `'accept' | 'refuse' | 'silence'
 *   | 'reset' | 'end'` (the last two at once after it was taken)
 */
class Server {
  /**
   * @param {World} world
   * @param {ServerSettings} settings
   */
  constructor (world, settings = {}) {
    const { host = '10.0.0.1', port = settings.secure ? 443 : 80, path = null, secure = false, link, ...rest } = settings
    const defaults = {
      handshake: 0,
      protocols: ['http/1.1'],
      lookup: 0,
      lookupError: null,
      slots: Infinity,
      queue: Infinity,
      overflow: 503,
      serviceTime: 0,
      keepAlive: null,
      answer: 200,
      websocket: null,
      copyTime: 0,
      attempt: () => 'accept'
    }
    for (const name of Object.keys(rest)) {
      if (!Object.hasOwn(defaults, name)) throw new TypeError(`a simulated server has no ${name}`)
    }
    Object.assign(this, defaults, rest)
    this.world = world
    this.scheduler = world.scheduler
    this.where = { host, port, path }
    this.link = new Link(link ?? world.settings.link)
    this.url = `${this.websocket === null ? 'http' : 'ws'}${secure ? 's' : ''}://${path === null ? `${host}:${port}` : 'localhost'}`
    /** What came of attempts: `accepted`, `refused`, `ignored`. */
    this.attempts = { accepted: 0, refused: 0, ignored: 0 }
    this.connections = []
    this.requests = 0
    this.busy = 0
    this.waiting = []
    this.stalledUntil = 0
    this.peakBusy = 0
  }

  get openConnections () {
    return this.connections.filter(({ isOpen }) => isOpen)
  }

  // --- what happens to it, as a story tells it

  /** From now on it refuses connections, or does what else `attempt` may give. */
  refuse (what = 'refuse') {
    this.attempt = () => what
  }

  accept () {
    this.attempt = () => 'accept'
  }

  /** It does nothing for so many ms: no request begins or ends. */
  stall (ms) {
    this.stalledUntil = Math.max(this.stalledUntil, this.scheduler.time + Math.round(ms * 1000))
  }

  /** The network to it is cut: nothing arrives any more, in neither direction, and nobody is told. */
  partition () {
    this.link.cut()
  }

  /** What was sent meanwhile arrives now. */
  repair () {
    this.link.repair(this.scheduler)
  }

  /** Says something on all its connections that nobody asked for. */
  sayAll (text) {
    for (const connection of this.openConnections) connection.transmit(Buffer.from(text, 'latin1'))
  }

  /** Resets all its connections. */
  resetAll () {
    for (const connection of this.openConnections) connection.reset()
  }

  /** Ends all its connections. */
  endAll () {
    for (const connection of this.openConnections) connection.end()
  }

  // --- connections

  attempted (socket) {
    const what = this.attempt(this.attempts.accepted + this.attempts.refused + this.attempts.ignored)
    if (what === 'silence') {
      this.attempts.ignored++
    } else if (what === 'refuse') {
      this.attempts.refused++
      socket.refuse()
    } else {
      this.attempts.accepted++
      const connection = new ServerConnection(this, socket, this.connections.length)
      this.connections.push(connection)
      socket.accept(connection)
      if (what !== 'accept') connection[what]()
    }
  }

  // --- requests

  arrived (entry) {
    if (this.busy < this.slots) this.start(entry)
    else if (this.waiting.length < this.queue) this.waiting.push(entry)
    else this.reply(entry, this.overflow)
  }

  start (entry) {
    this.busy++
    this.peakBusy = Math.max(this.peakBusy, this.busy)
    const { serviceTime, scheduler } = this
    entry.startedAt = Math.max(scheduler.time, this.stalledUntil)
    const ms = typeof serviceTime === 'function' ? serviceTime(entry) : serviceTime
    this.finishAt(entry, entry.startedAt + Math.round(ms * 1000))
  }

  finishAt (entry, at) {
    this.scheduler.add(at, () => {
      // Stalled meanwhile: what was left of its time is spent afterwards.
      if (this.stalledUntil > at) this.finishAt(entry, this.stalledUntil)
      else this.finish(entry)
    })
  }

  finish (entry) {
    this.busy--
    this.reply(entry, typeof this.answer === 'function' ? this.answer(entry) : this.answer)
    if (this.waiting.length > 0) this.start(this.waiting.shift())
  }

  reply (entry, answer) {
    if (this.websocket !== null) {
      this.send(entry, answer)
      return
    }
    entry.answer = answer
    entry.peer.answered()
  }

  // A message, as it is echoed or goes out to all; or an answer of the settings that ends the connection.
  send (entry, answer) {
    const { peer } = entry
    if (answer === 'reset' || answer === 'end') peer[answer]()
    else if (typeof answer === 'object') peer.transmit(answer.frame)
    else if (typeof this.websocket === 'function') for (const { to, frame } of this.websocket(entry)) to.transmit(frame)
    else if (this.websocket === 'broadcast') this.copy(entry)
    else if (this.websocket === 'echo') this.sayFrame(peer, entry, serverFrame(entry.method, entry.path))
  }

  copy (entry) {
    const frame = serverFrame(entry.method, entry.path)
    this.connections.filter(({ isOpen, isUpgraded }) => isOpen && isUpgraded).forEach((connection, index) => {
      const say = () => this.sayFrame(connection, connection === entry.peer ? entry : null, frame)
      if (index === 0 || this.copyTime === 0) say()
      else this.scheduler.add(this.scheduler.time + Math.round(index * this.copyTime * 1000), say)
    })
  }

  sayFrame (connection, entry, frame) {
    if (!connection.isOpen) return
    if (entry !== null) entry.answeredAt = this.scheduler.time
    connection.transmit(frame)
  }
}

/** The server's end of a connection. Answers leave in the order of their requests. */
class ServerConnection {
  constructor (server, socket, number) {
    this.server = server
    this.socket = socket
    this.number = number
    this.scheduler = server.scheduler
    this.isOpen = true
    this.received = 0
    this.sent = 0
    /** Requests not answered yet, oldest first. */
    this.pending = []
    this.replies = new Replies()
    this.isBusyWithBody = false
    /** With WebSocket: it has been agreed on; and the code with which the client has closed it. */
    this.isUpgraded = false
    this.closeCode = null
  }

  receive (request) {
    const { server } = this
    // The client cannot know that it came too late.
    if (!this.isOpen) return
    const entry = Object.assign(request.entry, {
      number: server.requests++,
      connection: this.number,
      numberOnConnection: this.received++,
      at: server.world.elapsed,
      arrivedAt: this.scheduler.time,
      answer: null
    })
    Object.defineProperty(entry, 'peer', { value: this, configurable: true })
    if (server.websocket !== null) {
      this.receiveFrame(request)
      return
    }
    this.pending.push(entry)
    server.arrived(entry)
  }

  receiveFrame ({ entry, head }) {
    const { server } = this
    if (!this.isUpgraded) {
      this.isUpgraded = true
      this.transmit(Buffer.from(acceptance(head), 'latin1'))
    } else if (entry.method === 'CLOSE') {
      this.closeCode = Number(entry.path)
      this.transmit(serverFrame('CLOSE', this.closeCode === 1005 ? '' : Buffer.of(this.closeCode >> 8, this.closeCode & 255)))
      this.end()
    } else if (entry.method === 'PING') {
      this.transmit(serverFrame('PONG', entry.path))
    } else if (entry.method !== 'PONG') {
      server.arrived(entry)
    }
  }

  answered () {
    while (this.isOpen && !this.isBusyWithBody && this.pending.length > 0 && this.pending[0].answer !== null) this.say(this.pending.shift())
  }

  say (entry) {
    const { answer } = entry
    if (answer === 'silence') {
      // Nothing behind it can be said either.
      this.isBusyWithBody = true
      return
    }
    if (answer === 'reset' || answer === 'end') {
      this[answer]()
      return
    }
    const { keepAlive } = this.server
    const isLast = keepAlive !== null && this.sent + 1 >= keepAlive
    const reply = answer.pieces ? composeStream(answer) : compose(typeof answer === 'number' ? { status: answer } : answer, entry, isLast)
    this.sent++
    entry.answeredAt = this.scheduler.time
    this.replies.add(entry, reply)
    this.transmit(reply.head)
    if (reply.pieces !== undefined) {
      this.sayPieces(reply)
      return
    }
    if (reply.body.length === 0) this.said(reply)
    else if (!(reply.bodyAfterUs > 0)) this.sayBody(reply)
    else {
      this.isBusyWithBody = true
      this.scheduler.add(this.scheduler.time + reply.bodyAfterUs, () => {
        this.isBusyWithBody = false
        this.sayBody(reply)
        this.answered()
      })
    }
  }

  sayBody (reply) {
    if (!this.isOpen) return
    this.transmit(reply.body)
    this.said(reply)
  }

  // Nothing behind it can be said until it is over.
  sayPieces (reply) {
    const begunAt = this.scheduler.time
    this.isBusyWithBody = true
    for (const { afterUs, bytes } of reply.pieces) this.scheduler.add(begunAt + afterUs, () => this.transmit(bytes))
    this.scheduler.add(begunAt + reply.endAfterUs, () => {
      this.isBusyWithBody = false
      if (!this.isOpen) return
      this.said(reply)
      this.answered()
    })
  }

  said ({ then }) {
    if (then !== null) this[then]()
  }

  transmit (bytes) {
    if (!this.isOpen || bytes.length === 0) return
    this.socket.back.send(this.scheduler.time, bytes.length, (start, end) => this.socket.deliver(bytes.subarray(start, end)))
  }

  /** FIN: it says and hears nothing more. */
  end () {
    if (!this.isOpen) return
    this.isOpen = false
    this.socket.back.carry(this.scheduler.time, () => this.socket.deliverEnd())
  }

  /** RST. */
  reset () {
    if (!this.isOpen) return
    this.isOpen = false
    this.socket.back.carry(this.scheduler.time, () => this.socket.deliverReset())
  }

  /** The client has ended it. */
  ended () {
    this.isOpen = false
    this.endedAt = this.scheduler.time
  }
}

/** Where in the bytes of a connection each answer begins and ends, so that the world knows when the client has read it. */
class Replies {
  constructor () {
    this.read_ = 0
    this.written = 0
    this.expected = []
  }

  add (entry, { head, body, isWhole }) {
    const start = this.written
    this.written += head.length + body.length
    this.expected.push({ entry, start, end: isWhole ? this.written : Infinity })
  }

  /** The client has read so many bytes more. */
  read (length, now) {
    this.read_ += length
    while (this.expected.length > 0) {
      const [{ entry, start, end }] = this.expected
      if (this.read_ > start) entry.firstByteAt ??= now
      if (this.read_ < end) return
      entry.receivedAt = now
      this.expected.shift()
    }
  }
}

const composed = new Map()

// The bytes of an answer. Plain ones are made once.
function compose (answer, { method }, isLast) {
  const { status = 200, headers = {}, body = 'ok', bytes = null, bodyAfter = 0, cutAt = Infinity } = answer
  const then = answer.then ?? (isLast ? 'end' : null)
  if (bytes !== null) return { head: Buffer.from(bytes, 'latin1'), body: Buffer.alloc(0), bodyAfterUs: 0, isWhole: false, then }
  const key = `${method === 'HEAD'} ${status} ${JSON.stringify(headers)} ${isLast} ${body}`
  let plain = composed.get(key)
  if (plain === undefined) {
    const hasNoBody = method === 'HEAD' || status === 204 || status === 304
    const content = Buffer.from(body)
    const lines = [`HTTP/1.1 ${status} ${REASONS[status] ?? 'Unknown'}`]
    if (status !== 204 && status !== 304) lines.push(`Content-Length: ${content.length}`)
    if (isLast) lines.push('Connection: close')
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
    plain = { head: Buffer.from(lines.join('\r\n') + '\r\n\r\n', 'latin1'), body: hasNoBody ? Buffer.alloc(0) : content }
    if (composed.size < 1000) composed.set(key, plain)
  }
  const isWhole = cutAt >= plain.head.length + plain.body.length
  const head = plain.head.subarray(0, cutAt)
  const rest = plain.body.subarray(0, Math.max(0, cutAt - plain.head.length))
  return { head, body: rest, bodyAfterUs: Math.round(bodyAfter * 1000), isWhole, then }
}

const asChunk = (content) => Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n')])

// A body that comes piece by piece.
function composeStream ({ status = 200, headers = {}, pieces, framing = 'chunked', then = null, endAfter = pieces.at(-1)[0] }) {
  const isChunked = framing === 'chunked'
  const contents = pieces.map(([after, text]) => ({ afterUs: Math.round(after * 1000), content: Buffer.from(text) }))
  const length = contents.reduce((sum, { content }) => sum + content.length, 0)
  const framed = { chunked: 'Transfer-Encoding: chunked', length: `Content-Length: ${length}`, close: 'Connection: close' }[framing]
  const lines = [`HTTP/1.1 ${status} ${REASONS[status] ?? 'Unknown'}`, framed, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  const endAfterUs = Math.round(endAfter * 1000)
  const all = contents.map(({ afterUs, content }) => ({ afterUs, bytes: isChunked ? asChunk(content) : content }))
  if (isChunked) all.push({ afterUs: endAfterUs, bytes: Buffer.from('0\r\n\r\n') })
  return {
    head: Buffer.from(lines.join('\r\n') + '\r\n\r\n', 'latin1'),
    pieces: all,
    body: Buffer.concat(all.map(({ bytes }) => bytes)),
    isWhole: true,
    then: framing === 'close' ? 'end' : then,
    endAfterUs
  }
}

module.exports = Server

'use strict'

const Http2ServerConnection = require('./http2/connection')
const habitsOf = require('./http2/habits')
const { ServerConnection } = require('./server-connection')
const { answerTo } = require('./socketio')
const { serverFrame } = require('./websocket')
const { Link } = require('./wire')

// RFC 6455, section 7.4.1.
const GOING_AWAY = 1001

/**
 * A server, described by settings. Times are in ms. A time may be a function of the request, which has `number` (over all
 * connections, starting at 0), `connection`, `numberOnConnection`, `method`, `path`, `at` (ms since the beginning).
 *
 * @typedef {object} ServerSettings
 * @property {string} [host='10.0.0.1'] an address, or a name that needs a lookup
 * @property {number} [port=80]
 * @property {string} [path] of a Unix socket, instead of host and port
 * @property {boolean} [secure=false] its URL is https
 * @property {number|'silence'} [handshake=0] duration of the TLS handshake
 * @property {string[]} [protocols] for ALPN
 * @property {boolean} [http2=false] it uses HTTP/2
 * @property {boolean} [grpc=false] it answers gRPC calls over HTTP/2; the `body` of a request is its message as received
 * @property {?number} [streams] HTTP/2: MAX_CONCURRENT_STREAMS
 * @property {object} [habits] HTTP/2: other details, see Http2Habits
 * @property {number} [lookup=0] duration of the name lookup
 * @property {?string} [lookupError] why the name lookup fails
 * @property {object} [link] `{ delay, jitter, split }`, see Link
 * @property {number} [slots=Infinity] how many requests it processes at a time
 * @property {number} [queue=Infinity] how many requests may wait; further ones get `overflow`
 * @property {*} [overflow=503]
 * @property {number|function} [serviceTime=0]
 * @property {?number} [keepAlive=null] how many requests it answers on one connection; HTTP/2: a GOAWAY names the last one
 * @property {*|function} [answer=200] its response: a status, or an object `{ status, headers, body, bodyAfter, cutAt, then }`
 *   (`bodyAfter`: the body is sent this many ms after the head; `cutAt`: only the first bytes are sent; `then: 'end' | 'reset'`
 *   happens after it), `{ pieces: [[ms, text], …] }` (a stream: each piece is sent this many ms after the head; `framing: 'chunked' |
 *   'length' | 'close'`; it ends `endAfter` ms after the head, by default with the last piece), `{ bytes }` sent unchanged, or
 *   `'reset' | 'end' | 'silence'`; HTTP/2: `{ rst: code }`, a RST_STREAM, with `body` and `rstAfter` after this many bytes of the body;
 *   gRPC: how a call ends, see grpc.js, such as `'NOT_FOUND'`; a number is an HTTP status of a server without gRPC
 * @property {?string|function} [websocket] it uses WebSocket: `'echo'`, `'broadcast'` (to all, including the sender), `'silence'`, or a
 *   function of a message's entry (`path` is the text, `peer` its connection) that returns what to send: `[{ to, frame }]`, where `to`
 *   is a connection. Its `url` is then ws:. Close and Ping are answered at once. `answer` may be `'reset' | 'end' | 'silence'`, or
 *   `{ frame }`, bytes to send instead of the echo (and `then: 'end' | 'reset' | 'silence'`, the last for the rest of the connection)
 * @property {?string} [socketio] the namespace in which it uses Socket.IO over WebSocket: events are answered by an acknowledgement if
 *   they request one
 * @property {*|function} [joining='accept'] its response to a client that joins the namespace (a function of the number of the handshake):
 *   `'accept' | 'silence' | 'end' | 'reset'`, or an object `{ after, refusal, behind }`: a delay in ms, why it is refused, bytes after it
 * @property {*|function} [opening='accept'] its response to a handshake (a function of its number, over all connections): `'accept' |
 *   'silence' | 'end' | 'reset'`, or an object `{ status, without, before, behind, after, extensions }`: a status other than 101, a missing
 *   field, bytes before and after it, a delay in ms, an invalid Sec-WebSocket-Extensions
 * @property {boolean} [closes=true] whether it answers Close frames
 * @property {number} [mostBytes] the client's limit on the size of a message
 * @property {?object} [deflate] WebSocket: compresses messages for clients that offer it, see Deflation
 * @property {number} [copyTime=0] broadcast: each copy is sent this many ms after the previous one. `answer` may also be 'copies twice'
 * @property {number} [history=0] broadcast: a client that joins gets this many of the latest previous messages
 * @property {function(number): string} [attempt] the outcome of a connection attempt, by its number: `'accept' | 'refuse' | 'silence'
 *   | 'reset' | 'end'` (the last two immediately after it was accepted)
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
      protocols: [rest.http2 || rest.grpc ? 'h2' : 'http/1.1'],
      lookup: 0,
      lookupError: null,
      slots: Infinity,
      queue: Infinity,
      overflow: 503,
      serviceTime: 0,
      keepAlive: null,
      http2: rest.grpc === true,
      grpc: false,
      streams: null,
      habits: {},
      answer: rest.grpc ? 'OK' : 200,
      websocket: null,
      opening: 'accept',
      socketio: null,
      joining: 'accept',
      closes: true,
      mostBytes: Infinity,
      deflate: null,
      copyTime: 0,
      history: 0,
      attempt: () => 'accept'
    }
    for (const name of Object.keys(rest)) {
      if (!Object.hasOwn(defaults, name)) throw new TypeError(`a simulated server has no ${name}`)
    }
    Object.assign(this, defaults, rest)
    this.habits = habitsOf(this.habits)
    this.world = world
    this.scheduler = world.scheduler
    this.where = { host, port, path }
    this.link = new Link(link ?? world.settings.link)
    this.url = `${this.websocket === null ? 'http' : 'ws'}${secure ? 's' : ''}://${path === null ? `${host}:${port}` : 'localhost'}`
    /** Connection attempts by outcome: `accepted`, `refused`, `ignored`. */
    this.attempts = { accepted: 0, refused: 0, ignored: 0 }
    this.connections = []
    this.requests = 0
    this.handshakes = 0
    this.busy = 0
    this.waiting = []
    /** What happens when the request with a number arrives. */
    this.watched = new Map()
    this.stalledUntil = 0
    this.peakBusy = 0
    /** Broadcast: the frames of previous messages that may be sent to clients that join. */
    this.said = []
  }

  get openConnections () {
    return this.connections.filter(({ isOpen }) => isOpen)
  }

  /** Whether requests can be sent as soon as the connection is established. */
  get isUsableAtOnce () {
    return !this.http2 && this.websocket === null
  }

  // --- actions for tests; those for connections are for all that are open, or for those that are named

  /** From now on, connection attempts are refused, or have another outcome of `attempt`. */
  refuse (what = 'refuse') {
    this.attempt = () => what
  }

  accept () {
    this.attempt = () => 'accept'
  }

  /** The server, or what serves some of its connections, freezes for this many ms: no request begins or ends. */
  stall (ms, connections = null) {
    const until = this.scheduler.time + Math.round(ms * 1000)
    for (const each of connections ?? [this]) each.stalledUntil = Math.max(each.stalledUntil, until)
  }

  /** The network to the server, or of some of its connections, is cut: nothing arrives in either direction, without an error. */
  partition (connections = null) {
    if (connections === null) this.link.cut()
    else for (const { socket } of connections) for (const wire of [socket.out, socket.back]) wire.cut()
  }

  /** The network is repaired: what was sent meanwhile arrives now. */
  repair (connections = null) {
    if (connections === null) this.link.repair(this.scheduler)
    else for (const { socket } of connections) for (const wire of [socket.out, socket.back]) wire.repair()
  }

  /** Sends unsolicited data on all its connections. */
  sayAll (text, connections = this.openConnections) {
    for (const connection of connections) connection.transmit(Buffer.from(text, 'latin1'))
  }

  /** WebSocket: sends a frame on all its connections. */
  sendAll (frame, connections = this.openConnections) {
    for (const connection of connections) if (connection.isUpgraded) connection.transmit(frame)
  }

  /** Resets all its connections. */
  resetAll (connections = this.openConnections) {
    for (const connection of connections) connection.reset()
  }

  /** HTTP/2: sends GOAWAY on all its connections. @param {object} [how] `{ code, untaken }` */
  goAwayAll (how, connections = this.openConnections) {
    for (const connection of connections) connection.goAway(how)
  }

  /** HTTP/2: sends SETTINGS on all its connections. @param {Array<[string, number]>} settings names and values */
  changeSettings (settings, connections = this.openConnections) {
    for (const connection of connections) if (connection.isGreeted) connection.announce(settings)
  }

  /** HTTP/2: sends PING on all its connections. @param {string} octets eight bytes */
  pingAll (octets, connections = this.openConnections) {
    for (const connection of connections) if (connection.isGreeted) connection.say('PING', 0, 0, Buffer.from(octets, 'latin1'))
  }

  /** Ends all its connections. */
  endAll (connections = this.openConnections) {
    for (const connection of connections) connection.end()
  }

  /** Calls `act` when the request with this number arrives. @param {function(object)} act called with its entry */
  watch (number, act) {
    this.watched.set(number, [...this.watched.get(number) ?? [], act])
  }

  // --- connections

  attempted (socket) {
    const what = this.decide()
    if (what === 'refuse') {
      socket.refuse()
    } else if (what !== 'silence') {
      const connection = this.take(socket)
      socket.accept(connection)
      if (what !== 'accept') connection[what]()
    }
  }

  /** Returns the outcome of the next connection attempt. */
  decide () {
    const { attempts } = this
    const what = this.attempt(attempts.accepted + attempts.refused + attempts.ignored)
    attempts[{ silence: 'ignored', refuse: 'refused' }[what] ?? 'accepted']++
    return what
  }

  take (socket) {
    const connection = this.connectionOf(socket)
    this.connections.push(connection)
    return connection
  }

  connectionOf (socket) {
    const Connection = this.http2 ? Http2ServerConnection : ServerConnection
    return new Connection(this, socket, this.connections.length)
  }

  // --- requests

  arrived (entry) {
    for (const act of this.watched.get(entry.number) ?? []) act(entry)
    if (this.busy < this.slots) this.start(entry)
    else if (this.waiting.length < this.queue) this.waiting.push(entry)
    else this.reply(entry, this.overflow)
  }

  start (entry) {
    this.busy++
    this.peakBusy = Math.max(this.peakBusy, this.busy)
    const { serviceTime, scheduler } = this
    entry.startedAt = Math.max(scheduler.time, this.stallOf(entry))
    const ms = typeof serviceTime === 'function' ? serviceTime(entry) : serviceTime
    this.finishAt(entry, entry.startedAt + Math.round(ms * 1000))
  }

  finishAt (entry, at) {
    this.scheduler.add(at, () => {
      // If the server was stalled meanwhile, the rest of the time is spent afterwards.
      const stalledUntil = this.stallOf(entry)
      if (stalledUntil > at) this.finishAt(entry, stalledUntil)
      else this.finish(entry)
    })
  }

  // Until when what serves its connection is frozen.
  stallOf ({ peer }) {
    return Math.max(this.stalledUntil, peer.stalledUntil)
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
    entry.peer.answered(entry)
  }

  // Sends a message as an echo or a broadcast, or ends the connection according to `answer`.
  send (entry, answer) {
    const { peer } = entry
    if (answer === 'reset' || answer === 'end') peer[answer]()
    else if (typeof answer === 'object') peer.sayInstead(answer)
    else if (answer !== 'silence' && !peer.isSilent) this.sendOn(entry, answer === 'copies twice' ? 2 : 1)
  }

  sendOn (entry, times) {
    const { peer } = entry
    if (typeof this.websocket === 'function') for (const { to, frame } of this.websocket(entry)) to.transmit(frame)
    else if (this.websocket === 'broadcast') this.copy(entry, times)
    else if (this.websocket === 'echo') this.sayFrame(peer, entry, serverFrame(entry.method, this.socketio === null ? entry.path : answerTo(entry.path)))
  }

  copy (entry, times) {
    const frame = serverFrame(entry.method, entry.path)
    if (this.history > 0) this.said = [...this.said, frame].slice(-this.history)
    this.connections.filter(({ isOpen, isUpgraded, isSilent }) => isOpen && isUpgraded && !isSilent).forEach((connection, index) => {
      const say = () => {
        this.sayFrame(connection, connection === entry.peer ? entry : null, frame)
        if (times > 1) this.sayFrame(connection, null, frame)
      }
      if (index === 0 || this.copyTime === 0) say()
      else this.scheduler.add(this.scheduler.time + Math.round(index * this.copyTime * 1000), say)
    })
  }

  sayFrame (connection, entry, frame) {
    if (!connection.isOpen) return
    if (entry !== null) entry.answeredAt = this.scheduler.time
    connection.transmit(frame)
    if (entry !== null && ++connection.sent === this.keepAlive) connection.sayGoodbye(GOING_AWAY)
  }
}

module.exports = Server

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
 * @property {boolean} [http2=false] it speaks HTTP/2
 * @property {boolean} [grpc=false] it answers calls of gRPC, over HTTP/2; a request has its message, as it came, as `body`
 * @property {?number} [streams] HTTP/2: MAX_CONCURRENT_STREAMS
 * @property {object} [habits] HTTP/2: how it speaks it otherwise, see Http2Habits
 * @property {number} [lookup=0] what looking up its name takes
 * @property {?string} [lookupError] why it cannot be looked up
 * @property {object} [link] `{ delay, jitter, split }`, see Link
 * @property {number} [slots=Infinity] how many requests it works on at a time
 * @property {number} [queue=Infinity] how many wait; to what comes beyond it says `overflow`
 * @property {*} [overflow=503]
 * @property {number|function} [serviceTime=0]
 * @property {?number} [keepAlive=null] how many requests it answers on one connection; HTTP/2: a GOAWAY says which was the last
 * @property {*|function} [answer=200] what it says: a status, or an object `{ status, headers, body, bodyAfter, cutAt, then }`
 *   (`bodyAfter`: the body comes so many ms after the head; `cutAt`: only the first bytes are sent; `then: 'end' | 'reset'`
 *   after it), `{ pieces: [[ms, text], …] }` (a stream: each piece comes so many ms after the head; `framing: 'chunked' |
 *   'length' | 'close'`, and it ends `endAfter` ms after the head, by default with the last piece), `{ bytes }` as they are, or `'reset' | 'end' | 'silence'`;
 *   HTTP/2: `{ rst: code }`, a RST_STREAM, which with `body` and `rstAfter` comes behind so many octets of it; gRPC: how a call ends, see grpc.js, such as `'NOT_FOUND'`; a number is a status of
 *   HTTP, from somebody who does not speak gRPC
 * @property {?string|function} [websocket] it speaks WebSocket: `'echo'`, `'broadcast'` (to all, the sender too), `'silence'`, or a
 *   function of a message's entry (`path` is the text, `peer` its connection) that gives what is said: `[{ to, frame }]`, where `to`
 *   is a connection. Its `url` is ws: then. Close and Ping are answered at once. Of `answer` it has `'reset' | 'end' | 'silence'`,
 *   and `{ frame }`, bytes that it says in the place of the echo (and `then: 'end' | 'reset' | 'silence'`, the last for all that comes on this connection)
 * @property {?string} [socketio] the namespace in which it speaks Socket.IO on WebSocket: events, which an acknowledgement answers where it is
 *   asked for
 * @property {*|function} [joining='accept'] what it says to who asks for a namespace (a function of the number of the handshake): `'accept' | 'silence' |
 *   'end' | 'reset'`, or an object `{ after, refusal, behind }`: ms, why he may not come in, bytes behind it
 * @property {*|function} [opening='accept'] what it says to a handshake (a function of its number, over all connections): `'accept' | 'silence' | 'end' | 'reset'`,
 *   or an object `{ status, without, before, behind, after }`: another status than 101, a field that is missing, bytes before it and behind it, ms
 * @property {boolean} [closes=true] whether it answers a Close frame
 * @property {number} [mostBytes] of a message, that the client takes
 * @property {number} [copyTime=0] of a broadcast: each copy goes out so many ms after the one before. Of `answer` it has 'copies twice' as well
 * @property {number} [history=0] of a broadcast: who joins is told so many of the messages that went out before, the latest of them
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
    /** What came of attempts: `accepted`, `refused`, `ignored`. */
    this.attempts = { accepted: 0, refused: 0, ignored: 0 }
    this.connections = []
    this.requests = 0
    this.handshakes = 0
    this.busy = 0
    this.waiting = []
    this.stalledUntil = 0
    this.peakBusy = 0
    /** Of a broadcast: the frames of what was sent to all, as far as somebody may be told of it. */
    this.said = []
  }

  get openConnections () {
    return this.connections.filter(({ isOpen }) => isOpen)
  }

  /** Whether requests can go out as soon as there is a connection. */
  get isUsableAtOnce () {
    return !this.http2 && this.websocket === null
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

  /** WebSocket: sends a frame on all its connections. */
  sendAll (frame) {
    for (const connection of this.openConnections) if (connection.isUpgraded) connection.transmit(frame)
  }

  /** Resets all its connections. */
  resetAll () {
    for (const connection of this.openConnections) connection.reset()
  }

  /** HTTP/2: says that it takes no more requests on the connections that there are. @param {object} [how] `{ code, untaken }` */
  goAwayAll (how) {
    for (const connection of this.openConnections) connection.goAway(how)
  }

  /** HTTP/2: SETTINGS on the connections that there are. @param {Array<[string, number]>} settings by their names */
  changeSettings (settings) {
    for (const connection of this.openConnections) if (connection.isGreeted) connection.announce(settings)
  }

  /** HTTP/2: asks its clients whether they are there. @param {string} octets eight of them */
  pingAll (octets) {
    for (const connection of this.openConnections) if (connection.isGreeted) connection.say('PING', 0, 0, Buffer.from(octets, 'latin1'))
  }

  /** Ends all its connections. */
  endAll () {
    for (const connection of this.openConnections) connection.end()
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

  /** What becomes of the next attempt. */
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
    entry.peer.answered(entry)
  }

  // A message, as it is echoed or goes out to all; or an answer of the settings that ends the connection.
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

'use strict'

const { EventEmitter } = require('node:events')
const { Wire } = require('./wire')
const Http2Requests = require('./http2/requests')
const Requests = require('./requests')

// How many bytes a system buffers before a process has to wait.
const SEND_BUFFER_BYTES = 65536

/** The client's end of a connection, with the interface of Node's sockets. */
class Socket extends EventEmitter {
  constructor (world, client, { host, port, path, localAddress, onread, ALPNProtocols }, isSecure) {
    super()
    this.world = world
    this.client = client
    this.where = { host, port, path }
    this.localAddress = localAddress
    this.name = path ?? `${host}:${port}`
    this.onread = onread
    this.isSecure = isSecure
    this.offered = ALPNProtocols ?? []
    this.alpnProtocol = false
    this.state = 'new'
    this.begunAt = client.now
    this.lookedUpAt = null
    this.openedAt = null
    /** When it became usable: with TLS, after the handshake. */
    this.usableAt = null
    /** With WebSocket: the value of the world's `noted` at that time. */
    this.usableFrom = Infinity
    /** The value of the world's `noted` when it closed. */
    this.closedFrom = Infinity
    this.closedAt = null
    this.closedBy = null
    /** The code of the error that ended it. */
    this.failedWith = null
    this.isTelling = false
    this.destroyed = false
    /** The server's end, once it has accepted the connection. */
    this.peer = null
    this.corked = null
    this.writableCorked = 0
    this.onItsWay = 0
    this.wantsDrain = false
    /** `write` returned false, and 'drain' hasn't been emitted yet. */
    this.isHeldUp = false
    this.inbox = []
    this.mayRead = false
    this.isReading = false
    this.hasEnd = false
    this.isReset = false
    this.isLetGo = false
    this.requests = new Requests()
    /** Unread bytes of a proxy from before its tunnel was open, which aren't part of a response. */
    this.foreign = 0
    /** Unread bytes of a proxy from behind its response. */
    this.stray = 0
    /** Whether the client has read the response without them, so that it takes them for the server's. */
    this.isMisled = false
    /** With WebSocket: what was written and read, in order: entries of the log, and events of WebSocketReplies. */
    this.told = []
    /** The number of the chunk in which the client closed the connection; 0: none. */
    this.closedInChunk = 0
  }

  // --- connecting

  begin () {
    const host = this.world.hostAt(this.where)
    this.server = this.world.serverAt(this.where)
    if (this.server?.http2) this.requests = new Http2Requests(this.world)
    else this.requests.arePackets = (this.server?.socketio ?? null) !== null
    this.link = (this.server ?? host ?? this.world).link
    this.out = new Wire(this.client.scheduler, this.client.random, this.link)
    this.back = new Wire(this.client.scheduler, this.client.random, this.link)
    if (this.where.path || isAddress(this.where.host)) this.attempt(this.client.now)
    else this.lookUp(host)
  }

  lookUp (host) {
    this.state = 'lookup'
    const after = host === null ? 0 : Math.round(host.lookup * 1000)
    this.client.tell(this.client.now + after, () => {
      if (this.destroyed) return
      if (host === null || host.lookupError) {
        const code = host?.lookupError ?? 'ENOTFOUND'
        const error = Object.assign(new Error(`getaddrinfo ${code} ${this.where.host}`), { code, syscall: 'getaddrinfo' })
        this.emit('lookup', error)
        this.fail(error)
      } else {
        this.lookedUpAt = this.client.now
        this.emit('lookup', null, '10.0.0.1', 4, this.where.host)
        this.attempt(this.client.now)
      }
    })
  }

  attempt (from) {
    this.state = 'connecting'
    const lacking = this.world.settings.lacking === null ? null : this.world.settings.lacking(this)
    if (lacking) {
      this.lack(lacking.split(' ')[1], lacking)
      return
    }
    this.out.carry(from, () => this.server === null ? this.refuse() : this.server.attempted(this))
  }

  /** Called by the server. */
  refuse () {
    this.heard(() => this.fail(systemError('ECONNREFUSED', `connect ECONNREFUSED ${this.name}`, 'connect')))
  }

  /** The client's system lacks the resources to open it. */
  lack (code, message) {
    this.client.tell(this.client.now, () => { if (!this.destroyed) this.fail(systemError(code, message, message.split(' ')[0])) })
  }

  /** Called by the server when it has accepted the connection. */
  accept (peer) {
    this.peer = peer
    this.heard(() => {
      this.state = 'open'
      this.openedAt = this.client.now
      if (!this.isSecure && this.server.isUsableAtOnce) this.becameUsable()
      this.emit('connect')
      // As in Node, data that arrives at once is read in the next turn, after everything that is ready has been sent.
      this.client.scheduler.addImmediate(() => {
        this.mayRead = true
        if (this.inbox.length > 0 || this.hasEnd) this.readSoon()
        if (this.isReset) this.deliverReset()
      })
      if (this.isSecure && !this.destroyed) this.secure()
    })
  }

  // Simulated TLS encrypts nothing; the handshake takes time, and may fail.
  secure () {
    const { server } = this
    if (server.handshake === 'silence') return
    this.out.carry(this.client.now + Math.round(server.handshake * 1000), () => this.heard(() => {
      this.alpnProtocol = this.offered.find((name) => server.protocols.includes(name)) ?? false
      if (server.isUsableAtOnce) this.becameUsable()
      this.emit('secureConnect')
    }))
  }

  /** Requests can be sent from now on. */
  becameUsable () {
    this.usableAt = this.client.now
    this.usableFrom = this.world.noted
    this.world.usable++
  }

  // An event from the server arrives, and the client handles it when it is free.
  heard (hear) {
    this.back.carry(this.client.scheduler.time, () => this.client.tell(this.client.scheduler.time, () => { if (!this.destroyed) hear() }))
  }

  // --- writing

  setNoDelay () {
    return this
  }

  get isAskingProxy () {
    return this.server.asked !== undefined && this.behind === undefined && !this.isMisled
  }

  cork () {
    this.writableCorked++
    this.corked ??= []
  }

  // As in Node, corked data is sent when it is uncorked as often as it was corked, and is lost with the socket.
  uncork () {
    if (this.writableCorked === 0 || --this.writableCorked > 0) return
    const corked = this.corked
    this.corked = null
    if (corked.length > 0 && !this.destroyed) this.transmit(Buffer.concat(corked))
  }

  get writable () {
    return this.state === 'open' && !this.destroyed
  }

  /** Bytes that the system hasn't accepted yet. */
  get writableLength () {
    return Math.max(0, this.onItsWay - SEND_BUFFER_BYTES)
  }

  /** @returns {boolean} whether more may be written at once; if not, 'drain' is emitted later */
  write (data, encoding) {
    if (this.destroyed) return false
    const bytes = typeof data === 'string' ? Buffer.from(data, encoding) : data
    const { now } = this.client
    if (!this.isAskingProxy) this.world.bytes.written += bytes.length
    // A request counts as sent when it is handed over, whatever happens to it afterwards.
    for (const request of this.requests.read(bytes, now)) this.world.sent(this, request)
    // With WebSocket, the last thing that the client sends is a Close frame.
    if (this.requests.isClosed) this.closing()
    if (this.corked !== null) this.corked.push(bytes)
    else this.transmit(bytes)
    if (this.client.writing > 0) this.client.hold(this.client.writing / 1000)
    if (this.onItsWay > SEND_BUFFER_BYTES) this.wantsDrain = this.isHeldUp = true
    return !this.wantsDrain
  }

  /** Sends FIN: nothing more is sent or read. The connection is over when the server has ended it as well. */
  end () {
    if (this.destroyed) return
    this.closing()
    this.isLetGo = true
    this.out.carry(this.client.now, () => {
      this.peer.ended()
      this.back.carry(this.client.scheduler.time, () => this.deliverEnd())
    })
  }

  transmit (bytes) {
    this.onItsWay += bytes.length
    this.out.send(this.client.now, bytes.length, (start, end) => this.reached(end - start))
  }

  reached (length) {
    this.onItsWay -= length
    for (const request of this.requests.arrive(length)) this.peer?.receive(request)
    if (this.wantsDrain && this.onItsWay <= SEND_BUFFER_BYTES) {
      this.wantsDrain = false
      this.client.tell(this.client.scheduler.time, () => {
        this.isHeldUp = false
        if (!this.destroyed) this.emit('drain')
      })
    }
  }

  // --- reading

  /** Called when bytes of the server arrive. */
  deliver (bytes) {
    this.inbox.push(bytes)
    this.readSoon()
  }

  /** Called when the server's FIN arrives. */
  deliverEnd () {
    this.hasEnd = true
    this.readSoon()
  }

  /** Called when the server's RST arrives. Data that was not read yet is lost. */
  deliverReset () {
    this.isReset = true
    if (!this.mayRead) return
    this.client.tell(this.client.scheduler.time, () => {
      if (!this.destroyed) this.fail(systemError('ECONNRESET', 'read ECONNRESET', 'read'))
    })
  }

  readSoon () {
    if (this.isReading || !this.mayRead || this.destroyed) return
    this.isReading = true
    this.client.tell(this.client.scheduler.time, () => this.read())
  }

  // As in libuv, available data is read into the buffer, as much as fits; data that arrived while the thread was blocked is read
  // together.
  read () {
    this.isReading = false
    if (this.destroyed) return
    if (this.isLetGo) this.inbox.length = 0
    if (this.inbox.length > 0) {
      const { buffer, callback } = this.onread
      const length = this.take(buffer)
      this.countRead(length, buffer)
      this.isTelling = true
      this.client.read(() => this.tell(length, buffer, callback))
      this.isTelling = false
      if (this.closedAt === null) this.requests.endTurn?.(this.isHeldUp)
      if (this.inbox.length > 0 || this.hasEnd) this.readSoon()
    } else if (this.hasEnd) {
      this.hasEnd = false
      this.endedByServer()
      this.emit('end')
      this.destroy()
    }
  }

  tell (length, buffer, callback) {
    callback(length, buffer)
  }

  // Updates the world's records before the client handles the data.
  countRead (length, buffer) {
    const foreign = Math.min(this.foreign, length)
    this.foreign -= foreign
    if (this.stray > 0) {
      this.countStray(length, foreign)
      return
    }
    if (this.closedAt === null) this.world.hasRead(length - foreign, this.client.now)
    if (length > foreign) this.peer.replies.read(length - foreign, this.client.now, buffer, foreign)
  }

  // If the packet ends where the response does, the client begins to use the tunnel.
  countStray (length, foreign) {
    if (length > foreign && this.isMisled && this.closedAt === null) this.world.hasRead(length - foreign, this.client.now)
    this.isMisled ||= foreign > 0 && this.foreign === 0 && length === foreign
  }

  /** With WebSocket: something was read. Anything after the client has closed the connection is ignored. */
  hear (what) {
    if (this.closedAt === null) this.note(what)
  }

  note (what) {
    what.order = this.world.noted++
    this.told.push(what)
  }

  take (buffer) {
    let length = 0
    while (this.inbox.length > 0 && length < buffer.length) {
      const copied = this.inbox[0].copy(buffer, length)
      length += copied
      if (copied === this.inbox[0].length) this.inbox.shift()
      else this.inbox[0] = this.inbox[0].subarray(copied)
    }
    return length
  }

  // --- the end

  fail (error) {
    this.failedWith = error.code
    this.endedByServer()
    this.destroy()
    this.emit('error', error)
  }

  endedByServer () {
    if (this.closedAt !== null) return
    this.closedBy = 'server'
    if (this.usableAt !== null) this.hear({ what: 'end' })
  }

  closing () {
    if (this.closedAt !== null) return
    this.closedAt = this.client.now
    this.closedFrom = this.world.noted
    this.closedBy ??= this.isTelling ? 'client after response' : 'client'
    if (this.isTelling) this.closedInChunk = this.peer.replies.chunks
    if (this.usableAt !== null) this.world.usable--
  }

  destroy () {
    if (this.destroyed) return this
    this.destroyed = true
    this.closing()
    const wasOpen = this.state === 'open'
    this.state = 'closed'
    this.client.sockets.delete(this)
    if (wasOpen) this.out.carry(this.client.now, () => this.peer.ended())
    this.client.scheduler.addTick(() => this.emit('close'))
    return this
  }
}

function systemError (code, message, syscall) {
  return Object.assign(new Error(message), { code, syscall })
}

function isAddress (host) {
  return host.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(host)
}

module.exports = Socket

'use strict'

const { EventEmitter } = require('node:events')
const { Wire } = require('./wire')
const Http2Requests = require('./http2/requests')
const Requests = require('./requests')

// What a system takes from a process before it has to wait.
const SEND_BUFFER_BYTES = 65536

/** The client's end of a connection, with what the code asks of a socket of Node's. */
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
    /** When it could be used: with TLS, later. */
    this.usableAt = null
    /** With WebSocket: how much had been written and read on all connections by then, see `noted` of World. */
    this.usableFrom = Infinity
    this.closedAt = null
    this.closedBy = null
    /** The code of the error that it ended with. */
    this.failedWith = null
    this.isTelling = false
    this.destroyed = false
    /** The server's end, when it has taken the connection. */
    this.peer = null
    this.corked = null
    this.writableCorked = 0
    this.onItsWay = 0
    this.wantsDrain = false
    /** It has said that it takes no more, and not that it does again. */
    this.isHeldUp = false
    this.inbox = []
    this.mayRead = false
    this.isReading = false
    this.hasEnd = false
    this.isReset = false
    this.isLetGo = false
    this.requests = new Requests()
    /** What a proxy says before its tunnel is open, and has not been read: bytes that are no answer. */
    this.foreign = 0
    /** With WebSocket: what was written and read, in its order: entries of the log, and what WebSocketReplies tells. */
    this.told = []
    /** In which piece that it read it has closed the connection; 0: in none. */
    this.closedInChunk = 0
  }

  // --- the way there

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

  /** For the server. */
  refuse () {
    this.heard(() => this.fail(systemError('ECONNREFUSED', `connect ECONNREFUSED ${this.name}`, 'connect')))
  }

  /** The client's system has nothing to open it with. */
  lack (code, message) {
    this.client.tell(this.client.now, () => { if (!this.destroyed) this.fail(systemError(code, message, message.split(' ')[0])) })
  }

  /** For the server: it has taken the connection. */
  accept (peer) {
    this.peer = peer
    this.heard(() => {
      this.state = 'open'
      this.openedAt = this.client.now
      if (!this.isSecure && this.server.isUsableAtOnce) this.becameUsable()
      this.emit('connect')
      // What comes at once is read in the next turn, as in Node, when what is ready to be sent has been sent.
      this.client.scheduler.addImmediate(() => {
        this.mayRead = true
        if (this.inbox.length > 0 || this.hasEnd) this.readSoon()
        if (this.isReset) this.deliverReset()
      })
      if (this.isSecure && !this.destroyed) this.secure()
    })
  }

  // Nothing is encrypted here; it only takes its time, and may fail.
  secure () {
    const { server } = this
    if (server.handshake === 'silence') return
    this.out.carry(this.client.now + Math.round(server.handshake * 1000), () => this.heard(() => {
      this.alpnProtocol = this.offered.find((name) => server.protocols.includes(name)) ?? false
      if (server.isUsableAtOnce) this.becameUsable()
      this.emit('secureConnect')
    }))
  }

  /** Requests can go out. */
  becameUsable () {
    this.usableAt = this.client.now
    this.usableFrom = this.world.noted
    this.world.usable++
  }

  // Something comes back from the server, and the client hears of it when it can.
  heard (hear) {
    this.back.carry(this.client.scheduler.time, () => this.client.tell(this.client.scheduler.time, () => { if (!this.destroyed) hear() }))
  }

  // --- writing

  setNoDelay () {
    return this
  }

  get isAskingProxy () {
    return this.server.asked !== undefined && this.behind === undefined
  }

  cork () {
    this.writableCorked++
    this.corked ??= []
  }

  // As in Node, what is held together goes out when all have let go of it, and is lost with the socket.
  uncork () {
    if (this.writableCorked === 0 || --this.writableCorked > 0) return
    const corked = this.corked
    this.corked = null
    if (corked.length > 0 && !this.destroyed) this.transmit(Buffer.concat(corked))
  }

  get writable () {
    return this.state === 'open' && !this.destroyed
  }

  /** What the system has not taken. */
  get writableLength () {
    return Math.max(0, this.onItsWay - SEND_BUFFER_BYTES)
  }

  /** @returns {boolean} whether more may be written at once; 'drain' tells when, otherwise */
  write (data) {
    if (this.destroyed) return false
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    const { now } = this.client
    if (!this.isAskingProxy) this.world.bytes.written += bytes.length
    // A request is sent when it was handed over, whatever happens to it then.
    for (const request of this.requests.read(bytes, now)) this.world.sent(this, request)
    // With WebSocket the last word is a frame.
    if (this.requests.isClosed) this.closing()
    if (this.corked !== null) this.corked.push(bytes)
    else this.transmit(bytes)
    if (this.client.writing > 0) this.client.hold(this.client.writing / 1000)
    if (this.onItsWay > SEND_BUFFER_BYTES) this.wantsDrain = this.isHeldUp = true
    return !this.wantsDrain
  }

  /** FIN: it says nothing more, and nobody listens any more. It is over when the server has ended it as well. */
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

  /** For the server: bytes of it have come. */
  deliver (bytes) {
    this.inbox.push(bytes)
    this.readSoon()
  }

  /** For the server: its FIN. */
  deliverEnd () {
    this.hasEnd = true
    this.readSoon()
  }

  /** For the server: its RST. What has come before and was not read is lost. */
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

  // As libuv does it: what is there is read into the buffer, as much as it takes; what came while the thread was held up
  // is there together.
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

  // The world sees it before the client does.
  countRead (length, buffer) {
    const foreign = Math.min(this.foreign, length)
    if (this.closedAt === null) this.world.hasRead(length - foreign, this.client.now)
    this.foreign -= foreign
    if (length > foreign) this.peer.replies.read(length - foreign, this.client.now, buffer, foreign)
  }

  /** With WebSocket: something has been read. What comes when the client has closed the connection nobody hears. */
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
    this.closedBy ??= this.isTelling ? 'answer' : 'client'
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

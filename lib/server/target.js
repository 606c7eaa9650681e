'use strict'

const http = require('node:http')
const http2 = require('node:http2')
const { Answers, FAILURE_STATUS } = require('./answers')
const { DelayQueue } = require('./delay-queue')
const { cleanUrl } = require('../outside/text')
const { listen } = require('./listen')
const { Messages } = require('./messages')
const { sumCounts } = require('./counts')

// What a connection was used for so far. If it only requested the counts, it isn't part of the load.
const use = Symbol('use')
// The socket of an HTTP/2 session.
const behind = Symbol('behind')
const LOAD = 1
const STATS = 2

/**
 * The server itself, in one process: responds according to the options, and counts requests. A server with workers consists of
 * several of these behind one port.
 */
class Target {
  /**
   * @param {object} options of parseServerOptions
   * @param {object} [place] with workers: which of them this is
   * @param {number} [place.index] its index, starting at 0
   * @param {function(): Promise<object>} [place.collectStats] returns the counts of all workers, for `GET /_stats`
   */
  constructor (options, { index = 0, collectStats } = {}) {
    this.options = options
    this.index = index
    this.collectStats = collectStats ?? (async () => sumCounts([this.counts()]))
    this.answers = new Answers(options, index)
    this.delays = new DelayQueue()
    /** With WebSocket; a request is then a message. */
    this.messages = options.websocket === null ? null : new Messages(options, this)
    this.servers = []
    this.sockets = new Set()

    this.requests = 0
    this.answered = 0
    this.messagesSent = 0
    this.connections = 0
    this.statusCounts = new Map()
    this.closedBytes = { read: 0, written: 0 }
  }

  /** @returns {Promise<{ port: number, url: string }>} */
  async listen () {
    const { host, port } = this.options
    const { servers, ...address } = await listen(() => this.createServer(), host, port)
    this.servers = servers
    return this.messages === null ? address : { ...address, url: address.url.replace(/^http/, 'ws') }
  }

  createServer () {
    const server = this.options.http2 ? http2.createServer() : createHttp1Server()
    if (this.options.http2) this.linkSessions(server)
    server.on('connection', (socket) => this.countConnection(socket))
    server.on('request', (request, response) => this.receive(request, response))
    this.messages?.attach(server)
    // A connection that can't be accepted (no file descriptors, for example) must not affect the others.
    server.on('error', () => {})
    return server
  }

  // The socket of an HTTP/2 request is only a proxy object for the real one.
  linkSessions (server) {
    let arriving = null
    server.prependListener('connection', (socket) => { arriving = socket })
    server.on('session', (session) => { session[behind] = arriving })
    server.on('sessionError', () => {})
  }

  countConnection (socket) {
    this.connections++
    this.sockets.add(socket)
    socket.once('close', () => {
      this.sockets.delete(socket)
      if (socket[use] === STATS) return
      this.closedBytes.read += socket.bytesRead
      this.closedBytes.written += socket.bytesWritten
    })
  }

  receive (request, response) {
    if (request.url === '/_stats') {
      this.reportStats(request, response)
    } else if (request.stream === undefined ? hasBody(request.rawHeaders) : !request.stream.endAfterHeaders) {
      request.once('end', () => this.accept(request, response)).resume()
    } else {
      this.accept(request, response)
    }
  }

  // Called when the request is complete; it counts from here on.
  accept (request, response) {
    const socket = socketOf(request)
    // The session is over: there is no one to respond to.
    if (socket === undefined) return
    if (socket[use] === STATS) this.connections++
    socket[use] = LOAD

    const count = ++this.requests
    this.later(() => this.answer(request, response, count))
  }

  // Calls back after the configured delay.
  later (answer) {
    const { from, to } = this.options.delay
    if (to === 0) answer()
    else this.delays.after(from + Math.random() * (to - from), answer)
  }

  answer (request, response, count) {
    if (request.stream?.destroyed ?? request.socket.destroyed) return // the client is gone
    const status = this.answers.statusOf(count)
    const number = this.numberOf(count)
    this.answered++
    this.countStatus(status)
    this.answers.send(response, status, number)
    if (this.options.verbose) console.log(`#${number} ${request.method} ${printable(request.url)} ${status}`)
  }

  countStatus (status) {
    this.statusCounts.set(status, (this.statusCounts.get(status) ?? 0) + 1)
  }

  // --- WebSocket

  /** A handshake was answered. */
  countHandshake (status) {
    this.countStatus(status)
  }

  /** A message was received. @param {function(boolean)} answer called with whether it should fail */
  message (path, length, answer) {
    const count = ++this.requests
    this.later(() => {
      const isFailure = this.answers.statusOf(count) === FAILURE_STATUS
      this.answered++
      answer(isFailure)
      if (this.options.verbose) console.log(`#${this.numberOf(count)} MESSAGE ${printable(path)} ${length}${isFailure ? ' failed' : ''}`)
    })
  }

  /** Counts messages that were sent. */
  sent (count) {
    this.messagesSent += count
  }

  // All responses have different numbers, although processes don't coordinate.
  numberOf (count) {
    return (count - 1) * this.options.workers + this.index + 1
  }

  reportStats (request, response) {
    const socket = socketOf(request)
    if (socket !== undefined && socket[use] === undefined) {
      socket[use] = STATS
      this.connections--
    }
    request.resume()
    this.collectStats().then(
      (stats) => sendJson(response, 200, stats),
      (error) => sendJson(response, 500, { error: error.message })
    )
  }

  /** @returns {import('./counts').Counts & { pid: number }} */
  counts () {
    const bytes = { ...this.closedBytes }
    let openConnections = 0
    for (const socket of this.sockets) {
      if (socket[use] === STATS) continue
      openConnections++
      bytes.read += socket.bytesRead
      bytes.written += socket.bytesWritten
    }

    const statusCodeStats = Object.fromEntries([...this.statusCounts].map(([status, count]) => [status, { count }]))
    return {
      pid: process.pid,
      requests: this.requests,
      unanswered: this.requests - this.answered,
      connections: this.connections,
      openConnections,
      bytes,
      statusCodeStats,
      ...(this.messages !== null && { messages: { received: this.requests, sent: this.messagesSent } })
    }
  }

  /** Closes all connections, including those in the middle of a response, and stops listening. */
  async close () {
    this.delays.clear()
    const ended = this.servers.map((server) => new Promise((resolve) => server.close(resolve)))
    for (const socket of this.sockets) {
      // The server may be closed before its sockets have emitted 'close', and they must still be counted.
      ended.push(new Promise((resolve) => socket.once('close', resolve)))
      socket.destroy()
    }
    await Promise.all(ended)
  }
}

function createHttp1Server () {
  // No timeouts: at a low rate, the server must not close connections that wait for their next request.
  return http.createServer({ keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 })
}

function socketOf (request) {
  return request.stream === undefined ? request.socket : request.stream.session?.[behind]
}

// Searching the raw list for two names is cheaper than creating the parsed headers.
function hasBody (rawHeaders) {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const { length } = rawHeaders[i]
    if (length !== 14 && length !== 17) continue
    const name = rawHeaders[i].toLowerCase()
    if (name === 'content-length' || name === 'transfer-encoding') return true
  }
  return false
}

function sendJson (response, status, value) {
  const text = JSON.stringify(value)
  response.writeHead(status, ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(text))])
  response.end(text)
}

// Node decodes the bytes of a path as Latin-1; non-ASCII characters are shown percent-encoded.
function printable (path) {
  return cleanUrl(path.replace(/[^\x21-\x7e]/g, encodeURIComponent))
}

module.exports = { Target }

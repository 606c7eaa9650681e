'use strict'

const Server = require('./server')
const { ServerConnection } = require('./server-connection')

/**
 * A proxy whose tunnels lead to the servers of the world. The link to the proxy determines the delay.
 *
 * @typedef {object} ProxySettings in addition to `host`, `port`, `link`, `lookup`, `attempt` of a server
 * @property {*|function} [tunnel='accept'] its response to CONNECT (a function of its number, over all connections): `'accept' | 'silence' |
 *   'end' | 'reset'`, or an object `{ status, before, behind, bytes, after }`: a status other than 200, bytes before and after the response,
 *   bytes instead of it, a delay in ms
 */
class Proxy extends Server {
  constructor (world, { tunnel = 'accept', host = '10.0.0.9', port = 3128, ...settings } = {}) {
    super(world, { host, port, ...settings })
    this.tunnel = tunnel
    /** The targets that it was asked to connect to, in order. */
    this.asked = []
  }

  get isUsableAtOnce () {
    return false
  }

  connectionOf (socket) {
    return new ProxyConnection(this, socket, this.connections.length)
  }
}

/** The proxy's end of a connection, and the server's end once the tunnel is open. */
class ProxyConnection extends ServerConnection {
  constructor (server, socket, number) {
    super(server, socket, number)
    this.onward = null
  }

  receive ({ head, path, entry }) {
    // If it sends bytes after its response and the client hasn't read them yet, the client may send other requests.
    if (!this.isOpen || entry.method !== 'CONNECT') return
    entry.arrivedAt = this.scheduler.time
    const { server } = this
    const { tunnel } = server
    const authorization = /\r\nproxy-authorization: *(\S+ \S+)/i.exec(head)?.[1] ?? null
    server.asked.push({ authority: path, authorization })
    const answer = typeof tunnel === 'function' ? tunnel(server.asked.length - 1) : tunnel
    const { after = 0 } = answer
    if (after === 0) this.answer(answer, path)
    else this.scheduler.add(this.scheduler.time + Math.round(after * 1000), () => this.answer(answer, path))
  }

  answer (answer, authority) {
    if (!this.isOpen || answer === 'silence') return
    if (answer === 'end' || answer === 'reset') {
      this[answer]()
      return
    }
    const { status = 200, before = '', behind = '', bytes = `HTTP/1.1 ${status} Said\r\n\r\n` } = answer === 'accept' ? {} : answer
    const isWell = status === 200 && behind === '' && answer.bytes === undefined
    const { hostname: host, port } = new URL(`tcp://${authority}`)
    const target = this.server.world.serverAt({ host, port })
    const what = isWell ? target === null ? 'refuse' : target.decide() : 'accept'
    if (what === 'silence') return
    this.say(what === 'refuse' ? 'HTTP/1.1 502 Said\r\n\r\n' : before + bytes, behind)
    if (isWell && what !== 'refuse') this.lead(target, what)
  }

  say (text, behind) {
    this.socket.foreign += text.length
    this.socket.stray += behind.length
    this.transmit(Buffer.from(text + behind, 'latin1'))
  }

  // From now on, the server's end belongs to the socket.
  lead (target, what) {
    this.onward = target.take(this.socket)
    this.socket.peer = this.onward
    this.socket.behind = target
    this.socket.requests.arePackets = target.socketio !== null
    if (what !== 'accept') this.onward[what]()
  }

  end () {
    if (this.onward === null) super.end()
    else this.onward.end()
  }

  reset () {
    if (this.onward === null) super.reset()
    else this.onward.reset()
  }
}

module.exports = Proxy

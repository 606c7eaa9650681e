'use strict'

const { createRandom } = require('../../../lib/load/random')
const Client = require('./client')
const Entry = require('./entry')
const Scheduler = require('./scheduler')
const Proxy = require('./proxy')
const Server = require('./server')
const { Link } = require('./wire')

// The clock doesn't begin at 0, which might be mistaken for "not yet".
const START_US = 1_000_000
const LARGEST_SEED = 2 ** 53 - 1
const HOUR_S = 3600
const MOST_EVENTS = 1e8
const LINES_SHOWN = 12
const CHARACTERS_SHOWN = 80

/**
 * A simulated world: a client's thread, servers, the network between them, and time. All randomness comes from its seed, so the same
 * seed produces exactly the same world.
 *
 *     const server = world.server({ serviceTime: 10, slots: 2 })
 *     world.after(500, () => server.stall(200))
 *     world.after(900, () => world.hold(50))
 */
class World {
  /**
   * @param {object} [settings]
   * @param {number} [settings.seed=0] a whole number
   * @param {object} [settings.link] the network between the client and servers without their own, see Link
   * @param {object} [settings.client] see Client
   * @param {function(Socket): ?string} [settings.lacking] returns why the client's system can't open a socket, as Node reports it:
   *   `'connect EMFILE …'`
   * @param {object} [settings.threads] for runs with `workers`, see threads.js
   * @param {number} [settings.limit] maximum virtual time in seconds; a longer run fails; default 24 hours
   * @param {number} [settings.mostEvents] maximum number of events; default 100 million, which take some minutes
   */
  constructor ({ seed = 0, link, client, lacking = null, threads = {}, limit = 24 * HOUR_S, mostEvents = MOST_EVENTS, ...rest } = {}) {
    if (!Number.isInteger(seed) || seed < 0 || seed > LARGEST_SEED) {
      throw new RangeError(`a seed must be a whole number from 0 to ${LARGEST_SEED}, but it is ${JSON.stringify(seed) ?? String(seed)}`)
    }
    const [unknown] = Object.keys(rest)
    if (unknown !== undefined) throw new TypeError(`a simulated world has no ${unknown}`)
    this.seed = seed
    this.limit = limit
    this.mostEvents = mostEvents
    this.random = createRandom(seed)
    this.scheduler = new Scheduler(START_US)
    this.settings = { link, threads, lacking }
    this.link = new Link(link)
    this.client = new Client(this, this.scheduler, createRandom(seed + 1), client)
    this.servers = []
    /** Other processes of the client's machine: by pid, a function of the time (ms) that returns `{ cpu, memory }`, or throws if the process has ended. */
    this.processes = new Map()
    /** Every request that was written, in order: `{ method, path, sentAt, arrivedAt, answeredAt, firstByteAt, receivedAt, … }`, us. */
    this.log = []
    /** How many bytes the client has written and read on all its connections, without those that open tunnels. */
    this.bytes = { read: 0, written: 0 }
    /** When the client read data, us, and how many bytes it had read by then. */
    this.reads = { at: [], upTo: [] }
    /** Number of usable connections now. */
    this.usable = 0
    /** Number of WebSocket events that were written and read, see `told` of Socket. */
    this.noted = 0
    /** Every socket, in order: `begunAt`, `openedAt`, `usableAt`, `closedAt` (us), `closedBy`: 'server', 'client', or 'client after response' if the client closed it while it read one. */
    this.sockets = []
    this.begunAt = START_US
  }

  /** ms since the beginning. */
  get elapsed () {
    return (this.scheduler.time - START_US) / 1000
  }

  /** Creates a server, see ServerSettings. */
  server (settings) {
    const server = new Server(this, settings)
    this.servers.push(server)
    return server
  }

  /** Creates a proxy, see ProxySettings. */
  proxy (settings) {
    const proxy = new Proxy(this, settings)
    this.servers.push(proxy)
    return proxy
  }

  // --- actions for tests

  /** Schedules an event of the world, outside of the client. @param {number} ms from now */
  after (ms, happen) {
    return this.scheduler.add(this.scheduler.time + Math.round(ms * 1000), happen)
  }

  /** Schedules an action of the client's thread, such as stopping a run. @param {number} ms from now */
  afterForClient (ms, act) {
    return this.client.tell(this.scheduler.time + Math.round(ms * 1000), act)
  }

  /** Blocks the client's thread for this many ms; in a hook, the hook takes that long. */
  hold (ms) {
    if (this.scheduler.isOfClient) this.client.hold(ms)
    else this.client.tell(this.scheduler.time, () => this.client.hold(ms))
  }

  /** The same because other programs use the processor. */
  wait (ms) {
    if (this.scheduler.isOfClient) this.client.wait(ms)
    else this.client.tell(this.scheduler.time, () => this.client.wait(ms))
  }

  /** Resolves after this many ms, for asynchronous hooks. */
  sleep (ms) {
    return new Promise((resolve) => this.client.tell(this.client.now + Math.round(ms * 1000), resolve))
  }

  // --- called by sockets

  serverAt ({ host, port, path }) {
    return this.servers.find(({ where }) => path ? where.path === path : where.path === null && where.host === host && where.port === Number(port)) ?? null
  }

  hostAt ({ host }) {
    return this.servers.find(({ where }) => where.host === host) ?? null
  }

  /** A rule was violated: the world ends after the current event. */
  violated (sentence) {
    this.whenViolated(new Error(`${sentence}\n${this}`))
  }

  /** The client has read bytes. */
  hasRead (length, now) {
    this.bytes.read += length
    this.reads.at.push(now)
    this.reads.upTo.push(this.bytes.read)
  }

  /** The client has written a request. */
  sent (socket, request) {
    const entry = new Entry(request, socket)
    request.entry = entry
    this.log.push(entry)
    if (socket.requests.areFrames) {
      entry.usable = this.usable
      socket.note(entry)
    }
  }

  // --- inspection

  /** What a run left behind: sockets, and timers that would keep a process alive. */
  get leftovers () {
    const timers = this.client.pendingTimers.map(({ callback }) => `a timer (${nameOf(callback)})`)
    const sockets = [...this.client.sockets].map(({ name, state }) => `a socket to ${name} (${state})`)
    const files = this.client.disk.open === 0 ? [] : [`${this.client.disk.open} open files`]
    return [...timers, ...sockets, ...files]
  }

  /** A readable description of the current state. */
  toString () {
    const ms = (us) => us === null || us === undefined ? '-' : ((us - START_US) / 1000).toFixed(3)
    const lines = [`the world of seed ${this.seed}, ${this.elapsed} ms after its beginning (client at ${ms(this.scheduler.client)})`]
    for (const server of this.servers) {
      const { url, requests, busy, waiting, attempts, stalledUntil, link } = server
      const state = `${link.isCut ? ', cut off' : ''}${stalledUntil > this.scheduler.time ? `, stalled until ${ms(stalledUntil)}` : ''}`
      lines.push(`  server ${url}: ${requests} requests, ${busy} being served, ${waiting.length} waiting, ` +
        `${attempts.accepted} connections, ${server.openConnections.length} open, ${attempts.refused} refused, ${attempts.ignored} ignored${state}`)
    }
    for (const what of this.leftovers.slice(0, LINES_SHOWN)) lines.push(`  ${what}`)
    const { upcoming } = this.scheduler
    lines.push(`  ${upcoming.length} events to come`)
    for (const { at, hear, happen } of upcoming.slice(0, LINES_SHOWN)) lines.push(`    at ${ms(at)}: ${hear ? 'the client hears' : 'it happens'} (${nameOf(hear ?? happen)})`)
    lines.push(`  ${this.log.length} requests sent, the last of them:`)
    for (const { method, path, sentAt, arrivedAt, answeredAt, receivedAt } of this.log.slice(-LINES_SHOWN)) {
      lines.push(`    ${method} ${path.slice(0, CHARACTERS_SHOWN)} sent ${ms(sentAt)} arrived ${ms(arrivedAt)} answered ${ms(answeredAt)} received ${ms(receivedAt)}`)
    }
    return lines.join('\n')
  }
}

function nameOf (callback) {
  return callback.name || callback.toString().replace(/\s+/g, ' ').slice(0, 80)
}

module.exports = World

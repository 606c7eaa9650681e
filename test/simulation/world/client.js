'use strict'

const Disk = require('./disk')
const Ids = require('../../../lib/world/ids')
const Socket = require('./socket')
const TlsSocket = require('./tls-socket')

// The date at the beginning; an arbitrary one.
const EPOCH_MS = Date.UTC(2020, 0, 1)
const LONGEST_TIMER_MS = 2 ** 31 - 1
// A thread that may nap has to look whether it can.
const LOOKING_TURN_US = 100

/** The thread that executes a run: its clock, timers and sockets, with the interface of lib/world/. */
class Client {
  /**
   * @param {World} world
   * @param {Scheduler} scheduler
   * @param {Xoshiro128} random
   * @param {object} settings `timersEarlyUs`: timers may fire early by less than this; 1000 in Node, whose timers only know whole
   *   milliseconds. `cost`: us that each turn with an event takes; `reading`: us from when bytes are found at a socket until they
   *   have been read; `writing`: us that each write takes before the thread continues; `longestTurn`: maximum us of a turn for
   *   a thread that polls the clock in each turn; time doesn't jump further; `tellsWaits`: whether the system says how long the thread
   *   waited for a processor; `wakesLate`: maximum us by which the thread wakes late from a nap, or a function that returns by how
   *   many; without it, this thread must not be blocked
   */
  constructor (world, scheduler, random, { timersEarlyUs = 0, cost = 0, reading = 0, writing = 0, wakesLate = null, longestTurn = wakesLate === null ? Infinity : LOOKING_TURN_US, tellsWaits = true, disk } = {}) {
    this.world = world
    this.scheduler = scheduler
    this.random = random
    this.timersEarlyUs = timersEarlyUs
    this.cost = cost
    this.reading = reading
    this.writing = writing
    this.longestTurn = longestTurn
    this.tellsWaits = tellsWaits
    this.wakesLate = typeof wakesLate === 'number' ? () => this.upTo(wakesLate + 1) : wakesLate
    this.disk = new Disk(this, disk)
    this.foundAt = null
    this.timers = new Set()
    this.sockets = new Set()
    /** For each turn in which the thread was blocked: for how long in total, us. */
    this.holds = []
    this.heldIn = -1
    this.heldUs = 0
    /** How long the thread waited for a processor, which is part of the time that it was blocked, us. */
    this.waitedUs = 0
    /** When the thread napped, us, and for how long in total: its event loop was busy, but its processor was not. */
    this.naps = []
    this.nappedUs = 0
    const ids = new Ids(Uint8Array.from({ length: Ids.PREFIX_LENGTH }, () => this.upTo(256)))
    this.nextId = () => ids.next()
  }

  upTo (limit) {
    return Math.floor(this.random.next() * limit)
  }

  /** Now, us. */
  get now () {
    return this.scheduler.client
  }

  /** Blocks the thread for this many ms, like a computation in a hook or a garbage collection. */
  hold (ms) {
    const us = Math.round(ms * 1000)
    // The event loop is delayed by the sum over a turn.
    const { turn } = this.scheduler
    if (turn === this.heldIn) this.holds[this.holds.length - 1] += us
    else this.holds.push(us)
    this.heldIn = turn
    this.heldUs += us
    this.scheduler.hold(us)
  }

  /** Blocks the thread for this many ms, because other programs use the processor. */
  wait (ms) {
    this.waitedUs += Math.round(ms * 1000)
    this.hold(ms)
  }

  /** Blocks the thread for this many ms, or slightly longer, without using the processor. */
  nap (ms) {
    if (this.wakesLate === null) return false
    const us = Math.ceil(ms * 1000) + this.wakesLate()
    this.naps.push({ from: this.now, until: this.now + us })
    this.nappedUs += us
    this.scheduler.hold(us)
    return true
  }

  // Calls `hear` in the client's thread at `at` (us), or as soon as it is free.
  tell (at, hear) {
    return this.scheduler.addForClient(at, this.cost === 0 ? hear : () => this.tellAtCost(hear))
  }

  tellAtCost (hear) {
    this.heldUs += this.cost
    this.scheduler.hold(this.cost)
    hear()
  }

  /** Reads the bytes found at a socket, then calls back. */
  read (hear) {
    this.foundAt = this.now
    this.hold(this.reading / 1000)
    hear()
    this.foundAt = null
  }

  // A thread that was polling knows when bytes were found, which is before they were read.
  whenFound (lookedAt) {
    return lookedAt === -Infinity || this.foundAt === null ? this.scheduler.look() : this.foundAt / 1000
  }

  // --- timers

  setTimer (callback, ms, isRepeated) {
    const timer = new Timer(this, callback, ms, isRepeated)
    this.timers.add(timer)
    timer.arm()
    return timer
  }

  /** Timers that would keep a process alive. */
  get pendingTimers () {
    return [...this.timers].filter(({ isRef }) => isRef)
  }

  // --- sockets

  connect (options, secure) {
    const isThrough = options.socket !== undefined
    const socket = isThrough ? new TlsSocket(this.world, this, options) : new Socket(this.world, this, options, secure)
    this.sockets.add(socket)
    if (!isThrough) this.world.sockets.push(socket)
    socket.begin()
    return socket
  }

  // --- the interface of lib/world/

  get methods () {
    const { scheduler } = this
    // As in Node, clearing a timer ignores immediates, and the other way round.
    const clear = (timer) => { if (timer instanceof Timer) timer.clear() }
    return {
      now: () => scheduler.look(),
      foundAt: (lookedAt) => this.whenFound(lookedAt),
      origin: () => EPOCH_MS,
      monotonic: () => this.now,
      date: () => new Date(EPOCH_MS + scheduler.client / 1000),
      setTimeout: (callback, ms) => this.setTimer(callback, ms, false),
      clearTimeout: clear,
      setInterval: (callback, ms) => this.setTimer(callback, ms, true),
      clearInterval: clear,
      setImmediate: (callback) => scheduler.addImmediate(callback),
      clearImmediate: (immediate) => { if (immediate && !(immediate instanceof Timer)) scheduler.cancel(immediate) },
      nextTick: (callback) => scheduler.addTick(callback),
      nextTurn: (callback, until) => this.nextTurn(callback, until),
      nap: (ms) => this.nap(ms),
      sleep: (ms, signal) => this.sleep(ms, signal),
      retimer: (callback, ms) => new Retimer(this, callback, ms),
      reInterval: (callback, ms) => new ReInterval(this, callback, ms),
      connect: (options) => this.connect(options, false),
      // In simulations, each attempt has its own socket object.
      reconnect: null,
      // There are no caches to warm up.
      rehearseWrite: () => {},
      write: (socket, bytes) => socket.write(bytes),
      writeText: (socket, text) => socket.write(text, 'latin1'),
      isFlushed: (socket) => socket.writableLength === 0,
      connectTls: (options) => this.connect(options, true),
      hasProcess: (pid) => this.world.processes.has(pid),
      loadProcessUsage: () => {},
      processUsage: async (pid) => this.world.processes.get(pid)(this.now / 1000),
      descendantsOf: async (pids) => new Map(pids.map((pid) => [pid, this.world.processes.get(pid)?.descendants?.(this.now / 1000) ?? []])),
      ...this.disk.methods,
      randomInt: (limit) => this.upTo(limit),
      fillRandom: (bytes, start, end) => { for (let index = start; index < end; index++) bytes[index] = this.upTo(256) },
      guessableInt: (limit) => this.upTo(limit),
      nextId: this.nextId,
      cpuUsage: (before) => ({ user: this.heldUs - this.waitedUs - (before?.user ?? 0), system: 0 }),
      runQueueWait: () => this.tellsWaits ? this.waitedUs / 1000 : null,
      eventLoopUtilization: (later, earlier) => this.utilization(later, earlier),
      monitorEventLoopDelay: ({ resolution }) => new DelayMonitor(this, resolution)
    }
  }

  // Nothing happens before `until`, so time may jump there.
  nextTurn (callback, until) {
    const at = Math.min(usNotBefore(until), this.now + this.longestTurn)
    if (!(at > this.now)) return this.scheduler.addImmediate(callback)
    return this.tell(at, callback)
  }

  sleep (ms, signal) {
    return new Promise((resolve, reject) => {
      const fail = () => reject(signal.reason)
      if (signal?.aborted) return fail()
      const timer = this.setTimer(() => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }, ms, false)
      const abort = () => {
        timer.clear()
        fail()
      }
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  utilization (later, earlier) {
    const busyUs = this.heldUs + this.nappedUs
    const now = { idle: (this.now - busyUs) / 1000, active: busyUs / 1000 }
    // As in Node: a single argument is the earlier time.
    const [end, start] = earlier === undefined ? [now, later] : [later, earlier]
    const idle = end.idle - (start?.idle ?? 0)
    const active = end.active - (start?.active ?? 0)
    return { idle, active, utilization: idle + active === 0 ? 0 : active / (idle + active) }
  }
}

// The first whole microsecond at or after a time in ms.
function usNotBefore (ms) {
  if (ms === Infinity) return Infinity
  let us = Math.ceil(ms * 1000)
  while ((us - 1) / 1000 >= ms) us--
  while (us / 1000 < ms) us++
  return us
}

class Timer {
  constructor (client, callback, ms, isRepeated) {
    this.client = client
    this.callback = callback
    // As in Node: whole milliseconds, at least one.
    this.ms = ms >= 1 && ms <= LONGEST_TIMER_MS ? Math.trunc(ms) : 1
    this.isRepeated = isRepeated
    this.isRef = true
    this.event = null
  }

  arm () {
    const { client } = this
    const early = client.timersEarlyUs === 0 ? 0 : client.upTo(client.timersEarlyUs)
    this.at = client.now + Math.max(1, this.ms * 1000 - early)
    this.event = client.tell(this.at, () => this.fire())
  }

  fire () {
    if (this.isRepeated) this.arm()
    else this.client.timers.delete(this)
    this.callback()
  }

  clear () {
    this.client.timers.delete(this)
    this.client.scheduler.cancel(this.event)
  }

  ref () {
    this.isRef = true
    return this
  }

  unref () {
    this.isRef = false
    return this
  }
}

/** Like the package `retimer`. */
class Retimer {
  constructor (client, callback, ms) {
    this.client = client
    this.callback = callback
    this.start(ms)
  }

  start (ms) {
    this.dueAt = this.client.now + ms * 1000
    this.timer = this.client.setTimer(() => this.fire(), ms, false)
  }

  fire () {
    const left = (this.dueAt - this.client.now) / 1000
    this.timer = null
    if (left > 0) this.start(left)
    else this.callback()
  }

  reschedule (ms) {
    this.dueAt = this.client.now + ms * 1000
    if (this.timer !== null && this.timer.at <= this.dueAt) return
    this.timer?.clear()
    this.start(ms)
  }

  clear () {
    this.timer?.clear()
    this.timer = null
  }
}

/** Like the package `reinterval`. */
class ReInterval {
  constructor (client, callback, ms) {
    this.client = client
    this.callback = callback
    this.reschedule(ms)
  }

  reschedule (ms) {
    this.timer?.clear()
    this.timer = this.client.setTimer(this.callback, ms, true)
  }

  destroy () {
    this.timer.clear()
  }
}

/** A delay monitor that samples every `resolution` ms; a late sample reports the whole time since the last one. */
class DelayMonitor {
  constructor (client, resolution) {
    this.client = client
    this.resolution = resolution
    this.from = 0
    this.startedAt = 0
    this.until = null
  }

  enable () {
    this.from = this.client.holds.length
    this.startedAt = this.client.now
  }

  disable () {
    this.until = this.client.now
  }

  get count () {
    return Math.floor(((this.until ?? this.client.now) - this.startedAt) / 1000 / this.resolution)
  }

  percentile (percent) {
    const late = this.client.holds.slice(this.from).sort((one, other) => other - one)
    const held = late[Math.floor(this.count * (1 - percent / 100))] ?? 0
    return this.resolution * 1e6 + held * 1000
  }
}

module.exports = Client

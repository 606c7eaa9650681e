'use strict'

const fs = require('node:fs')
const net = require('node:net')
const { performance, monitorEventLoopDelay } = require('node:perf_hooks')
const timers = require('node:timers')
const reInterval = require('reinterval')
const retimer = require('retimer')
const DirectWrites = require('./direct-writes')
const Ids = require('./ids')

// The longest time that a turn may take in which `foundAt` assumes that bytes had just arrived, including reading them.
const LONGEST_TURN_MS = 0.05
const NOTHING = Buffer.alloc(0)
const directly = new DirectWrites()
// Nobody notifies those who wait for it.
const NAPPING = new Int32Array(new SharedArrayBuffer(4))

const loadProcessUsage = () => require('../base/packages').loadPackage('pidusage', { user: 'monitor', option: 'monitor' })

/** The real world: functions of Node and the system. Some modules of Node are loaded on demand, since few runs need them. */
const REAL = Object.freeze({
  // --- time

  /** The monotonic clock: ms since some moment, with fractions. All durations are differences of these. */
  now: () => performance.now(),
  /** The time at which `now` is 0, in ms since 1970, to compare the clocks of several threads. */
  origin: () => performance.timeOrigin,
  /** The system's monotonic clock, which all processes of a machine share, us. */
  monotonic: () => Number(process.hrtime.bigint()) / 1000,
  /** The calendar time; used only for the dates of a result. */
  date: () => new Date(),

  /**
   * Estimates when bytes arrived that are being read now, ms. The caller polled the event loop at `lookedAt` and found these bytes in the
   * same turn. An idle turn takes only microseconds, so they arrived at about that time, whereas reading the first bytes after a
   * pause takes five times as long. If the turn took longer than LONGEST_TURN_MS, something else delayed it, and the estimate is now.
   */
  foundAt: (lookedAt) => {
    const now = performance.now()
    return now - lookedAt < LONGEST_TURN_MS ? lookedAt : now
  },

  // --- timers

  setTimeout: (callback, ms) => timers.setTimeout(callback, ms),
  clearTimeout: (timer) => timers.clearTimeout(timer),
  setInterval: (callback, ms) => timers.setInterval(callback, ms),
  clearInterval: (timer) => timers.clearInterval(timer),
  setImmediate: (callback) => timers.setImmediate(callback),
  clearImmediate: (immediate) => timers.clearImmediate(immediate),
  /**
   * Calls back in the next turn of the event loop. For callers that have nothing to do before `until` (ms), but want to be on time
   * then: a simulated world may jump to that time at once. Cancel it with `clearImmediate`.
   */
  nextTurn: (callback, until) => timers.setImmediate(callback),
  nextTick: (callback) => process.nextTick(callback),
  /** Blocks this thread for `ms`, with fractions. @returns {boolean} whether it did: the main thread of some programs must not be blocked */
  nap: (ms) => nap(ms),
  /** @returns {Promise} resolves after that many ms; rejects if `signal` is aborted before */
  sleep: (ms, signal) => require('node:timers/promises').setTimeout(ms, undefined, { signal }),
  /** A timer that is efficient to postpone: `reschedule(ms)`, `clear()`. */
  retimer: (callback, ms) => retimer(callback, ms),
  /** An interval that can be moved: `reschedule(ms)`, `destroy()`. */
  reInterval: (callback, ms) => reInterval(callback, ms),

  // --- the network

  /** Returns a TCP or Unix socket that is connecting to `host` and `port`, or `path`, including the name lookup. */
  connect: (options) => net.connect(options),
  /** Connects a closed TCP or Unix socket again; null in worlds that don't support it. */
  reconnect: (socket, options) => socket.connect(options),
  /**
   * Executes a write of zero bytes, so that the code and memory that the next write needs are in the processor's caches. Only for
   * sockets without TLS, with which it would delay the next write.
   */
  rehearseWrite: (socket) => {
    if (directly.isFlushed(socket) && socket.writableCorked === 0) directly.write(socket, NOTHING)
  },
  /** `socket.write(bytes)`; the bytes may be changed as soon as `isFlushed`. See ./direct-writes.js. */
  write: (socket, bytes) => directly.write(socket, bytes),
  /** `socket.write(text, 'latin1')` */
  writeText: (socket, text) => directly.writeText(socket, text),
  /** Whether the system has taken everything that was written to a socket. */
  isFlushed: (socket) => directly.isFlushed(socket),
  /** The same with TLS, or TLS over an existing `socket`. */
  connectTls: (options) => require('node:tls').connect(options),

  // --- files that grow during a run

  /** @param {string} flags 'w' to create or empty a file, 'a' to add to it @returns {number} its descriptor; throws if it cannot be opened */
  openFile: (path, flags) => fs.openSync(path, flags),
  /** Writes at the end of a file, without waiting. @param {function(?Error, number)} callback gets how many bytes were written */
  writeFile: (descriptor, bytes, callback) => fs.write(descriptor, bytes, 0, bytes.length, null, callback),
  /** The same at once. @returns {number} how many bytes were written */
  writeFileNow: (descriptor, bytes) => fs.writeSync(descriptor, bytes),
  closeFile: (descriptor) => fs.closeSync(descriptor),

  // --- randomness

  /** A whole number from 0 to below `limit` that nobody can guess. */
  randomInt: (limit) => require('node:crypto').randomInt(limit),
  /** Fills a part of a buffer, of at most 1,024 octets, with ones that nobody can guess. */
  fillRandom: (bytes, start, end) => fillRandom(bytes, start, end),
  /** The same for what anybody may guess. A plain run needs no `crypto` then, whose first use takes several milliseconds. */
  guessableInt: (limit) => Math.floor(Math.random() * limit),
  /** A string of fixed length that is unique across calls, threads and processes. */
  nextId: () => idOfThisThread(),

  // --- other processes of this machine

  /** Whether a process with this pid exists, whichever user it belongs to. */
  hasProcess: (pid) => isThere(pid),
  /**
   * @returns {Promise<{ cpu: number, memory: number, elapsed?: number }>} percent of one core since the last call, or since it was
   *   started; bytes; and its age in ms. Rejects if it has ended
   */
  processUsage: (pid) => loadProcessUsage()(pid),
  /** See ./descendants.js. */
  descendantsOf: (...given) => require('./descendants').descendantsOf(...given),
  /** Throws CANNONADE_MISSING_PACKAGE if the required package isn't installed. */
  loadProcessUsage,

  // --- how busy this thread is; see Node's functions of the same names

  cpuUsage: (before) => process.cpuUsage(before),
  eventLoopUtilization: (later, earlier) => performance.eventLoopUtilization(later, earlier),
  monitorEventLoopDelay: (options) => monitorEventLoopDelay(options),
  /** How long this thread has been ready to run, but had to wait for a processor, ms; null if the system doesn't say. */
  runQueueWait: () => runQueueWait()
})

function nap (ms) {
  try {
    return Atomics.wait(NAPPING, 0, 0, ms) === 'timed-out'
  } catch {
    return false
  }
}

// On Linux: nanoseconds on a processor, nanoseconds waiting for one, and how often. Some containers have the file, without times.
function runQueueWait () {
  try {
    const [running, waiting] = fs.readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ').map(Number)
    return running > 0 && waiting >= 0 ? waiting / 1e6 : null
  } catch {
    return null
  }
}

function isThere (pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

// Each call of crypto takes microseconds, however few octets it returns, so many are fetched at once. None is used twice.
const octets = Buffer.allocUnsafeSlow(1024)
let used = octets.length

function fillRandom (bytes, start, end) {
  const count = end - start
  if (used + count > octets.length) {
    require('node:crypto').randomFillSync(octets)
    used = 0
  }
  octets.copy(bytes, start, used, used + count)
  used += count
}

let ids = null

function idOfThisThread () {
  ids ??= new Ids(require('node:crypto').randomBytes(Ids.PREFIX_LENGTH))
  return ids.next()
}

/*
 * Everything that a run takes from outside comes from this object. Always call its methods on it (`world.now()`) and never store
 * them, because a simulation replaces them: see enter.js. V8 inlines these calls, so reading the clock costs no more than without
 * this object.
 */
module.exports = { ...REAL, REAL }

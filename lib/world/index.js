'use strict'

const crypto = require('node:crypto')
const net = require('node:net')
const { performance, monitorEventLoopDelay } = require('node:perf_hooks')
const timers = require('node:timers')
const { setTimeout: sleep } = require('node:timers/promises')
const tls = require('node:tls')
const reInterval = require('reinterval')
const retimer = require('retimer')
const { loadPackage } = require('../base/packages')
const Ids = require('./ids')

// See foundAt: what a turn takes that finds something, with the reading of it.
const LONGEST_TURN_MS = 0.05
const NOTHING = Buffer.alloc(0)

const loadProcessUsage = () => loadPackage('pidusage', { user: 'monitor', option: 'monitor' })

/** The world as it is: what Node and the system give. */
const REAL = Object.freeze({
  // --- time

  /** The monotonic clock: ms since some moment, with fractions. All durations are differences of these. */
  now: () => performance.now(),
  /** What `now` is 0 at, ms since 1970: for clocks of several threads. */
  origin: () => performance.timeOrigin,
  /** The calendar, for the dates of a result and for nothing else. */
  date: () => new Date(),

  /**
   * When bytes came that are read now, ms, by who looked at the clock at `lookedAt`, asked in the same turn of the event loop what
   * there is, and was told of them. A turn with nothing to do takes some microseconds, so they came about then, while reading
   * the first bytes after a while takes five times as long. What took longer than such a turn with its reading was something else.
   */
  foundAt: (lookedAt) => {
    const now = performance.now()
    return now - lookedAt < LONGEST_TURN_MS ? lookedAt : now
  },

  // --- what happens later

  setTimeout: (callback, ms) => timers.setTimeout(callback, ms),
  clearTimeout: (timer) => timers.clearTimeout(timer),
  setInterval: (callback, ms) => timers.setInterval(callback, ms),
  clearInterval: (timer) => timers.clearInterval(timer),
  setImmediate: (callback) => timers.setImmediate(callback),
  clearImmediate: (immediate) => timers.clearImmediate(immediate),
  /**
   * Calls back in the next turn of the event loop, for who has nothing to do before `until` (ms) but wants to be on time
   * then: a world whose time jumps may go there at once. `clearImmediate` ends it.
   */
  nextTurn: (callback, until) => timers.setImmediate(callback),
  nextTick: (callback) => process.nextTick(callback),
  /** @returns {Promise} after that many ms; rejects where `signal` is aborted before */
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  /** A timer that is pushed back often: `reschedule(ms)`, `clear()`. */
  retimer: (callback, ms) => retimer(callback, ms),
  /** An interval that can be moved: `reschedule(ms)`, `destroy()`. */
  reInterval: (callback, ms) => reInterval(callback, ms),

  // --- the network

  /** A TCP or unix socket on its way to `host` and `port`, or `path`; the lookup of the name belongs to it. */
  connect: (options) => net.connect(options),
  /** Sends a TCP or unix socket on its way that has closed before; null where each has but one life. */
  reconnect: (socket, options) => socket.connect(options),
  /**
   * Goes the whole way of a write up to the system, but for the bytes: the code and the memory that the next one needs are then
   * where the processor has them at hand. Only for a socket without TLS, which would make the next one wait.
   */
  rehearseWrite: (socket) => {
    if (socket.writableLength === 0 && socket.writableCorked === 0) socket.write(NOTHING)
  },
  /** The same with TLS, or TLS over a `socket` that there is. */
  connectTls: (options) => tls.connect(options),

  // --- chance

  /** A whole number from 0 to below `limit`. */
  randomInt: (limit) => crypto.randomInt(limit),
  /** A text of always the same length that no other call, thread or process gives. */
  nextId: idsOfThisThread(),

  // --- other processes of this machine

  /** Whether there is one of this number, whoever it belongs to. */
  hasProcess: (pid) => isThere(pid),
  /** @returns {Promise<{ cpu: number, memory: number }>} percent of one core since the last call, and bytes; rejects where it has ended */
  processUsage: (pid) => loadProcessUsage()(pid),
  /** Throws CANNONADE_MISSING_PACKAGE where that cannot be told. */
  loadProcessUsage,

  // --- how busy this thread is, as Node's functions of these names say

  cpuUsage: (before) => process.cpuUsage(before),
  eventLoopUtilization: (later, earlier) => performance.eventLoopUtilization(later, earlier),
  monitorEventLoopDelay: (options) => monitorEventLoopDelay(options)
})

function isThere (pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function idsOfThisThread () {
  const ids = new Ids(crypto.randomBytes(Ids.PREFIX_LENGTH))
  return () => ids.next()
}

/*
 * All that a run takes from outside comes from this one object. Its methods are called on it (`world.now()`), never kept:
 * who plays a run in another world puts other methods in their place, see enter.js. V8 inlines them as they stand, so that
 * a look at the clock costs what it cost before.
 */
module.exports = { ...REAL, REAL }

'use strict'

const { outcomeOf } = require('./calls')
const connectionOf = require('./connection-of')
const Messages = require('./messages')
const { turnsOf } = require('./turns')

// Results are rounded to the nanosecond, and recorded values to the microsecond.
const ROUNDED_TO_MS = 1e-6
// The maximum error of a histogram with three significant digits, see docs/measurement.md.
const HISTOGRAM_ERROR = 0.001
const CHECKED_PERCENTILES = { p1: 1, p10: 10, p50: 50, p90: 90, p99: 99, p99_99: 99.99 }
// Messages of the connection itself.
const NO_REQUESTS = new Set(['CONNECT', 'CLOSE', 'PING', 'PONG', 'PACKET'])

const us = (ms) => Math.max(0, Math.round(ms * 1000))

/**
 * One round, as the world saw it: what was sent in it, and the outcome of each request. The files beside this one check it: each receives a
 * round and compares it with its `result`, by `must` and `same`.
 */
class Round {
  constructor (drawn, world, played, must) {
    const { phase, phases = [played], log, sockets, result, events, bytesBefore, bytesAfter, connectedAt, concluded } = played
    Object.assign(this, { drawn, world, phase, sockets, result, events, must, bytesBefore, bytesAfter, connectedAt, concluded })
    this.plan = phase.plan
    this.begunAt = phase.window.startedAt
    this.timeout = this.plan.timeout * 1000
    this.isOpen = this.plan.schedule !== null
    /** Whether latencies and deadlines count from due times; with sessions also in the closed model. */
    this.hasDueTimes = this.isOpen || this.plan.sessions !== null
    this.log = log.filter(({ method }) => !NO_REQUESTS.has(method))
    /** With WebSocket: how its messages are answered. */
    this.messages = drawn.messages === undefined ? null : new Messages(this, phases)
    this.finishedAt = phase.finishedAt
    this.endedAt = phase.window.endedAt
    /** Of a broadcast: how it is known which connection had to send which message. */
    this.turns = turnsOf(this)
    /** The part of each thread. Without `workers` there is one, which did everything. */
    this.parts = partsOf(phases, this.log)
    // With an asynchronous hook, requests may be sent in another order than they came due, and a deadline may pass meanwhile.
    // If rows run out, requests that wait for a connection of their own are dropped.
    const { setupRequest, setupClient } = drawn.hooks
    const isForgotten = this.plan.feed !== null && this.plan.schedule?.perConnection === true
    // If a message is complete as soon as it is written, a slow listener delays the next one.
    const isHeldWhileSending = drawn.messages?.expect === 'nothing' && drawn.hooks.listener !== undefined
    const mayRunDry = this.plan.feed?.order === 'once' && (phases.length > 1 || (this.plan.amount !== null && this.plan.targets.length > 1 && drawn.opts.warmup !== undefined))
    // And a session continues when its hooks are done.
    const said = JSON.stringify(drawn.hooks)
    const isHeldInSession = this.plan.sessions !== null && said.includes('sleep')
    /** Whether hooks hold the thread, so that what comes next in the same turn comes later. */
    this.isHeldByHooks = said.includes('hold')
    this.knowsDueTimes = this.hasDueTimes && this.turns !== 'unknown' && !isForgotten && !isHeldInSession && !mayRunDry && !isHeldWhileSending && Object.keys(setupRequest ?? {}).length === 0 && setupClient?.sleep === undefined
    // A nap of one simulated thread blocks the others.
    this.canBeLate = (drawn.client.wakesLate !== undefined && drawn.threads !== undefined) || drawn.client.timersEarlyUs !== undefined || drawn.client.cost !== undefined ||
      drawn.story.some(({ what }) => what === 'hold') || this.isHeldByHooks
  }

  /** Whether each connection has its own queue, which gets arrivals in turn. */
  get hasOwnQueues () {
    return this.plan.schedule.perConnection === true || this.turns === 'turns'
  }

  /** HTTP/2: refused requests may or may not have been sent again, which is clear from the total numbers. */
  get hasRefusals () {
    return hasRefusals(this.log)
  }

  /** The requests whose response was complete before the end. */
  get whole () {
    return this.log.filter(({ receivedAt }) => receivedAt !== null)
  }

  /** Those of them that the statistics include. */
  get counted () {
    if (!this.plan.excludeErrorStats) return this.whole
    const isGood = this.plan.grpc === null ? (answer) => Math.floor(statusOf(answer) / 100) === 2 : (answer) => outcomeOf(answer) === 'OK'
    return this.whole.filter(({ answer }) => isGood(answer))
  }

  /** Connections that could never be used, except those that were opening at the end. */
  get failedAttempts () {
    return this.sockets.filter((socket) => {
      const { finishedAt, heardAt } = this.partOf(socket)
      // A thread that is told to end before it hears that the common start is over goes on until then.
      const until = Math.max(finishedAt, heardAt)
      return socket.usableAt === null && (socket.closedBy !== 'client' || socket.closedAt / 1000 < until || socket.begunAt / 1000 + this.timeout <= until)
    })
  }

  /** When the thread of a connection had finished its part, ms. */
  endOf (socket) {
    return this.partOf(socket).finishedAt
  }

  /** The part of its thread. */
  partOf (socket) {
    return this.parts.length === 1 ? this.parts[0] : this.parts.find(({ share }) => share === shareOf(socket))
  }

  /** From when its deadline counts, ms. */
  startOf (entry) {
    return this.hasDueTimes ? entry.dueAt : entry.sentAt / 1000
  }

  /** The one of several requests, in the order in which they were sent, whose deadline is the earliest; the first if due times are unknown. */
  earliestOf (entries) {
    return entries.reduce((least, entry) => this.startOf(entry) < this.startOf(least) ? entry : least)
  }

  bounds (startOf) {
    return [
      ...this.timedOut.map(() => us(this.timeout)),
      ...this.unfinished.map((entry) => us(Math.min(entry.part.finishedAt - startOf(entry), this.timeout)))
    ]
  }

  /** Of unsent requests. */
  unsentAges () {
    return this.unsent.map(({ dueAt, until }) => us(Math.min(until - dueAt, this.timeout)))
  }

  failedAges () {
    return this.failed.map((entry) => us(entry.endedAt - this.startOf(entry)))
  }

  // The same values, and not only the same count: sum, deviation and extremes are exact, and percentiles those of the log.
  same (name, said, values) {
    values.sort((one, other) => one - other)
    const count = values.length
    const sum = values.reduce((total, value) => total + value, 0)
    const mean = count === 0 ? 0 : sum / count
    const stddev = count === 0 ? 0 : Math.sqrt(values.reduce((total, value) => total + (value - mean) ** 2, 0) / count)
    const expected = { totalCount: count, total: sum / 1000, min: (values[0] ?? 0) / 1000, max: (values.at(-1) ?? 0) / 1000, mean: mean / 1000, stddev: stddev / 1000 }
    for (const [key, value] of Object.entries(expected)) {
      const isSame = Math.abs(said[key] - value) < ROUNDED_TO_MS
      this.must(isSame, `${name}.${key} is ${said[key]}, but the world's log says ${value} (of ${values.length})`)
    }
    for (const [key, percent] of Object.entries(CHECKED_PERCENTILES)) {
      const exact = (values[Math.max(0, Math.ceil(values.length * percent / 100) - 1)] ?? 0) / 1000
      this.must(Math.abs(said[key] - exact) <= exact * HISTOGRAM_ERROR, `${name}.${key} is ${said[key]}, but of the sorted log ${exact}`)
    }
  }
}

/** HTTP/2: whether a server refused any of these requests. */
function hasRefusals (log) {
  return log.some((entry) => entry.socket.peer?.isRefused?.(entry))
}

/** Each phase with the requests of its connections, which know their thread. */
function partsOf (phases, log) {
  // A thread may learn of the common start when it is over.
  const parts = phases.map(({ phase, heardAt, connectedAt }) => (
    { phase, share: phase.pool.part.share, begunAt: phase.window.startedAt, heardAt, connectedAt, endedAt: phase.window.endedAt, finishedAt: phase.finishedAt, log: [] }
  ))
  const byShare = new Map(parts.map((part) => [part.share, part]))
  for (const entry of log) {
    entry.part = parts.length === 1 ? parts[0] : byShare.get(shareOf(entry.socket))
    entry.part.log.push(entry)
  }
  return parts
}

function statusOf (answer) {
  if (typeof answer === 'number') return answer
  // gRPC has a different one.
  return typeof answer.status === 'number' ? answer.status : 200
}

// The number of its thread.
const shareOf = (socket) => connectionOf(socket).owner.pool.part.share

module.exports = { NO_REQUESTS, Round, ROUNDED_TO_MS, hasRefusals, statusOf, us }

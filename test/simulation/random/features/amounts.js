'use strict'

const ClosedLoop = require('../../../../lib/engine/loops/closed-loop')
const OpenLoop = require('../../../../lib/engine/loops/open-loop')
const Arrivals = require('../arrivals')
const { isCrowd, isUnpaced } = require('../is-unpaced')
const { ROUNDED_TO_MS } = require('../round')
const defectIn = require('./plant')

// Age from which a connection counts although it has sent nothing.
const LEAST_LIFE_MS = 20
// What ends a run before it has reached its amount.
const EARLY = new Set(['STOPPED', 'ABORTED_ON_FAIL', 'NO_USABLE_CONNECTION'])

/** Amounts that are a multiple of the connections, or one more or less; and limits that have the same effect. */
function draw (dice, { opts, messages, server, threads }) {
  if (!dice.happens(0.12) || opts.sessions !== undefined || typeof opts.connections !== 'number' || opts.feed !== undefined) return
  if (isCrowd({ messages }, opts.connections)) return
  const rounds = dice.whole(1, 6)
  const amount = Math.max(1, opts.connections * rounds + dice.one(-1, 0, 0, 1))
  for (const name of ['amount', 'maxConnectionRequests', 'maxOverallRequests']) delete opts[name]
  const name = dice.one('amount', 'amount', 'maxConnectionRequests', 'maxOverallRequests')
  opts[name] = name === 'maxConnectionRequests' ? rounds : amount
  // Requests of the warm-up do not count.
  const mayWarmUp = threads === undefined && !(server.queue !== undefined && isUnpaced(opts)) && messages?.expect !== 'nothing'
  if (name === 'maxConnectionRequests' && mayWarmUp && dice.happens(0.6)) opts.warmup = { connections: opts.connections, duration: 0.1 }
  if (dice.happens(0.3) && messages === undefined && opts.keepAlive !== false) opts.reconnectRate = rounds
}

// One of them applies, in this order.
function limitOf ({ amount, maxOverallRequests, maxConnectionRequests, connections }) {
  if (amount !== undefined) return amount
  return maxConnectionRequests === undefined ? maxOverallRequests ?? Infinity : maxConnectionRequests * mostOf(connections)
}

const mostOf = (connections) => typeof connections === 'number' ? connections : connections.to

const isIn = ({ opts }) => opts.sessions !== undefined ? opts.sessions.amount !== undefined : limitOf(opts) !== Infinity

/** A run that ends by itself has reached its amount, and each thread its share; none exceeds it. */
function check (round) {
  const { must, drawn, plan, parts, result: { accounting: { scheduled, sent, failed, timedOut }, connectionStats, sessions, warnings } } = round
  const { opts } = drawn
  if (opts.sessions !== undefined) {
    const isEarly = warnings.some(({ code }) => EARLY.has(code)) || opts.feed !== undefined || opts.sessions.amount === undefined
    must(isEarly || sessions.scheduled === dueOf(round, opts.sessions.amount), `${sessions.scheduled} sessions came of ${opts.sessions.amount}`)
    return
  }
  const limit = limitOf(opts)
  const failures = failed + timedOut + connectionStats.failed
  const isLeftAlone = warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION') && !round.hasRefusals && !drawn.story.some(takesNothing)
  must(!isLeftAlone || failures > 0 || round.sockets.some(isShort), 'there was no usable connection, it says, but nothing has failed')
  must(scheduled <= limit, `${scheduled} requests, of at most ${limit}`)
  const isOver = warnings.some(({ code }) => EARLY.has(code)) || opts.feed?.order === 'once' || limit === Infinity
  const hasTime = plan.amount !== null || parts.every(({ begunAt, endedAt }) => endedAt - begunAt < plan.duration * 1000 - ROUNDED_TO_MS)
  if (isOver || !hasTime) return
  const expected = dueOf(round, limit)
  must(scheduled === expected, `${scheduled} requests of ${expected}, in a run that ended by itself`)
  // Each of several URLs has its own share.
  if (round.isOpen || round.hasRefusals || drawn.server.isOneOfTwo) return
  for (const { phase: { pool: { part: { share, of } } }, log } of parts) {
    const dealt = Array.from({ length: expected }, (_, index) => index % plan.connections % of).filter((which) => which === share).length
    must(log.length === dealt, `the thread ${share} of ${of} sent ${log.length} requests, and not the ${dealt} that were dealt to it`)
  }
  must(sent === expected, `${sent} requests were sent of ${expected}`)
}

// A server that closes connections as soon as it has accepted them.
const isShort = ({ usableAt, closedAt, closedBy }) => usableAt !== null && closedBy !== 'client' && (closedAt - usableAt) / 1000 < LEAST_LIFE_MS

// An HTTP/2 server whose connections stay open, but accept no more requests.
const takesNothing = ({ what, args }) => what === 'changeSettings' && args[0].some(([name, value]) => name === 'MAX_CONCURRENT_STREAMS' && value === 0)

// Stages end by themselves, and a schedule ends with the duration.
function dueOf ({ isOpen, drawn: { opts, seed } }, limit) {
  if (!isOpen) return limit
  const arrivals = new Arrivals({ ...opts, amount: opts.sessions === undefined ? opts.amount : opts.sessions.amount }, seed)
  let due = 0
  while (due < limit && arrivals.at(due) < Infinity) due++
  return due
}

const defects = {
  'an amount that is one more in a thread': defectIn(ClosedLoop, 'begin', (original) => function () {
    this.budget++
    original.call(this)
  }),
  'a failed request that uses nothing up': defectIn(ClosedLoop, 'lost', () => function () { this.budget++ }),
  'an amount that ends with what is due and not sent': defectIn(OpenLoop, 'come', (original) => function (queue) {
    original.call(this, queue)
    if (this.budget === 1) this.budget = 0
  })
}

module.exports = { name: 'amounts', draw, isIn, check, defects }

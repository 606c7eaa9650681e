'use strict'

const Http1Connection = require('../../../../lib/protocol/http1/connection')
const groups = require('../groups')
const { isInOrder } = require('./cookies')
const defectIn = require('./plant')

/** Connections that are replaced after a number of responses, with several requests in flight. */
function draw (dice, drawn) {
  const { opts, messages, calls, stream, walk, cookies } = drawn
  if (!dice.happens(0.06) || messages !== undefined || calls !== undefined || stream !== null || opts.keepAlive === false || opts.sessions?.connections > 1 || walk?.isChained) return
  opts.reconnectRate = dice.whole(1, 6)
  // The cookies of a request are known only if responses are read in order.
  if (cookies === undefined || isInOrder(drawn)) opts.pipelining = dice.whole(2, 5)
}

const isIn = ({ opts, messages }) => opts.reconnectRate !== undefined && messages === undefined

/** A connection sends as many requests as it may, including those of a warm-up, and is closed with the last response, without losing any. */
function checkWorld (drawn, { world, complete }, must) {
  const { opts: { reconnectRate } } = drawn
  const log = world.log.filter(({ method }) => method !== 'CONNECT')
  if (complete.length === 0 || complete.some(({ hasRefusals }) => hasRefusals)) return
  const ends = new Set(complete.map(({ finishedAt }) => finishedAt))
  for (const [socket, sent] of groups(log, (entry) => entry.socket)) {
    must(sent.length <= reconnectRate, `${sent.length} requests on a connection for ${reconnectRate}`)
    const answered = sent.filter(({ receivedAt }) => receivedAt !== null)
    if (mayGoOn(drawn, socket, ends) && answered.length === sent.length) must(answered.length === reconnectRate, `a connection was replaced after ${answered.length} of ${reconnectRate} responses`)
    // User code delays requests.
    if (answered.length < reconnectRate || complete[0].canBeLate) continue
    const last = Math.max(...answered.map(({ receivedAt }) => receivedAt))
    must(socket.closedAt === last, `a connection was closed at ${socket.closedAt / 1000}, and had its last response at ${last / 1000}`)
  }
}

// Nothing else closes a connection.
function mayGoOn ({ opts, server }, { closedBy, closedAt }, ends) {
  const isOurs = closedBy === 'client after response' && opts.sessions === undefined && opts.keepAlive !== false && server.keepAlive === undefined && !opts.http2
  return isOurs && !ends.has(closedAt / 1000)
}

const defects = {
  'a connection that takes as many requests as its pipeline': defectIn(Http1Connection, 'room', (original) => function () {
    if (!this.takesRequests) return 0
    const { reconnectRate } = this.owner.plan
    const room = original.call(this)
    return reconnectRate !== null && this.sentHere < reconnectRate && this.script === null ? Math.max(room, this.depth - this.busy) : room
  }),
  'a connection that is closed with the next response': defectIn(Http1Connection, 'onComplete', (original) => function (...args) {
    original.apply(this, args)
    if (this.answeredHere === this.owner.plan.reconnectRate && this.flight.inFlight === 0) this.isLast = this.parser.stopped = false
  }),
  'a connection that is replaced a response early': defectIn(Http1Connection, 'onComplete', (original) => function (...args) {
    original.apply(this, args)
    if (this.answeredHere + 1 === this.owner.plan.reconnectRate && this.flight.inFlight === 0) this.isLast = this.endsByRequest = this.parser.stopped = true
  })
}

module.exports = { name: 'reconnects', draw, isIn, checkWorld, defects }

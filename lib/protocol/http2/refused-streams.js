'use strict'

const { NO_PROGRESS } = require('../shared/progress')
const { NONE } = require('./stream-table')

const UNKNOWN = { index: 0, refused: { id: undefined, serial: undefined } }

/**
 * The requests of one connection that the server refused with GOAWAY (RFC 9113, section 6.8). It will never process them, so
 * they are retried, until their deadline, as if they had not been sent.
 *
 *     in flight ── take ──┬─ open model: back to the owner, with its due time
 *                         └─ closed model: retries ── moveInto ── waiting, when the connection is open again
 *
 * `again` lists which requests were refused, oldest first; they are sent before others. If there is a script, it keeps this
 * list instead.
 */
class RefusedStreams {
  /** @param {Http2Connection} connection */
  constructor (connection) {
    this.connection = connection
    /** The refused requests: the index of each in the sequence, and what its refused attempt carried. */
    this.again = []
    /** Closed model: the requests that this connection must send again, `{ dueAt, begunAt }`. */
    this.retries = []
    /** What is reported of the request that timed out last: see Connection.requestIn and Connection.traceIdOf. */
    this.expired = null
    this.expiredSerial = undefined
  }

  /** How many requests are waiting for the connection to reopen. */
  get count () {
    return this.retries.length
  }

  /** Takes back the requests on streams beyond `lastId`, which the server refuses. */
  takeBeyond (lastId) {
    const { streams } = this.connection
    const refused = streams.slots.filter((slot) => streams.id[slot] > lastId)
    for (const [place, slot] of refused.entries()) this.take(slot, place)
  }

  // Only the last attempt of a request is counted. Requests that still wait since an earlier GOAWAY come after these, which were sent before
  // them.
  take (slot, place) {
    const { connection } = this
    const { order, owner, script, streams, train } = connection
    const dueAt = streams.dueAt[slot]
    const begunAt = streams.begunAt[slot]
    if (order.isByArrival) order.untake(dueAt, train.endpoints.indexOf(streams.endpoint[slot]))
    const refused = { id: connection.idsSent[slot], serial: connection.traces === null ? undefined : connection.serialOf(slot) }
    if (script !== null) {
      script.entries[slot].refused = refused
      script.sendAgain(slot, dueAt, place)
    } else if (!order.isByArrival) {
      this.again.splice(place, 0, { index: streams.request[slot], refused })
    }
    connection.outgoing.uploads.drop(slot)
    connection.leaveStream(slot)
    owner.recorder.sent--
    connection.sentEver--
    if (owner.isOpenModel) owner.unwritten(connection, dueAt)
    else this.retry(dueAt, begunAt)
  }

  retry (dueAt, begunAt) {
    this.retries.push({ dueAt, begunAt })
  }

  /** @returns {number} the index of the next request to retry; there must be one */
  next () {
    return this.again.shift().index
  }

  /** The connection is open. These requests go first, since they are older than any that the owner will add. */
  moveInto (waiting) {
    for (const { dueAt, begunAt } of this.retries) waiting.add(dueAt, begunAt)
    this.retries.length = 0
  }

  /** When the deadline of the oldest refused request began to count; Infinity if there is none. */
  get oldest () {
    let oldest = this.connection.waiting.oldestRetry
    for (const { begunAt } of this.retries) oldest = Math.min(oldest, begunAt)
    return oldest
  }

  /** Times out the requests whose deadline began at or before `start`. Their refused attempt counts as their sending. */
  expire (start) {
    const { connection } = this
    const { owner } = connection
    const late = connection.waiting.takeRetries(start)
    this.retries = this.retries.filter((request) => {
      if (request.begunAt > start) return true
      late.push(request)
      return false
    })
    for (const { dueAt, begunAt } of late) {
      const endpoint = this.endWithoutRetry(this.list.shift())
      owner.recorder.sent++
      connection.sentEver++
      owner.requestTimedOut(endpoint, dueAt, begunAt, connection, NO_PROGRESS, undefined, NONE)
    }
  }

  // What was refused, in the order of `retries` and then of those in `waiting`.
  get list () {
    const { script } = this.connection
    return script === null ? this.again : script.again
  }

  // It is reported with what its refused attempt carried. @returns {number} its endpoint
  endWithoutRetry ({ step, index, encoded, refused } = UNKNOWN) {
    const { train } = this.connection
    this.expired = (encoded ?? train.requests[index]).describe(refused.id)
    this.expiredSerial = refused.serial
    return step === undefined ? train.endpoints[index] : step.endpoint
  }

  /**
   * Records the requests that have not been sent again as unfinished, as if the run ended now. Their refused attempt counts as their
   * sending. In the open model, it is the owner that has them.
   */
  recordUnfinished (recorder, now) {
    const { connection, list, retries } = this
    const all = [...retries, ...connection.waiting.retries]
    for (const [place, { dueAt, begunAt }] of all.entries()) {
      const endpoint = this.endWithoutRetry(list[place])
      recorder.sent++
      recorder.unfinishedRequest(endpoint, dueAt, begunAt, now, NO_PROGRESS, undefined, connection, NONE)
    }
  }

  /** The phase is over: what it did not send again is not sent in the next one. */
  endPhase (now) {
    const { connection } = this
    this.recordUnfinished(connection.owner.recorder, now)
    connection.waiting.takeRetries(Infinity)
    this.retries.length = 0
    this.again.length = 0
    if (connection.script !== null) connection.script.again.length = 0
  }
}

module.exports = RefusedStreams

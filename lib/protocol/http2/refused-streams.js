'use strict'

/**
 * The requests of one connection that the server refused by GOAWAY (RFC 9113, section 6.8): it has not processed them and never
 * will, so they are sent again as if they had not been sent, until their deadline.
 *
 *     in flight ── take ──┬─ open model: back to the owner, with its due time
 *                         └─ closed model: owed ── payInto ── waiting, when the connection is open again
 *
 * `again` lists which requests they were, oldest first; they go out before others. If there is a script, it keeps this list.
 */
class RefusedStreams {
  /** @param {Http2Connection} connection */
  constructor (connection) {
    this.connection = connection
    /** Requests of the sequence, by their index. */
    this.again = []
    /** Closed model: what this connection sends again itself, `{ dueAt, begunAt }`. */
    this.owed = []
  }

  /** How many requests the connection has to be opened again for. */
  get count () {
    return this.owed.length
  }

  /** The server takes no streams beyond this one. */
  takeBeyond (lastId) {
    const { streams } = this.connection
    for (const slot of streams.slots) {
      if (streams.id[slot] > lastId) this.take(slot)
    }
  }

  // Only its last sending counts.
  take (slot) {
    const { connection } = this
    const { owner, script, streams } = connection
    const dueAt = streams.dueAt[slot]
    const begunAt = streams.begunAt[slot]
    if (script !== null) script.sendAgain(slot)
    else this.again.push(streams.request[slot])
    connection.outgoing.uploads.drop(slot)
    connection.leaveStream(slot)
    owner.recorder.sent--
    connection.sentEver--
    if (owner.isOpenModel) owner.unwritten(connection, dueAt)
    else this.owe(dueAt, begunAt)
  }

  owe (dueAt, begunAt) {
    this.owed.push({ dueAt, begunAt })
  }

  /** @returns {number} the index of the first request that goes out again; only when there is one */
  next () {
    return this.again.shift()
  }

  /** The connection is open: what is owed is older than all that its owner has to give. */
  payInto (waiting) {
    for (const { dueAt, begunAt } of this.owed) waiting.add(dueAt, begunAt)
    this.owed.length = 0
  }

  /** When the deadline of the oldest one began to count; Infinity: there is none. */
  get oldest () {
    let oldest = this.connection.waiting.oldestOwed
    for (const { begunAt } of this.owed) oldest = Math.min(oldest, begunAt)
    return oldest
  }

  /** Those are late whose deadline began no later than `start`: their only sending was the one that the server did not take. */
  expire (start) {
    const { connection } = this
    const { owner } = connection
    const late = connection.waiting.takeOwed(start)
    this.owed = this.owed.filter((request) => {
      if (request.begunAt > start) return true
      late.push(request)
      return false
    })
    for (const { dueAt, begunAt } of late) {
      const endpoint = this.forgetNext()
      owner.recorder.sent++
      connection.sentEver++
      owner.requestTimedOut(endpoint, dueAt, begunAt, connection)
    }
  }

  // The first is the oldest. @returns {number} its endpoint
  forgetNext () {
    const { script, train } = this.connection
    if (script !== null) return script.again.shift()?.step.endpoint ?? 0
    return train.endpoints[this.again.shift() ?? 0]
  }

  /** The run is over. */
  forgetAll () {
    this.owed.length = 0
  }
}

module.exports = RefusedStreams

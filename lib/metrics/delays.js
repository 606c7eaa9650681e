'use strict'

const microseconds = require('./microseconds')

/**
 * Open model: why requests were sent later than they were due. What was a wait for a connection, with the server to answer for
 * it, is told from what the client added; and of the latter, how much was whose. All times in ms of one clock.
 */
class Delays {
  /**
   * @param {Standstills} standstills of this thread
   * @param {{ waitDelay: Tally, clientDelay: Tally, sendDelay: Tally }} tallies what to count into: the two parts, and the whole
   * @param {{ waitAsleep: Distribution, waitForHooks: Distribution, waitForConnecting: Distribution }} distributions and these
   */
  constructor (standstills, { waitDelay, clientDelay, sendDelay }, { waitAsleep, waitForHooks, waitForConnecting }) {
    this.standstills = standstills
    this.waitDelay = waitDelay
    this.clientDelay = clientDelay
    this.sendDelay = sendDelay
    this.waitAsleep = waitAsleep
    this.waitForHooks = waitForHooks
    this.waitForConnecting = waitForConnecting
  }

  /**
   * A request that came due at `dueAt` went out at `now`; a free connection was there since `freeSince`, after `turn` ms in
   * which it was not, of which a hook held it for `held` ms, and it was not open for `apart` ms at the end.
   */
  record (dueAt, freeSince, now, turn, held, apart) {
    let waited = Math.max(0, freeSince - dueAt)
    if (waited > 0) waited -= this.clientsShare(dueAt, freeSince, turn, held, apart)
    else if (dueAt < this.standstills.end) this.asleepWithin(dueAt, now)
    this.waitDelay.record(microseconds(waited))
    this.clientDelay.record(microseconds(now - dueAt - waited))
    this.sendDelay.record(microseconds(now - dueAt))
  }

  // Of the wait for a connection, what was not the server's doing: this thread stood still, or hooks of the user's held the
  // connection. A wait that is longer than the connection's last turn has seen several such turns.
  clientsShare (dueAt, freeSince, turn, held, apart) {
    const waited = freeSince - dueAt
    const asleep = dueAt < this.standstills.end ? this.asleepWithin(dueAt, freeSince) : 0
    if (held === 0 && apart === 0) return asleep
    const turns = turn > 0 && waited > turn ? waited / turn : 1
    const byHooks = Math.min(waited - asleep, held * turns)
    const byConnecting = Math.min(waited - asleep - byHooks, apart * turns)
    if (byHooks > 0) this.waitForHooks.record(microseconds(byHooks))
    if (byConnecting > 0) this.waitForConnecting.record(microseconds(byConnecting))
    return asleep + byHooks
  }

  asleepWithin (start, end) {
    const asleep = this.standstills.within(start, end)
    this.waitAsleep.record(microseconds(asleep))
    return asleep
  }
}

module.exports = Delays

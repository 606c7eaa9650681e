'use strict'

const { microseconds } = require('../base/rounding')

/**
 * Open model: explains why requests were sent after their due time. Separates the wait for a connection, which is attributed to
 * the server, from delays that the client added, and breaks the latter down by cause. All times are in ms of one clock.
 */
class Delays {
  /**
   * @param {Standstills} standstills of this thread
   * @param {{ waitDelay: Tally, clientDelay: Tally, sendDelay: Tally }} tallies receive the server's part, the client's part and
   *   the total
   * @param {Record<string, Distribution>} distributions receive parts of the wait for a connection, by cause (`waitAsleep`,
   *   `waitForHooks`, `waitForConnecting`), and the parts of the ages of unsent requests (`unsentByClient`, `unsentWaits`)
   */
  constructor (standstills, { waitDelay, clientDelay, sendDelay }, { waitAsleep, waitForHooks, waitForConnecting, unsentByClient, unsentWaits }) {
    this.standstills = standstills
    this.waitDelay = waitDelay
    this.clientDelay = clientDelay
    this.sendDelay = sendDelay
    this.waitAsleep = waitAsleep
    this.waitForHooks = waitForHooks
    this.waitForConnecting = waitForConnecting
    this.unsentByClient = unsentByClient
    this.unsentWaits = unsentWaits
    /** The MissingTimes of this thread once the person has stopped the run. */
    this.interrupted = null
  }

  /**
   * Records a request that was due at `dueAt` and sent at `now`. A connection has been free since `freeSince`. Before that it
   * was unavailable for `unavailable` ms: a hook held it for `heldByHooks` ms of these, and it was not open for the last
   * `notOpen` ms.
   */
  record (dueAt, freeSince, now, unavailable, heldByHooks, notOpen) {
    let waited = Math.max(0, freeSince - dueAt)
    if (waited > 0) waited -= this.clientShare(dueAt, freeSince, unavailable, heldByHooks, notOpen)
    else if (dueAt < this.standstills.end) this.asleepWithin(dueAt, now)
    // Only one part is rounded, so that the two add up to the whole.
    const whole = microseconds(now - dueAt)
    const wait = Math.min(whole, microseconds(waited))
    this.waitDelay.record(wait)
    this.clientDelay.record(whole - wait)
    this.sendDelay.record(whole)
  }

  // Returns the part of the wait for a connection that the client caused: this thread stood still, or user hooks held the
  // connection. If the wait was longer than the connection's last period of use, it is assumed to have covered several similar
  // periods.
  clientShare (dueAt, freeSince, unavailable, heldByHooks, notOpen) {
    const waited = freeSince - dueAt
    const asleep = dueAt < this.standstills.end ? this.asleepWithin(dueAt, freeSince) : 0
    if (heldByHooks === 0 && notOpen === 0) return asleep
    const periods = unavailable > 0 && waited > unavailable ? waited / unavailable : 1
    const byHooks = Math.min(waited - asleep, heldByHooks * periods)
    const byConnecting = Math.min(waited - asleep - byHooks, notOpen * periods)
    if (byHooks > 0) this.waitForHooks.record(microseconds(byHooks))
    if (byConnecting > 0) this.waitForConnecting.record(microseconds(byConnecting))
    return asleep + byHooks
  }

  /** Records a request that was due at `dueAt` and never sent. @param {number} heldShare @param {number} timeout see Recorder.unsentRequest */
  unsent (dueAt, now, heldShare, timeout) {
    const asleep = dueAt < this.standstills.end ? this.standstills.within(dueAt, now) : 0
    const byClient = asleep + (now - dueAt - asleep) * heldShare
    const age = microseconds(Math.min(now - dueAt, timeout))
    const ofClient = Math.min(age, microseconds(byClient))
    this.unsentByClient.record(ofClient)
    this.unsentWaits.record(age - ofClient)
    if (this.interrupted === null) return
    this.interrupted.interrupt('clientDelay', ofClient / 1000)
    this.interrupted.interrupt('waitDelay', (age - ofClient) / 1000)
  }

  asleepWithin (start, end) {
    const asleep = this.standstills.within(start, end)
    this.waitAsleep.record(microseconds(asleep))
    return asleep
  }
}

module.exports = Delays

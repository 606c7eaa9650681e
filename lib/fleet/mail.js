'use strict'

const world = require('../world')
const { KEPT_MS } = require('./limits')

/*
 * Delivers each message once and in order, over a channel that may lose the latest messages (Redis was restarted without its
 * data) or deliver one twice (a command was repeated after a broken connection):
 *
 *     Outbox   1 2 3 4 5  ------ 1 2 . 4 5 ------>  Inbox   delivers 1 2, notices that 3 is missing
 *              3 4 5      <--- "again from 3" ----
 *                         ------ 3 4 5 --------->          delivers 3 4 5
 *
 * A pulse has no number. It has the number of the last message, so that the loss of the last one is noticed, too. It also carries
 * "again from 3", which is handled at once. If that were a message, it would wait for messages that are missing in its own
 * direction, and two machines that have both missed something would wait for each other forever.
 */

// Repeated messages take a while to arrive; don't ask for them again before that.
const PATIENCE_MS = 500
const RESENT_MS = 300

/** Sends messages, and repeats those that were missed. */
class Outbox {
  /** @param {function(?number, number, object)} post gets the number of a message (null: a pulse), the last number, the message */
  constructor (post) {
    this.post = post
    this.last = 0
    this.kept = []
    this.toldAt = -Infinity
    this.resent = { from: Infinity, at: -Infinity }
  }

  /** @returns {number} the number of the message */
  tell (message) {
    const now = world.now()
    this.toldAt = now
    this.last++
    this.kept.push({ number: this.last, message, at: now })
    while (this.kept[0].at < now - KEPT_MS) this.kept.shift()
    this.post(this.last, this.last, message)
    return this.last
  }

  /** The only receiver has this message, and therefore all before it. */
  delivered (number) {
    while (this.kept.length > 0 && this.kept[0].number <= number) this.kept.shift()
  }

  /** @param {object} pulse `to`; `again`: the first message that the sender of the pulse has missed */
  pulse (pulse) {
    this.toldAt = world.now()
    this.post(null, this.last, pulse)
  }

  /** A receiver has missed messages. If several receivers miss the same ones, they are repeated once. */
  again (from) {
    const now = world.now()
    if (from >= this.resent.from && now - this.resent.at < RESENT_MS) return
    this.resent = { from, at: now }
    for (const { number, message } of this.kept) {
      if (number >= from) this.post(number, this.last, message)
    }
  }
}

/** Receives the messages of one machine. */
class Inbox {
  /**
   * @param {function(object)} hear gets each message once, in order
   * @param {function(number)} askAgain gets the number of the first missing message
   */
  constructor (hear, askAgain) {
    this.hear = hear
    this.askAgain = askAgain
    this.last = 0
    this.heardAt = world.now()
    this.askedAt = -Infinity
  }

  take (message) {
    const { number, last } = message
    this.heardAt = world.now()
    if (number === this.last + 1) {
      this.last = number
      this.hear(message)
    }
    if (last > this.last && this.heardAt - this.askedAt > PATIENCE_MS) {
      this.askedAt = this.heardAt
      this.askAgain(this.last + 1)
    }
  }
}

module.exports = { Outbox, Inbox }

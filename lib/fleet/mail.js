'use strict'

const world = require('../world')
const { KEPT_MS } = require('./limits')

/*
 * Messages that arrive once each and in their order, over a way that may lose the last ones (Redis was restarted without its
 * data) or bring one twice (a command was repeated after a broken connection):
 *
 *     Outbox   1 2 3 4 5  ------ 1 2 . 4 5 ------>  Inbox   gives 1 2, sees that 3 is missing
 *              3 4 5      <--- "again from 3" ----
 *                         ------ 3 4 5 --------->          gives 3 4 5
 *
 * A pulse has no number. It says the last one there is, so that a message with none behind it is missed as well; and it carries
 * "again from 3", which is heard at once: were it a message, it would wait for those that are missing on its own way, and
 * two that have both missed something would wait for each other for ever.
 */

// Whoever has been asked needs a while to answer; what is on its way need not be sent again.
const PATIENCE_MS = 500
const RESENT_MS = 300

/** Where messages are told. */
class Outbox {
  /** @param {function(?number, number, object)} post gets the number of a message (null: a pulse), the last number, the message */
  constructor (post) {
    this.post = post
    this.last = 0
    this.kept = []
    this.toldAt = -Infinity
    this.resent = { from: Infinity, at: -Infinity }
  }

  tell (message) {
    const now = world.now()
    this.toldAt = now
    this.last++
    this.kept.push({ number: this.last, message, at: now })
    while (this.kept[0].at < now - KEPT_MS) this.kept.shift()
    this.post(this.last, this.last, message)
  }

  /** @param {object} pulse `to`; `again`: from which one on its sender has missed some of the other's */
  pulse (pulse) {
    this.toldAt = world.now()
    this.post(null, this.last, pulse)
  }

  /** Somebody has missed some. What many have missed at once is told again once. */
  again (from) {
    const now = world.now()
    if (from >= this.resent.from && now - this.resent.at < RESENT_MS) return
    this.resent = { from, at: now }
    for (const { number, message } of this.kept) {
      if (number >= from) this.post(number, this.last, message)
    }
  }
}

/** Where the messages of one other come in. */
class Inbox {
  /**
   * @param {function(object)} hear gets each letter once, in order
   * @param {function(number)} askAgain from which one on
   */
  constructor (hear, askAgain) {
    this.hear = hear
    this.askAgain = askAgain
    this.last = 0
    this.heardAt = world.now()
    this.askedAt = -Infinity
  }

  take (letter) {
    const { number, last } = letter
    this.heardAt = world.now()
    if (number === this.last + 1) {
      this.last = number
      this.hear(letter)
    }
    if (last > this.last && this.heardAt - this.askedAt > PATIENCE_MS) {
      this.askedAt = this.heardAt
      this.askAgain(this.last + 1)
    }
  }
}

module.exports = { Outbox, Inbox }

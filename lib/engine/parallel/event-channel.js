'use strict'

const world = require('../../world')

/*
 * Delivers single events (`response`, `reqError`, `reqMismatch`) from where they happen to where their listeners are. They
 * have a channel of their own, so that messages a run needs in time (its samples, its end) never queue behind them:
 *
 *     part of the run                                     listeners
 *     EventSender   waiting, at most BACKLOG  --batch-->  EventReceiver   in slices, between which all else goes on
 *                   in flight, at most IN_FLIGHT <--heard--
 *
 * If a listener is too slow for the load, the sender waits, and eventually drops events and counts them.
 */

// Events are sent in batches, several per second.
const BATCH_MS = 50
const BATCH = 250
// Sent but not yet acknowledged. This also limits how old an event is when it is delivered.
const IN_FLIGHT = 2000
// Enough to bridge a pause of the listening thread.
const BACKLOG = 10_000
// How long listeners may keep their thread busy before other messages are processed.
const SLICE_MS = 10
// How long the end of a run waits for its listeners.
const PATIENCE_MS = 1000

/** The sending end, where events happen. */
class EventSender {
  /** @param {function(Array[])} post sends a batch */
  constructor (post) {
    this.post = post
    this.waiting = []
    this.inFlight = 0
    this.told = 0
    this.leftOut = 0
    this.timer = null
  }

  add (...event) {
    if (this.waiting.length === BACKLOG) {
      this.leftOut++
      return
    }
    this.waiting.push(event)
    this.wake()
  }

  wake () {
    if (this.waiting.length >= BATCH) this.send(IN_FLIGHT)
    else this.timer ??= world.setTimeout(() => this.send(IN_FLIGHT), BATCH_MS)
  }

  send (most) {
    world.clearTimeout(this.timer)
    this.timer = null
    while (this.waiting.length > 0 && this.inFlight < most) {
      const batch = this.waiting.splice(0, Math.min(BATCH, most - this.inFlight))
      this.inFlight += batch.length
      this.told += batch.length
      this.post(batch)
    }
  }

  /** Listeners have received `count` of the events that were sent. */
  heard (count) {
    this.inFlight -= count
    if (this.waiting.length > 0) this.wake()
  }

  /**
   * Called at the end of a phase: sends all waiting events.
   *
   * @returns {{ told: number, leftOut: number }} `told`: all events ever sent; `leftOut`: those dropped since the last
   *   call
   */
  end () {
    this.send(Infinity)
    const { told, leftOut } = this
    this.leftOut = 0
    return { told, leftOut }
  }
}

/** The receiving end, where the listeners are. It serves several senders. */
class EventReceiver {
  /**
   * @param {function(Array)} emit delivers one event to the listeners
   * @param {function(*, number)} acknowledge tells a sender how many of its events have been delivered
   */
  constructor (emit, acknowledge) {
    this.emit = emit
    this.acknowledge = acknowledge
    this.isOpen = false
    this.queue = []
    // By sender: how many events have arrived, and how many of those belong to earlier phases.
    this.received = new Map()
    this.over = new Map()
    this.slice = null
    this.changed = () => {}
  }

  /** Starts delivery to the listeners. */
  open () {
    this.isOpen = true
    this.wake()
  }

  take (sender, batch) {
    const before = this.received.get(sender) ?? 0
    this.received.set(sender, before + batch.length)
    if (before >= (this.over.get(sender) ?? 0)) this.queue.push({ sender, batch, next: 0 })
    this.wake()
  }

  wake () {
    if (this.isOpen) this.slice ??= world.setImmediate(() => this.tell())
  }

  tell () {
    this.slice = null
    const until = world.now() + SLICE_MS
    while (this.queue.length > 0 && world.now() < until) this.sendNext()
    if (this.queue.length > 0) this.wake()
    this.changed()
  }

  sendNext () {
    const first = this.queue[0]
    this.emit(first.batch[first.next++])
    if (first.next < first.batch.length) return
    this.queue.shift()
    this.acknowledge(first.sender, first.batch.length)
  }

  /**
   * Ends a phase: waits until the listeners have received all its events, for at most PATIENCE_MS.
   *
   * @param {Map<*, number>} told how many events each sender has ever sent
   * @returns {Promise<number>} how many events will not be delivered
   */
  async settle (told) {
    const deadline = world.now() + PATIENCE_MS
    const timer = world.setTimeout(() => this.changed(), PATIENCE_MS + 1)
    while (this.missing(told) > 0 && world.now() < deadline) {
      await new Promise((resolve) => { this.changed = resolve })
    }
    world.clearTimeout(timer)
    const missing = this.missing(told)
    this.over = told
    this.queue = []
    return missing
  }

  missing (told) {
    const onTheirWay = [...told].map(([sender, count]) => Math.max(0, count - (this.received.get(sender) ?? 0)))
    const here = this.queue.map(({ batch, next }) => batch.length - next)
    return [...onTheirWay, ...here].reduce((sum, count) => sum + count, 0)
  }

  close () {
    this.isOpen = false
    world.clearImmediate(this.slice)
    this.queue = []
  }
}

module.exports = { EventSender, EventReceiver, BACKLOG, IN_FLIGHT }

'use strict'

/*
 * Virtual time, in whole microseconds. Nothing happens between two events, so time jumps from one to the next.
 *
 * There are two kinds of events. Those of the network and of servers happen at their time, whatever the client does. Events for
 * the client (a timer, bytes, the end of a connection) are ready at their time, and handled when the client's thread is free, which
 * is later if it is blocked. As in Node, a turn of the event loop handles what was ready when it began, and then all pending
 * `setImmediate` callbacks; anything that becomes ready meanwhile waits for the next turn. A turn takes a microsecond, so that time
 * advances for code that polls the clock.
 *
 *     network, servers  ──●──────●───●────────●──────●────
 *     ready for client    ╰─────╮╰─╮ ╰──╮     ╰╮     ╰╮
 *     the client        ────────[blocked]●●●───●──────●───
 */
const TURN_US = 1
// How many client events are executed before the real event loop gets a turn.
const EVENTS_PER_REAL_TURN = 5000
// Code that reads the clock, or requests ticks, this often in one event would never end, because time doesn't advance within an event.
const MOST_IN_ONE_EVENT = 1e6

class Scheduler {
  /** @param {number} startUs the time at the beginning */
  constructor (startUs) {
    this.heap = []
    this.sequence = 0
    /** The time of the network and the servers. */
    this.time = startUs
    /** The client's clock: the time until which its thread was busy. */
    this.client = startUs
    this.ready = []
    this.readyFrom = 0
    /** How many of the ready events belong to the current turn; -1: it hasn't begun. */
    this.pollLeft = -1
    this.batch = []
    this.batchFrom = 0
    this.immediates = []
    this.lastBatchAt = -1
    this.ticks = []
    /** Number of events so far, of the client and elsewhere. */
    this.events = 0
    this.played = 0
    this.turn = 0
    this.looks = 0
    /** Whether the current event belongs to the client's thread. */
    this.isOfClient = false
    this.isEnded = false
  }

  /** The client reads its clock. @returns {number} ms */
  look () {
    if (++this.looks > MOST_IN_ONE_EVENT) throw new Error(`the client has looked at the clock ${MOST_IN_ONE_EVENT} times at ${this.client / 1000} ms, and waits for time to pass in a loop`)
    return this.client / 1000
  }

  // --- schedule events

  /**
   * @param {number} at us
   * @param {function()} happen
   * @returns {object} for `cancel`
   */
  add (at, happen) {
    const event = { at: Math.max(at, this.time), order: this.sequence++, happen, isCancelled: false }
    push(this.heap, event)
    return event
  }

  /** Schedules an event for the client, which handles it as soon as it is free. @returns {object} for `cancel` */
  addForClient (at, hear) {
    const event = this.add(at, () => { if (!event.isCancelled) this.tellClient(event) })
    event.hear = hear
    return event
  }

  cancel (event) {
    event.isCancelled = true
  }

  /** Makes an event ready for the client: it calls `hear()`, unless it `isCancelled` by then. */
  tellClient (event) {
    this.ready.push(event)
  }

  /** Calls back at the end of the client's current turn. */
  addImmediate (hear) {
    const immediate = { hear, isCancelled: false }
    this.immediates.push(immediate)
    return immediate
  }

  addTick (callback) {
    this.ticks.push(callback)
  }

  /** Blocks the client's thread. */
  hold (us) {
    this.client += us
  }

  // --- execute events

  /**
   * Executes events until `end` is called.
   *
   * @param {{ idle: function(), failed: function(Error), bound: function(number): boolean }} owner `idle` is called if nothing is left to
   *   happen, `failed` if the client's thread throws; `bound` returns, before anything happens at that time (us), whether the limits
   *   are exceeded
   */
  begin (owner) {
    this.owner = owner
    this.resume = () => process.nextTick(this.step)
    this.step = () => this.play()
    process.nextTick(this.step)
  }

  end () {
    this.isEnded = true
  }

  /*
   * Executes one event of the client, and then everything that it caused: ticks, and settled promises. Node executes all microtasks
   * before the next tick, so a tick that is requested in a microtask is executed after all of them.
   */
  play () {
    if (this.isEnded) return
    if (this.ticks.length > 0) {
      this.playTicks()
      queueMicrotask(this.resume)
      return
    }
    try {
      if (!this.happenNext()) return
    } catch (error) {
      this.owner.failed(error)
      return
    }
    this.playTicks()
    this.played++
    if (this.played % EVENTS_PER_REAL_TURN === 0) setImmediate(this.step)
    else queueMicrotask(this.resume)
  }

  playTicks () {
    for (let index = 0; index < this.ticks.length; index++) {
      if (index === MOST_IN_ONE_EVENT) {
        this.ticks.length = 0
        this.owner.failed(new Error(`there were ${index} ticks at ${this.client / 1000} ms, each of which asked for another`))
      }
      try {
        this.ticks[index]()
      } catch (error) {
        this.owner.failed(error)
      }
    }
    this.ticks.length = 0
  }

  /** Executes everything up to and including the client's next event. @returns {boolean} whether there was one */
  happenNext () {
    this.looks = 0
    for (;;) {
      const next = this.heap.length === 0 ? null : this.heap[0]
      const freeAt = Math.max(this.time, this.client)
      const isOfClient = this.hasClientWork() && (next === null || next.at > freeAt)
      if (!isOfClient && next === null) {
        this.owner.idle()
        return false
      }
      if (this.owner.bound(isOfClient ? freeAt : next.at)) return false
      this.events++
      this.isOfClient = isOfClient
      if (isOfClient) {
        this.time = freeAt
        this.client = freeAt
        this.nextOfClient().hear()
        return true
      }
      pop(this.heap)
      if (next.isCancelled) continue
      this.time = next.at
      next.happen()
    }
  }

  hasClientWork () {
    this.dropCancelled()
    return this.batchFrom < this.batch.length || this.readyFrom < this.ready.length || this.immediates.length > 0
  }

  dropCancelled () {
    while (this.batchFrom < this.batch.length && this.batch[this.batchFrom].isCancelled) this.batchFrom++
    while (this.readyFrom < this.ready.length && this.ready[this.readyFrom].isCancelled) this.readyFrom++
    if (this.immediates.length > 0 && this.immediates.every(({ isCancelled }) => isCancelled)) this.immediates.length = 0
  }

  // A turn of the event loop: what was ready when it began, and then the pending immediates.
  nextOfClient () {
    if (this.batchFrom < this.batch.length) return this.batch[this.batchFrom++]
    const ready = this.ready.length - this.readyFrom
    const isBegin = this.pollLeft === -1
    if (isBegin || (this.pollLeft === 0 && this.immediates.length === 0)) {
      this.pollLeft = ready
      this.turn++
    }
    if (this.pollLeft > 0 && ready > 0) return this.nextReady()
    this.pollLeft = -1
    if (this.lastBatchAt === this.client) this.client += TURN_US
    this.lastBatchAt = this.client
    const { batch } = this
    this.batch = this.immediates
    this.batchFrom = 0
    batch.length = 0
    this.immediates = batch
    while (this.batch[this.batchFrom].isCancelled) this.batchFrom++
    return this.batch[this.batchFrom++]
  }

  nextReady () {
    this.pollLeft--
    const event = this.ready[this.readyFrom++]
    if (this.readyFrom === this.ready.length) {
      this.ready.length = 0
      this.readyFrom = 0
    }
    return event
  }

  /** Scheduled events, in order. */
  get upcoming () {
    return this.heap.filter(({ isCancelled }) => !isCancelled).sort((one, other) => isBefore(one, other) ? -1 : 1)
  }
}

// --- a binary heap with the earliest event on top; among events at the same time, the one that was added first

function isBefore (one, other) {
  return one.at < other.at || (one.at === other.at && one.order < other.order)
}

function push (heap, event) {
  let place = heap.push(event) - 1
  while (place > 0) {
    const parent = (place - 1) >> 1
    if (!isBefore(event, heap[parent])) break
    heap[place] = heap[parent]
    place = parent
  }
  heap[place] = event
}

function pop (heap) {
  const last = heap.pop()
  if (heap.length === 0) return
  let place = 0
  for (;;) {
    let child = 2 * place + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++
    if (!isBefore(heap[child], last)) break
    heap[place] = heap[child]
    place = child
  }
  heap[place] = last
}

module.exports = Scheduler

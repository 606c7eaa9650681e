'use strict'

/*
 * Virtual time, in whole microseconds. Nothing happens between two events, so time jumps from one to the next.
 *
 * There are two kinds of events. Those of the network and of servers happen at their time, whatever the client does. What
 * the client shall hear (a timer, bytes, the end of a connection) is ready at its time and heard when the client's thread is
 * free, which is later where it is held up. As in Node, a turn of the event loop is what was ready when it began, and then
 * what `setImmediate` was given, all of it that stood there; what comes meanwhile waits for the next turn. A turn takes a
 * microsecond, so that somebody who looks at the clock again and again sees it move.
 *
 *     network, servers  ──●──────●───●────────●──────●────
 *     ready for client    ╰─────╮╰─╮ ╰──╮     ╰╮     ╰╮
 *     the client        ────────[held up]●●●───●──────●───
 */
const TURN_US = 1
// How many events of the client are played before the real event loop gets a turn.
const EVENTS_PER_REAL_TURN = 5000
// Whoever looks at the clock so often in one event, or asks for so many ticks in one, will never end: time stands still there.
const MOST_IN_ONE_EVENT = 1e6

class Scheduler {
  /** @param {number} startUs what the clock says in the beginning */
  constructor (startUs) {
    this.heap = []
    this.sequence = 0
    /** The time of the network and the servers. */
    this.time = startUs
    /** The client's clock: until when its thread has been at work. */
    this.client = startUs
    this.ready = []
    this.readyFrom = 0
    /** How many of those that are ready are of this turn; -1: it has not begun. */
    this.pollLeft = -1
    this.batch = []
    this.batchFrom = 0
    this.immediates = []
    this.lastBatchAt = -1
    this.ticks = []
    /** How many things have happened, to the client and elsewhere. */
    this.events = 0
    this.played = 0
    this.turn = 0
    this.looks = 0
    /** Whether what happens now, happens in the client's thread. */
    this.isOfClient = false
    this.isEnded = false
  }

  /** The client looks at its clock. @returns {number} ms */
  look () {
    if (++this.looks > MOST_IN_ONE_EVENT) throw new Error(`the client has looked at the clock ${MOST_IN_ONE_EVENT} times at ${this.client / 1000} ms, and waits for time to pass in a loop`)
    return this.client / 1000
  }

  // --- what will happen

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

  /** @returns {object} for `cancel`; what happens then is heard by the client as soon as it can */
  addForClient (at, hear) {
    const event = this.add(at, () => { if (!event.isCancelled) this.tellClient(event) })
    event.hear = hear
    return event
  }

  cancel (event) {
    event.isCancelled = true
  }

  /** The client can hear of this from now on: `hear()`, unless `isCancelled` by then. */
  tellClient (event) {
    this.ready.push(event)
  }

  /** At the end of this turn of the client. */
  addImmediate (hear) {
    const immediate = { hear, isCancelled: false }
    this.immediates.push(immediate)
    return immediate
  }

  addTick (callback) {
    this.ticks.push(callback)
  }

  /** The client's thread does nothing else for so long. */
  hold (us) {
    this.client += us
  }

  // --- what happens

  /**
   * Lets things happen until `end` is called.
   *
   * @param {{ idle: function(), failed: function(Error), bound: function(number): boolean }} owner hears of it where nothing is
   *   left to happen, and of what is thrown in the client's thread; says whether it has been enough, before anything happens
   *   at that time, us
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
   * One event of the client, and then all that hangs on it: its ticks, and the promises that it has settled. Node plays
   * microtasks until there are none before it turns to the next tick, so whoever asks for a tick in a microtask hears
   * when all of them are through.
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

  /** Everything up to and with the client's next event. @returns {boolean} whether there was one */
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

  // A turn of the event loop: what was ready when it began, and then the immediates that stand there.
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

  /** What will still happen, in its order. */
  get upcoming () {
    return this.heap.filter(({ isCancelled }) => !isCancelled).sort((one, other) => isBefore(one, other) ? -1 : 1)
  }
}

// --- a binary heap, the earliest on top; of the same time the one that was added first

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

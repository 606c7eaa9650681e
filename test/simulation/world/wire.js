'use strict'

/**
 * One direction of a connection: what goes in comes out in order and unchanged, after a while, in pieces of any size.
 */
class Wire {
  /**
   * @param {Scheduler} scheduler
   * @param {Xoshiro128} random
   * @param {Link} link
   */
  constructor (scheduler, random, link) {
    this.scheduler = scheduler
    this.random = random
    this.link = link
    this.lastAt = 0
    this.packets = 0
  }

  /**
   * @param {number} from us, when it goes in
   * @param {number} length how many bytes
   * @param {function(number, number)} arrive told of each piece, from where to where
   */
  send (from, length, arrive) {
    if (this.link.sweep && length > 1) {
      this.sendInTwo(from, length, arrive)
      return
    }
    let start = 0
    while (start < length) {
      const end = this.endOfPiece(start, length)
      const first = start
      this.carry(from, () => arrive(first, end))
      start = end
    }
  }

  // In two pieces, of which the first ends a byte further on with each packet.
  sendInTwo (from, length, arrive) {
    const end = 1 + this.packets++ % (length - 1)
    this.carry(from, () => arrive(0, end))
    this.carry(Math.max(from, this.lastAt - this.link.delayUs) + 1, () => arrive(end, length))
  }

  endOfPiece (start, length) {
    const { split } = this.link
    if (split === 0 || length - start < 2 || this.random.next() >= split) return length
    return start + 1 + Math.floor(this.random.next() * (length - start - 1))
  }

  /** What is no bytes: an attempt, an end, a reset. It stays behind what was sent before it. */
  carry (from, arrive) {
    const { link } = this
    const jitter = link.jitterUs === 0 ? 0 : Math.floor(this.random.next() * (link.jitterUs + 1))
    this.lastAt = Math.max(this.lastAt, from + link.delayUs + jitter)
    this.scheduler.add(this.lastAt, () => {
      if (!link.isCut) arrive()
      else link.held.push(arrive)
    })
  }
}

/** What lies between the client and a host. */
class Link {
  /**
   * @param {object} [settings]
   * @param {number} [settings.delay] ms one way
   * @param {number} [settings.jitter] ms more, at most, by chance
   * @param {number} [settings.split] how likely it is that a packet comes in pieces, 0 to 1
   * @param {boolean} [settings.sweep] each packet comes in two pieces, a microsecond apart: the first one of a connection is cut behind
   *   its first byte, the second one behind its second, and so on
   */
  constructor ({ delay = 0, jitter = 0, split = 0, sweep = false } = {}) {
    this.delayUs = Math.round(delay * 1000)
    this.jitterUs = Math.round(jitter * 1000)
    this.split = split
    this.sweep = sweep
    this.isCut = false
    /** What would have arrived since it was cut. */
    this.held = []
  }

  cut () {
    this.isCut = true
  }

  // Systems send again what nobody has acknowledged, until the way is free.
  repair (scheduler) {
    this.isCut = false
    for (const arrive of this.held.splice(0)) scheduler.add(scheduler.time, arrive)
  }
}

module.exports = { Wire, Link }

'use strict'

/**
 * One direction of a connection: data arrives in order and unchanged, after a delay, in pieces of any size.
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
    this.isCut = false
  }

  /** From now on, nothing arrives. */
  cut () {
    this.isCut = true
  }

  /** What was sent meanwhile arrives now, if the network works. */
  repair () {
    this.isCut = false
    this.link.release(this.scheduler)
  }

  /**
   * @param {number} from when it is sent, us
   * @param {number} length number of bytes
   * @param {function(number, number)} arrive called for each piece, with its start and end
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

  // Sends two pieces; the first one gets one byte longer with each packet.
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

  /** Transports a connection attempt, a FIN or an RST, in order with the data. */
  carry (from, arrive) {
    const { link } = this
    const jitter = link.jitterUs === 0 ? 0 : Math.floor(this.random.next() * (link.jitterUs + 1))
    this.lastAt = Math.max(this.lastAt, from + link.delayUs + jitter)
    this.scheduler.add(this.lastAt, () => {
      if (!link.isCut && !this.isCut) arrive()
      else link.held.push({ wire: this, arrive })
    })
  }
}

/** The network between the client and a host. */
class Link {
  /**
   * @param {object} [settings]
   * @param {number} [settings.delay] ms one way
   * @param {number} [settings.jitter] maximum of a random additional delay, ms
   * @param {number} [settings.split] probability that a packet arrives in pieces, 0 to 1
   * @param {boolean} [settings.sweep] each packet arrives in two pieces, a microsecond apart: the first packet of a connection is cut after
   *   its first byte, the second one after its second byte, and so on
   */
  constructor ({ delay = 0, jitter = 0, split = 0, sweep = false } = {}) {
    this.delayUs = Math.round(delay * 1000)
    this.jitterUs = Math.round(jitter * 1000)
    this.split = split
    this.sweep = sweep
    this.isCut = false
    /** What would have arrived since the network, or one of its wires, was cut. */
    this.held = []
  }

  cut () {
    this.isCut = true
  }

  // TCP retransmits unacknowledged data until the network works again.
  repair (scheduler) {
    this.isCut = false
    this.release(scheduler)
  }

  release (scheduler) {
    if (this.isCut) return
    const arriving = this.held.filter(({ wire }) => !wire.isCut)
    this.held = this.held.filter(({ wire }) => wire.isCut)
    for (const { arrive } of arriving) scheduler.add(scheduler.time, arrive)
  }
}

module.exports = { Wire, Link }

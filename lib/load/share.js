'use strict'

/**
 * Share k of n of one schedule, so that n workers together make exactly the schedule, each arrival by one of them,
 * without talking to each other.
 *
 * Arrivals are dealt out in rounds of `cycle` places: arrival i has place i modulo `cycle`, and place p is of share p
 * modulo n. Where a cycle is n places long, that is arrivals k, k + n, k + 2n, …
 *
 *     cycle 5, of 2:   place   0 1 2 3 4 | 0 1 2 3 4
 *                      share   0 1 0 1 0 | 0 1 0 1 0
 */
class SharedPacer {
  /**
   * @param {object} pacer of the whole schedule
   * @param {object} share
   * @param {number} share.share k
   * @param {number} share.of n
   * @param {number} [share.cycle=share.of] places in a round
   * @param {number} [share.limit=Infinity] how many arrivals of the whole schedule count
   */
  constructor (pacer, { share, of, cycle = of, limit = Infinity }) {
    this.pacer = pacer
    this.share = share
    this.of = of
    this.cycle = cycle
    this.limit = limit
    this.index = -1
  }

  /**
   * As every pacer's. Behind the last arrival of this share that counts comes, once, the one that is too many for the
   * whole: it tells when the schedule is over, in all shares alike.
   */
  next () {
    if (this.share >= this.cycle || this.index >= this.limit) return Infinity
    const next = Math.min(following(this.index, this), this.limit)
    this.pacer.skip(next - this.pacer.index - 1)
    const due = this.pacer.next()
    if (due !== Infinity) this.index = next
    return due
  }
}

/**
 * The number of the arrival that is a share's next.
 *
 * @param {number} index of its last one, -1 before the first
 * @param {{ share: number, of: number, cycle: number }} deal as above, with a place for the share
 * @returns {number}
 */
function following (index, { share, of, cycle }) {
  if (index === -1) return share
  const place = index % cycle
  return place + of < cycle ? index + of : index - place + cycle + share
}

module.exports = { SharedPacer, following }

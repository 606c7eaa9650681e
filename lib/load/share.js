'use strict'

/**
 * Share k of n of a schedule. Together, n workers make exactly the arrivals of the schedule, each by one of them,
 * without communicating.
 *
 * Arrivals are distributed in rounds of `cycle` places: arrival i has place i modulo `cycle`, and place p belongs to
 * share p modulo n. If a cycle has n places, share k has arrivals k, k + n, k + 2n, …
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
   * @param {number} [share.limit=Infinity] number of arrivals of the whole schedule to use
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
   * Like next() of every pacer. After the last arrival of this share within the limit, it once returns the first
   * arrival beyond the limit of the whole schedule, which tells all shares when the schedule is over.
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
 * Returns the number of a share's next arrival.
 *
 * @param {number} index of its last one, -1 before the first
 * @param {{ share: number, of: number, cycle: number }} deal as above; `share` must have a place in the cycle
 * @returns {number}
 */
function following (index, { share, of, cycle }) {
  if (index === -1) return share
  const place = index % cycle
  return place + of < cycle ? index + of : index - place + cycle + share
}

module.exports = { SharedPacer, following }

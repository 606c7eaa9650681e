'use strict'

/*
 * The connections that have room, grouped by their number of requests in flight. Within a group, the connection that has
 * been free the longest comes first. So an idle connection is always preferred to one on which a request would wait behind
 * another.
 *
 *     busy 0:  first -> [conn 7] <-> [conn 2] <- last
 *     busy 1:  first -> [conn 4] <- last
 *
 * The lists are doubly linked, with the links in arrays indexed by connection: a connection that breaks or fills up is
 * removed in constant time, and nothing is allocated.
 */
const NONE = -1

class FreeList {
  /**
   * @param {number} connections
   * @param {number} depth requests a connection may have in flight
   */
  constructor (connections, depth) {
    this.next = new Int32Array(connections).fill(NONE)
    this.previous = new Int32Array(connections).fill(NONE)
    this.listOf = new Int32Array(connections).fill(NONE)
    this.first = new Int32Array(depth).fill(NONE)
    this.last = new Int32Array(depth).fill(NONE)
  }

  /** The index of the connection to use, or -1 if none has room. */
  best () {
    for (let busy = 0; busy < this.first.length; busy++) {
      if (this.first[busy] !== NONE) return this.first[busy]
    }
    return NONE
  }

  /** Adds a connection that has room. If it is already listed with the same number in flight, it keeps its place. */
  add (index, busy) {
    if (this.listOf[index] === busy) return
    this.remove(index)
    const last = this.last[busy]
    this.previous[index] = last
    this.next[index] = NONE
    if (last === NONE) this.first[busy] = index
    else this.next[last] = index
    this.last[busy] = index
    this.listOf[index] = busy
  }

  remove (index) {
    const busy = this.listOf[index]
    if (busy === NONE) return
    const previous = this.previous[index]
    const next = this.next[index]
    if (previous === NONE) this.first[busy] = next
    else this.next[previous] = next
    if (next === NONE) this.last[busy] = previous
    else this.previous[next] = previous
    this.listOf[index] = NONE
  }
}

module.exports = FreeList

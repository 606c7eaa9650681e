'use strict'

/*
 * What is to be done at which time, the earliest first: a binary heap, since with thousands of users that think a sorted
 * list would be moved about at each of their steps.
 *
 *                times[0]              each at most as late as the two below it
 *          times[1]     times[2]       the two below place i are 2i + 1 and 2i + 2
 */
class Agenda {
  constructor () {
    this.times = []
    this.items = []
  }

  /** When the earliest is due, ms; Infinity when there is nothing. */
  get next () {
    return this.times.length === 0 ? Infinity : this.times[0]
  }

  /** @param {number} time ms @param {{ onTime: function(number, number) }} item */
  add (time, item) {
    const { times, items } = this
    let place = times.length
    while (place > 0) {
      const above = (place - 1) >> 1
      if (times[above] <= time) break
      times[place] = times[above]
      items[place] = items[above]
      place = above
    }
    times[place] = time
    items[place] = item
  }

  /** Takes the earliest out; only when there is one. */
  take () {
    const { times, items } = this
    const item = items[0]
    const time = times.pop()
    const last = items.pop()
    if (times.length > 0) this.sink(time, last)
    return item
  }

  sink (time, item) {
    const { times, items } = this
    let place = 0
    for (;;) {
      let below = 2 * place + 1
      if (below >= times.length) break
      if (below + 1 < times.length && times[below + 1] < times[below]) below++
      if (times[below] >= time) break
      times[place] = times[below]
      items[place] = items[below]
      place = below
    }
    times[place] = time
    items[place] = item
  }

  clear () {
    this.times.length = 0
    this.items.length = 0
  }
}

module.exports = Agenda

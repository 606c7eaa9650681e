'use strict'

/*
 * What to do at which time, earliest first. A binary heap: with thousands of thinking users, inserting into a sorted list
 * would move many entries at each step.
 *
 *                times[0]              each at most as late as the two below it
 *          times[1]     times[2]       the two below place i are 2i + 1 and 2i + 2
 */
class Agenda {
  constructor () {
    this.times = []
    this.items = []
  }

  /** When the earliest entry is due, ms; Infinity if there is none. */
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

  /** Removes and returns the earliest item. There must be one. */
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

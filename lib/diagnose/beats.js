'use strict'

const { firstFrom } = require('./first-from')

const BEAT = 10_000
// Timers may fire slightly early.
const EARLY = 2_000

/**
 * What a thread noted whenever its event loop came to a timer that was due every 10 ms. All times in microseconds; `user` and
 * `system` add up from the start of the process.
 */
class Beats {
  /** @param {{ time: number[], user: number[], system: number[], heap: number[] }} data */
  constructor (data) {
    this.data = data
  }

  get begin () {
    return this.data.time[0]
  }

  get end () {
    return this.data.time.at(-1)
  }

  /** How much `user` or `system` grew, as a share of the time; null if the thread was not there. */
  share (name, from, to) {
    const [begin, end] = [Math.max(from, this.begin), Math.min(to, this.end)]
    return end > begin ? (this.at(name, end) - this.at(name, begin)) / (end - begin) : null
  }

  // Between two beats, it grew evenly.
  at (name, time) {
    const { time: times, [name]: values } = this.data
    const after = Math.max(1, this.firstFrom(time))
    if (after >= times.length) return values.at(-1)
    const part = (time - times[after - 1]) / (times[after] - times[after - 1] || 1)
    return values[after - 1] + (values[after] - values[after - 1]) * part
  }

  firstFrom (time) {
    return firstFrom(this.data.time, time)
  }

  /**
   * How late the event loop was for each timer that was due within a time, including those that it could not even set because it was
   * late: microseconds.
   */
  delays (from, to) {
    const { time: times } = this.data
    const delays = []
    const first = Math.max(0, Math.ceil((from - this.begin) / BEAT))
    let next = this.firstFrom(this.begin + first * BEAT - EARLY)
    for (let due = this.begin + first * BEAT; due < to && due <= this.end; due += BEAT) {
      while (next < times.length - 1 && times[next] < due - EARLY) next++
      delays.push(Math.max(0, times[next] - due))
    }
    return delays
  }

  /** Times from one beat to the next that are longer than a limit: `[from, to]`. */
  gaps (limit) {
    const { time: times } = this.data
    return times.flatMap((time, index) => index > 0 && time - times[index - 1] >= limit ? [[times[index - 1], time]] : [])
  }

  largestHeap (from, to) {
    const { heap } = this.data
    return heap.slice(this.firstFrom(from), this.firstFrom(to)).reduce((most, each) => Math.max(most, each), 0)
  }
}

module.exports = Beats

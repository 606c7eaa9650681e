'use strict'

const { pathGroup } = require('../../values/path')

// How many distinct requests are counted while a log is read, and for how many of these the result has statistics.
const MOST_COUNTED = 10_000
const MOST_TOLD = 100

/*
 * Groups the requests of a log, which may have a vast number of distinct URLs. Requests with the same title are a group; the
 * others are distinguished by their method and the group of their path. In the result, the most frequent groups stand
 * separately, and all others together.
 */
class Groups {
  constructor () {
    this.numbers = new Map()
    /** The first request of each group, with the group's path. */
    this.requests = []
    this.counts = []
    this.others = MOST_COUNTED
  }

  /** @returns {number} the number of the request's group */
  numberOf ({ method, path, title }) {
    const group = pathGroup(path)
    const key = title === undefined ? `${method} ${group}` : `title ${title}`
    let number = this.numbers.get(key)
    if (number === undefined) {
      if (this.numbers.size >= MOST_COUNTED) return this.others
      number = this.numbers.size
      this.numbers.set(key, number)
      this.requests.push({ title, method, path: group })
      this.counts.push(0)
    }
    this.counts[number]++
    return number
  }

  /**
   * Replaces each group number with the number of its endpoint, in place.
   *
   * @param {Uint16Array} numbers
   * @returns {object[]} the endpoints, as entries of `requests`
   */
  settle (numbers) {
    // Of several with the same number of requests, the first ones.
    const told = [...this.requests.keys()].sort((one, other) => this.counts[other] - this.counts[one]).slice(0, MOST_TOLD)
    const places = new Uint16Array(MOST_COUNTED + 1).fill(told.length)
    told.forEach((number, place) => { places[number] = place })
    let hasOthers = false
    for (let index = 0; index < numbers.length; index++) {
      numbers[index] = places[numbers[index]]
      if (numbers[index] === told.length) hasOthers = true
    }
    const endpoints = told.map((number) => this.requests[number])
    return hasOthers ? [...endpoints, { title: 'all others', method: 'GET', path: '/' }] : endpoints
  }
}

module.exports = { Groups }

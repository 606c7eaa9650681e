'use strict'

// How many distinct requests are counted while a log is read, and for how many of these the result has statistics.
const MOST_COUNTED = 10_000
const MOST_TOLD = 100

/*
 * Groups the requests of a log, which may have a vast number of distinct URLs. The result distinguishes them by method
 * and path without query: the most frequent groups separately, and all others together.
 */
class Groups {
  constructor () {
    this.numbers = new Map()
    this.counts = []
    this.others = MOST_COUNTED
  }

  /** @returns {number} the number of the request's group */
  numberOf ({ method, path }) {
    const query = path.indexOf('?')
    const key = `${method} ${query === -1 ? path : path.slice(0, query)}`
    let number = this.numbers.get(key)
    if (number === undefined) {
      if (this.numbers.size >= MOST_COUNTED) return this.others
      number = this.numbers.size
      this.numbers.set(key, number)
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
    const keys = [...this.numbers.keys()]
    const told = [...keys.keys()].sort((one, other) => this.counts[other] - this.counts[one] || one - other).slice(0, MOST_TOLD)
    const places = new Uint16Array(MOST_COUNTED + 1).fill(told.length)
    told.forEach((number, place) => { places[number] = place })
    let hasOthers = false
    for (let index = 0; index < numbers.length; index++) {
      numbers[index] = places[numbers[index]]
      if (numbers[index] === told.length) hasOthers = true
    }
    const endpoints = told.map((number) => {
      const [method, path] = keys[number].split(' ')
      return { method, path }
    })
    return hasOthers ? [...endpoints, { title: 'all others', method: 'GET', path: '/' }] : endpoints
  }
}

module.exports = { Groups }

'use strict'

// How many different requests are told apart while a log is read, and how many of these the result has statistics of.
const MOST_COUNTED = 10_000
const MOST_TOLD = 100

/*
 * A log has as many different requests as its site has pages, and queries without end. What the result tells apart are
 * methods and paths without their queries: the most frequent ones, and all others together.
 */
class Groups {
  constructor () {
    this.numbers = new Map()
    this.counts = []
    this.others = MOST_COUNTED
  }

  /** @returns {number} of the group of a request */
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
   * Puts in the place of each group's number that of its endpoint.
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

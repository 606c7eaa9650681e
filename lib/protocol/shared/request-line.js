'use strict'

const Ids = require('../../world/ids')
const { ID_TAG } = require('./ids')

const LONGEST_PATH = 200
const NOWHERE = []

/** What is reported of a request that was sent: its method, and its path. One for all copies of a request, which differ only in their ids. */
class RequestLine {
  /**
   * @param {string} method
   * @param {string} path as it is sent
   * @param {number[]} [places] where it has room for ids, ascending
   */
  constructor (method, path, places = NOWHERE) {
    this.method = method
    this.places = places
    this.whole = path
    this.path = path.slice(0, LONGEST_PATH)
    /** Its path as it is written to a record, which sets this. */
    this.recorded = null
  }

  /**
   * @param {string} [id] that was sent; if it is not known, its placeholder stands for it
   * @returns {{ method: string, path: string }} a path of at most 200 characters. May be shared: do not change it
   */
  with (id = ID_TAG) {
    const { method, whole, places } = this
    if (places.length === 0) return this
    let path = ''
    let from = 0
    for (const place of places) {
      path += whole.slice(from, place) + id
      from = place + Ids.LENGTH
    }
    return { method, path: (path + whole.slice(from)).slice(0, LONGEST_PATH) }
  }
}

module.exports = RequestLine

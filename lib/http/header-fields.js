'use strict'

/*
 * The header fields of one head, for hooks. A server that sends the same head again and again has it read once: the
 * HeadMemo keeps the Head, and the Head keeps this. Each response still gets an object of its own, since a hook may
 * change it; making one from here takes 0.2 us, reading seven fields anew takes 3.
 */
class HeaderFields {
  /** @param {string[]} raw name, value, … */
  constructor (raw) {
    this.raw = raw
    this.names = []
    this.values = []
    this.prototype = {}
    // By lower case, a Map since names come from the server.
    const places = new Map()
    for (let index = 0; index < this.raw.length; index += 2) this.add(places, this.raw[index], this.raw[index + 1])
    for (const [lower, place] of places) define(this.prototype, lower, this.values[place], false)
  }

  add (places, name, value) {
    const lower = name.toLowerCase()
    const place = places.get(lower)
    if (place === undefined) {
      places.set(lower, this.names.length)
      this.names.push(name)
      this.values.push(value)
    } else if (Array.isArray(this.values[place])) {
      this.values[place].push(value)
    } else {
      this.values[place] = [this.values[place], value]
    }
  }

  /**
   * The fields as an object: the names as the server first wrote them, a repeated one with an array. Names are
   * case-insensitive, so each can be looked up in lower case as well, where it does not show.
   *
   * @returns {Object<string, string|string[]>} a new one
   */
  toObject () {
    const object = Object.create(this.prototype)
    for (let index = 0; index < this.names.length; index++) {
      const value = this.values[index]
      // Assigning cannot make a property of this name.
      if (this.names[index] === '__proto__') define(object, '__proto__', value, true)
      else object[this.names[index]] = typeof value === 'string' ? value : value.slice()
    }
    return object
  }
}

function define (object, name, value, enumerable) {
  Object.defineProperty(object, name, { value, enumerable, writable: true, configurable: true })
}

module.exports = HeaderFields

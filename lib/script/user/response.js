'use strict'

/** The response to a call of user code. */
class UserResponse {
  #fields

  /**
   * @param {number} status
   * @param {HeaderFields} fields
   * @param {string} body decoded
   * @param {number} latency ms, as it is counted in `latency`
   */
  constructor (status, fields, body, latency) {
    this.status = status
    /** Whether the status is 2xx. */
    this.ok = status >= 200 && status <= 299
    this.body = body
    this.latency = latency
    this.#fields = fields
  }

  /** By lower-case name; a repeated header has an array. Built when it is read, since most code reads none. */
  get headers () {
    const headers = this.#fields.toLowerCase()
    Object.defineProperty(this, 'headers', { value: headers, enumerable: true, writable: true, configurable: true })
    return headers
  }

  /** The body, parsed as JSON. @throws SyntaxError if it is not JSON */
  json () {
    return JSON.parse(this.body)
  }
}

module.exports = UserResponse

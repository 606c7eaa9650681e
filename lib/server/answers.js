'use strict'

const FAILURE_STATUS = 500
const FILLER = 'x'

/**
 * Creates the response to each request: status and body. Everything that can be reused is created once.
 */
class Answers {
  /**
   * @param {{ status: number, bodySize: ?number, errorRate: number, workers: number }} options
   * @param {number} index which of the workers this is, from 0
   */
  constructor ({ status, bodySize, errorRate, workers }, index) {
    this.status = status
    this.bodySize = bodySize
    this.errorRate = errorRate
    // Each worker counts its own errors. If all started at the same count, all of them would round down together.
    this.headStart = index / workers
    this.filler = bodySize === null ? null : Buffer.alloc(bodySize, FILLER)
  }

  /**
   * Errors are spread evenly, not randomly, so that their share is exactly as configured: with a rate of 0.1, they are the
   * 10th, 20th, 30th, … response (of a server with one process).
   *
   * @param {number} count number of the response in this process, starting at 1
   * @returns {number} the status code
   */
  statusOf (count) {
    return this.failuresUpTo(count) > this.failuresUpTo(count - 1) ? FAILURE_STATUS : this.status
  }

  // 0.29 * 100 is 28.999999999999996, but the 100th response must be the 29th failure.
  failuresUpTo (count) {
    return Math.floor(count * this.errorRate + this.headStart + 1e-6)
  }

  /**
   * @param {import('node:http').ServerResponse} response
   * @param {number} status
   * @param {number} number the number of the request, for the body
   */
  send (response, status, number) {
    if (status === 204 || status === 304) return response.writeHead(status).end()

    const text = `Hello, this is the answer to request ${number}\n`
    const size = this.bodySize ?? text.length
    response.writeHead(status, ['Content-Type', 'text/plain', 'Content-Length', String(size)])
    if (text.length >= size) {
      response.end(text.slice(0, size), 'latin1')
    } else {
      response.write(text, 'latin1')
      response.end(this.filler.subarray(text.length))
    }
  }
}

module.exports = { Answers, FAILURE_STATUS }

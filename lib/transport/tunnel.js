'use strict'

const { badProxyResponse, proxyRefused } = require('../base/faults')
const { Head, parseHead, INCOMPLETE, INVALID, MAX_HEAD_BYTES } = require('../http/head')

/** A tunnel through an HTTP proxy to a target (RFC 9110, section 9.3.6): the CONNECT request and the proxy's response. */
class Tunnel {
  /** @param {object} target of the plan, with a proxy */
  constructor ({ hostname, port, proxy: { authorization } }) {
    const host = hostname.includes(':') ? `[${hostname}]` : hostname
    /** Host and port that the proxy should connect to. */
    this.authority = `${host}:${port}`
    const lines = [`CONNECT ${this.authority} HTTP/1.1`, `Host: ${this.authority}`]
    if (authorization) lines.push(`Proxy-Authorization: ${authorization}`)
    this.request = lines.join('\r\n') + '\r\n\r\n'
    this.answer = Buffer.alloc(0)
    /** Why there is no tunnel, see base/faults.js. */
    this.fault = null
  }

  /**
   * @param {Buffer} buffer
   * @param {number} length how many bytes of it are valid
   * @returns {boolean} whether the response is complete; `fault` is null if the tunnel is open
   */
  read (buffer, length) {
    this.answer = Buffer.concat([this.answer, buffer.subarray(0, length)])
    for (;;) {
      const head = new Head()
      const most = Math.min(this.answer.length, MAX_HEAD_BYTES)
      const end = parseHead(this.answer, 0, most, head)
      if (end === INCOMPLETE && most < MAX_HEAD_BYTES) return false
      if (end === INCOMPLETE) return this.refuse(`is not a valid response: its head is longer than ${MAX_HEAD_BYTES} bytes`)
      if (end === INVALID) return this.refuse(`is not a valid response: ${head.problem}`)
      this.answer = this.answer.subarray(end)
      if (head.status >= 200) return this.decide(head.status)
    }
  }

  decide (status) {
    if (status >= 300) return this.fails(proxyRefused(this.authority, status))
    // The server behind the proxy doesn't send anything first.
    if (this.answer.length > 0) return this.refuse('continues after its head')
    return true
  }

  refuse (problem) {
    return this.fails(badProxyResponse(this.authority, problem))
  }

  fails (fault) {
    this.fault = fault
    return true
  }
}

module.exports = Tunnel

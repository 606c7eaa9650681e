'use strict'

const { createHash } = require('node:crypto')
const { Head, parseHead, resumeHead, INCOMPLETE, INVALID, MAX_HEAD_BYTES } = require('../../http/head')
const world = require('../../world')
const TraceIds = require('../../world/trace-ids')
const { NO_COMPRESSION, OFFER, Inflater, readAgreement } = require('./deflate')
const { encodeHead } = require('../http1/request')
const { ID_TAG } = require('../shared/ids')
const RequestLine = require('../shared/request-line')

// RFC 6455, section 1.3: proves that the server understands WebSocket.
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const KEY_BYTES = 16
const METHOD = 'GET'
const VERSION = ' HTTP/1.1'
const SWITCHING_PROTOCOLS = 101
const NOTHING = Buffer.alloc(0)

/**
 * The opening handshake of one connection (RFC 6455, section 4): the request, and whether the server has accepted it.
 */
class Opening {
  /**
   * @param {object} plan
   * @param {object} target of the plan
   * @param {?string} traceparent of this handshake; null without trace context
   */
  constructor ({ websocket, idReplacement }, target, traceparent) {
    this.websocket = websocket
    this.traceparent = traceparent
    this.headers = new Map()
    const draft = this.compose(target)
    const head = idReplacement ? draft.replaceAll(ID_TAG, world.nextId()) : draft
    /** The request, as bytes. */
    this.request = encodeHead(head)
    this.line = new RequestLine(METHOD, head.slice(METHOD.length + 1, head.indexOf(VERSION)))
    this.head = new Head()
    this.kept = NOTHING
    /** Interim responses. */
    this.informational = 0
    this.status = 0
    /** Why the handshake failed; '' if it did not. */
    this.problem = ''
    /** The header fields of the response, for hooks. */
    this.fields = null
    /** How many octets have arrived after the response; these are frames already. */
    this.behind = 0
    /** If compression was agreed on: the inflater for the server's messages, and our window size. */
    this.inflater = null
    this.windowBits = NO_COMPRESSION
  }

  // The user's headers override the default ones.
  compose (target) {
    const { protocols, compress, headers } = this.websocket
    const own = [
      ['Host', target.hostHeader], ['Upgrade', 'websocket'], ['Connection', 'Upgrade'], ['Sec-WebSocket-Key', createKey()],
      ['Sec-WebSocket-Version', '13']
    ]
    if (protocols.length > 0) own.push(['Sec-WebSocket-Protocol', protocols.join(', ')])
    if (compress) own.push(['Sec-WebSocket-Extensions', OFFER])
    if (target.authorization) own.push(['Authorization', target.authorization])
    if (this.traceparent !== null) own.push([TraceIds.HEADER, this.traceparent])
    const given = new Set(headers.map(([name]) => name.toLowerCase()))
    const all = [...own.filter(([name]) => !given.has(name.toLowerCase())), ...headers]
    for (const [name, value] of all) this.headers.set(name.toLowerCase(), value)
    return `${METHOD} ${target.path}${VERSION}\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  }

  /**
   * @param {Buffer} buffer
   * @param {number} length how many octets of it are valid
   * @returns {boolean} whether the server has responded; `problem` tells whether it accepted
   */
  read (buffer, length) {
    const isFirst = this.kept.length === 0
    this.kept = Buffer.concat([this.kept, buffer.subarray(0, length)])
    for (let isResumed = !isFirst; ; isResumed = false) {
      const { head, kept } = this
      const most = Math.min(kept.length, MAX_HEAD_BYTES)
      const end = isResumed ? resumeHead(kept, most, head) : parseHead(kept, 0, most, head)
      if (end === INCOMPLETE && most < MAX_HEAD_BYTES) return false
      if (end === INCOMPLETE) return this.refuse(`its response has a head of more than ${MAX_HEAD_BYTES} bytes`)
      if (end === INVALID) return this.refuse(`its response is not valid: ${head.problem}`)
      const { status } = head
      if (status >= 200 || status === SWITCHING_PROTOCOLS) return this.decide(status, end)
      this.informational++
      this.kept = kept.subarray(end)
    }
  }

  decide (status, end) {
    this.status = status
    this.fields = this.head.fieldsIn(this.kept, 0, end)
    this.behind = this.kept.length - end
    this.kept = NOTHING
    if (status !== SWITCHING_PROTOCOLS) return this.refuse(`it responded with status ${status}`)
    const { prototype: answer } = this.fields
    this.problem = this.problemOf(answer) ?? ''
    return true
  }

  // Section 4.1: the client's checks of the response.
  problemOf (answer) {
    if (text(answer.upgrade).toLowerCase() !== 'websocket') return 'its response has no Upgrade: websocket'
    if (!listOf(answer.connection).some((option) => option.toLowerCase() === 'upgrade')) return 'its response has no Connection: Upgrade'
    if (text(answer['sec-websocket-accept']) !== this.accept) return 'its Sec-WebSocket-Accept does not match our key'
    return this.problemOfProtocol(answer['sec-websocket-protocol']) ?? this.problemOfExtensions(answer['sec-websocket-extensions'])
  }

  get accept () {
    return createHash('sha1').update(`${this.headers.get('sec-websocket-key')}${GUID}`).digest('base64')
  }

  problemOfProtocol (chosen) {
    const offered = listOf(this.headers.get('sec-websocket-protocol'))
    if (chosen === undefined) return offered.length === 0 ? null : `it chose none of the subprotocols ${offered.join(', ')}`
    return offered.includes(text(chosen)) ? null : `it chose the subprotocol ${text(chosen)}, which was not requested`
  }

  problemOfExtensions (chosen) {
    if (chosen === undefined || text(chosen).trim() === '') return null
    const offered = this.headers.get('sec-websocket-extensions')
    if (offered === undefined) return `it chose the extension ${text(chosen)}, which was not requested`
    const agreement = readAgreement(text(chosen), text(offered))
    if (agreement === null) return `it chose the extension ${text(chosen)}, which does not match the offer ${text(offered)}`
    this.inflater = new Inflater(agreement)
    this.windowBits = agreement.ownWindowBits
    return null
  }

  refuse (problem) {
    this.problem = problem
    return true
  }
}

function createKey () {
  const key = Buffer.allocUnsafe(KEY_BYTES)
  world.fillRandom(key, 0, KEY_BYTES)
  return key.toString('base64')
}

// Joins a repeated header into one list.
function text (value) {
  return value === undefined ? '' : [value].flat().join(', ')
}

function listOf (value) {
  return text(value).split(',').map((part) => part.trim()).filter((part) => part !== '')
}

module.exports = Opening

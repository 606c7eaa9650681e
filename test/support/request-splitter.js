'use strict'

const LONGEST_HEAD = 1024 * 1024
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

/**
 * Splits a stream of bytes into complete HTTP/1 requests, however they are distributed over chunks. It shares no code with the client
 * under test, and is strict: it rejects everything that servers might interpret in different ways.
 *
 * @typedef {object} SplitRequest
 * @property {string} method
 * @property {string} path as it was sent
 * @property {string} version '1.1' or '1.0'
 * @property {Array<[string, string]>} headers as they were sent, in order
 * @property {function(string): ?string} header the value of one by its name in any case; null if it is not there
 * @property {Buffer} body without chunk framing
 * @property {Buffer} raw every byte of the request
 */
class RequestSplitter {
  /** @param {function(SplitRequest)} onRequest called for each request when its last byte has arrived */
  constructor (onRequest) {
    this.onRequest = onRequest
    this.buffer = Buffer.alloc(0)
    this.step = this.readHead
    this.begin()
  }

  begin () {
    this.request = null
    this.remaining = 0
    this.raw = []
    this.body = []
  }

  /** Bytes of an incomplete request. */
  get pendingBytes () {
    return this.buffer.length + this.raw.reduce((sum, piece) => sum + piece.length, 0)
  }

  /**
   * @param {Buffer} chunk
   * @throws {Error} if this isn't a valid request; the splitter can't be used after that
   */
  push (chunk) {
    this.buffer = this.buffer.length === 0 ? chunk : Buffer.concat([this.buffer, chunk])
    while (this.step());
  }

  // Each step returns whether it made progress: false means that it needs more bytes.

  readHead () {
    const end = this.buffer.indexOf('\r\n\r\n')
    if (end === -1) {
      if (this.buffer.length > LONGEST_HEAD) throw new Error('the head of the request does not end')
      return false
    }
    this.request = parseHead(this.take(end + 4).toString('latin1', 0, end))
    const { chunked, length } = bodyFraming(this.request)
    this.remaining = length
    if (chunked) this.step = this.readChunkSize
    else if (length > 0) this.step = this.readBody
    else this.finish()
    return true
  }

  readBody () {
    return this.takeBody(() => this.finish())
  }

  readChunkSize () {
    const line = this.takeLine()
    if (line === null) return false
    const [size] = line.split(';', 1)
    if (!/^[\da-f]{1,8}\s*$/i.test(size)) throw new Error(`bad chunk size: ${JSON.stringify(line)}`)
    this.remaining = parseInt(size, 16)
    this.step = this.remaining === 0 ? this.readTrailer : this.readChunk
    return true
  }

  readChunk () {
    return this.takeBody(() => { this.step = this.readChunkEnd })
  }

  readChunkEnd () {
    const line = this.takeLine()
    if (line === null) return false
    if (line !== '') throw new Error('a chunk is longer than its size')
    this.step = this.readChunkSize
    return true
  }

  readTrailer () {
    const line = this.takeLine()
    if (line === null) return false
    if (line === '') this.finish()
    else parseHeader(line)
    return true
  }

  finish () {
    const request = Object.assign(this.request, { body: Buffer.concat(this.body), raw: Buffer.concat(this.raw) })
    this.begin()
    this.step = this.readHead
    this.onRequest(request)
  }

  take (count) {
    const piece = this.buffer.subarray(0, count)
    this.buffer = this.buffer.subarray(count)
    this.raw.push(piece)
    return piece
  }

  takeLine () {
    const end = this.buffer.indexOf('\r\n')
    return end === -1 ? null : this.take(end + 2).toString('latin1', 0, end)
  }

  takeBody (whenComplete) {
    if (this.buffer.length === 0) return false
    const piece = this.take(Math.min(this.remaining, this.buffer.length))
    this.body.push(piece)
    this.remaining -= piece.length
    if (this.remaining === 0) whenComplete()
    return true
  }
}

function parseHead (text) {
  const [requestLine, ...lines] = text.split('\r\n')
  const match = /^(\S+) (\S+) HTTP\/(1\.[01])$/.exec(requestLine)
  if (!match || !TOKEN.test(match[1])) throw new Error(`bad request line: ${JSON.stringify(requestLine)}`)
  const headers = lines.map(parseHeader)
  const header = (name) => headers.find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1] ?? null
  return { method: match[1], path: match[2], version: match[3], headers, header }
}

function parseHeader (line) {
  const colon = line.indexOf(':')
  const name = line.slice(0, colon)
  if (colon < 1 || !TOKEN.test(name)) throw new Error(`bad header line: ${JSON.stringify(line)}`)
  return [name, line.slice(colon + 1).trim()]
}

function bodyFraming ({ headers }) {
  const values = (wanted) => headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
  const lengths = values('content-length')
  const codings = values('transfer-encoding')
  if (lengths.length + codings.length > 1) throw new Error('the length of the body is told more than once')
  if (codings.length === 1) {
    if (codings[0].toLowerCase() !== 'chunked') throw new Error(`unknown transfer-encoding: ${codings[0]}`)
    return { chunked: true, length: 0 }
  }
  if (lengths.length === 0) return { chunked: false, length: 0 }
  if (!/^\d+$/.test(lengths[0])) throw new Error(`bad content-length: ${lengths[0]}`)
  return { chunked: false, length: Number(lengths[0]) }
}

module.exports = { RequestSplitter }

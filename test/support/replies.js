'use strict'

const { STATUS_CODES } = require('node:http')
const { sleep } = require('./wait')

/**
 * Returns the bytes of a response.
 *
 * @param {string|Buffer} [body] default 'ok'
 * @param {object} [opts]
 * @param {number} [opts.status] default 200
 * @param {Object<string, string>|Array<[string, string]>} [opts.headers] in addition to Content-Length
 * @param {number|null} [opts.length] the value of Content-Length; default the correct one, null omits it
 * @param {string} [opts.version] default '1.1'
 */
function reply (body = 'ok', { status = 200, headers = {}, length = Buffer.byteLength(body), version = '1.1' } = {}) {
  const lines = Array.isArray(headers) ? [...headers] : Object.entries(headers)
  if (length !== null) lines.push(['Content-Length', length])
  return Buffer.concat([head(version, status, lines), Buffer.from(body)])
}

/**
 * Returns the bytes of a chunked response, one chunk for each piece.
 *
 * @param {Array<string|Buffer>} pieces must not be empty, because an empty chunk is the end
 * @param {object} [opts] as of reply, and `extension` (after each size, with its semicolon) and `trailers`
 */
function chunkedReply (pieces, { status = 200, headers = {}, extension = '', trailers = {}, version = '1.1' } = {}) {
  const lines = [...Object.entries(headers), ['Transfer-Encoding', 'chunked']]
  const chunks = pieces.flatMap((piece) => [
    Buffer.from(`${Buffer.byteLength(piece).toString(16)}${extension}\r\n`), Buffer.from(piece), Buffer.from('\r\n')
  ])
  return Buffer.concat([head(version, status, lines), ...chunks, Buffer.from(`0\r\n${headerLines(Object.entries(trailers))}\r\n`)])
}

function head (version, status, headers) {
  return Buffer.from(`HTTP/${version} ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n${headerLines(headers)}\r\n`, 'latin1')
}

function headerLines (headers) {
  return headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}

/**
 * Writes bytes in pieces with a pause between them, so that they arrive separately. Stops when the socket is closed.
 *
 * @param {import('node:net').Socket} socket
 * @param {Buffer} bytes
 * @param {{ size?: number, pauseMs?: number }} [opts] bytes in each piece, default 1; pause, default 1 ms
 */
async function writeInPieces (socket, bytes, { size = 1, pauseMs = 1 } = {}) {
  for (let start = 0; start < bytes.length && !socket.destroyed; start += size) {
    if (start > 0) await sleep(pauseMs)
    if (!socket.destroyed) socket.write(bytes.subarray(start, start + size))
  }
}

module.exports = { reply, chunkedReply, writeInPieces }

'use strict'

const busboy = require('busboy')
const { httpServer, readBody } = require('./http-server')

/**
 * Parses requests as applications do: with Node's parser for the head, and busboy for forms.
 *
 * @param {object} t
 * @returns {Promise<object>} as of httpServer, and `seen`: for each request `{ method, url, headers, pairs, body,
 *   fields, files, connection }`, `connection` counting from 0; fields are `[name, value]`, files `{ name, filename, type, bytes }`
 */
async function parsingServer (t) {
  const seen = []
  const connections = new Map()
  const server = await httpServer(t, async (request, response) => {
    const { method, url, headers, rawHeaders, socket } = request
    if (!connections.has(socket)) connections.set(socket, connections.size)
    const body = await readBody(request).catch(() => null)
    if (body === null) return // truncated
    const isForm = /^(multipart\/form-data|application\/x-www-form-urlencoded)/.test(headers['content-type'])
    const form = isForm ? await parseForm(headers, body) : { fields: [], files: [] }
    const pairs = rawHeaders.flatMap((name, i) => i % 2 === 0 ? [[name, rawHeaders[i + 1]]] : [])
    seen.push({ method, url, headers, pairs, body, ...form, connection: connections.get(socket) })
    response.end('ok')
  })
  return Object.assign(server, { seen })
}

function parseForm (headers, body) {
  return new Promise((resolve, reject) => {
    const fields = []
    const files = []
    const parser = busboy({ headers, defParamCharset: 'utf8', preservePath: true })
    parser.on('field', (name, value) => fields.push([name, value]))
    parser.on('file', (name, stream, { filename, mimeType: type }) => {
      const file = { name, filename, type, bytes: Buffer.alloc(0) }
      files.push(file)
      stream.on('data', (piece) => { file.bytes = Buffer.concat([file.bytes, piece]) })
    })
    parser.on('error', reject)
    parser.on('close', () => resolve({ fields, files }))
    parser.end(body)
  })
}

module.exports = { parsingServer }

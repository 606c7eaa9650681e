'use strict'

const path = require('node:path')
const world = require('../world')

const FORM_TYPE = /^multipart\/form-data\s*(;|$)/i
const BOUNDARY = /^\s*boundary\s*=/i

/**
 * Encodes a multipart/form-data body as bytes, once for all requests that send it (RFC 7578; names are escaped as in the
 * HTML standard, like in browsers).
 *
 * @param {Array<object>} parts each `{ name, content: string|Buffer }`, and optionally `filename`, `filepath` and
 *   `contentType`. If a part has a file name but no type, the type is guessed from that name
 * @returns {{ bytes: Buffer, boundary: string }}
 */
function encodeMultipart (parts) {
  const boundary = `cannonade-${world.nextId()}`
  const pieces = parts.flatMap((part) => [`--${boundary}\r\n${headOf(part)}\r\n`, part.content, '\r\n'])
  return { bytes: Buffer.concat([...pieces, `--${boundary}--\r\n`].map(toBytes)), boundary }
}

function headOf ({ name, filename, filepath, contentType }) {
  const file = filepath === undefined ? filename : path.normalize(filepath).replaceAll('\\', '/')
  const type = contentType ?? (file === undefined ? undefined : typeByName(file))
  return `Content-Disposition: form-data; name="${escape(name)}"` +
    (file === undefined ? '' : `; filename="${escape(file)}"`) + '\r\n' +
    (type === undefined ? '' : `Content-Type: ${type}\r\n`)
}

function escape (name) {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}

function typeByName (file) {
  // Loaded only when used, because few runs have a form.
  const { lookup } = require('mrmime')
  return lookup(path.extname(file)) ?? 'application/octet-stream'
}

const toBytes = (piece) => typeof piece === 'string' ? Buffer.from(piece) : piece

/**
 * Returns the headers of a request with such a body. A Content-Type given by the user is kept, but the boundary in a
 * multipart/form-data type is replaced by that of the body.
 *
 * @param {Map} headers from `headers.read`
 * @param {string} boundary
 * @returns {Map}
 */
function withFormType (headers, boundary) {
  const given = headers.get('content-type')
  if (given === undefined) return withType(headers, 'Content-Type', `multipart/form-data; boundary=${boundary}`)
  const [value] = given.values
  if (value === undefined || !FORM_TYPE.test(value)) return headers
  const parameters = value.split(';').filter(parameter => !BOUNDARY.test(parameter)).map(parameter => parameter.trim())
  return withType(headers, given.name, [...parameters, `boundary=${boundary}`].join('; '))
}

function withType (headers, name, value) {
  return new Map([...headers, ['content-type', { name, values: [value] }]])
}

module.exports = { FORM_TYPE, encodeMultipart, withFormType }

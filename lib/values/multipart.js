'use strict'

const path = require('node:path')
const world = require('../world')

const FORM_TYPE = /^multipart\/form-data\s*(;|$)/i
const BOUNDARY = /^\s*boundary\s*=/i

/**
 * A multipart/form-data body as bytes, made once however many requests send it (RFC 7578; names are escaped as the HTML
 * standard has it, which browsers follow).
 *
 * @param {Array<object>} parts each `{ name, content: string|Buffer }`, and of `filename`, `filepath` and `contentType`
 *   what there is. The type of a part with a name of a file, but without one of its own, is guessed from that name
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
  // Loaded here, since few runs have a form.
  const { lookup } = require('mrmime')
  return lookup(path.extname(file)) ?? 'application/octet-stream'
}

const toBytes = (piece) => typeof piece === 'string' ? Buffer.from(piece) : piece

/**
 * The headers of a request with such a body. A Content-Type that the user gave stays, but a multipart/form-data gets the
 * boundary that the body really has.
 *
 * @param {Map} headers as `headers.read` gives them
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

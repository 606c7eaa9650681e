'use strict'

const FORM_TYPE = /^multipart\/form-data\s*(;|$)/i
const BOUNDARY = /^\s*boundary\s*=/i

/**
 * A multipart/form-data body as bytes, made once however many requests send it.
 *
 * @param {Array<object>} parts each `{ name, content: string|Buffer }`, and of `filename`, `filepath` and `contentType`
 *   what there is. The type of a part with a name of a file, but without one of its own, is guessed from that name
 * @returns {{ bytes: Buffer, boundary: string }}
 */
function encodeMultipart (parts) {
  // Loaded here, since few runs have a form.
  const FormData = require('form-data')
  const form = new FormData()
  for (const { name, content, ...options } of parts) form.append(name, content, options)
  return { bytes: form.getBuffer(), boundary: form.getBoundary() }
}

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

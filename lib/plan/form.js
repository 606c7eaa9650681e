'use strict'

const { withContent } = require('../values/form')
const { mergeHeaders } = require('../values/headers')
const { encodeMultipart, withFormType } = require('../values/multipart')

/**
 * Returns the options with the form as the body of every request that has no body of its own. Reads the form's files.
 *
 * @param {object} options as read
 * @returns {object}
 * @throws {CannonadeError} CANNONADE_BAD_OPTION if a file cannot be read
 */
function withForm (options) {
  const { bytes, boundary } = encodeMultipart(options.form.map(withContent))
  const requests = options.requests.map(entry => {
    const headers = entry.headers ?? new Map()
    if (entry.body === undefined) {
      return { ...entry, headers: withFormType(mergeHeaders(options.headers, headers), boundary) }
    }
    // This request has its own body, so it must not get the form's content type.
    const type = options.headers.get('content-type') ?? { name: 'Content-Type', values: [] }
    return { ...entry, headers: mergeHeaders(new Map([['content-type', type]]), headers) }
  })
  return { ...options, body: bytes, headers: withFormType(options.headers, boundary), requests }
}

module.exports = { withForm }

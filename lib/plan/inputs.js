'use strict'

const { replacedBy } = require('./conflicts')
const { mergeHeaders } = require('../values/headers')
const { areOnlyUsers } = require('./scenarios')
const { withSessionLog } = require('./sessions')

/**
 * Converts the inputs to plain options: `replay` and `har` become `requests`, and `form` becomes the body.
 *
 * @param {object} options as read
 * @param {object[]} targets of the plan
 * @param {object} given the user's options
 * @param {?object} recording as planReplay returns it
 * @returns {{ options: object, warnings: object[] }}
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function withInputs (options, targets, given, recording) {
  if (recording !== null) {
    const { requests, warnings } = recording
    return { options: { ...options, method: 'GET', body: null, requests }, warnings: [...warnings, ...replacedBy(given, 'replay')] }
  }
  if (options.user !== null) return { options: { ...options, requests: [] }, warnings: replacedBy(given, 'user') }
  if (options.har !== null) {
    const { options: read, warnings } = require('../inputs/har').withHar(options, targets)
    return { options: read, warnings: [...warnings, ...replacedBy(given, 'har')] }
  }
  if (options.sessions?.log) return { options: withSessionLog(options), warnings: replacedBy(given, 'sessions.log') }
  if (areOnlyUsers(options)) return { options, warnings: replacedBy(given, 'user') }
  if (options.form === null) return { options, warnings: [] }
  return { options: withForm(options), warnings: replacedBy(given, 'form') }
}

// Makes the form the body of every request that has no body of its own. Reads the form's files.
function withForm (options) {
  const { withContent } = require('../values/form')
  const { encodeMultipart, withFormType } = require('../values/multipart')
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

module.exports = { withInputs }

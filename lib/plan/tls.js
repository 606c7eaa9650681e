'use strict'

const { named, optionProblem, words } = require('../base/errors')
const { kind, isGiven, isObject } = require('../values/kinds')
const { copyPlain } = require('../values/freeze')

/**
 * Options of `tls.connect`. They are tried out first, so that an unreadable certificate is reported once, as a bad
 * option, instead of as an error on every connection.
 */
const tlsOptions = kind('an object', (value, name) => {
  if (!isObject(value)) return undefined
  const options = copyPlain(value)
  if (Object.keys(options).length > 0) tryOut(options, name)
  return options
})

// Loaded on demand, since few runs need it.
const createSecureContext = (options) => require('node:tls').createSecureContext(options)

function tryOut (options, name) {
  try {
    createSecureContext(options)
  } catch (cause) {
    const sentence = words`${named(name)} must be options of tls.connect, with PEM texts that belong together: ${cause.message}`
    throw optionProblem(name, sentence, { cause })
  }
}

const PEM_CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^]*?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/

/**
 * Whether a file contains a valid PEM certificate.
 *
 * @param {string|Buffer} bytes
 * @returns {boolean}
 */
function holdsCertificate (bytes) {
  const first = PEM_CERTIFICATE.exec(typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1'))
  if (first === null) return false
  try {
    createSecureContext({ cert: first[0] })
    return true
  } catch {
    return false
  }
}

/**
 * Returns a warning if `ca` contains no certificate, since TLS ignores that silently.
 *
 * @param {{ tlsOptions: ?object }} options
 * @param {object[]} targets
 * @returns {object[]} warnings
 */
function withoutTrusted ({ tlsOptions }, targets) {
  const { ca, rejectUnauthorized = false } = tlsOptions ?? {}
  const isTrusted = isGiven(ca) && targets.some(({ secure }) => secure)
  if (!isTrusted || [ca].flat().some(holdsCertificate)) return []
  const result = rejectUnauthorized ? 'every certificate is rejected' : 'certificates are not verified'
  return [{ code: 'NO_TRUSTED_CERTIFICATE', message: `tlsOptions.ca contains no PEM certificate, so ${result}.` }]
}

module.exports = { createSecureContext, holdsCertificate, tlsOptions, withoutTrusted }

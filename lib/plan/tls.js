'use strict'

const tls = require('node:tls')
const { named, optionProblem, words } = require('../base/errors')
const { kind, isGiven, isObject } = require('../values/kinds')
const { copyPlain } = require('../values/freeze')

/**
 * Options of `tls.connect`. They are tried out: a certificate that cannot be read is a mistake to tell of once, and not
 * a connection error again and again.
 */
const tlsOptions = kind('an object', (value, name) => {
  if (!isObject(value)) return undefined
  const options = copyPlain(value)
  if (Object.keys(options).length > 0) tryOut(options, name)
  return options
})

function tryOut (options, name) {
  try {
    tls.createSecureContext(options)
  } catch (cause) {
    const sentence = words`${named(name)} must be options of tls.connect, with PEM texts that belong together: ${cause.message}`
    throw optionProblem(name, sentence, { cause })
  }
}

const PEM_CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^]*?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/

/**
 * Whether a file has a certificate that others can be verified with.
 *
 * @param {string|Buffer} bytes
 * @returns {boolean}
 */
function holdsCertificate (bytes) {
  const first = PEM_CERTIFICATE.exec(typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1'))
  if (first === null) return false
  try {
    tls.createSecureContext({ cert: first[0] })
    return true
  } catch {
    return false
  }
}

/**
 * Warns of authorities among which there is no certificate, since TLS itself says nothing about them.
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

module.exports = { holdsCertificate, tlsOptions, withoutTrusted }

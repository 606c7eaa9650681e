'use strict'

const tls = require('node:tls')
const { CannonadeError, CODES } = require('../errors')
const { kind, isObject } = require('./kinds')
const { copyPlain } = require('./freeze')

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
    const sentence = `${name} must be options of tls.connect, with PEM texts that belong together, but they are refused: ` +
      cause.message
    throw new CannonadeError(CODES.BAD_OPTION, sentence, { cause, option: name })
  }
}

module.exports = { tlsOptions }

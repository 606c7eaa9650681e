'use strict'

const { named, optionProblem, show, words } = require('../base/errors')
const { TOKEN } = require('./headers')

const ALLOWED = 'the name of an HTTP method, and not CONNECT'

function notSupported (value, name) {
  const given = typeof value === 'string' && TOKEN.test(value) ? value : show(value)
  const sentence = words`${given} HTTP method is not supported: ${named(name)} must be ${ALLOWED}`
  return optionProblem(name, sentence)
}

/**
 * The method of a request: any token, because servers may define methods of their own. Methods are case-sensitive, so
 * only standard names are converted to upper case. CONNECT asks for a tunnel, which has no response to time.
 */
const method = {
  allowed: ALLOWED,
  read (value, name) {
    if (typeof value !== 'string' || !TOKEN.test(value)) throw notSupported(value, name)
    const upper = value.toUpperCase()
    if (upper === 'CONNECT') throw notSupported(value, name)
    return value !== upper && isStandard(upper) ? upper : value
  }
}

// Loaded only for names that are not in upper case, because loading it takes a tenth of the startup time of a run.
const isStandard = (name) => require('node:http').METHODS.includes(name)

module.exports = { method }

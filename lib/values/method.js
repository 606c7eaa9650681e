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
    const meant = misspelled(upper)
    if (meant !== undefined) throw optionProblem(name, words`${named(name)} must be ${ALLOWED}; got ${show(value)}: did you mean ${meant}?`)
    return value !== upper && isStandard(upper) ? upper : value
  }
}

const COMMON = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

// The common method of which this is a slip of the keyboard: two letters in the wrong order, or one too many or too few. A method with
// another letter may be one of the server's own, such as SET.
function misspelled (upper) {
  const meant = COMMON.find((method) => isSlip(upper, method))
  return meant !== undefined && isStandard(upper) ? undefined : meant
}

function isSlip (written, method) {
  if (written.length === method.length) return [...method].some((_, at) => at > 0 && written === swapped(method, at))
  const [longer, shorter] = written.length > method.length ? [written, method] : [method, written]
  return [...longer].some((_, at) => longer.slice(0, at) + longer.slice(at + 1) === shorter)
}

const swapped = (word, at) => word.slice(0, at - 1) + word[at] + word[at - 1] + word.slice(at + 1)

// Loaded only for names that are not in upper case, because loading it takes a tenth of the startup time of a run.
const isStandard = (name) => require('node:http').METHODS.includes(name)

module.exports = { method }

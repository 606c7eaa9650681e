'use strict'

const { contradiction } = require('../base/errors')
const { kind } = require('../values/kinds')
const { readOne, badUrl } = require('./url')

/** Parses the URL of an HTTP proxy into its address and the credentials to send. */
const proxy = kind('the URL of an HTTP proxy, as a string', (value, name) => {
  const given = value instanceof URL ? value.href : value
  if (typeof given !== 'string') return undefined
  if (/^\s*[\\/]/.test(given)) throw badUrl(name, given, 'name a host')
  const { target } = readOne(given, name, {})
  if (target.secure || target.isWebSocket) throw badUrl(name, given, 'start with http://')
  if (target.path !== '/') throw badUrl(name, given, 'have no path')
  const { hostname, port, authorization } = target
  return { hostname, port, authorization }
})

/**
 * @param {object} options as read
 * @param {object[]} targets of the plan
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function checkProxy ({ http2, proxy }, targets) {
  if (http2 && proxy !== null && targets.some(({ secure }) => !secure)) {
    throw contradiction('http2', 'proxy', 'plain http requests to a proxy use HTTP/1.1; https goes through a tunnel')
  }
}

module.exports = { checkProxy, proxy }

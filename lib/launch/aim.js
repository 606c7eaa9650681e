'use strict'

// Captures scheme, credentials, host, port, and the rest.
const PARTS = /^((?:(?:https?|wss?):)?\/\/)?([^/?#]*@)?(\[[^\]]*\]|[^:/?#]*)(?::(\d*))?(.*)$/is

const LOCALHOST = 'localhost'

function partsOf (url) {
  const [, scheme = 'http://', credentials = '', host, port, rest] = PARTS.exec(String(url).trim())
  return { scheme, credentials, host: host || LOCALHOST, port: port || undefined, rest }
}

/**
 * Returns the URL with another port. If it is only a path, the host is localhost.
 *
 * @param {string} url
 * @param {number} port
 * @param {string} [local] the host in place of localhost, if the server listens on another address only
 * @returns {string}
 */
function atPort (url, port, local = LOCALHOST) {
  const { scheme, credentials, host, rest } = partsOf(url)
  return `${scheme}${credentials}${host.toLowerCase() === LOCALHOST ? local : host}:${port}${rest}`
}

/**
 * Returns the host and port of a URL that names a port.
 *
 * @param {string} url
 * @returns {?{ host: string, port: number }} null without a port
 */
function addressOf (url) {
  const { host, port } = partsOf(url)
  return port === undefined ? null : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

module.exports = { LOCALHOST, atPort, addressOf }

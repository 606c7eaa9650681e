'use strict'

const net = require('node:net')
const { named, optionError, optionProblem, show, words } = require('../base/errors')
const { hideCredentials, withoutCredentials } = require('../outside/secrets')
const { isGiven, toNumber } = require('../values/kinds')

const SCHEME = /^([a-z][a-z0-9+.-]*):[\\/]{2}/i
// 'http:/x' and 'http:x' are typos, but in 'http:3000' 'http' is the name of a host.
const SLASHES_MISSING = /^(https?|wss?):(?!\d)/i
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTERS = /[\x00-\x1f\x7f]/g
// 'localhost:3000{{{path}}}', whose path is a column of the feed.
const PATH_OF_ROW = /^([a-z][a-z0-9+.-]*:\/\/[^/?#{}]+)(?=\{\{\{)/i
const PORTS = 'a port from 1 to 65535'

function badUrl (name, given, must) {
  return optionProblem(name, words`${named(name)} must ${must}; got ${show(hideCredentials(given))}`)
}

// The origin for a URL that is only a path: localhost for a unix socket, else the port in the environment variable PORT.
function originOfPath (given, name, { socketPath, websocket, socketio }) {
  const scheme = usualScheme(websocket ?? socketio)
  if (socketPath !== undefined) return `${scheme}://localhost`
  const { PORT } = process.env
  if (PORT === undefined || PORT === '') {
    throw badUrl(name, given, 'name a host: a path alone needs the environment variable PORT')
  }
  const port = toNumber(PORT)
  if (!isPort(port)) throw optionError('PORT', PORT, PORTS)
  return `${scheme}://localhost:${port}`
}

function usualScheme (websocket) {
  return websocket ? 'ws' : 'http'
}

function isPort (port) {
  return Number.isInteger(port) && port >= 1 && port <= 65535
}

function withScheme (given, name, options) {
  const usual = usualScheme(options.websocket ?? options.socketio)
  if (given.startsWith('//')) return `${usual}:${given}`
  if (given.startsWith('/')) return originOfPath(given, name, options) + given
  const scheme = SCHEME.exec(given)
  if (scheme === null && SLASHES_MISSING.test(given)) throw badUrl(name, given, 'have two slashes after its scheme')
  // A port alone, or a number after a flag that takes none. As a host, 3000 would be the address 0.0.11.184.
  if (/^\d+$/.test(given)) throw badUrl(name, given, `name a host: port ${given} of this machine is localhost:${given}`)
  if (scheme === null) return `${usual}://${given}`
  if (!/^(https?|wss?)$/i.test(scheme[1])) throw badUrl(name, given, 'start with http:// or https://, or with ws:// or wss:// for WebSocket')
  // Clients of Socket.IO take the URL of the server, and turn it into the one of its WebSocket.
  return options.socketio ? given.replace(scheme[1], scheme[1].toLowerCase().replace('http', 'ws')) : given
}

// Host and port without credentials. `new URL` would skip extra slashes and use the first path segment as the host.
function hostAndPort (url) {
  const authority = url.replace(SCHEME, '').split(/[\\/?#]/, 1)[0]
  return authority.slice(authority.lastIndexOf('@') + 1)
}

function parse (url, given, name) {
  const authority = hostAndPort(url)
  // Addresses have at least two colons, and other hosts need not pay for compiling Node's long pattern.
  if (/:.*:/.test(authority) && net.isIPv6(authority)) throw badUrl(name, given, 'have its IPv6 address in brackets')
  if (authority === '' || authority.startsWith(':')) throw badUrl(name, given, 'name a host')
  const port = /:([^:\]]*)$/.exec(authority)
  if (port !== null && port[1] !== '' && !(/^\d+$/.test(port[1]) && isPort(Number(port[1])))) {
    throw badUrl(name, given, `have ${PORTS}`)
  }
  try {
    return new URL(url)
  } catch {
    throw badUrl(name, given, 'have a valid host')
  }
}

// Decodes byte by byte because decodeURIComponent throws on a lone '%', which a password may contain.
function percentDecode (encoded) {
  const bytes = []
  for (let i = 0; i < encoded.length; i++) {
    const hex = encoded[i] === '%' && /^[0-9a-f]{2}$/i.test(encoded.slice(i + 1, i + 3))
    bytes.push(hex ? parseInt(encoded.slice(i + 1, i + 3), 16) : encoded.charCodeAt(i)) // always ASCII, since it comes from a URL
    if (hex) i += 2
  }
  return Buffer.from(bytes)
}

function basicAuthorization (url) {
  if (url.username === '' && url.password === '') return null
  const credentials = [percentDecode(url.username), Buffer.from(':'), percentDecode(url.password)]
  return 'Basic ' + Buffer.concat(credentials).toString('base64')
}

function createTarget (url, { servername, idReplacement, feed, keepAlive = true, proxy = null }) {
  const secure = url.protocol === 'https:' || url.protocol === 'wss:'
  const isWebSocket = url.protocol === 'ws:' || url.protocol === 'wss:'
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  let path = url.pathname + url.search
  // `new URL` encodes '<' and '{', which the placeholders of IDs and columns need.
  if (idReplacement) path = path.replaceAll('[%3Cid%3E]', '[<id>]')
  if (feed) path = require('../values/placeholders').restorePlaceholders(path)
  return {
    href: `${url.protocol}//${url.host}${path}`,
    secure,
    ...(isWebSocket && { isWebSocket }),
    hostname,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    hostHeader: url.host, // without the scheme's default port
    path,
    authorization: basicAuthorization(url),
    servername: servername ?? sniName(hostname),
    keepAlive,
    proxy
  }
}

// RFC 6066: SNI must not be an IP address or end with a dot.
function sniName (hostname) {
  return net.isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : undefined
}

function readOne (given, name, options) {
  if (given instanceof URL) given = given.href
  if (typeof given !== 'string') throw optionError(name, given, 'a URL as a string, or an array of them')
  const trimmed = given.trim()
  if (trimmed === '') throw badUrl(name, given, 'name a host')
  const whole = withScheme(trimmed, name, options)
  const withSlash = options.feed ? whole.replace(PATH_OF_ROW, '$1/') : whole
  const encoded = withSlash.replace(CONTROL_CHARACTERS, encodeURIComponent)
  return { url: withoutCredentials(encoded), target: createTarget(parse(encoded, given, name), options) }
}

function isMissing (url) {
  return !isGiven(url) || url === '' || (Array.isArray(url) && url.length === 0)
}

/**
 * Adds the scheme to a URL and keeps its credentials. An invalid URL is returned unchanged; `createTargets` reports it.
 *
 * @param {*} given the `url` option
 * @param {string} [socketPath]
 * @param {*} [websocket] the option of that name; if set, a URL without a scheme is ws://
 * @returns {*} a string, or an array of strings
 */
function completeUrl (given, socketPath, websocket) {
  if (Array.isArray(given)) return given.map((item) => completeUrl(item, socketPath, websocket))
  try {
    const trimmed = given.trim()
    return trimmed === '' ? given : withScheme(trimmed, 'url', { socketPath, websocket })
  } catch {
    return given
  }
}

/**
 * Creates the targets that requests are sent to.
 *
 * @param {*} given the `url` option: a string (without a scheme, it is http, or ws with `websocket`), or an array of
 *   strings
 * @param {{ socketPath?: string, servername?: string, idReplacement: boolean, feed: ?object, keepAlive: boolean,
 *   proxy: ?object, websocket: ?object }} options as read
 * @returns {{ url: string|string[], targets: object[] }} `url` is the given URL with its scheme, without credentials
 * @throws CANNONADE_BAD_OPTION
 */
function createTargets (given, options) {
  if (isMissing(given)) {
    if (options.socketPath === undefined) {
      const sentence = 'url or socketPath option required: give the URL of the server, or the path of a unix socket'
      throw optionProblem('url', sentence)
    }
    given = `${usualScheme(options.websocket ?? options.socketio)}://localhost`
  }
  if (!Array.isArray(given)) {
    const { url, target } = readOne(given, 'url', options)
    return { url, targets: [target] }
  }
  const read = given.map((item, i) => readOne(item, `url[${i}]`, options))
  return { url: read.map(item => item.url), targets: read.map(item => item.target) }
}

module.exports = { completeUrl, createTargets, readOne, badUrl }

'use strict'

const net = require('node:net')
const os = require('node:os')
const { show } = require('../../base/errors')
const { percentEncoded } = require('./bytes')
const { bad } = require('./problem')

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
// Captures scheme, user, host with port, and the rest.
const URL_PARTS = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#\\]*@)?([^/?#\\]*)([^]*)$/i
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/
// curl's default port for proxies.
const PROXY_PORT = 1080
const IN_USER_INFO = /[A-Za-z0-9._~-]/

/** curl's options for how to reach the server, by name; see request-options.js. */
const ROUTE_OPTIONS = {
  'unix-socket': { takes: true, read: ({ options }, value) => { options.socketPath = value } },
  'abstract-unix-socket': { takes: true, read: ({ options }, value) => { options.socketPath = `\0${value}` } },
  proxy: { letter: 'x', takes: true, read: ({ route }, value) => { route.proxy = value } },
  'proxy-user': { letter: 'U', takes: true, read: ({ route }, value, written) => { route.proxyUser = { value, written } } },
  'proxy-header': { takes: true, read: ({ route }, value, written) => { route.proxyHeaders.push({ value, written }) } },
  proxytunnel: { letter: 'p', read: ({ route }, isOn, written) => { route.tunnel = isOn ? written : null } },
  noproxy: { takes: true, read: ({ route }, value) => { route.noProxy = value } },
  resolve: { takes: true, read: ({ route }, value, written) => { route.resolve.push({ value, written }) } },
  'connect-to': { takes: true, read: ({ route }, value, written) => { route.connectTo.push({ value, written }) } },
  interface: { takes: true, read: ({ route }, value) => { route.interface = value } },
  'proto-default': { takes: true, read: ({ route }, value) => { route.scheme = value } }
}

const noRoute = () => ({ proxy: '', proxyUser: null, proxyHeaders: [], tunnel: null, noProxy: null, resolve: [], connectTo: [], interface: null, scheme: 'http' })

/** @returns {string} the URL with its scheme */
function withScheme (url, scheme) {
  return SCHEME.test(url) ? url : `${scheme}://${url}`
}

/**
 * Determines where to connect, for a URL that the server sees unchanged.
 *
 * @param {string} url with its scheme
 * @param {object} request as index.js builds it
 * @returns {{ url: string, host: ?string, options: object, proxyHeaders: object[], ignored: string[] }} `host`: the Host
 *   header, if the host in `url` is not the requested one; `options`: for the run; `proxyHeaders`: headers to send with
 *   the request; `ignored`: curl options that have no effect
 */
function routeTo (url, { route, options: { socketPath } }) {
  const place = placeOf(url)
  const noProxy = { url, host: null, options: {}, proxyHeaders: [], ignored: ofProxies(route) }
  if (place === null || socketPath !== undefined) return noProxy
  const from = localAddressOf(route, place)
  if (route.proxy === '' || isExempt(place.host, route.noProxy)) return { ...noProxy, ...directlyTo(url, place, route, noProxy.ignored, from) }
  return { ...noProxy, ...throughProxy(url, place, route, from) }
}

function directlyTo (url, place, route, ignored, from) {
  const { host, port, unused } = redirected(place, route)
  const isSame = host === place.host && port === place.port
  const isNamed = place.secure && net.isIP(bare(place.host)) === 0
  return {
    url: isSame ? url : url.replace(URL_PARTS, (_, scheme, user = '', __, rest) => `${scheme}${user}${host}:${port}${rest}`),
    host: isSame ? null : place.authority,
    options: { ...from, ...(!isSame && isNamed && { servername: place.host }) },
    ignored: [...ignored, ...unused]
  }
}

// The proxy resolves the server's name, so options that change the address cannot apply.
function throughProxy (url, { secure }, route, from) {
  if (route.connectTo.length > 0) throw bad(`${route.connectTo[0].written} together with a proxy is not supported`)
  if (route.tunnel !== null && !secure) throw bad(`${route.tunnel} is not supported for http:// (https:// goes through a tunnel by itself)`)
  if (route.proxyHeaders.length > 0 && secure) throw bad(`${route.proxyHeaders[0].written} is not supported for https://: the request that opens the tunnel has no custom headers`)
  const [, scheme, user = '', authority, rest] = URL_PARTS.exec(withScheme(route.proxy, 'http'))
  const parts = HOST_AND_PORT.exec(authority)
  if (parts === null) throw bad(`-x ${show(route.proxy)} has no valid host and port`)
  const place = { host: parts[1].toLowerCase(), port: Number(parts[2] || PROXY_PORT) }
  const { host, port, unused } = redirected(place, route)
  const login = user === '' && route.proxyUser !== null ? userInfo(route.proxyUser.value) : user
  return {
    options: { ...from, proxy: `${scheme}${login}${host}:${port}${rest}` },
    proxyHeaders: route.proxyHeaders,
    ignored: [...(route.tunnel === null ? [] : [route.tunnel]), ...(user !== '' && route.proxyUser !== null ? [route.proxyUser.written] : []), ...unused]
  }
}

function userInfo (login) {
  const [, name, password = ''] = /^([^:]*)(?::([^]*))?$/.exec(login)
  return `${percentEncoded(name, IN_USER_INFO)}:${percentEncoded(password, IN_USER_INFO)}@`
}

// Returns the proxy options that have no effect without a proxy.
function ofProxies ({ proxyUser, proxyHeaders, tunnel }) {
  return [proxyUser?.written, ...proxyHeaders.map(({ written }) => written), tunnel].filter(Boolean)
}

function placeOf (url) {
  if (!URL.canParse(url)) return null
  const { protocol, hostname, host, port } = new URL(url)
  const secure = protocol === 'https:'
  return { secure, host: hostname, authority: host, port: port === '' ? (secure ? 443 : 80) : Number(port) }
}

// --- other addresses

/** Applies --connect-to first, and then --resolve to the resulting host and port. */
function redirected (place, { resolve, connectTo }) {
  const rules = connectTo.map(readConnectTo)
  const taken = rules.findIndex(({ from }) => (from.host === '' || from.host === place.host) && (from.port === null || from.port === place.port))
  const to = taken === -1 ? place : { host: rules[taken].to.host || place.host, port: rules[taken].to.port ?? place.port }
  const addresses = resolve.map(readResolve)
  const known = addresses.findLastIndex(({ host, port }) => host === to.host && port === to.port)
  const place2 = known === -1 ? addresses.findLastIndex(({ host, port }) => host === '*' && port === to.port) : known
  const address = addresses[place2]?.address ?? null
  const unused = [
    ...connectTo.filter((_, index) => index !== taken), ...resolve.filter((_, index) => index !== place2 || address === null)
  ].map(({ value, written }) => `${written} ${value}`)
  return { host: address === null ? to.host : address, port: to.port, unused }
}

// Parses HOST1:PORT1:HOST2:PORT2, in which each part may be empty.
function readConnectTo ({ value, written }) {
  const parts = /^(\[[^\]]*\]|[^:[\]]*):(\d*):(\[[^\]]*\]|[^:[\]]*):(\d*)$/.exec(value)
  if (parts === null) throw bad(`${written} ${show(value)} is not HOST1:PORT1:HOST2:PORT2`)
  const [, host1, port1, host2, port2] = parts
  const port = (text) => text === '' ? null : Number(text)
  return { from: { host: host1.toLowerCase(), port: port(port1) }, to: { host: host2.toLowerCase(), port: port(port2) } }
}

// Parses HOST:PORT:ADDRESS[,ADDRESS], of which only the first address is used; -HOST:PORT removes an entry.
function readResolve ({ value, written }) {
  const removed = /^-(\[[^\]]*\]|[^:[\]]*):(\d+)$/.exec(value)
  if (removed !== null) return { host: removed[1].toLowerCase(), port: Number(removed[2]), address: null }
  const parts = /^\+?(\[[^\]]*\]|[^:[\]]*):(\d+):([^]+)$/.exec(value)
  const address = parts === null ? '' : bare(parts[3].split(',', 1)[0])
  if (net.isIP(address) === 0) throw bad(`${written} ${show(value)} is not HOST:PORT:ADDRESS`)
  return { host: parts[1].toLowerCase(), port: Number(parts[2]), address: net.isIPv6(address) ? `[${address}]` : address }
}

function bare (host) {
  return host.replace(/^\[|\]$/g, '')
}

// --- without a proxy

// Entries are names (which include their subdomains), addresses or networks; '*' matches every host.
function isExempt (host, list) {
  if (list === null) return false
  const name = bare(host)
  return list.split(/[\s,]+/).filter((entry) => entry !== '').some((entry) => {
    const meant = bare(entry.toLowerCase()).replace(/^\./, '')
    return meant === '*' || meant === name || name.endsWith(`.${meant}`) || isWithin(name, meant)
  })
}

function isWithin (address, network) {
  const [start, bits] = network.split('/', 2)
  const family = net.isIP(start)
  if (bits === undefined || family === 0 || net.isIP(address) !== family || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false
  const list = new net.BlockList()
  list.addSubnet(start, Number(bits), `ipv${family}`)
  return list.check(address, `ipv${family}`)
}

// --- where connections come from

// Accepts an address, or an interface that has an address of the server's family.
function localAddressOf ({ interface: given }, { host }) {
  if (given === null) return {}
  const name = given.replace(/^(?:if|host)!/i, '')
  if (net.isIP(name) !== 0) return { localAddress: name }
  const family = net.isIPv6(bare(host)) ? 'IPv6' : 'IPv4'
  const found = os.networkInterfaces()[name]?.find((each) => each.family === family)
  if (found === undefined) throw bad(`--interface ${show(given)} is neither an address nor an interface of this machine with one of ${family}`)
  return { localAddress: found.address }
}

module.exports = { ROUTE_OPTIONS, noRoute, routeTo, withScheme }

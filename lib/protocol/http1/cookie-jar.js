'use strict'

const net = require('node:net')
const trimSpaces = require('../../http/white-space')
const world = require('../../world')
const readCookieDate = require('./cookie-date')

// RFC 6265, section 6.1: what a browser has to hold, and browsers hold little more. Without a limit a server that sets a new
// name each time would make each request head longer than the last.
const MOST_BYTES = 4096
const MOST_OF_DOMAIN = 50
const MOST = 3000

const isExpired = ({ expiresAt }) => expiresAt <= world.date().getTime()

/**
 * The cookies that one user has been given, by RFC 6265, and what they are for. There is no list of public suffixes, since a
 * connection talks to one server: a `Domain` of one label is refused, and no cookie gets farther than to that server.
 */
class CookieJar {
  // By name, domain and path. A Map keeps the order in which they were made, also where one is replaced.
  #cookies = new Map()
  #uses = 0

  get size () {
    return this.#cookies.size
  }

  /**
   * Keeps what a response sets, where it may (section 5.3).
   *
   * @param {string} setCookie the value of one such field
   * @param {URL} url of the request
   */
  store (setCookie, url) {
    const cookie = parse(setCookie)
    if (cookie === null || !keepsPromise(cookie, url) || !placeWithin(cookie, url)) return
    const key = `${cookie.name};${cookie.domain};${cookie.path}`
    if (isExpired(cookie)) {
      this.#cookies.delete(key)
      return
    }
    cookie.usedAt = ++this.#uses
    this.#cookies.set(key, cookie)
    this.#evict((other) => other.domain === cookie.domain, MOST_OF_DOMAIN)
    this.#evict(() => true, MOST)
  }

  /**
   * The cookies for a request (section 5.4): those of longer paths first, then those that are there the longest.
   *
   * @param {URL} url
   * @returns {Array<{ name: string, value: string }>}
   */
  for (url) {
    const host = hostOf(url)
    const found = []
    for (const [key, cookie] of this.#cookies) {
      if (isExpired(cookie)) this.#cookies.delete(key)
      else if (isFor(cookie, host, url)) found.push(cookie)
    }
    for (const cookie of found) cookie.usedAt = ++this.#uses
    return found.sort((a, b) => b.path.length - a.path.length)
  }

  // What was stored may be one too many: one that has expired goes, or else the one that was not used for the longest time. A
  // response may set thousands, so each is looked at once, and the calendar is asked once.
  #evict (isConcerned, most) {
    if (this.#cookies.size <= most) return
    const now = world.date().getTime()
    let count = 0
    let first = null
    let usedAt = Infinity
    for (const [key, cookie] of this.#cookies) {
      if (!isConcerned(cookie)) continue
      count++
      const rank = cookie.expiresAt <= now ? -Infinity : cookie.usedAt
      if (first !== null && rank >= usedAt) continue
      first = key
      usedAt = rank
    }
    if (count > most) this.#cookies.delete(first)
  }
}

/**
 * What a Set-Cookie says (section 5.2).
 *
 * @param {string} setCookie in Latin-1, so that each character is a byte
 * @returns {?object} null where it is to be ignored
 */
function parse (setCookie) {
  const [pair, ...attributes] = setCookie.split(';')
  const [name, value] = splitAt(pair, '=') ?? ['', trimSpaces(pair)] // browsers take what has no sign for a value without a name
  if ((name === '' && value === '') || name.length + value.length > MOST_BYTES) return null
  const cookie = { name, value, domain: '', path: '', isSecure: false, isOfHost: false, expiresAt: Infinity, usedAt: 0 }
  let maxAge = null
  for (const attribute of attributes) {
    const [key, said] = splitAt(attribute, '=') ?? [trimSpaces(attribute), '']
    switch (key.toLowerCase()) {
      case 'expires': {
        const date = readCookieDate(said)
        if (!Number.isNaN(date)) cookie.expiresAt = date
        break
      }
      case 'max-age': maxAge = /^-?\d+$/.test(said) ? Number(said) : maxAge; break
      case 'domain': cookie.domain = said.replace(/^\./, '').toLowerCase() || cookie.domain; break // an empty one says nothing
      case 'path': cookie.path = said.startsWith('/') ? said : ''; break
      case 'secure': cookie.isSecure = true
    }
  }
  if (maxAge !== null) cookie.expiresAt = maxAge <= 0 ? -Infinity : world.date().getTime() + maxAge * 1000
  return cookie
}

function splitAt (text, sign) {
  const at = text.indexOf(sign)
  return at === -1 ? null : [trimSpaces(text.slice(0, at)), trimSpaces(text.slice(at + 1))]
}

/**
 * What the beginning of a name promises of its cookie (RFC 6265bis, section 4.1.3): it came over TLS and is Secure, and with
 * `__Host-` it is for this host alone and all of it. In any case, and also where the value stands there without a name.
 */
function keepsPromise ({ name, value, domain, path, isSecure }, { protocol }) {
  const [prefix] = /^__(?:secure|host)-/i.exec(name === '' ? value : name) ?? ['']
  if (prefix === '') return true
  if (name === '' || !isSecure || protocol !== 'https:') return false
  return prefix.toLowerCase() === '__secure-' || (domain === '' && path === '/')
}

/** Gives the cookie the domain and the path it has without naming them. @returns {boolean} whether this server may set it */
function placeWithin (cookie, url) {
  const host = hostOf(url)
  if (cookie.path === '') cookie.path = defaultPath(url.pathname)
  if (cookie.domain === '' || cookie.domain === host) {
    cookie.isOfHost = cookie.domain === ''
    cookie.domain = host
    return true
  }
  return cookie.domain.includes('.') && isWithin(host, cookie.domain)
}

function hostOf ({ hostname }) {
  return hostname.toLowerCase().replace(/^\[|\]$/g, '')
}

// Section 5.1.4.
function defaultPath (pathname) {
  return pathname.slice(0, pathname.lastIndexOf('/')) || '/'
}

// Section 5.1.3: an address is nobody's part.
function isWithin (host, domain) {
  return host.endsWith(`.${domain}`) && net.isIP(host) === 0
}

function isFor ({ domain, path, isOfHost, isSecure }, host, { pathname, protocol }) {
  if (host !== domain && (isOfHost || !isWithin(host, domain))) return false
  if (isSecure && protocol !== 'https:') return false
  return pathname === path || (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'))
}

module.exports = CookieJar

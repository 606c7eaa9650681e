'use strict'

const net = require('node:net')
const { trimSpaces } = require('../../http/header-fields')
const world = require('../../world')

// The minimum that browsers must support (RFC 6265, section 6.1); they hold little more. Without a limit, a server that sets a
// new name each time would make each request head longer than the last.
const MOST_BYTES = 4096
const MOST_OF_DOMAIN = 50
const MOST = 3000

const isExpired = ({ expiresAt }) => expiresAt <= world.date().getTime()

/**
 * The cookies of one user, by RFC 6265. It needs no list of public suffixes, since a connection talks to only one server: a
 * `Domain` of a single label is refused, and cookies are sent only to that server.
 */
class CookieJar {
  // Keyed by name, domain and path. A Map keeps the order of creation, even if a cookie is replaced before it has expired.
  #cookies = new Map()
  #uses = 0

  get size () {
    return this.#cookies.size
  }

  /**
   * Stores a cookie that a response sets, if that is allowed (section 5.3).
   *
   * @param {string} setCookie the value of one Set-Cookie field
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
    const replaced = this.#cookies.get(key)
    if (replaced !== undefined && isExpired(replaced)) this.#cookies.delete(key)
    cookie.usedAt = ++this.#uses
    this.#cookies.set(key, cookie)
    this.#evict((other) => other.domain === cookie.domain, MOST_OF_DOMAIN)
    this.#evict(() => true, MOST)
  }

  /**
   * Returns the cookies for a request (section 5.4): longer paths first, then the oldest.
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

  // Removes one cookie if the new one exceeds the limit: an expired one, otherwise the least recently used. A response may set
  // thousands, so this looks at each cookie once and reads the clock once.
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
 * Parses a Set-Cookie field (section 5.2).
 *
 * @param {string} setCookie as Latin-1, so that each character is a byte
 * @returns {?object} null if it must be ignored
 */
function parse (setCookie) {
  const [pair, ...attributes] = setCookie.split(';')
  // Without an equals sign, browsers take it as a value with an empty name.
  const [name, value] = splitAt(pair, '=') ?? ['', trimSpaces(pair)]
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
      case 'domain': cookie.domain = said.replace(/^\./, '').toLowerCase() || cookie.domain; break // an empty one is ignored
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
 * Checks what the prefix of a name requires of its cookie (RFC 6265bis, section 4.1.3): `__Secure-` requires TLS and the Secure
 * attribute; `__Host-` also requires that the cookie is for this host only and for all its paths. Prefixes are matched in any
 * case, and also in a value without a name.
 */
function keepsPromise ({ name, value, domain, path, isSecure }, { protocol }) {
  const [prefix] = /^__(?:secure|host)-/i.exec(name === '' ? value : name) ?? ['']
  if (prefix === '') return true
  if (name === '' || !isSecure || protocol !== 'https:') return false
  return prefix.toLowerCase() === '__secure-' || (domain === '' && path === '/')
}

/** Sets the default domain and path of the cookie. @returns {boolean} whether this server may set the cookie */
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

// Section 5.1.3: an IP address has no subdomains.
function isWithin (host, domain) {
  return host.endsWith(`.${domain}`) && net.isIP(host) === 0
}

function isFor ({ domain, path, isOfHost, isSecure }, host, { pathname, protocol }) {
  if (host !== domain && (isOfHost || !isWithin(host, domain))) return false
  if (isSecure && protocol !== 'https:') return false
  return pathname === path || (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'))
}

// RFC 6265, section 5.1.1. Servers write dates in many formats; browsers accept all that contain the same four parts, in any
// order.
const DELIMITERS = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/
const TIME = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?!\d)/
const DAY = /^\d{1,2}(?!\d)/
const MONTH = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i
const YEAR = /^\d{2,4}(?!\d)/
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const FIRST_YEAR = 1601

/**
 * Parses the `Expires` attribute of a cookie. Always in UTC, regardless of the time zone it names or of this process's.
 *
 * @param {string} text
 * @returns {number} ms since 1970; NaN if it is not a valid date
 */
function readCookieDate (text) {
  let time = null
  let day = null
  let month = null
  let year = null
  for (const token of text.split(DELIMITERS)) {
    if (time === null && TIME.test(token)) time = TIME.exec(token).slice(1).map(Number)
    else if (day === null && DAY.test(token)) day = parseInt(token, 10)
    else if (month === null && MONTH.test(token)) month = MONTHS.indexOf(token.slice(0, 3).toLowerCase())
    else if (year === null && YEAR.test(token)) year = wholeYear(parseInt(token, 10))
  }
  if (time === null || day === null || month === null || year === null || year < FIRST_YEAR) return NaN
  const [hours, minutes, seconds] = time
  if (hours > 23 || minutes > 59 || seconds > 59) return NaN
  const date = Date.UTC(year, month, day, hours, minutes, seconds)
  return new Date(date).getUTCDate() === day ? date : NaN
}

// Expands a year of two digits.
function wholeYear (year) {
  if (year >= 100) return year
  return year < 70 ? 2000 + year : 1900 + year
}

/** Handles cookies for one user: stores those of responses and adds them to requests. */
class Cookies {
  #jar = new CookieJar()
  #form

  /** @param {object} form reads and changes requests of the protocol, see navigation.js */
  constructor (form) {
    this.#form = form
  }

  /**
   * Stores a cookie that a response sets, if that is allowed.
   *
   * @param {string} setCookie the value of one Set-Cookie field
   * @param {URL} url of the request
   */
  store (setCookie, url) {
    this.#jar.store(setCookie, url)
  }

  /**
   * Adds the matching cookies to a request. The user's own Cookie header is kept and takes precedence over stored cookies of the
   * same name.
   *
   * @param {EncodedRequest} request
   * @param {object} head of the request, see request-head.js
   * @param {URL} url
   * @returns {EncodedRequest}
   */
  addTo (request, head, url) {
    if (this.#jar.size === 0) return request
    const place = head.fields.findIndex(([name]) => name.toLowerCase() === 'cookie')
    const [field, given] = place === -1 ? ['Cookie', ''] : head.fields[place]
    const names = new Set(given.split(';').map((pair) => pair.split('=', 1)[0].trim()))
    const added = this.#jar.for(url).filter(({ name }) => !names.has(name)).map(({ name, value }) => name === '' ? value : `${name}=${value}`)
    if (added.length === 0) return request
    const whole = [field, [...(given === '' ? [] : [given]), ...added].join('; ')]
    const fields = place === -1 ? [...head.fields, whole] : head.fields.with(place, whole)
    return this.#form.withHead(request, { ...head, fields })
  }
}

module.exports = { CookieJar, readCookieDate, Cookies }

'use strict'

const { Cookies } = require('./cookie-jar')
const requestForm = require('./request-head')

const { valueOf } = requestForm

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const ABSOLUTE = /^https?:\/\//i
// Fields that describe the body; they are dropped with it.
const OF_BODY = /^(?:content-.*|transfer-encoding|trailer|expect)$/i

/**
 * Does what a browser does by itself, for one connection: keeps cookies and follows redirects. The connection stands for one
 * user, who stays the same when it is reopened.
 *
 * An entry is what a Script keeps for each request in flight: `{ step, encoded, context }`. Navigation adds `url`, `bare` (the
 * request before cookies) and `hops` (how many redirects led to it).
 */
class Navigation {
  /**
   * @param {object} target of the plan
   * @param {object} plan for `cookies` and `followRedirects`
   * @param {function({ code: string, message: string })} warn
   * @param {object} [form] reads and changes requests of the protocol: `readRequestHead`, `withHead`, `onceOnly`
   */
  constructor (target, { cookies, followRedirects }, warn, form = requestForm) {
    this.target = target
    this.form = form
    this.cookies = cookies ? new Cookies(form) : null
    this.mostHops = followRedirects ?? 0
    this.warn = warn
    /** Redirected requests that are still to be sent. */
    this.waiting = []
  }

  /** The next redirected request to send; null if there is none. */
  next () {
    return this.waiting.shift() ?? null
  }

  /** Returns the entry as it is sent now, with cookies. */
  depart (entry) {
    const bare = this.form.onceOnly(entry.encoded)
    const head = this.form.readRequestHead(bare)
    const url = urlOf(head, this.target)
    const encoded = this.cookies === null ? bare : this.cookies.addTo(bare, head, url)
    return { ...entry, encoded, bare, url, hops: entry.hops ?? 0 }
  }

  /**
   * Handles the head of a response.
   *
   * @param {object} entry of its request
   * @param {number} status
   * @param {string[]} fields name, value, …
   * @returns {?object} the entry of the request to which it redirects; null if the response is final
   */
  arrive (entry, status, fields) {
    let location = null
    for (let index = 0; index < fields.length; index += 2) {
      const name = fields[index].toLowerCase()
      if (name === 'location') location ??= fields[index + 1]
      else if (name === 'set-cookie' && this.cookies !== null) this.cookies.store(fields[index + 1], entry.url)
    }
    if (this.mostHops === 0 || location === null || !REDIRECTS.has(status)) return null
    return this.follow(entry, status, location)
  }

  follow (entry, status, location) {
    const url = resolve(location, entry.url)
    if (url === null) return this.stay(entry, status, location, 'this is not a URL')
    if (url.origin !== entry.url.origin) return this.stay(entry, status, location, 'it leads to another origin')
    if (entry.hops >= this.mostHops) return this.stay(entry, status, location, `it exceeds followRedirects (${this.mostHops})`)
    return { ...entry, encoded: redirected(entry.bare, status, url, this.form), hops: entry.hops + 1 }
  }

  stay (entry, status, location, reason) {
    this.warn({
      code: 'REDIRECT_NOT_FOLLOWED',
      message: `A redirect was not followed (${status} from ${entry.url.pathname} to ${location.slice(0, 200)}): ${reason}. Its response counts as the final one.`
    })
    return null
  }
}

// The URL of a request (RFC 9110, section 7.1): the user may have set a different Host.
function urlOf ({ target: path, fields }, target) {
  const scheme = target.secure ? 'https' : 'http'
  const whole = ABSOLUTE.test(path) ? path : `${scheme}://${valueOf(fields, 'host') ?? target.hostHeader}${path === '*' ? '/' : path}`
  return URL.canParse(whole) ? new URL(whole) : new URL(target.href)
}

// Servers send raw UTF-8 where they should percent-encode.
function resolve (location, base) {
  const text = Buffer.from(location, 'latin1').toString()
  return URL.canParse(text, base) ? new URL(text, base) : null
}

/*
 * RFC 9110, section 15.4: after a 303 the next request is a GET (a HEAD stays a HEAD), and so it is after a POST with 301 or
 * 302, as in all browsers. It has no body. After 307 and 308, the request stays the same.
 */
function redirected (request, status, url, { readRequestHead, withHead }) {
  const head = readRequestHead(request)
  const { method } = head
  const becomesGet = status === 303 ? method !== 'GET' && method !== 'HEAD' : status <= 302 && method === 'POST'
  const path = url.pathname + url.search
  // A request to a proxy contains the whole URL.
  const target = ABSOLUTE.test(head.target) ? url.origin + path : path
  if (!becomesGet) return withHead(request, { ...head, target })
  const fields = head.fields.filter(([name]) => !OF_BODY.test(name))
  return withHead(request, { ...head, method: 'GET', target, fields }, false)
}

module.exports = Navigation

'use strict'

const Cookies = require('./cookies')
const requestForm = require('./request-head')

const { valueOf } = requestForm

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const ABSOLUTE = /^https?:\/\//i
// What says something of a body that is sent no more.
const OF_BODY = /^(?:content-.*|transfer-encoding|trailer|expect)$/i

/**
 * What a browser does on its own, for one connection: it keeps cookies and follows redirects. The connection is the user,
 * who stays the same when it is opened again.
 *
 * An entry is what a Script has for each request in flight: `{ step, encoded, context }`. Here it gets `url`, `bare` (the
 * request before cookies) and `hops` (how many redirects have led to it).
 */
class Navigation {
  /**
   * @param {object} target of the plan
   * @param {object} plan for `cookies` and `followRedirects`
   * @param {function({ code: string, message: string })} warn
   * @param {object} [form] how requests of the protocol are read and changed: `readRequestHead`, `withHead`, `onceOnly`
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

  /** The redirected request that goes out next; null: there is none. */
  next () {
    return this.waiting.shift() ?? null
  }

  /** The entry as it goes out now. */
  depart (entry) {
    const bare = this.form.onceOnly(entry.encoded)
    const head = this.form.readRequestHead(bare)
    const url = urlOf(head, this.target)
    const encoded = this.cookies === null ? bare : this.cookies.addTo(bare, head, url)
    return { ...entry, encoded, bare, url, hops: entry.hops ?? 0 }
  }

  /**
   * The head of a response is there.
   *
   * @param {object} entry of its request
   * @param {number} status
   * @param {string[]} fields name, value, …
   * @returns {?object} the entry of the request to which it redirects; null: it is final
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

// The URL that a request means (RFC 9110, section 7.1): the user may have given it another Host.
function urlOf ({ target: path, fields }, target) {
  const scheme = target.secure ? 'https' : 'http'
  const whole = ABSOLUTE.test(path) ? path : `${scheme}://${valueOf(fields, 'host') ?? target.hostHeader}${path === '*' ? '/' : path}`
  return URL.canParse(whole) ? new URL(whole) : new URL(target.href)
}

// Servers write UTF-8 where they should have percent-encoded.
function resolve (location, base) {
  const text = Buffer.from(location, 'latin1').toString()
  return URL.canParse(text, base) ? new URL(text, base) : null
}

/*
 * RFC 9110, section 15.4: 303 is answered with GET, and so is POST after 301 and 302, as all browsers do it. The body is
 * then left out. After 307 and 308 the request is the same.
 */
function redirected (request, status, url, { readRequestHead, withHead }) {
  const head = readRequestHead(request)
  const { method } = head
  const becomesGet = status === 303 ? method !== 'GET' && method !== 'HEAD' : status <= 302 && method === 'POST'
  const path = url.pathname + url.search
  // A proxy is told the whole URL again.
  const target = ABSOLUTE.test(head.target) ? url.origin + path : path
  if (!becomesGet) return withHead(request, { ...head, target })
  const fields = head.fields.filter(([name]) => !OF_BODY.test(name))
  return withHead(request, { ...head, method: 'GET', target, fields }, false)
}

module.exports = Navigation

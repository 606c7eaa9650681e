'use strict'

const { withHead } = require('./request-head')

/** The cookies of one user (RFC 6265). */
class Cookies {
  constructor () {
    // With its list of public suffixes it is a third of what a thread loads; few runs need it.
    const { CookieJar } = require('tough-cookie')
    this.jar = new CookieJar(undefined, { looseMode: true })
    // Looking for cookies costs more than sending a request.
    this.isEmpty = true
  }

  /**
   * Keeps what a response sets, where it may.
   *
   * @param {string} setCookie the value of one such field
   * @param {URL} url of the request
   */
  store (setCookie, url) {
    try {
      this.jar.setCookieSync(setCookie, url.href, { ignoreError: true })
      this.isEmpty = false
    } catch { /* a browser drops what it cannot read, and goes on */ }
  }

  /**
   * A request with the cookies that belong to it. What the user's own Cookie header says stays, and goes before a cookie
   * of the same name.
   *
   * @param {EncodedRequest} request
   * @param {object} head of the request, see request-head.js
   * @param {URL} url
   * @returns {EncodedRequest}
   */
  addTo (request, head, url) {
    if (this.isEmpty) return request
    const place = head.fields.findIndex(([name]) => name.toLowerCase() === 'cookie')
    const [name, given] = place === -1 ? ['Cookie', ''] : head.fields[place]
    const names = new Set(given.split(';').map((pair) => pair.split('=', 1)[0].trim()))
    const added = this.jar.getCookiesSync(url.href).filter(({ key }) => !names.has(key)).map((cookie) => cookie.cookieString())
    if (added.length === 0) return request
    const field = [name, [...(given === '' ? [] : [given]), ...added].join('; ')]
    const fields = place === -1 ? [...head.fields, field] : head.fields.with(place, field)
    return withHead(request, { ...head, fields })
  }
}

module.exports = Cookies

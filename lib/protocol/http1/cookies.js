'use strict'

const CookieJar = require('./cookie-jar')

/** What one user does with cookies: keeps those of responses, and sends them with requests. */
class Cookies {
  #jar = new CookieJar()
  #form

  /** @param {object} form how requests of the protocol are changed, see navigation.js */
  constructor (form) {
    this.#form = form
  }

  /**
   * Keeps what a response sets, where it may.
   *
   * @param {string} setCookie the value of one such field
   * @param {URL} url of the request
   */
  store (setCookie, url) {
    this.#jar.store(setCookie, url)
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

module.exports = Cookies

'use strict'

const { CookieJar } = require('./cookie-jar')

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

module.exports = Cookies

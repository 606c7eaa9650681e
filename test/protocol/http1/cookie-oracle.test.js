'use strict'

// Compares the jar with that of another project, whose own tests cover RFC 6265.

const t = require('tap')
const assert = require('node:assert')
const tough = require('tough-cookie')
const fc = require('../../support/fast-check')
const { CookieJar, readCookieDate } = require('../../../lib/protocol/http1/cookie-jar')

const pad = (number, digits) => String(number).padStart(digits, '0')

// --- dates

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
// Mostly valid values, and as often values just beyond their limits.
const upTo = (least, most) => fc.oneof({ weight: 6, arbitrary: fc.integer({ min: least, max: most }) }, fc.constantFrom(least - 1, least, most, most + 1).filter((value) => value >= 0))
const parts = fc.record({
  year: fc.oneof(upTo(1601, 2100), upTo(0, 69), upTo(70, 99)),
  month: fc.constantFrom(...MONTHS, 'JUNE', 'sept', 'Mai', 'jan.uary'),
  day: fc.oneof(upTo(1, 28), upTo(29, 31)),
  hours: upTo(0, 23),
  minutes: upTo(0, 59),
  seconds: upTo(0, 59),
  zone: fc.constantFrom('GMT', '+0400', 'EST', ''),
  sign: fc.oneof(fc.constantFrom('-', ' ', ', ', '/'), fc.integer({ min: 1, max: 0xff }).map((code) => String.fromCharCode(code)))
})
const FORMS = [
  ({ year, month, day, hours, minutes, seconds, zone }) => `Wed, ${pad(day, 2)} ${month} ${pad(year, 4)} ${pad(hours, 2)}:${pad(minutes, 2)}:${pad(seconds, 2)} ${zone}`,
  ({ year, month, day, hours, minutes, seconds, zone, sign }) => `Wednesday, ${pad(day, 2)}${sign}${month}${sign}${pad(year % 100, 2)}${sign}${pad(hours, 2)}:${pad(minutes, 2)}:${pad(seconds, 2)}${sign}${zone}`,
  ({ year, month, day, hours, minutes, seconds }) => `Wed ${month} ${String(day).padStart(2)} ${pad(hours, 2)}:${pad(minutes, 2)}:${pad(seconds, 2)} ${year}`,
  ({ year, month, day, hours, minutes, seconds }) => `${hours}:${minutes}:${seconds}x ${day}th ${month} ${year}AD`,
  ({ year, month, day, hours, minutes }) => `${day} ${month} ${year} ${hours}:${minutes}`
]
// Fragments that look like a part of a date and are not, or are a different one.
const token = fc.oneof(
  fc.constantFrom(...MONTHS, 'Wed', 'GMT', '10:18:14', '1:2:3', '10:18', '10:18:14:1', '123:1:1', '2098', '098', '98', '7', '31', '32', '00', '1x', '2098x', 'june5', '', '-', ':'),
  fc.string({ maxLength: 4 })
)
const text = fc.oneof(
  fc.tuple(parts, fc.constantFrom(...FORMS)).map(([parts, form]) => form(parts)),
  fc.array(token, { maxLength: 7 }).map((tokens) => tokens.join(' ')),
  fc.shuffledSubarray(['10:18:14', '9', 'Jun', '2098', 'Wed', '30', '15', 'Mar', '01:02:03'], { minLength: 3 }).map((tokens) => tokens.join(' '))
)

t.test('Expires is parsed equally: every form, every order, every limit', async (t) => {
  let dates = 0
  fc.assert(fc.property(text, (text) => {
    const read = readCookieDate(text)
    if (!Number.isNaN(read)) dates++
    assert.strictEqual(Number.isNaN(read) ? undefined : read, tough.parseDate(text)?.getTime())
  }), { numRuns: 3000 })
  t.ok(dates > 200, `${dates} were dates`)
})

t.test('the same characters separate the parts of a date', async (t) => {
  for (let code = 0; code <= 0xff; code++) {
    const sign = String.fromCharCode(code)
    for (const text of [`09${sign}Jun${sign}2098 10:18:14`, `09 Jun 2098${sign}10:18:14${sign}1`]) {
      const read = readCookieDate(text)
      if ((Number.isNaN(read) ? undefined : read) !== tough.parseDate(text)?.getTime()) t.fail(`${JSON.stringify(text)}: ${read}`)
    }
  }
})

// --- the jar

const HOSTS = ['example.com', 'www.example.com', 'a.www.example.com', 'other.org', '127.0.0.1', 'localhost']
const PATHS = ['/', '/a', '/a/', '/a/b', '/a/b/c', '/ab']
const some = (...values) => fc.constantFrom(...values)
const url = fc.tuple(some('http', 'https'), some(...HOSTS), some(...PATHS), some('', '?q=/x')).map(([scheme, host, path, query]) => `${scheme}://${host}${path}${query}`)
const attribute = fc.oneof(
  fc.tuple(some('Domain', 'domain ', 'DOMAIN'), some(...HOSTS, '.example.com', ' .www.example.com', 'EXAMPLE.com', 'ample.com', 'com', '', '.')).map((pair) => pair.join('=')),
  fc.tuple(some('Path', ' path'), some(...PATHS, '', 'a', ' /a ')).map((pair) => pair.join('=')),
  some('Secure', 'secure', 'Secure=no', 'HttpOnly', 'SameSite=Strict', 'Path', 'Domain', '', ' ', 'Other=1'),
  fc.tuple(some('Max-Age', 'max-age'), some('0', '-5', '1000', '+5', '1e3', '', '5x', '99999999999')).map((pair) => pair.join('=')),
  fc.tuple(some('Expires', 'expires'), some('Wed, 09 Jun 2021 10:18:14 GMT', 'Wed Jun  9 10:18:14 2098', '09-Jun-98 10:18:14', '31 Feb 2098 10:18:14', 'soon', '0')).map((pair) => pair.join('='))
)
const setting = fc.tuple(
  some('a', 'b', ' c ', '__Secure-a', '__Host-a', '__Host-b', '__Hosta'), some('1', ' 2', '"3"', 'x=y', '', 'a b'), fc.array(attribute, { maxLength: 5 })
).map(([name, value, attributes]) => [`${name}=${value}`, ...attributes].join(';'))
const PREFIXED = /^\s*__(?:Secure|Host)-/

t.test('cookies are kept, sent and ordered equally', async (t) => {
  let sent = 0
  fc.assert(fc.property(fc.array(fc.tuple(setting, url), { minLength: 1, maxLength: 8 }), fc.array(url, { minLength: 4, maxLength: 8 }), (settings, urls) => {
    const ours = new CookieJar()
    // Only RFC 6265bis requires that a Secure cookie was set over TLS; here only cookies with a name prefix are checked.
    const theirs = new tough.CookieJar(null, { allowSecureOnLocal: false, enforceSecureOriginOnStorage: false })
    for (const [setCookie, from] of settings) {
      ours.store(setCookie, new URL(from))
      if (!PREFIXED.test(setCookie) || from.startsWith('https:')) theirs.setCookieSync(setCookie, from, { ignoreError: true })
      // An expired cookie must be removed at once (section 5.3); the other jar removes it on access.
      for (const host of HOSTS) theirs.getCookiesSync(`https://${host}/`, { allPaths: true })
    }
    for (const to of [...urls, ...settings.map(([, from]) => from)]) {
      const found = ours.for(new URL(to)).map(({ name, value }) => `${name}=${value}`)
      sent += found.length
      assert.deepStrictEqual(found, theirs.getCookiesSync(to).map((cookie) => cookie.cookieString()), to)
    }
  }), { numRuns: 500 })
  t.ok(sent > 1000, `${sent} were sent`)
})

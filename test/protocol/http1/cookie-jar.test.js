'use strict'

// A user's cookies, by RFC 6265 and within its limits.

const t = require('tap')
const enterWorld = require('../../../lib/world/enter')
const { CookieJar } = require('../../../lib/protocol/http1/cookie-jar')

const at = (url) => new URL(url)

/** What a jar sends to a URL after some responses have set cookies. */
function sent (settings, url, from = 'http://www.example.com/a/b') {
  const jar = new CookieJar()
  for (const setCookie of settings) jar.store(setCookie, at(from))
  return jar.for(at(url)).map(({ name, value }) => `${name}=${value}`)
}

t.test('paths: the default is the folder of the request; longer paths go first', async (t) => {
  const settings = ['a=root; Path=/', 'b=folder', 'c=deep; Path=/a/b', 'd=wrong; Path=a', 'e=slash; Path=/a/']
  t.same(sent(settings, 'http://www.example.com/a/b'), ['c=deep', 'e=slash', 'b=folder', 'd=wrong', 'a=root'])
  t.same(sent(settings, 'http://www.example.com/a'), ['b=folder', 'd=wrong', 'a=root'])
  t.same(sent(settings, 'http://www.example.com/a/bc'), ['e=slash', 'b=folder', 'd=wrong', 'a=root'])
  t.same(sent(settings, 'http://www.example.com/ab'), ['a=root'])
  t.same(sent(['a=1'], 'http://www.example.com/', 'http://www.example.com'), ['a=1'])
})

t.test('domains: the own host, and parent domains of more than one label', async (t) => {
  const to = (domain, url = 'http://www.example.com/', from) => sent([`a=1; Domain=${domain}; Path=/`], url, from).length === 1
  for (const domain of ['www.example.com', '.www.example.com', 'EXAMPLE.com', '.example.com', '']) t.ok(to(domain), domain)
  for (const domain of ['other.com', 'ample.com', 'com', '.com', 'a.www.example.com']) t.notOk(to(domain), domain)
  t.ok(to('example.com', 'http://other.example.com/'))
  t.notOk(to('', 'http://other.example.com/'))
  t.notOk(to('www.example.com', 'http://example.com/'))
  t.ok(to('localhost', 'http://localhost/', 'http://localhost/'))
  t.ok(to('127.0.0.1', 'http://127.0.0.1/', 'http://127.0.0.1/'))
  t.notOk(to('0.0.1', 'http://127.0.0.1/', 'http://127.0.0.1/'), 'the suffix of an address is not a domain')
  t.ok(to('', 'http://[::1]:8080/', 'http://[::1]/'))
})

t.test('Secure, and expiry times', async (t) => {
  const past = 'Wed, 09 Jun 2021 10:18:14 GMT'
  const future = 'Wed, 09-Jun-2098 10:18:14 GMT'
  const settings = [
    's=1; secure', `a=1; Expires=${past}`, `b=1; expires=${future}`, 'c=1; Max-Age=0', 'd=1; Max-Age=-5', `e=1; Max-Age=100; Expires=${past}`,
    `f=1; Expires=${future}; Max-Age=0`, 'g=1; Max-Age=soon', 'h=1; Expires=soon', 'i=1; HttpOnly; SameSite=Strict; Other'
  ]
  t.same(sent(settings, 'http://www.example.com/a/'), ['b=1', 'e=1', 'g=1', 'h=1', 'i=1'])
  t.same(sent(['s=1; secure'], 'https://www.example.com/a/'), ['s=1'])
  t.same(sent(['a=1', 'b=1', 'a=; Max-Age=0'], 'http://www.example.com/a/'), ['b=1'], 'an expired one removes the other')
})

t.test('an expired cookie is gone', async (t) => {
  const jar = new CookieJar()
  let time = Date.now()
  t.teardown(enterWorld({ date: () => new Date(time) }))
  jar.store('a=1; Max-Age=10', at('http://x.test/'))
  time += 9_999
  t.equal(jar.for(at('http://x.test/')).length, 1)
  time += 1
  t.equal(jar.for(at('http://x.test/')).length, 0)
  t.equal(jar.size, 0)
})

t.test('a cookie that replaces another keeps its place, unless the other has expired', async (t) => {
  const names = (after) => {
    const jar = new CookieJar()
    let time = Date.UTC(2030, 0, 1)
    const leave = enterWorld({ date: () => new Date(time) })
    jar.store('a=1; Max-Age=10', at('http://x.test/'))
    jar.store('b=1', at('http://x.test/'))
    time += after
    jar.store('a=2', at('http://x.test/'))
    const found = jar.for(at('http://x.test/')).map(({ name, value }) => `${name}=${value}`)
    leave()
    return found
  }
  t.same([names(9_999), names(10_000)], [['a=2', 'b=1'], ['b=1', 'a=2']])
})

t.test('a date is in UTC in every form, whatever the time zone of the process', async (t) => {
  const { TZ } = process.env
  t.teardown(() => {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  })
  let time
  t.teardown(enterWorld({ date: () => new Date(time) }))
  const expires = Date.UTC(2098, 5, 9, 10, 18, 14)
  for (const zone of ['UTC', 'America/New_York', 'Asia/Kolkata']) {
    process.env.TZ = zone
    for (const date of ['Mon Jun  9 10:18:14 2098', 'Mon, 09 Jun 2098 10:18:14 GMT', 'Monday, 09-Jun-2098 10:18:14 EST', '2098 10:18:14 jun 9', 'Mon, 9 June 2098 10:18:14 +0400']) {
      const jar = new CookieJar()
      time = 0
      jar.store(`a=1; Expires=${date}`, at('http://x.test/'))
      time = expires - 1
      t.equal(jar.for(at('http://x.test/')).length, 1, `${date} in ${zone}`)
      time = expires
      t.equal(jar.for(at('http://x.test/')).length, 0, `${date} in ${zone}`)
    }
  }
})

t.test('an invalid or impossible date is ignored', async (t) => {
  for (const date of ['30 Feb 2021 10:00:00', '29 Feb 2021 10:00:00', '31 Apr 2021 10:00:00', '01 Jan 2021 24:00:00', '01 Jan 1600 10:00:00', '2021-01-01T00:00:00Z', '1 2021 10:00:00', '']) {
    t.same(sent([`a=1; Expires=${date}`], 'http://www.example.com/a/'), ['a=1'], date)
  }
  t.same(sent(['a=1; Expires=29 Feb 2020 10:00:00', 'b=1; Expires=09 Jun 70 10:18:14', 'c=1; Expires=09 Jun 69 10:18:14'], 'http://www.example.com/a/'), ['c=1'])
})

t.test('__Secure- and __Host- cookies must meet their conditions, or are rejected', async (t) => {
  const https = 'https://www.example.com/a/b'
  const settings = [
    '__Secure-a=1; Secure', '__Secure-b=1', '__secure-c=1; Secure; Domain=example.com', '__SECURE-d=1',
    '__Host-a=1; Secure; Path=/', '__Host-b=1; Path=/', '__Host-c=1; Secure', '__Host-d=1; Secure; Path=/a', '__Host-e=1; Secure; Path=/; Domain=www.example.com',
    '__HOST-f=1; Secure; Path=/', '__host-g=1; Secure; Path=/; Domain=example.com', '__Host-h=1; Secure; Path=/; Domain=',
    '=__Secure-i; Secure', '__Host-j; Secure; Path=/', '__Hostk=1', '_Secure-l=1', 'm=__Host-m'
  ]
  t.same(sent(settings, https, https), ['__Secure-a=1', '__secure-c=1', '__Hostk=1', '_Secure-l=1', 'm=__Host-m', '__Host-a=1', '__HOST-f=1', '__Host-h=1'])
  t.same(sent(settings, https), ['__Hostk=1', '_Secure-l=1', 'm=__Host-m'], 'only over TLS')
  t.same(sent(['__Host-root=1; Secure'], 'https://x.test/', 'https://x.test/'), [], 'its path is explicit')
})

t.test('names and values stay as written', async (t) => {
  const found = (setCookie) => sent([setCookie], 'http://www.example.com/a/')
  t.same(found(' a = b c '), ['a=b c'])
  t.same(found('a="x=y"'), ['a="x=y"'])
  t.same(found('a=%20'), ['a=%20'])
  const utf8 = Buffer.from('voilà').toString('latin1')
  t.same(found(` a=${utf8} \t; Path=/`), [`a=${utf8}`], 'its last byte is not a space')
  t.same(found('alone'), ['=alone'])
  for (const nothing of ['', '=', ' ; Path=/', '=;=']) t.same(found(nothing), [], nothing)
  t.same(sent(['a=1', 'b=2', 'a=3'], 'http://www.example.com/a/'), ['a=3', 'b=2'], 'a later one replaces the first')
})

t.test('a response that sets thousands of cookies is cheap: few date computations for each', async (t) => {
  const jar = new CookieJar()
  let asked = 0
  t.teardown(enterWorld({
    date () {
      asked++
      return new Date(0)
    }
  }))
  for (let i = 0; i < 1000; i++) jar.store(`n${i}=1; Max-Age=${i === 999 ? 5 : 9}`, at('http://x.test/'))
  t.equal(jar.size, 50)
  t.same(jar.for(at('http://x.test/')).map(({ name }) => name), Array.from({ length: 50 }, (_, i) => `n${950 + i}`))
  t.ok(asked < 5000, `${asked} times`)
})

t.test('when there is one cookie too many, an expired one is removed first, however recently it was used', async (t) => {
  const jar = new CookieJar()
  let time = Date.now()
  t.teardown(enterWorld({ date: () => new Date(time) }))
  for (let index = 0; index < 49; index++) jar.store(`c${index}=1`, at('http://x.test/'))
  jar.store('short=1; Max-Age=10', at('http://x.test/'))
  time += 10_001
  jar.store('new=1', at('http://x.test/'))
  const names = jar.for(at('http://x.test/')).map(({ name }) => name)
  t.same([names.length, names[0], names.at(-1)], [50, 'c0', 'new'])
})

t.test('the limits: 4,096 bytes each, 50 per domain, 3,000 in total', async (t) => {
  t.equal(sent([`a=${'x'.repeat(4095)}`], 'http://www.example.com/a/').length, 1)
  t.equal(sent([`a=${'x'.repeat(4096)}`], 'http://www.example.com/a/').length, 0)
  const utf8 = (count) => Buffer.from('é'.repeat(count)).toString('latin1')
  t.equal(sent([`ab=${utf8(2047)}`], 'http://www.example.com/a/').length, 1)
  t.equal(sent([`a=${utf8(2048)}`], 'http://www.example.com/a/').length, 0, 'bytes, not characters')

  const jar = new CookieJar()
  jar.store('kept=1; Path=/used', at('http://x.test/'))
  for (let index = 0; index < 1000; index++) {
    jar.store(`n${index}=1; Path=/others`, at('http://x.test/'))
    jar.for(at('http://x.test/used'))
  }
  t.equal(jar.size, 50)
  t.same(jar.for(at('http://x.test/used')).map(({ name }) => name), ['kept'], 'recently used ones remain')
  const names = jar.for(at('http://x.test/others')).map(({ name }) => name)
  t.same([names.at(0), names.at(-1)], ['n951', 'n999'])

  const many = new CookieJar()
  for (let index = 0; index < 3100; index++) many.store('a=1', at(`http://h${index}.x.test/`))
  t.equal(many.size, 3000)
  t.equal(many.for(at('http://h0.x.test/')).length, 0)
  t.equal(many.for(at('http://h100.x.test/')).length, 1)
})

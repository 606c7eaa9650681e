'use strict'

const { CookieJar, Cookies } = require('../../../../lib/protocol/http1/cookie-jar')
const connectionOf = require('../connection-of')
const groups = require('../groups')
const { hasRefusals } = require('../round')
const defectIn = require('./plant')

// Dates of the world are of this year, and whole seconds.
const EPOCH_MS = Date.UTC(2020, 0, 1)
// A response is handled, and a request sent, some microseconds after the clock was read.
const NEAR_MS = 2

/*
 * What a Set-Cookie field says, by name: `fits` tells whether a jar keeps it, `isFor` to which paths it is sent back, `seconds` how long it
 * lives.
 */
const KINDS = {
  plain: { attributes: '; Path=/' },
  'same name': { attributes: '; Path=/', name: 'plain' },
  'of hops': { attributes: '; path=/hop', isFor: (path) => path.startsWith('/hop/') },
  'of a name alone': { attributes: '; Path=/hop/', name: 'plain', isFor: (path) => path.startsWith('/hop/') },
  'of a row': { attributes: '; Path=/1', isFor: (path) => path === '/1' || path.startsWith('/1/') },
  'of another path': { attributes: '; Path=/ho', isFor: () => false },
  'of its folder': { attributes: '', isFor: (path, folder) => path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`) },
  secure: { attributes: '; Secure; Path=/', needsTls: true },
  'of another server': { attributes: '; Path=/; Domain=elsewhere.test', fits: () => false },
  'promise kept': { attributes: '; Path=/; Secure', name: '__Host-kept', needsTls: true, fits: (isSecure) => isSecure },
  'promise broken': { attributes: '; Path=/', name: '__Host-broken', fits: () => false },
  second: { attributes: '; Path=/; Max-Age=1', seconds: 1 },
  'until a date': { attributes: `; Expires=${new Date(EPOCH_MS + 2000).toUTCString()}; Path=/`, until: EPOCH_MS + 2000 },
  'age before date': { attributes: `; Max-Age=60; Expires=${new Date(EPOCH_MS).toUTCString()}; Path=/` },
  removal: { attributes: '; Path=/; Max-Age=0', name: 'plain', seconds: 0 },
  'removal by a date': { attributes: `; Path=/; Expires=${new Date(EPOCH_MS).toUTCString()}`, name: 'plain', until: EPOCH_MS }
}

/** A server that sets cookies, and removes them. */
function draw (dice, drawn) {
  const { opts, messages, calls, walk, bodies, mix } = drawn
  if ([messages, calls].some((each) => each !== undefined) || !dice.happens(0.1)) return
  if (!isInOrder(drawn)) opts.pipelining = 1
  opts.cookies = true
  // Most paths are those of redirects.
  if (walk === undefined && bodies === undefined && mix === undefined && dice.happens(0.6)) opts.followRedirects ??= dice.whole(1, 3)
  drawn.cookies = Array.from({ length: dice.whole(1, 4) }, () => Array.from({ length: dice.whole(0, 2) }, () => dice.one(...Object.keys(KINDS))))
}

// While a hook holds the thread, requests may be sent before the rest of a packet is read; and streams are answered in any order.
function isInOrder ({ opts, hooks }) {
  return opts.http2 !== true && !JSON.stringify(hooks).includes('hold')
}

const VALUES = 5

/** A response with the cookies of its number. */
function withCookies (answer, { number }, cookies) {
  const names = cookies[number % cookies.length]
  const isPlain = typeof answer === 'number' || (typeof answer === 'object' && answer.bytes === undefined && answer.cutAt === undefined && answer.rst === undefined)
  if (!isPlain || names.length === 0) return answer
  const fields = names.map((name, index) => [index === 0 ? 'Set-Cookie' : 'set-cookie', `${KINDS[name].name ?? name.replaceAll(' ', '-')}=${number % VALUES}${KINDS[name].attributes}`])
  const { headers, ...rest } = typeof answer === 'number' ? { status: answer } : answer
  return { ...rest, headers: { ...headers, ...Object.fromEntries(fields) }, cookies: names }
}

const pathOf = ({ path }) => path.replace(/^http:\/\/[^/]+/, '').replace(/^$/, '/')
const folderOf = (path) => path.slice(0, path.lastIndexOf('/')) || '/'

/** The cookies of one user: a list in the order of creation. */
class Jar {
  constructor (isSecure) {
    this.isSecure = isSecure
    this.list = []
    /** Whether the order of its cookies is known. */
    this.isInOrder = true
  }

  copy () {
    return Object.assign(new Jar(this.isSecure), { list: [...this.list], isInOrder: this.isInOrder })
  }

  // A cookie is kept when the head of its response has arrived, which is after the first byte and before the last.
  take ({ number, answer: { cookies = [] }, firstByteAt, receivedAt }, path) {
    const [least, most] = [firstByteAt, receivedAt].map((us) => EPOCH_MS + us / 1000)
    this.list = this.list.filter(({ until }) => until > least - NEAR_MS)
    for (const kind of cookies) {
      const { name = kind.replaceAll(' ', '-'), attributes, fits = () => true, seconds = Infinity, until = most + seconds * 1000 } = KINDS[kind]
      if (!fits(this.isSecure)) continue
      const folder = /path=([^;]*)/i.exec(attributes)?.[1] ?? folderOf(path)
      const place = this.list.findIndex((each) => each.name === name && each.folder === folder)
      // If the one that it replaces may have expired, it may be the newest of all.
      if (place !== -1 && this.list[place].surelyUntil <= most + NEAR_MS) this.isInOrder = false
      const cookie = { kind, name, folder, value: number % VALUES, until, surelyUntil: until - (most - least) }
      if (seconds === 0 || until <= least) this.list.splice(place, place === -1 ? 0 : 1)
      else this.list.splice(place === -1 ? this.list.length : place, 1, cookie)
    }
  }

  /** The values of a Cookie field: with and without what expires about now. */
  at (path, nowMs) {
    this.list = this.list.filter(({ until }) => until > nowMs - NEAR_MS)
    return [() => true, ({ surelyUntil }) => surelyUntil > nowMs + NEAR_MS].map((isAlive) => {
      const sent = this.list.filter((cookie) => isAlive(cookie)).filter(({ kind, folder }) => (KINDS[kind].isFor?.(path, folder) ?? true) && (this.isSecure || !KINDS[kind].needsTls))
      // Longer paths first, then the oldest.
      return sent.toSorted((one, other) => other.folder.length - one.folder.length).map(({ name, value }) => `${name}=${value}`).join('; ')
    })
  }
}

/** Each request has the cookies that the responses before it have set on its connection, or in its session, and no others. */
function checkWorld ({ server }, { world: { log } }, must) {
  if (hasRefusals(log)) return
  const isSecure = server.handshake !== undefined
  for (const sent of groups(log.filter(({ method }) => method !== 'CONNECT'), ({ socket }) => userOf(socket)).values()) checkUser(sent, isSecure, must)
}

// A session has one jar for all its connections.
function userOf (socket) {
  const connection = connectionOf(socket)
  return connection.script.visit ?? connection
}

function checkUser (sent, isSecure, must) {
  const jar = new Jar(isSecure)
  const answered = sent.filter(({ firstByteAt }) => firstByteAt !== null).sort((one, other) => (one.receivedAt ?? Infinity) - (other.receivedAt ?? Infinity))
  let taken = 0
  // On several connections, the order of the heads is known only if one response was complete before the next one began.
  const overlaps = answered.filter((next) => answered.some(({ socket, firstByteAt, receivedAt }) => socket !== next.socket && firstByteAt <= next.firstByteAt && (receivedAt ?? Infinity) >= next.firstByteAt))
  const knownUntil = overlaps.reduce((least, { firstByteAt }) => Math.min(least, firstByteAt), Infinity)
  for (const entry of sent) {
    if (entry.sentAt >= knownUntil) return
    while (taken < answered.length && answered[taken].receivedAt !== null && answered[taken].receivedAt < entry.sentAt) {
      const next = answered[taken++]
      jar.take(next, pathOf(next))
    }
    const path = pathOf(entry)
    const possible = jar.at(path, EPOCH_MS + entry.sentAt / 1000)
    // Its head may have arrived, or its packet may be read in this moment.
    const doubtful = answered.slice(taken).filter(({ firstByteAt }) => firstByteAt <= entry.sentAt)
    if (!jar.isInOrder || doubtful.some(({ receivedAt }) => receivedAt === null) || new Set(doubtful.map(({ socket }) => socket)).size > 1) return
    const later = jar.copy()
    for (const next of doubtful) {
      later.take(next, pathOf(next))
      if (!later.isInOrder) return
      possible.push(...later.at(path, EPOCH_MS + entry.sentAt / 1000))
    }
    must(possible.includes(entry.cookie), `${entry.path} was sent with the cookies ${entry.cookie}, and not ${possible.join(' or ')}`)
    if (!possible.includes(entry.cookie)) return
  }
}

const defects = {
  'cookies of any path': defectIn(CookieJar, 'for', (original) => function (url) { return original.call(this, new URL('/hop/0', url)) }, ({ chain }) => chain !== undefined),
  'the newest cookie first': defectIn(CookieJar, 'for', (original) => function (url) { return original.call(this, url).reverse() }),
  'a removal that removes nothing': defectIn(CookieJar, 'store', (original) => function (setCookie, url) {
    if (!/Max-Age=0/.test(setCookie)) original.call(this, setCookie, url)
  }),
  'a cookie that only the second response behind it is for': defectIn(Cookies, 'store', (original) => function (...args) {
    if (this.last !== undefined) original.apply(this, this.last)
    this.last = args
  })
}

module.exports = { name: 'cookies', draw, isIn: ({ cookies }) => cookies !== undefined, isInOrder, withCookies, checkWorld, defects }

'use strict'

const Navigation = require('../../../../lib/protocol/http1/navigation')
const connectionOf = require('../connection-of')
const groups = require('../groups')
const locationOf = require('../location-of')
const defectIn = require('./plant')

/** Chains of redirects that are as long as allowed, or one longer or shorter. */
function draw (dice, drawn) {
  const { opts, messages, calls, walk, bodies } = drawn
  if (opts.followRedirects === undefined && dice.happens(0.06) && [messages, calls, walk, bodies].every((each) => each === undefined)) opts.followRedirects = dice.whole(1, 3)
  if (opts.followRedirects === undefined || !dice.happens(0.7)) return
  drawn.chain = { every: dice.whole(1, 5), hops: Math.max(1, opts.followRedirects + dice.one(-1, 0, 0, 1)) }
}

/** A server's response to a request in such a chain; undefined for other requests. */
function answerInChain ({ chain }, { number, path }) {
  const [, left] = /\/hop\/(\d+)$/.exec(path) ?? []
  const isEntry = left === undefined && number % chain.every === 0
  const hops = isEntry ? chain.hops : Number(left ?? 0)
  return hops > 0 ? { status: 302, headers: { Location: `/hop/${hops - 1}` } } : undefined
}

const isHop = ({ path }) => /\/hop\/\d+$|\/elsewhere$/.test(path)

/** Each redirect is followed by the next request of its connection, unless the maximum is reached; no other requests go to its target. */
function checkWorld ({ opts }, { world: { log }, rounds, error }, must) {
  if (log.some((entry) => entry.socket.peer?.isRefused?.(entry))) return
  for (const sent of groups(log.filter(({ method }) => method !== 'CONNECT'), ({ socket }) => userOf(socket)).values()) walkAlong(opts, sent, must)
  const mostInARow = log.reduce((most, { hops = 0 }) => Math.max(most, hops), 0)
  must(mostInARow <= opts.followRedirects, `${mostInARow} redirects in a row, of at most ${opts.followRedirects}`)
  if (error || rounds.some(({ result }) => result === undefined)) return
  const isCut = log.some((entry) => locationOf(entry) !== null && entry.hops === opts.followRedirects)
  const hasSaidSo = rounds.some(({ result }) => result.warnings.some(({ code }) => code === 'REDIRECT_NOT_FOLLOWED'))
  must(hasSaidSo === isCut, isCut ? 'a redirect too many was not followed, and no warning says so' : 'a warning says that a redirect was not followed, but there was none too many')
}

// In a session redirects belong to the user, on any of its connections.
function userOf (socket) {
  const connection = connectionOf(socket)
  return connection.script.visit ?? connection
}

function walkAlong ({ followRedirects }, sent, must) {
  // Redirects that were answered and wait to be followed, oldest first. With pipelining the one before may have been answered meanwhile.
  const waiting = []
  const answered = new Set()
  for (const [index, entry] of sent.entries()) {
    const earlier = sent.slice(0, index).filter((each) => !answered.has(each) && each.receivedAt !== null && each.receivedAt <= entry.sentAt)
    for (const each of earlier.sort((one, other) => one.receivedAt - other.receivedAt || one.answeredAt - other.answeredAt)) {
      answered.add(each)
      if (locationOf(each) !== null && each.hops < followRedirects) waiting.push(each)
    }
    const place = isHop(entry) ? waiting.findIndex((each) => entry.path.endsWith(locationOf(each))) : -1
    entry.hops = 0
    if (place !== -1) entry.hops = waiting.splice(place, 1)[0].hops + 1
    else if (isHop(entry)) must(false, `${entry.path} was asked for at ${entry.sentAt / 1000}, to which nothing had led`)
    else must(!waiting.some(({ receivedAt }) => receivedAt < entry.sentAt), `${entry.path} was asked for at ${entry.sentAt / 1000}, while a redirect to ${waiting.length > 0 && locationOf(waiting[0])} waited`)
  }
}

const defects = {
  'a redirect more than is allowed': defectIn(Navigation, 'follow', (original) => function (...args) {
    this.mostHops++
    const followed = original.apply(this, args)
    this.mostHops--
    return followed
  }),
  'a redirect that is not counted': defectIn(Navigation, 'follow', (original) => function (entry, ...rest) { return original.call(this, { ...entry, hops: 0 }, ...rest) }),
  'a redirect that nobody sends': defectIn(Navigation, 'next', (original) => function () {
    const next = original.call(this)
    return next !== null && next.hops === 2 ? null : next
  }),
  'a redirect that goes out behind the next request': defectIn(Navigation, 'next', (original) => function () {
    if (this.waiting.length > 0 && !this.waiting[0].hasWaited) {
      this.waiting[0].hasWaited = true
      return null
    }
    return original.call(this)
  })
}

module.exports = { name: 'redirects', draw, isIn: ({ opts }) => opts.followRedirects !== undefined, answerInChain, checkWorld, defects }

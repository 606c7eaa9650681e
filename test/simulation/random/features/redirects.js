'use strict'

const Navigation = require('../../../../lib/protocol/http1/navigation')
const { VisitSequence } = require('../../../../lib/script/visit-sequence')
const connectionOf = require('../connection-of')
const groups = require('../groups')
const locationOf = require('../location-of')
const { hasRefusals } = require('../round')
const defectIn = require('./plant')

// What the same time may differ by that was computed in two ways.
const ROUNDED_MS = 1e-6

/** Chains of redirects that are as long as may be followed, or one longer or shorter; in sessions also within bursts. */
function draw (dice, drawn) {
  const { opts, messages, calls, walk, bodies, mix } = drawn
  // Scenarios draw their own chains, whose paths say to which of them they belong.
  if (mix !== undefined) return
  if (opts.followRedirects === undefined && dice.happens(0.06) && [messages, calls, walk, bodies].every((each) => each === undefined)) opts.followRedirects = dice.whole(1, 3)
  const isChained = opts.followRedirects !== undefined && dice.happens(0.7)
  if (isChained) drawn.chain = drawChain(dice, opts)
  drawBursts(dice, drawn)
  // Of bodies that are verified, only the final ones count.
  if (bodies === undefined || messages !== undefined || walk !== undefined || !dice.happens(0.3)) return
  opts.followRedirects = dice.whole(1, 3)
  drawn.chain = drawChain(dice, opts)
}

function drawChain (dice, { followRedirects }) {
  return { every: dice.whole(1, 5), hops: Math.max(1, followRedirects + dice.one(-1, 0, 0, 1)) }
}

// Whether a redirect that comes together with what fails its session is still due depends on which of them is read first.
function drawBursts (dice, drawn) {
  const { opts, messages, calls, walk, bodies } = drawn
  if (opts.sessions === undefined || opts.http2 || [messages, calls, walk, bodies, opts.feed].some((each) => each !== undefined)) return
  if (!dice.happens(opts.followRedirects === undefined ? 0.15 : 0.6)) return
  opts.followRedirects ??= dice.whole(1, 3)
  drawn.chain ??= drawChain(dice, opts)
  delete opts.sessions.failOn
  drawn.bursts = Array.from({ length: dice.whole(1, 3) }, () => dice.whole(1, 4))
}

/** What a user writes for requests that are alike, in bursts. */
function optionsOfBursts (bursts, hooks) {
  return { requests: bursts.map((size) => new Array(size).fill({ path: '/', ...hooks })) }
}

/** A server's response to a request in such a chain; undefined for other requests. */
function answerInChain ({ chain }, { number, path }) {
  const [, left] = /\/hop\/(\d+)$/.exec(path) ?? []
  const isEntry = left === undefined && number % chain.every === 0
  const hops = isEntry ? chain.hops : Number(left ?? 0)
  if (hops === 0) return undefined
  // In a mix, a path begins with the number of its scenario.
  const [scenario = ''] = chain.isMixed ? /(?<!\/)\/\d+(?=\/)/.exec(path) : []
  return { status: 302, headers: { Location: `${scenario}/hop/${hops - 1}` } }
}

const isHop = ({ path }) => /\/hop\/\d+$|\/elsewhere$/.test(path)

/**
 * Each redirect is the next request of its connection, in a session behind those that were due before it, unless as many have led to it as
 * may be followed; nothing else leads there.
 */
function checkWorld ({ opts, bursts }, { world: { log }, rounds, error }, must) {
  if (hasRefusals(log)) return
  // When something was due is not known in each world.
  const mayGoFirst = (entry, redirect) => bursts !== undefined && !(entry.dueAt > redirect.receivedAt / 1000)
  for (const sent of groups(log.filter(({ method }) => method !== 'CONNECT'), ({ socket }) => userOf(socket)).values()) {
    walkAlong(opts, sent, mayGoFirst, must)
    if (bursts !== undefined) checkOrder(sent, must)
  }
  const mostInARow = log.reduce((most, { hops = 0 }) => Math.max(most, hops), 0)
  must(mostInARow <= opts.followRedirects, `${mostInARow} redirects in a row, of at most ${opts.followRedirects}`)
  if (error || rounds.some(({ result }) => result === undefined)) return
  const isCut = log.some((entry) => locationOf(entry) !== null && entry.hops === opts.followRedirects)
  // The head of a response may have arrived, and its rest not.
  const mayBeCut = isCut || log.some(({ answer, firstByteAt, receivedAt, hops }) => receivedAt === null && firstByteAt !== null && hops === opts.followRedirects && answer?.headers?.Location !== undefined)
  const hasSaidSo = rounds.some(({ result }) => result.warnings.some(({ code }) => code === 'REDIRECT_NOT_FOLLOWED'))
  must(hasSaidSo ? mayBeCut : !isCut, isCut ? 'a redirect too many was not followed, and no warning says so' : 'a warning says that a redirect was not followed, but there was none too many')
}

// In a session redirects belong to the user, on any of its connections.
function userOf (socket) {
  const connection = connectionOf(socket)
  return connection.script.visit ?? connection
}

function walkAlong ({ followRedirects }, sent, mayGoFirst, must) {
  // Those that are answered and wait for their turn, oldest first. With pipelining the one before may have been answered meanwhile.
  const waiting = []
  const answered = new Set()
  for (const [index, entry] of sent.entries()) {
    const earlier = sent.slice(0, index).filter((each) => !answered.has(each) && each.receivedAt !== null && each.receivedAt <= entry.sentAt)
    for (const each of earlier.sort((one, other) => one.receivedAt - other.receivedAt || one.answeredAt - other.answeredAt || one.number - other.number)) {
      answered.add(each)
      if (locationOf(each) !== null && each.hops < followRedirects) waiting.push(each)
    }
    const place = isHop(entry) ? waiting.findIndex((each) => entry.path.endsWith(locationOf(each))) : -1
    entry.hops = 0
    if (place !== -1) entry.hops = waiting.splice(place, 1)[0].hops + 1
    entry.isFollowed = locationOf(entry) !== null && entry.hops < followRedirects
    if (place !== -1) continue
    if (isHop(entry)) must(false, `${entry.path} was asked for at ${entry.sentAt / 1000}, to which nothing had led`)
    else must(!waiting.some((each) => each.receivedAt < entry.sentAt && !mayGoFirst(entry, each)), `${entry.path} was asked for at ${entry.sentAt / 1000}, while a redirect to ${waiting.length > 0 && locationOf(waiting[0])} waited`)
  }
}

function checkOrder (sent, must) {
  for (const [index, { dueAt, sentAt }] of sent.entries()) {
    must(!(dueAt < sent[index - 1]?.dueAt - ROUNDED_MS), `what was due at ${dueAt} was sent at ${sentAt / 1000}, behind what was due later`)
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
  }),
  'a redirect that takes the place of what was due before it': defectIn(VisitSequence, 'takeKept', () => function () { return this.kept.shift()?.entry ?? null },
    ({ bursts }) => bursts?.some((size) => size > 1))
}

module.exports = { name: 'redirects', draw, isIn: ({ opts }) => opts.followRedirects !== undefined, answerInChain, drawChain, optionsOfBursts, checkWorld, defects }

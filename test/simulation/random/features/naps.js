'use strict'

const DueLoop = require('../../../../lib/engine/loops/due-loop')
const Nap = require('../../../../lib/engine/loops/nap')
const { SCHEDULES } = require('../is-unpaced')
const { NO_REQUESTS } = require('../round')
const defectIn = require('./plant')

// It looks whether it can nap a few times in the 1.5 ms before a request is due. Looking more often is most of what such a world would cost.
const LOOKING_TURN_US = 400

/** A thread that may be blocked shortly before a request is due, and wakes slightly late. */
function draw (dice, drawn) {
  const { opts, threads, edge } = drawn
  // Simulated threads share one clock, so a nap of one would block all of them.
  if (!dice.happens(0.4) || threads !== undefined || edge === 'samples' || opts.pacing === 'sleep') return
  if (Object.keys(opts).some((name) => SCHEDULES.has(name)) || opts.sessions !== undefined) Object.assign(drawn.client, { wakesLate: dice.whole(0, 60), longestTurn: LOOKING_TURN_US })
}

// The shortest lead is 80 us, and the thread wakes up to 60 us late.
const LEAST_LEFT_US = 15

const isIn = ({ client }) => client.wakesLate !== undefined

/** While the thread naps, no response and no connection can arrive, and it is awake before the next request is due. */
function checkWorld ({ opts, messages }, { world }, must) {
  const timeout = (opts.timeout ?? 10) * 1e6
  const requests = world.log.filter(({ sentAt, receivedAt }) => receivedAt !== null && receivedAt - sentAt < timeout)
  const awaited = [
    ...requests.map(({ sentAt, receivedAt }) => ({ what: 'a response', from: sentAt, until: receivedAt })),
    ...world.sockets.filter(({ usableAt }) => usableAt !== null).map(({ begunAt, usableAt }) => ({ what: 'a connection', from: begunAt, until: usableAt }))
  ]
  const { naps } = world.client
  for (const { what, from, until } of awaited) {
    const nap = naps[firstAfter(naps, from)]
    must(nap === undefined || nap.from >= until, `${what} was awaited from ${from} to ${until}, and the thread napped from ${nap?.from} to ${nap?.until}`)
  }
  // Replies to a Ping or a Close frame may wait for the end of a nap, and so may the handshake of the next connection.
  const isRequest = ({ method }) => !NO_REQUESTS.has(method) && !(messages !== undefined && method === 'GET')
  for (const { sentAt } of world.log.filter(isRequest)) {
    const nap = naps[firstAfter(naps, sentAt - LEAST_LEFT_US)]
    must(nap === undefined || nap.until > sentAt, `a request was sent at ${sentAt}, right after a nap until ${nap?.until}`)
  }
}

// The index of the first nap that ends after a time. Naps are in order.
function firstAfter (naps, time) {
  let [low, high] = [0, naps.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (naps[middle].until > time) high = middle
    else low = middle + 1
  }
  return low
}

const defects = {
  'a nap while something is awaited': defectIn(DueLoop, 'expectsNothing', () => () => true, ({ opts }) => opts.sessions === undefined),
  'a nap that ends too late': defectIn(Nap, 'before', (original) => function (dueAt, now) { return original.call(this, dueAt + 3, now) }, ({ opts }) => opts.sessions === undefined)
}

module.exports = { name: 'naps', draw, isIn, checkWorld, defects }

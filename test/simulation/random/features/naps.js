'use strict'

const DueLoop = require('../../../../lib/engine/loops/due-loop')
const Nap = require('../../../../lib/engine/loops/nap')
const connectionOf = require('../connection-of')
const { SCHEDULES } = require('../is-unpaced')
const { NO_REQUESTS } = require('../round')
const defectIn = require('./plant')

// It looks whether it can nap a few times in the 1.5 ms before a request is due. Looking more often is most of what such a world would cost.
const LOOKING_TURN_US = 400

/** A thread that may be blocked shortly before a request is due, and wakes slightly late. */
function draw (dice, drawn) {
  const { opts, edge } = drawn
  if (!dice.happens(0.4) || edge === 'samples' || opts.pacing === 'sleep') return
  if (Object.keys(opts).some((name) => SCHEDULES.has(name)) || opts.sessions !== undefined) Object.assign(drawn.client, { wakesLate: dice.whole(0, 60), longestTurn: LOOKING_TURN_US })
}

// The shortest lead is 80 us, and the thread wakes up to 60 us late.
const LEAST_LEFT_US = 15

const isIn = ({ client }) => client.wakesLate !== undefined

/**
 * While the thread naps, no response and no connection can arrive, and it is awake before the next request is due. Simulated threads share
 * one clock, so a nap of one blocks all of them: one of them awaits nothing.
 */
function checkWorld ({ opts, messages, threads }, { world, rounds, warmups }, must) {
  const timeout = (opts.timeout ?? 10) * 1e6
  const requests = world.log.filter(({ sentAt, receivedAt }) => receivedAt !== null && receivedAt - sentAt < timeout)
  const awaited = [
    ...requests.map(({ sentAt, receivedAt, socket }) => ({ what: 'a response', from: sentAt, until: receivedAt, socket })),
    ...world.sockets.filter(({ usableAt }) => usableAt !== null).map((socket) => ({ what: 'a connection', from: socket.begunAt, until: socket.usableAt, socket }))
  ]
  const { naps } = world.client
  if (threads !== undefined && opts.workers > 1) {
    checkThreads(opts.workers, awaited, naps, must)
    return
  }
  for (const { what, from, until } of awaited) {
    const nap = naps[firstAfter(naps, from)]
    must(nap === undefined || nap.from >= until, `${what} was awaited from ${from} to ${until}, and the thread napped from ${nap?.from} to ${nap?.until}`)
  }
  // Replies to a Ping or a Close frame may wait for the end of a nap, and so may the handshake of the next connection.
  // A nap that began before the phase of a request, in a warm-up, knew nothing of it.
  const begun = [...warmups, ...rounds].map(({ phase }) => Math.round(phase.window.startedAt * 1000))
  const isRequest = ({ method }) => !NO_REQUESTS.has(method) && !(messages !== undefined && method === 'GET')
  for (const { sentAt } of world.log.filter(isRequest)) {
    const nap = naps[firstAfter(naps, sentAt - LEAST_LEFT_US)]
    const isOfEarlierPhase = begun.some((at) => nap?.from < at && at <= sentAt)
    must(nap === undefined || nap.until > sentAt || isOfEarlierPhase, `a request was sent at ${sentAt}, right after a nap until ${nap?.until}`)
  }
}

function checkThreads (workers, awaited, naps, must) {
  const shareOf = ({ socket }) => connectionOf(socket).owner.pool.part.share
  const blocked = naps.map(() => new Set())
  for (const each of awaited) {
    for (let index = firstAfter(naps, each.from); index < naps.length && naps[index].from < each.until; index++) blocked[index].add(shareOf(each))
  }
  const wrong = blocked.findIndex(({ size }) => size === workers)
  must(wrong === -1, `each of ${workers} threads awaited something, and one of them napped from ${naps[wrong]?.from} to ${naps[wrong]?.until}`)
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
  'a nap while something is awaited': defectIn(DueLoop, 'expectsNothing', () => () => true, ({ opts }) => opts.sessions === undefined && opts.workers === undefined),
  'a nap of a thread while something is awaited': defectIn(DueLoop, 'expectsNothing', () => () => true, ({ opts }) => opts.sessions === undefined && opts.workers > 1),
  'a nap that ends too late': defectIn(Nap, 'before', (original) => function (dueAt, now) { return original.call(this, dueAt + 3, now) }, ({ opts }) => opts.sessions === undefined && opts.workers === undefined)
}

module.exports = { name: 'naps', draw, isIn, checkWorld, defects }

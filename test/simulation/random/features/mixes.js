'use strict'

const { Mix, MixShare } = require('../../../../lib/load/mix')
const RequestMix = require('../../../../lib/engine/deal/request-mix')
const groups = require('../groups')
const { stepOf } = require('../walks')
const defectIn = require('./plant')

const WEIGHTS = [1, 1, 2, 3, 5, 0.5, 20, 100]
// Tolerance for the same time computed in two ways.
const ROUNDED_MS = 1e-6

/** A sequence whose requests have weights, which makes it a mix: each request that is sent is the mix's next. */
function draw (dice, drawn) {
  const { opts, messages, calls, stream, bodies, walk } = drawn
  const isTaken = [messages, calls, bodies, walk, opts.sessions, opts.followRedirects].some((each) => each !== undefined) || stream !== null
  if (!dice.happens(0.09) || isTaken) return
  const steps = Array.from({ length: dice.whole(2, 6) }, () => ({ method: dice.one('GET', 'GET', 'HEAD') }))
  drawn.walk = { steps, hasIds: dice.happens(0.2), isChained: false, hasNumbers: false, weights: steps.map(() => dice.one(...WEIGHTS)) }
}

const isIn = ({ walk }) => walk?.weights !== undefined

/**
 * Of the first n requests, each kind has n × weight / sum of weights, with an error below one, for every n: among the requests that a
 * thread sent in the closed model, and among those that came due in the open one, in all threads together.
 */
function check (round) {
  const { drawn: { hooks, walk }, parts } = round
  if (round.hasRefusals) return
  if (round.isOpen) {
    if (round.knowsDueTimes) checkArrivals(round)
  } else if (hooks.setupRequest?.sleep === undefined) {
    for (const { log } of parts) checkPrefixes(walk.weights, log.map((entry) => [kindOf(entry)]), round.must)
  }
}

// Requests due at the same time cannot be distinguished, and neither can unsent ones.
function checkArrivals (round) {
  const sent = round.log.map((entry) => ({ entry, at: entry.dueAt - entry.part.begunAt }))
  const unsent = round.unsent.map(({ dueAt, part }) => ({ entry: null, at: dueAt - part.begunAt }))
  // What would have come due in a thread that had no server any more is missing.
  const hasLost = round.result.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION')
  const until = hasLost ? Math.min(...round.parts.map(({ begunAt, endedAt }) => endedAt - begunAt)) : Infinity
  const arrivals = [...sent, ...unsent].filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)
  let since = -Infinity
  const together = groups(arrivals, ({ at }) => { if (at - since > ROUNDED_MS) since = at; return since })
  const { weights } = round.drawn.walk
  const known = [...together.values()].map((those) => those.map(({ entry }) => kindOf(entry)))
  checkPrefixes(weights, known, round.must)
  checkKinds(weights, known, round.must)
}

const kindOf = (entry) => entry === null ? null : stepOf(entry)

/**
 * An unsent request keeps its place in the mix: that of its number.
 *
 * @param {number[]} weights
 * @param {Array<Array<?number>>} together the kinds of requests that cannot be distinguished, in groups; null is unknown
 * @param {function(boolean, string)} must
 */
function checkKinds (weights, together, must) {
  const kinds = quota(weights, together.flat().length)
  let number = 0
  for (const those of together) {
    const left = kinds.slice(number, number += those.length)
    const wrong = those.find((kind) => {
      const place = left.indexOf(kind)
      if (place !== -1) left.splice(place, 1)
      return kind !== null && place === -1
    })
    must(wrong === undefined, `of the first ${number}, one was of the kind ${wrong}, which was not its turn (${weights})`)
    if (wrong !== undefined) return
  }
}

// The quota method, implemented simply: of those that are not ahead of their share, the one that is needed soonest.
function quota (weights, count) {
  const whole = weights.reduce((sum, weight) => sum + weight)
  const counts = weights.map(() => 0)
  return Array.from({ length: count }, (_, number) => {
    const isAllowed = (kind) => counts[kind] * whole < (number + 1) * weights[kind]
    const neededBy = (kind) => Math.ceil((counts[kind] + 1) * whole / weights[kind])
    const [next] = [...weights.keys()].filter(isAllowed).sort((one, other) => neededBy(one) - neededBy(other))
    counts[next]++
    return next
  })
}

function checkPrefixes (weights, together, must) {
  // Multiplied by two, these are integers.
  const whole = weights.reduce((sum, weight) => sum + weight)
  const counts = weights.map(() => 0)
  let number = 0
  let unknown = 0
  for (const those of together) {
    for (const kind of those) {
      number++
      if (kind === null) unknown++
      else counts[kind]++
    }
    for (const [kind, count] of counts.entries()) {
      const share = number * weights[kind]
      const isRight = (count - 1) * whole < share && (count + unknown + 1) * whole > share
      must(isRight, `of the first ${number}, of which ${unknown} are unknown, ${count} were of the kind ${kind} (${weights})`)
      if (!isRight) return
    }
  }
}

const isOpen = ({ opts }) => opts.overallRate !== undefined || opts.bursts !== undefined || opts.stages !== undefined || opts.connectionRate !== undefined

const defects = {
  'a mix that is only right in the long run': defectIn(Mix, 'at', () => function (number) {
    const lengths = this.weights.map((weight) => Math.ceil(Number(weight) * 3))
    let place = number % lengths.reduce((sum, length) => sum + length)
    return lengths.findIndex((length) => (place -= length) < 0)
  }),
  'a dropped request that leaves its place in the mix to the next one': defectIn(RequestMix, 'skip', () => function (queue, dueAt) {
    const place = this.placeOf(queue)
    this.draws[place].reuse(this.arrivals[place].take(dueAt))
  }, (drawn) => isIn(drawn) && isOpen(drawn) && drawn.server.slots !== undefined),
  'threads that all begin the same mix': defectIn(MixShare, 'next', () => function () { return this.mix.at(++this.index) }, (drawn) => isIn(drawn) && isOpen(drawn) && drawn.threads !== undefined && drawn.opts.workers > 1)
}

module.exports = { name: 'mixes', draw, isIn, check, checkKinds, checkPrefixes, quota, defects, WEIGHTS }

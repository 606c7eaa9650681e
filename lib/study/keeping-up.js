'use strict'

const { slope } = require('./statistics/slope')

// What comes before is left out: the first answers are only on their way.
const SETTLED_AFTER = 1 / 3
const LEAST_POINTS = 3

/** What a server has to answer of a rate to have kept up with it. */
const ENOUGH = 0.98

/*
 * What a rate is of: of sessions where there are any, else of requests. Each is on its way for a while although the server
 * falls behind in nothing, and so is not to be missed at the end of a run: a request for as long as one takes that does not
 * have to wait, a session for its pauses besides. What a session takes beyond that is the server's delay, request by request.
 */
function arrivalsOf (result) {
  const { sessions, rate, latency, accounting } = result
  if (sessions === undefined) return { achieved: rate.achieved, countIn: ({ requests }) => requests, secondsOnTheWay: latency.p10 / 1000 }
  const calls = accounting.completed / Math.max(1, sessions.started)
  const delay = calls * (latency.mean - latency.p10)
  return {
    achieved: sessions.rate.achieved,
    countIn: (sample) => sample.sessions?.completed ?? 0,
    secondsOnTheWay: Math.max(latency.p10, sessions.lifetime.mean - delay) / 1000
  }
}

/** What arrives in a run: whether rates are of sessions or of requests. */
function achievedRate (result) {
  return arrivalsOf(result).achieved
}

/**
 * The rate at which a run in the open model was answered once it was under way. `rate.achieved` counts what was due just
 * before the end against the server; in a run of a second that takes 50 ms to answer, this makes 5 %.
 *
 * @param {object} result
 * @returns {number} requests, or sessions, per second; what the result says itself where the run has too few samples to tell more
 */
function sustainedRate (result) {
  const { timeline } = result
  const { achieved, countIn } = arrivalsOf(result)
  let completed = 0
  const points = timeline
    .map((sample) => {
      completed += countIn(sample)
      return [sample.time, completed]
    })
    .filter(([time]) => time >= settledAfter(result))
  return points.length < LEAST_POINTS ? achieved : slope(points)
}

// Sessions end at the rate of their arrivals from when the first of them are over.
function settledAfter (result) {
  const { duration, sessions } = result
  return Math.max(duration * SETTLED_AFTER, sessions === undefined ? 0 : arrivalsOf(result).secondsOnTheWay)
}

/**
 * The rate at which a server answered, at the best that a run leaves room for: what may be missing by the mere accident of
 * where a sample ends, or of when random arrivals came, is not held against it.
 *
 * Who stood still for a moment and then caught up has answered all the same. So it is the rate once under way, or that of
 * the whole run with what was still being answered at its end, at the pace of the requests that did not have to wait.
 *
 * @param {object} result of a run in the open model
 * @param {number} demanded requests, or sessions, per second
 * @param {string} [arrivals='uniform'] as in the options of a run
 * @param {number} [sustained] its sustainedRate, where that is known already
 * @returns {number} requests per second, perhaps somewhat more than was demanded; 0 where nothing was answered in time
 */
function answeredRate (result, demanded, arrivals = 'uniform', sustained = sustainedRate(result)) {
  if (result.rate.achieved === 0) return 0
  const { achieved, secondsOnTheWay } = arrivalsOf(result)
  const accidentIn = (seconds) => arrivals === 'poisson' ? 2 * Math.sqrt(demanded * seconds) : 1
  const settled = result.duration - settledAfter(result)
  const underWay = demanded * Math.min(secondsOnTheWay, result.duration)
  return Math.max(
    settled > 0 ? sustained + accidentIn(settled) / settled : 0,
    achieved + (underWay + accidentIn(result.duration)) / result.duration
  )
}

/**
 * How a server did at a rate: asked for once of each run, since it looks at all of its samples.
 *
 * @param {object} result of a run in the open model
 * @param {number} demanded requests per second
 * @param {object} [options]
 * @param {string} [options.arrivals] see answeredRate
 * @param {number} [options.enough=0.98] a share
 * @returns {{ sustained: number, answered: number, keepsUp: boolean }} see sustainedRate and answeredRate; whether enough
 *   of the rate was answered
 */
function assess (result, demanded, { arrivals, enough = ENOUGH } = {}) {
  const sustained = sustainedRate(result)
  const answered = answeredRate(result, demanded, arrivals, sustained)
  return { sustained, answered, keepsUp: answered >= enough * demanded }
}

/** Whether a server kept up with a rate: answered enough of it. Parameters as for assess. */
function keepsUp (result, demanded, options) {
  return assess(result, demanded, options).keepsUp
}

module.exports = { achievedRate, answeredRate, assess, sustainedRate, keepsUp, ENOUGH }

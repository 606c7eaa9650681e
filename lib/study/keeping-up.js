'use strict'

const { perSecond } = require('../base/rounding')
const { randomArrivals } = require('./random-arrivals')
const { slope } = require('./statistics/summaries')

// The beginning of a run, while the first responses are on their way, is excluded: this share of it.
const SETTLED_AFTER = 1 / 3
const LEAST_POINTS = 3

/** The share of a rate that a server must achieve to keep up with it. */
const ENOUGH = 0.98

/*
 * What a rate refers to: sessions if there are any, otherwise requests. Each takes some time even if the server doesn't fall behind, so
 * those in progress at the end of a run aren't missing: a request takes as long as one that doesn't have to wait, and a session also
 * takes its pauses. Anything beyond that is the server's delay.
 */
function arrivalsOf (result) {
  const { sessions, rate, latency, accounting } = result
  // The closed model has no schedule, so its rate is what the server and the number of connections make of it.
  if (sessions === undefined) return { achieved: rate?.achieved ?? perSecond(result.accounting.completed, result.duration), countIn: ({ requests }) => requests, secondsOnTheWay: latency.p10 / 1000 }
  const calls = accounting.completed / Math.max(1, sessions.started)
  const delay = calls * (latency.mean - latency.p10)
  return {
    achieved: sessions.rate.achieved,
    countIn: (sample) => sample.sessions?.completed ?? 0,
    secondsOnTheWay: Math.max(latency.p10, sessions.lifetime.mean - delay) / 1000
  }
}

/** The achieved rate of a run, of sessions or of requests. */
function achievedRate (result) {
  return arrivalsOf(result).achieved
}

/**
 * The response rate of an open-model run once it was under way. In `rate.achieved`, requests that were due just before the end count
 * against the server: if a run lasts a second and responses take 50 ms, that is 5%.
 *
 * @param {object} result
 * @returns {number} requests or sessions per second; `rate.achieved` if the run has too few samples
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

/** The time (s) of the first sample in which a run of requests is under way, given the sample interval (ms). */
function underWayAt (duration, sampleInt) {
  const samples = Math.ceil(duration * SETTLED_AFTER * 1000 / sampleInt)
  return Math.min(duration, samples * sampleInt / 1000)
}

// Sessions end at the rate at which they arrive, once the first of them are over.
function settledAfter (result) {
  const { duration, sessions } = result
  return Math.max(duration * SETTLED_AFTER, sessions === undefined ? 0 : arrivalsOf(result).secondsOnTheWay)
}

/**
 * The highest response rate that is consistent with a run: requests that are missing only because of where a sample ends don't count
 * against the server, and of random arrivals, only those that came due count.
 *
 * A server that stalled and then caught up has achieved the rate, too. So this is the higher of two: the rate once under way, and the
 * rate of the whole run, including requests still being answered at its end at the pace of those that didn't have to wait.
 *
 * @param {object} result of a run in the open model
 * @param {number} demanded requests or sessions per second
 * @param {string} [arrivals='uniform'] the option of the run
 * @param {number} [sustained] its sustainedRate, if known already
 * @returns {number} requests per second, possibly slightly more than demanded; 0 if there were no responses in time
 */
function answeredRate (result, demanded, arrivals = 'uniform', sustained = sustainedRate(result)) {
  if (result.rate.achieved === 0) return 0
  const random = arrivals === 'poisson' ? randomArrivals(result, demanded) : null
  if (random !== null) return demanded * shareOfDue(result, demanded, random)
  const { achieved, secondsOnTheWay } = arrivalsOf(result)
  const settled = result.duration - settledAfter(result)
  const underWay = demanded * Math.min(secondsOnTheWay, result.duration)
  return Math.max(settled > 0 ? sustained + 1 / settled : 0, achieved + (underWay + 1) / result.duration)
}

// The same as a share of random arrivals. A slope would be that of the arrivals, so the rate once under way is that of its two ends.
function shareOfDue (result, demanded, dueBefore) {
  const { duration, timeline } = result
  const { achieved, countIn, secondsOnTheWay } = arrivalsOf(result)
  const answered = achieved * duration
  const shareSince = (start, before, more) => {
    const due = dueBefore(duration - secondsOnTheWay) - dueBefore(start - secondsOnTheWay)
    return due > 0 ? (answered - before + more) / due : 0
  }
  const underWay = dueBefore(duration) - dueBefore(duration - secondsOnTheWay)
  const whole = (answered + underWay + 1) / Math.max(1, dueBefore(duration))
  const first = timeline.findIndex(({ time }) => time >= settledAfter(result))
  if (first === -1) return whole
  const before = timeline.slice(0, first + 1).reduce((sum, sample) => sum + countIn(sample), 0)
  return Math.max(whole, shareSince(timeline[first].time, before, 1 + differenceByChance(result, demanded)))
}

// Responses take different times, so the number of those on their way differs, too. For exponential times, this is 1.4 times the standard
// deviation of that difference: a server that falls short of it by chance rarely does so twice.
function differenceByChance ({ sessions, serviceTime }, demanded) {
  return 2 * Math.sqrt(demanded * (sessions?.lifetime ?? serviceTime).stddev / 1000)
}

/**
 * Assesses how a server coped with a rate. Call it once for each run, because it processes all samples.
 *
 * @param {object} result of a run in the open model
 * @param {number} demanded requests per second
 * @param {object} [options]
 * @param {string} [options.arrivals] see answeredRate
 * @param {number} [options.enough=0.98] a share
 * @returns {{ sustained: number, answered: number, keepsUp: boolean }} see sustainedRate and answeredRate; whether the
 *   server achieved enough of the rate
 */
function assess (result, demanded, { arrivals, enough = ENOUGH } = {}) {
  const sustained = sustainedRate(result)
  const answered = answeredRate(result, demanded, arrivals, sustained)
  return { sustained, answered, keepsUp: answered >= enough * demanded }
}

/** Whether a server kept up with a rate, that is, achieved enough of it. Parameters as for assess. */
function keepsUp (result, demanded, options) {
  return assess(result, demanded, options).keepsUp
}

module.exports = { achievedRate, answeredRate, assess, sustainedRate, underWayAt, keepsUp, ENOUGH }

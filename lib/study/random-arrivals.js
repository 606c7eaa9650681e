'use strict'

const { createPacer } = require('../load')
const { seedOfRepetition } = require('../load/seeds')
const { chooseSeed } = require('../plan/schedule')
const { isGiven } = require('../values/kinds')

/*
 * In a run of 100 random arrivals, ten more or less come due by chance, and a server that can answer 90 is as good as one that can
 * answer 100 if only 90 come due. So the runs of a study have a seed with which as many come due as its rate says, once the run is under
 * way and at its end, and what a server answered is compared with the arrivals that came due.
 */

// Of so many arrivals, the number that comes due by chance hardly differs from the expected one.
const MANY = 100_000
// How far the number of arrivals may be off: this share of them, or one.
const NEAR = 0.005
// Enough that one in some hundred seeds will do.
const MOST_TRIES = 10_000

const areFew = (rate, duration) => rate * duration <= MANY

const arrivalsOf = (rate, duration, seed) => createPacer({ kind: 'constant', rate, arrivals: 'poisson', seed }, { duration })

function countBefore (times, seconds) {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle] < seconds) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Returns the random arrivals that came due in a run.
 *
 * @param {object} result
 * @param {number} rate arrivals per second
 * @returns {?function(number): number} how many were due before a time (s); null if the run doesn't say which, or if there are so many
 *   that they are as good as even
 */
function randomArrivals ({ duration, options }, rate) {
  if (!isGiven(options?.seed) || !areFew(rate, duration)) return null
  const arrivals = arrivalsOf(rate, duration, Number(options.seed))
  const times = []
  for (let due = arrivals.next(); due !== Infinity; due = arrivals.next()) times.push(due)
  return (seconds) => countBefore(times, seconds)
}

/**
 * Chooses the seed of a run of random arrivals: of those that follow from the given one, the first with which as many arrivals come due
 * as the rate says. At the end of the run, none is missing, as with even arrivals.
 *
 * @param {?number|string} seed the option, if it is given
 * @param {object} run
 * @param {number} run.rate arrivals per second
 * @param {number} run.duration seconds
 * @param {number} run.settled seconds after which the run is under way
 * @param {number} run.times how many runs at this rate there were before: each has other arrivals
 * @returns {number}
 */
function seedOfArrivals (seed, { rate, duration, settled, times }) {
  const first = Number(seed ?? chooseSeed())
  if (!areFew(rate, duration)) return seedOfRepetition(first, times)
  let left = times
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const candidate = seedOfRepetition(first, tries)
    if (isTypical(candidate, { rate, duration, settled }) && left-- === 0) return candidate
  }
  return seedOfRepetition(first, times)
}

function isTypical (seed, { rate, duration, settled }) {
  const arrivals = arrivalsOf(rate, duration, seed)
  let count = 0
  let due = arrivals.next()
  // How many more are due before a time than the rate says, relative to how many that may be.
  const moreBefore = (seconds) => {
    for (; due < seconds; due = arrivals.next()) count++
    return (count - rate * seconds) / Math.max(1, NEAR * rate * seconds)
  }
  if (Math.abs(moreBefore(settled)) > 1) return false
  const more = moreBefore(duration)
  return more >= 0 && more <= 1
}

module.exports = { randomArrivals, seedOfArrivals }

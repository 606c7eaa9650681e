'use strict'

/*
 * Everything that is random in a run follows from its seed, which is less than 2^32. Each of the following has a stream of random numbers of its
 * own, so that none correlates with another:
 *
 *     seed + 0                        arrivals; the think times of the run in the closed model, where a thread adds its number
 *     seed + 1, -1, -3, … × 2^32      the rows of a feed, for each scenario
 *     seed + 2, 4, 6, … × 2^32        think times of a session, which adds the number of the step; or of a request in the closed model
 *     seed + 3, 5, 7, … × 2^32        what a user as code draws, for each session
 *
 * BigInts, because numbers of sessions are large.
 */
const APART = 2n ** 32n

// Odd, so that all repetitions differ, and large, because a thread adds its number.
const REPETITIONS_APART = 0x9e3779b1

const streamOf = (seed, stream) => BigInt(seed) + BigInt(stream) * APART

/** @param {number} seed @param {number} scenario its index @returns {bigint} */
const seedOfRows = (seed, scenario) => streamOf(seed, 1 - 2 * scenario)

/** @param {number} seed @param {number} number of the session or the request, from 0 @returns {bigint} */
const seedOfPauses = (seed, number) => streamOf(seed, 2 * number + 2)

/** @param {number} seed @param {number} number of the session, from 0 @returns {bigint} */
const seedOfUser = (seed, number) => streamOf(seed, 2 * number + 3)

/** @param {number} seed of a run @param {number} times how often it was repeated @returns {number} a seed for this repetition, less than 2^32 */
const seedOfRepetition = (seed, times) => (seed + times * REPETITIONS_APART) % 2 ** 32

module.exports = { seedOfPauses, seedOfRepetition, seedOfRows, seedOfUser }

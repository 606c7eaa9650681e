'use strict'

const { thousandth } = require('../base/rounding')
const world = require('../world')

// The fastest of these is the most accurate.
const ROUND_TRIPS = 15

/**
 * Measures how far this machine's clock, `world.origin() + world.now()`, is ahead of another one:
 *
 *     here     sent -------------------- received
 *                   \                  /
 *     there          ------- reading -            between sent and received, so the midpoint is wrong by at most half
 *                                                  of the round trip
 *
 * @param {function(): Promise<number>} readClock of the other, ms since 1970
 * @returns {Promise<{ offset: number, uncertainty: number }>} ms
 */
async function measureOffset (readClock) {
  let best = { offset: 0, uncertainty: Infinity }
  for (let trip = 0; trip < ROUND_TRIPS; trip++) {
    const sent = world.now()
    const told = await readClock()
    const received = world.now()
    const uncertainty = (received - sent) / 2
    if (uncertainty < best.uncertainty) best = { offset: world.origin() + (sent + received) / 2 - told, uncertainty }
  }
  return { offset: thousandth(best.offset), uncertainty: Math.ceil(best.uncertainty * 1000) / 1000 }
}

module.exports = { measureOffset }

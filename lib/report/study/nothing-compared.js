'use strict'

/** What is said of a comparison that was ended before it had a run of each side. */
const NOTHING_COMPARED = 'Nothing was compared: not one round was complete.'

/** @param {object[]} sides of a comparison */
function isEmpty (sides) {
  return sides.some(({ runs }) => runs === 0)
}

module.exports = { NOTHING_COMPARED, isEmpty }

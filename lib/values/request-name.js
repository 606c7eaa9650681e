'use strict'

/**
 * How messages call a request: by its place in the options, such as `requests[0]`, `requests[1][0]` (in a burst) or
 * `scenarios[1].requests[0]`.
 *
 * @param {{ where: string|undefined }} request of the plan, or as read
 * @param {number} index in the list of all requests
 * @returns {string}
 */
function nameOfRequest ({ where }, index) {
  return where ?? `requests[${index}]`
}

module.exports = { nameOfRequest }

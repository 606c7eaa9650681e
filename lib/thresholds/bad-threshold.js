'use strict'

const { CannonadeError, CODES, Sentence, show, words } = require('../base/errors')

/**
 * A threshold that cannot be checked, in one sentence.
 *
 * @param {*} threshold as it was written
 * @param {string} why
 * @returns {CannonadeError} code CANNONADE_BAD_THRESHOLD, with `threshold`
 */
function badThreshold (threshold, why) {
  // Names may have been quoted as they were written, and this is to be one line.
  const reason = why instanceof Sentence ? why : why.replace(/\p{Cc}+/gu, ' ')
  return new CannonadeError(CODES.BAD_THRESHOLD, words`The threshold ${show(threshold)} cannot be checked: ${reason}`, { threshold })
}

module.exports = { badThreshold }

'use strict'

const { CannonadeError, CODES, Sentence, show, words } = require('../base/errors')

/**
 * Creates the error for a threshold that cannot be checked, in one sentence.
 *
 * @param {*} threshold as it was written
 * @param {string} why
 * @returns {CannonadeError} code CANNONADE_BAD_THRESHOLD, with `threshold`
 */
function badThreshold (threshold, why) {
  // The message must be one line, but may quote names that contain line breaks.
  const reason = why instanceof Sentence ? why : why.replace(/\p{Cc}+/gu, ' ')
  return new CannonadeError(CODES.BAD_THRESHOLD, words`The threshold ${show(threshold)} cannot be checked: ${reason}`, { threshold })
}

module.exports = { badThreshold }

'use strict'

const { circumstancesOf } = require('../../base/circumstances')
const { isOption } = require('../../plan/unknown')
const { comparisonResult } = require('./comparison-result')
const { prepare } = require('./prepare')

/**
 * Compares saved results, synchronously.
 *
 * @param {Array<object|object[]>} items results, or arrays of them; two or more
 * @param {object} [settings] as for `compare`
 * @returns {object} the same result as that of `compare`, without `start` and `finish`
 * @throws {CannonadeError} CANNONADE_BAD_RESULT, CANNONADE_BAD_OPTION
 */
function compareResults (items, settings) {
  const prepared = prepare(items, settings)
  return { ...comparisonResult(prepared.sides, prepared.settings, prepared.warnings), ...circumstancesOf(prepared.options, isOption) }
}

module.exports = { compareResults }

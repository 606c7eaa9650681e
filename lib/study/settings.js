'use strict'

const { show, optionError } = require('../base/errors')
const { toSeconds } = require('../values/duration')
const { isGiven, isObject, kind, ofAbortSignal: signal, toNumber } = require('../values/kinds')
const { didYouMean } = require('../base/suggest')
const { toMilliseconds } = require('../thresholds/units')

/** A share: a number from 0 to 1, or in percent ('5%'). */
const share = kind("a share: a number from 0 to 1, or a percentage such as '5%'", (value) => {
  const percent = typeof value === 'string' && value.trim().endsWith('%') ? toNumber(value.trim().slice(0, -1)) : undefined
  const number = percent === undefined ? toNumber(value) : percent / 100
  return number >= 0 && number <= 1 ? number : undefined
})

const FORMS = "seconds as a number, or a string such as '500ms' or '1m 30s'"

const seconds = kind(`greater than 0 (${FORMS})`, (value) => {
  const number = toSeconds(value)
  return number > 0 ? number : undefined
})

const secondsOrZero = kind(`0 or more (${FORMS})`, (value) => {
  const number = toSeconds(value)
  return number >= 0 ? number : undefined
})

const milliseconds = kind("a number of milliseconds greater than 0, or a string such as '200ms'", (value) => {
  const number = toMilliseconds(value)
  return number > 0 ? number : undefined
})

/**
 * Reads the settings of a study according to a table: `name`, `read` (see lib/values/kinds.js), `default`.
 *
 * @param {object} [given] what the user wrote
 * @param {object[]} table
 * @returns {{ settings: object, warnings: object[] }} a warning for each name that is not in the table
 * @throws {CannonadeError} CANNONADE_BAD_OPTION for the first invalid one
 */
function readSettings (given = {}, table) {
  if (!isObject(given)) throw optionError('the settings', given, 'an object')
  const settings = {}
  for (const { name, read, default: value } of table) {
    settings[name] = isGiven(given[name]) ? read(given[name], name) : value
  }
  const known = new Set(table.map(({ name }) => name))
  const warnings = Object.keys(given).filter((name) => !known.has(name) && isGiven(given[name])).map((name) => {
    return { code: 'UNKNOWN_OPTION', message: `the setting ${show(name)} is unknown and has no effect${didYouMean(name, known, '', show)}` }
  })
  return { settings, warnings }
}

module.exports = { readSettings, milliseconds, share, seconds, secondsOrZero, signal }

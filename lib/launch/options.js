'use strict'

const fs = require('node:fs')
const { named, optionError, optionProblem, show, words } = require('../base/errors')
const { didYouMean } = require('../base/suggest')
const { toSeconds } = require('../values/duration')
const { isGiven, isObject, kind, truth } = require('../values/kinds')
const { atPort } = require('./aim')

const folder = kind('the path of a folder', (value) => {
  const isPath = (typeof value === 'string' && value !== '') || (value instanceof URL && value.protocol === 'file:')
  return isPath && fs.statSync(value, { throwIfNoEntry: false })?.isDirectory() ? value : undefined
})

const address = kind("a URL, or a path such as '/items'", (value) => {
  const isAddress = (typeof value === 'string' || value instanceof URL) && URL.canParse(atPort(value, 80))
  return isAddress ? String(value) : undefined
})

const variables = kind('an object of strings', (value) => {
  if (!isObject(value)) return undefined
  const isText = (each) => typeof each === 'string' || typeof each === 'number' || !isGiven(each)
  return Object.values(value).every(isText) ? withoutMissing(value) : undefined
})

const patience = kind("a number of seconds greater than 0, or a string such as '1m 30s'", (value) => {
  const seconds = toSeconds(value)
  return seconds > 0 ? seconds : undefined
})

/** The options of `launch`; see lib/values/kinds.js for the kinds. */
const OPTIONS = { cwd: folder, env: variables, url: address, patience, diagnose: truth }

/**
 * Checks the arguments of `launch`.
 *
 * @param {string[]} command
 * @param {object} [given]
 * @returns {object} the options that were given
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function readLaunch (command, given = {}) {
  if (!isCommand(command)) throw optionError('command', command, "an array of strings, such as ['node', 'server.js']")
  if (!isObject(given)) throw optionError('the options', given, 'an object')
  const names = Object.keys(OPTIONS)
  // With a mistyped name, the server would silently run without the option.
  const unknown = Object.keys(given).find((name) => !names.includes(name) && isGiven(given[name]))
  if (unknown !== undefined) throw optionProblem(unknown, words`${named(unknown)} is not an option of launch${didYouMean(unknown, names, `; the options are ${names.join(', ')}`, show)}`)
  return Object.fromEntries(names.filter((name) => isGiven(given[name])).map((name) => [name, OPTIONS[name].read(given[name], name)]))
}

const isCommand = (words) => Array.isArray(words) && words.length > 0 && words[0] !== '' && words.every((word) => typeof word === 'string')
const withoutMissing = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => isGiven(value)).map(([name, value]) => [name, String(value)]))

module.exports = { readLaunch }

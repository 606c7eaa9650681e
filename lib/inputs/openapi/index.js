'use strict'

const { optionError, optionProblem, show } = require('../../base/errors')
const { didYouMean } = require('../../base/suggest')
const { isGiven, isObject } = require('../../values/kinds')
const { nameOf } = require('./bad-document')
const { parse } = require('./parse')
const { optionsOf } = require('./requests')

const SETTINGS = ['paths', 'url', 'allowFiles']

/**
 * Returns options with the requests of an OpenAPI 3 document in sequence, using its examples as values.
 *
 * @param {string|object} document the path of a file (JSON or YAML), or its contents
 * @param {object} [settings]
 * @param {string|string[]} [settings.paths] the requests: `/pets`, `POST /pets`, or with values `/pets/5?limit=3`; default
 *   all GET and HEAD operations
 * @param {string|URL} [settings.url] the target; default the first server of the document. If it has a path, that replaces the path
 *   of the document's server
 * @param {boolean} [settings.allowFiles=false] whether the document may refer to files below its own folder; their contents are sent
 * @returns {Promise<{ url: string|undefined, requests: object[] }>} for `run`; `url` is undefined if neither has it
 * @throws {CannonadeError} CANNONADE_BAD_OPTION with what is missing, CANNONADE_MISSING_PACKAGE
 */
async function fromOpenAPI (document, settings = {}) {
  const read = readSettings(document, settings)
  const name = nameOf(document)
  return optionsOf(await parse(document, name, read.allowFiles), read, name)
}

function readSettings (document, settings) {
  if (!isObject(document) && (typeof document !== 'string' || document === '')) throw optionError('the OpenAPI document', document, 'the path of a file, or an object')
  if (!isObject(settings)) throw optionError('the settings', settings, 'an object')
  const { paths, url, allowFiles = false, ...others } = settings
  const [stranger] = Object.keys(others)
  if (stranger !== undefined) throw unknownSetting(stranger)
  const all = !isGiven(paths) ? null : [paths].flat()
  if (all !== null && (all.length === 0 || !all.every((path) => typeof path === 'string'))) throw optionError('paths', paths, "strings such as '/pets' or 'POST /pets', at least one")
  if (typeof allowFiles !== 'boolean') throw optionError('allowFiles', allowFiles, 'true or false')
  return { paths: all, allowFiles, url: !isGiven(url) ? undefined : String(url) }
}

// Unknown settings are errors, since ignoring a misspelled one could send unintended requests.
function unknownSetting (name) {
  const hint = didYouMean(name, SETTINGS, `: there are ${SETTINGS.slice(0, -1).join(', ')} and ${SETTINGS.at(-1)}`, show)
  return optionProblem(name, `the setting ${show(name)} is unknown${hint}`)
}

module.exports = fromOpenAPI

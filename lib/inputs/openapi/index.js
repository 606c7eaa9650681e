'use strict'

const fs = require('node:fs')
const { optionError, optionProblem, reasonOf, show, whyUnreadable } = require('../../base/errors')
const { loadPackage } = require('../../base/packages')
const { didYouMean } = require('../../base/suggest')
const { isGiven, isObject } = require('../../values/kinds')
const { badDocument, nameOf } = require('./bad-document')
const References = require('./references')
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

/**
 * Parses a document, validates it against the specification and resolves its references.
 *
 * @param {string|object} document
 * @param {string} name of the document
 * @param {boolean} allowFiles whether the document may refer to files below its folder
 * @returns {Promise<object>} a copy; the user's object is not changed
 */
async function parse (document, name, allowFiles) {
  const Parser = loadParser()
  if (typeof document !== 'string' && document.openapi === undefined && document.swagger === undefined) throw badDocument(name, 'has no field openapi, so its version is unknown')
  if (typeof document === 'string') checkReadable(document, name)
  const references = new References(document, name, allowFiles)
  let api
  try {
    api = await Parser.validate(typeof document === 'string' ? document : structuredClone(document), { resolve: references.resolve })
  } catch (cause) {
    throw references.refusal ?? badDocument(name, `cannot be used: ${inOneLine(reasonOf(cause))}`, cause)
  }
  if (!/^3\./.test(api.openapi)) throw badDocument(name, `is a Swagger ${api.swagger} document; only OpenAPI 3 is supported`)
  return api
}

function checkReadable (file, name) {
  try {
    if (fs.statSync(file).isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' })
  } catch (cause) {
    throw badDocument(name, `cannot be read: ${whyUnreadable(cause)}`, cause)
  }
}

// The parser's messages have several lines, one or more per problem.
const inOneLine = (text) => text.replace(/\s+/g, ' ').trim().slice(0, 300)

function loadParser () {
  const loaded = loadPackage('@apidevtools/swagger-parser', { user: 'an OpenAPI document', option: 'openapi' })
  return loaded.default ?? loaded
}

module.exports = fromOpenAPI

'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { optionError, optionProblem, show } = require('../base/errors')
const { kind, isGiven, isObject } = require('./kinds')

const NAMES = ['filename', 'filepath', 'contentType']
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTERS = /[\x00-\x1f\x7f]/

/**
 * A form: an object that has a part, or an array of parts, for each field; it can also be given as JSON or as the path of
 * a JSON file. Becomes an array of `{ name, content }` or `{ name, path }`, each with `options`. Files that the form
 * names are read later.
 */
const form = kind('an object with the fields of the form, the same as JSON, or the path of a JSON file', (value, name) => {
  const fields = typeof value === 'string' ? parse(value, name) : value
  if (!isObject(fields)) return undefined
  return Object.entries(fields).flatMap(([key, parts]) => [parts].flat().map(part => readPart(part, key, name)))
})

function parse (text, option) {
  const isJson = text.trimStart().startsWith('{')
  try {
    const fields = JSON.parse(isJson ? text : fs.readFileSync(text, 'utf8'))
    if (!isObject(fields)) throw new TypeError('it does not contain an object')
    return fields
  } catch (cause) {
    throw bad(`Invalid JSON or file where to get form data: ${isJson ? '' : `'${text}': `}${cause.message}`, option, cause)
  }
}

function readPart (part, key, option) {
  if (part?.type !== 'text' && part?.type !== 'file') {
    throw bad(`A 'type' key with value 'text' or 'file' should be specified in form object for key ${show(key)}`, option)
  }
  const source = part.type === 'text' ? 'value' : 'path'
  const given = part[source]
  if (!isGiven(given)) {
    throw bad(`Missing key '${source}' in form object for key ${show(key)}`, option)
  }
  const where = `${option}[${show(key)}]`
  const options = readNames(part.options ?? {}, `${where}.options`)
  return part.type === 'text'
    ? { name: key, content: readText(given, `${where}.value`), options }
    : { name: key, path: readPath(given, `${where}.path`), options }
}

function readText (value, where) {
  if (typeof value === 'object' || typeof value === 'function') throw optionError(where, value, 'a string')
  return String(value)
}

function readPath (value, where) {
  if (typeof value !== 'string' || value === '') throw optionError(where, value, 'the path of a file')
  return value
}

function readNames (options, where) {
  if (!isObject(options)) throw optionError(where, options, `an object with any of ${NAMES.join(', ')}`)
  const read = {}
  for (const [name, value] of Object.entries(options)) {
    if (!NAMES.includes(name)) throw optionError(where, options, `an object with any of ${NAMES.join(', ')}`)
    if (!isGiven(value)) continue
    // The content type becomes a header line of the part, so a line break would inject another header.
    const isAllowed = typeof value === 'string' && !(name === 'contentType' && CONTROL_CHARACTERS.test(value))
    if (!isAllowed) throw optionError(`${where}.${name}`, value, 'a string without control characters')
    read[name] = value
  }
  return read
}

/** Reads the content of a part. A file is sent with its own name unless another name is given. */
function withContent ({ name, content, path: file, options }) {
  if (file === undefined) return { name, content, ...options }
  try {
    return { name, content: fs.readFileSync(file), filename: path.basename(file), ...options }
  } catch (cause) {
    throw bad(`The file of the form's key ${show(name)} cannot be read: ${cause.message}`, 'form', cause)
  }
}

function bad (sentence, option, cause) {
  return optionProblem(option, sentence, cause && { cause })
}

module.exports = { form, withContent }

'use strict'

const { isObject } = require('../../values/kinds')
const { badDocument } = require('./bad-document')
const { valueOf } = require('./examples')

const FORM = 'application/x-www-form-urlencoded'
const isJSON = (type) => /^application\/(?:[\w.+-]+\+)?json(?:;|$)/i.test(type)

// In order of preference: of several content types, the first that has an example is used.
const WRITERS = [
  { isMeant: isJSON, write: jsonOf },
  { isMeant: (type) => type.toLowerCase().startsWith(FORM), write: (value) => isObject(value) ? String(new URLSearchParams(Object.entries(value).flatMap(fields))) : String(value) },
  { isMeant: (type) => !/^multipart\//i.test(type), write: (value) => typeof value === 'string' ? value : undefined }
]

/**
 * Returns the body of an operation, from the document's example.
 *
 * @param {{ requestBody?: object }} operation
 * @param {string} where 'POST /pets'
 * @param {string} name of the document
 * @returns {{ body?: string, headers?: object }} empty if the operation has no body
 */
function bodyOf ({ requestBody }, where, name) {
  if (requestBody === undefined) return {}
  const contents = Object.entries(requestBody.content ?? {})
  for (const { isMeant, write } of WRITERS) {
    for (const [type, content] of contents.filter(([type]) => isMeant(type))) {
      const value = valueOf(content)
      const body = value === undefined ? undefined : write(value)
      if (body !== undefined) return { body, headers: { 'Content-Type': type } }
    }
  }
  if (!requestBody.required) return {}
  throw badDocument(name, `has no example for the body of ${where} (${contents.map(([type]) => type).join(', ')})`)
}

// Some documents give the example as a string of JSON, which is used unchanged.
function jsonOf (value) {
  if (typeof value !== 'string') return JSON.stringify(value)
  try {
    return isObject(JSON.parse(value)) || Array.isArray(JSON.parse(value)) ? value : JSON.stringify(value)
  } catch {
    return JSON.stringify(value)
  }
}

const fields = ([name, value]) => [value].flat().map((each) => [name, typeof each === 'object' ? JSON.stringify(each) : String(each)])

module.exports = { bodyOf }

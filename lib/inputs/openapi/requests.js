'use strict'

const { isObject } = require('../../values/kinds')
const { badDocument } = require('./bad-document')
const { valueOf } = require('./examples')
const { chooseOperations } = require('./operations')
const { cookieOf, headersOf, pathOf, queryOf } = require('./parameters')

const FORM = 'application/x-www-form-urlencoded'

/**
 * Creates the options of a run from a parsed document.
 *
 * @param {object} api
 * @param {{ paths: string[]|null, url: string|undefined }} settings
 * @param {string} name of the document
 * @returns {{ url: string|undefined, requests: object[] }}
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function optionsOf (api, { paths, url }, name) {
  const { origin, base } = whereTo(api, url, name)
  return { url: origin, requests: chooseOperations(api, paths, name).map((operation) => requestOf(operation, base, name)) }
}

function requestOf (operation, base, name) {
  const { method, path, id, parameters, query } = operation
  const where = `${method} ${path}`
  const given = (kind) => parameters.filter((parameter) => parameter.in === kind)
  const body = bodyOf(operation, where, name)
  const headers = { ...headersOf(given('header'), where, name), ...cookieOf(given('cookie'), where, name), ...body.headers }
  return {
    title: id ?? where,
    method,
    path: base + pathOf(operation, given('path'), where, name) + (query ?? queryOf(given('query'), where, name)),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body.body !== undefined && { body: body.body })
  }
}

// The document's server may be only a path, and its variables have defaults.
function whereTo ({ servers }, url, name) {
  const own = serverOf(servers, name)
  if (url === undefined) return { origin: own.origin, base: own.base }
  const given = split(url)
  return { origin: given.origin, base: given.base === '' ? own.base : given.base }
}

function serverOf (servers, name) {
  const [server] = Array.isArray(servers) ? servers : []
  if (server === undefined) return { origin: undefined, base: '' }
  const written = server.url.replace(/\{([^{}]*)\}/g, (_, variable) => {
    const value = server.variables?.[variable]?.default
    if (value === undefined) throw badDocument(name, `has no value for {${variable}} in the URL of its server`)
    return value
  })
  return split(written)
}

// Splits 'https://host/v1/' into 'https://host' and '/v1'.
function split (url) {
  const [, origin, path] = /^((?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]*|[^/?#]*)([^?#]*)/i.exec(url)
  return { origin: origin === '' ? undefined : origin, base: path.replace(/(?<!\/)\/+$/, '') }
}

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

module.exports = { optionsOf }

'use strict'

const { suggest } = require('../../base/suggest')
const { badDocument } = require('./bad-document')

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']
// What changes nothing at the server may be asked for without being named.
const HARMLESS = new Set(['GET', 'HEAD'])
const MOST_LISTED = 5

/**
 * The operations of a document that are meant.
 *
 * @param {object} api
 * @param {string[]|null} chosen null is all that change nothing
 * @param {string} name of the document
 * @returns {object[]} `{ method, path, id, parameters, requestBody }`, in the order chosen; where values were written in a
 *   path, they are `values` by the names of its parameters, and `query` is what was written behind it
 */
function chooseOperations (api, chosen, name) {
  const all = Object.entries(api.paths ?? {}).flatMap(([path, item]) => operationsAt(path, item))
  if (chosen !== null) return chosen.map((written) => chooseOne(all, written, name))
  const harmless = all.filter(({ method }) => HARMLESS.has(method))
  if (harmless.length === 0) throw badDocument(name, `has no GET: name the requests to send, such as '${all.length === 0 ? 'POST /pets' : `${all[0].method} ${all[0].path}`}'`)
  return harmless
}

function operationsAt (path, item) {
  return METHODS.filter((method) => item[method] !== undefined).map((method) => {
    const { operationId, parameters, requestBody } = item[method]
    return { method: method.toUpperCase(), path, id: operationId, parameters: merged(item.parameters, parameters), requestBody }
  })
}

// Those of an operation replace those that all of its path have in common.
function merged (common = [], own = []) {
  const key = (parameter) => `${parameter.in} ${parameter.name}`
  return [...new Map([...common, ...own].map((parameter) => [key(parameter), parameter])).values()]
}

function chooseOne (all, written, name) {
  const [, method, path, query] = /^(?:([a-z]+)\s+)?([^?]*)(\?.*)?$/is.exec(written.trim())
  const here = all.filter((operation) => operation.path === path)
  const found = here.length > 0 ? here : all.filter((operation) => valuesIn(path, operation.path) !== null)
  if (found.length === 0) throw badDocument(name, `has no path ${path}${adviceOn(path, all)}`)
  // Of several templates that fit, the first one that is there.
  const at = found.filter((operation) => operation.path === found[0].path)
  const operation = method === undefined ? withoutMethod(at, name) : at.find((each) => each.method === method.toUpperCase())
  if (operation === undefined) throw badDocument(name, `has no ${method.toUpperCase()} ${path}, but ${at.map((each) => each.method).join(', ')}`)
  return { ...operation, values: here.length > 0 ? {} : valuesIn(path, operation.path), query }
}

function withoutMethod (operations, name) {
  const get = operations.find(({ method }) => method === 'GET')
  if (get !== undefined) return get
  if (operations.length === 1) return operations[0]
  throw badDocument(name, `has ${operations.map(({ method }) => method).join(', ')} ${operations[0].path}: name one of them`)
}

// '/pets/5' is '/pets/{id}' with 5 as its id.
function valuesIn (path, template) {
  const names = []
  const pattern = template.split(/(\{[^{}]*\})/).map((part) => {
    if (!part.startsWith('{')) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    names.push(part.slice(1, -1))
    return '([^/]+)'
  }).join('')
  const match = names.length === 0 ? null : new RegExp(`^${pattern}$`).exec(path)
  return match && Object.fromEntries(names.map((name, index) => [name, match[index + 1]]))
}

function adviceOn (path, all) {
  const paths = [...new Set(all.map((operation) => operation.path))]
  const meant = suggest(path, paths)
  if (meant !== undefined) return `: did you mean ${meant}?`
  const more = paths.length > MOST_LISTED ? `, and ${paths.length - MOST_LISTED} more` : ''
  return paths.length === 0 ? ', and no other' : `, but ${paths.slice(0, MOST_LISTED).join(', ')}${more}`
}

module.exports = { chooseOperations }

'use strict'

const { didYouMean } = require('../../base/suggest')
const { badDocument } = require('./bad-document')

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']
// Safe methods, which are sent without being named explicitly.
const HARMLESS = new Set(['GET', 'HEAD'])
const MOST_LISTED = 5

/**
 * Selects operations of a document.
 *
 * @param {object} api
 * @param {string[]|null} chosen null selects all GET and HEAD operations
 * @param {string} name of the document
 * @returns {object[]} `{ method, path, id, parameters, requestBody }`, in the order chosen; if the chosen path contains
 *   values, `values` holds them by parameter name, and `query` is the given query
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

// Parameters of an operation override those of its path.
function merged (common = [], own = []) {
  const key = (parameter) => `${parameter.in} ${parameter.name}`
  return [...new Map([...common, ...own].map((parameter) => [key(parameter), parameter])).values()]
}

function chooseOne (all, written, name) {
  const [, method, path, query] = /^(?:([a-z]+)\s+)?([^?]*)(\?.*)?$/is.exec(written.trim())
  const here = all.filter((operation) => operation.path === path)
  const found = here.length > 0 ? here : all.filter((operation) => valuesIn(path, operation.path) !== null)
  if (found.length === 0) throw badDocument(name, `has no path ${path}${adviceOn(path, all)}`)
  // If several templates match, the first one in the document is used.
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

// Matches '/pets/5' with '/pets/{id}', which gives an id of 5.
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
  const more = paths.length > MOST_LISTED ? `, and ${paths.length - MOST_LISTED} more` : ''
  return didYouMean(path, paths, paths.length === 0 ? ', and no other' : `, but ${paths.slice(0, MOST_LISTED).join(', ')}${more}`)
}

module.exports = { chooseOperations }

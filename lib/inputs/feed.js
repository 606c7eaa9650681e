'use strict'

const { either, optionError } = require('../base/errors')
const { kind, choice, isGiven, isObject } = require('../values/kinds')

const ORDERS = ['sequential', 'random', 'once']
const order = choice(...ORDERS)
// The sources of rows; `array` is an alias of `rows`.
const SOURCES = ['file', 'rows', 'array']
const PARTS = [...SOURCES, 'order']
const OTHER_ENDS = ['amount', 'duration', 'stages', 'maxConnectionRequests', 'maxOverallRequests']

/**
 * Rows of data for requests: the path of a file, an array of rows, or `{ file or rows, order }`. `array` is an alias of
 * `rows`. The file is read later.
 */
const feed = kind(either('the path of a file, an array of rows, or { file or rows, order }', 'the path of a file, also as once:FILE or random:FILE'), (value, name) => {
  if (typeof value === 'string' || value instanceof URL) return readFeed({ file: value }, name)
  if (Array.isArray(value)) return readFeed({ rows: value }, name)
  return isObject(value) ? readFeed(value, name) : undefined
})

function readFeed (given, name) {
  const sources = SOURCES.filter(part => isGiven(given[part]))
  if (Object.keys(given).some(key => !PARTS.includes(key))) throw optionError(name, given, '{ file, order } or { rows, order }')
  if (sources.length !== 1) throw optionError(name, given, 'an object with one of file, rows and array')
  const [source] = sources
  const read = source === 'file' ? readPath : readArray
  return {
    source: `${name}.${source}`,
    [source === 'file' ? 'file' : 'rows']: read(given[source], `${name}.${source}`),
    order: !isGiven(given.order) ? 'sequential' : order.read(given.order, `${name}.order`)
  }
}

function readPath (value, name) {
  if (value instanceof URL && value.protocol === 'file:') return value.href
  if (typeof value !== 'string' || value === '') throw optionError(name, value, 'the path of a file')
  return value
}

function readArray (value, name) {
  if (!Array.isArray(value) || value.length === 0) throw optionError(name, value, 'an array of at least one object')
  return value
}

/**
 * Plans the feed: reads its file, and checks that each `{{column}}` in the requests exists.
 *
 * @param {?object} read as `feed.read` returns it
 * @param {object[]} requests of the plan
 * @param {object[]} targets of the plan
 * @param {object} given the user's options
 * @param {object} way
 * @param {boolean} way.isMixed whether requests are sent by weight, each with a row of its own
 * @param {boolean} way.hasSessions whether each session has a row of its own, whatever it sends: see planSessions
 * @returns {?{ rows: object[], order: string, steps: number, amount: ?number }} `steps`: the number of requests per row
 *   (the maximum, if it differs between URLs); `amount`: the number of requests that the rows suffice for, if the run
 *   ends with the rows
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function planFeed (read, requests, targets, given, { isMixed, hasSessions }) {
  if (read === null) return null
  const { checkColumns } = require('../values/placeholders')
  const rows = require('./rows').readRows(read)
  checkColumns(rows, requests, targets)
  const steps = isMixed ? 1 : Math.max(...targets.map((_, index) => requests.filter(({ target = index }) => target === index).length))
  const endsRun = read.order === 'once' && !hasSessions && OTHER_ENDS.every(name => !isGiven(given[name]))
  return { rows, order: read.order, steps, amount: endsRun && steps > 0 ? rows.length * steps : null }
}

/**
 * Whether the rows of a feed change anything: what is sent, or the length of the run. Code that sends requests, or changes them, may use
 * the rows in its own way.
 *
 * @param {object} feed of the plan
 * @param {object[]} requests of the plan
 * @param {object[]} targets of the plan
 * @param {object} hooks of the plan
 * @returns {boolean}
 */
function usesRows ({ order }, requests, targets, hooks) {
  if (order === 'once' || hasCode(hooks)) return true
  const { splitRequest } = require('../values/placeholders')
  return requests.some((request) => targets.some(({ path }) => splitRequest(request, path) !== null))
}

function hasCode ({ setupClient, setupRequest, user, users, requests }) {
  const some = [setupClient, setupRequest, user, ...users, ...requests.flatMap(({ setupRequest, onResponse, body }) => [setupRequest, onResponse, body])]
  return some.some(isGiven)
}

module.exports = { ORDERS, feed, planFeed, usesRows }

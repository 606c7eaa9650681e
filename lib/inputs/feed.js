'use strict'

const { either, optionError } = require('../base/errors')
const { kind, choice, isGiven, isObject } = require('../values/kinds')
const { readRows } = require('./rows')
const { checkColumns } = require('../values/placeholders')

const ORDERS = ['sequential', 'random', 'once']
const order = choice(...ORDERS)
// Where the rows are: `array` is another name for `rows`.
const SOURCES = ['file', 'rows', 'array']
const PARTS = [...SOURCES, 'order']
const OTHER_ENDS = ['amount', 'duration', 'stages', 'maxConnectionRequests', 'maxOverallRequests']

/**
 * Rows of data for requests: the path of a file, an array of rows, or `{ file or rows, order }`, where `rows` may also be
 * called `array`. The file is not read yet.
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
 * The feed as a plan has it. Its file is read here, and each `{{column}}` of the requests looked up.
 *
 * @param {?object} read as `feed.read` gives it
 * @param {object[]} requests of the plan
 * @param {object[]} targets of the plan
 * @param {object} given what the user wrote
 * @returns {?{ rows: object[], order: string, steps: number, amount: ?number }} `steps`: how many requests a row serves,
 *   where the URLs have different ones the most; `amount`: how many requests the rows are good for, where it is them that
 *   end the run
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function planFeed (read, requests, targets, given) {
  if (read === null) return null
  const rows = readRows(read)
  checkColumns(rows, requests, targets)
  const steps = Math.max(...targets.map((_, index) => requests.filter(({ target = index }) => target === index).length))
  const endsRun = read.order === 'once' && OTHER_ENDS.every(name => !isGiven(given[name]))
  return { rows, order: read.order, steps, amount: endsRun ? rows.length * steps : null }
}

module.exports = { ORDERS, feed, planFeed }

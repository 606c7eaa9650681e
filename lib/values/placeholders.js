'use strict'

const { named, optionProblem, show, words } = require('../base/errors')
const { nameOfRequest } = require('./request-name')
const { encodeTarget } = require('./path')

/*
 * `{{column}}` stands for the value of that column in a row of the feed. A text is split into a list of literal pieces with the
 * names of columns between them:
 *
 *     '/users/{{id}}/{{page}}'   [ '/users/', 'id', '/', 'page', '' ]
 *
 * In a path, values are percent-encoded. `{{{column}}}` stands for one that is not, such as a whole path with its query; its place in
 * the list is an object.
 */
const PLACEHOLDER = /\{\{([^{}\r\n]+)\}\}/
const PLACEHOLDER_IN_PATH = /\{\{(\{[^{}\r\n]+\}|[^{}\r\n]+)\}\}/

// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTERS = /[\x00-\x08\x0a-\x1f\x7f]/

/**
 * @param {string} text
 * @returns {string[]} literal pieces at even indices, names of columns at odd ones
 */
function splitText (text) {
  return text.split(PLACEHOLDER).map((piece, index) => index % 2 === 0 ? piece : piece.trim())
}

/** Like `splitText`, for a path, in which the name of a column may be percent-encoded. @returns {Array<string|{ column: string, isFirst: boolean }>} */
function splitPath (path) {
  return path.split(PLACEHOLDER_IN_PATH).map((piece, index, pieces) => {
    if (index % 2 === 0) return piece
    if (!piece.startsWith('{')) return decode(piece).trim()
    return { column: decode(piece.slice(1, -1)).trim(), isFirst: index === 1 && pieces[0] === '/' }
  })
}

/**
 * Like `splitText`, for a body.
 *
 * @param {string|Uint8Array|function|null} body
 * @returns {Array<string|Buffer>} literal pieces are strings or bytes, like the body
 */
function splitBody (body) {
  if (typeof body === 'function') return [''] // the user's function returns the stream of each request
  if (body === null || typeof body === 'string') return splitText(body ?? '')
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (!bytes.includes('{{')) return [bytes]
  // Latin-1 has a character for each byte.
  return bytes.toString('latin1').split(PLACEHOLDER).map((piece, index) => {
    const piecesBytes = Buffer.from(piece, 'latin1')
    return index % 2 === 0 ? piecesBytes : piecesBytes.toString().trim()
  })
}

function decode (encoded) {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}

/**
 * Restores the placeholders of a path from a URL, in which braces are percent-encoded.
 *
 * @param {string} path
 * @returns {string}
 */
function restorePlaceholders (path) {
  const encoded = /(%7B%7B(?:%7B)?)((?:(?!%7B|%7D|[{}]).)+)(%7D%7D(?:%7D)?)/gi
  return path.replace(encoded, (whole, opening, column, closing) => decode(opening) + column + decode(closing))
}

/**
 * Splits a request of the plan at its placeholders.
 *
 * @param {object} request
 * @param {string} ownPath used if the request has no path
 * @returns {?{ path: Array<string|object>, headers: Array<[string, string[]]>, body: Array<string|Buffer> }} null if the request is the same
 *   for all rows
 */
function splitRequest (request, ownPath) {
  const path = splitPath(request.path ?? ownPath)
  const headers = request.headers.map(([name, value]) => [name, splitText(value)])
  const body = splitBody(request.body)
  const isLiteral = [path, body, ...headers.map(([, pieces]) => pieces)].every(pieces => pieces.length === 1)
  return isLiteral && request.messages === undefined ? null : { path, headers, body }
}

const columnsOf = pieces => pieces.filter((_, index) => index % 2 === 1).map((place) => place.column ?? place)

/**
 * Throws if a request uses a column that a row does not have, or whose value is not allowed in that place.
 *
 * @param {object[]} rows
 * @param {object[]} requests of the plan
 * @param {object[]} targets of the plan
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function checkColumns (rows, requests, targets) {
  requests.forEach((request, index) => {
    for (const target of targets) checkParts(rows, splitRequest(request, target.path), nameOfRequest(request, index))
  })
}

/**
 * Checks one request, as split by `splitRequest`.
 *
 * @param {object[]} rows
 * @param {?object} parts from splitRequest
 * @param {string} where the request was given, for error messages
 */
function checkParts (rows, parts, where) {
  if (parts === null) return
  const inHeaders = parts.headers.flatMap(([, pieces]) => columnsOf(pieces))
  for (const column of [...columnsOf(parts.path), ...inHeaders, ...columnsOf(parts.body)]) check(flawOfColumn, rows, column, where)
  for (const column of inHeaders) check(flawInHeader, rows, column, where)
}

// Caches the results of checks, by rows and column. A client may set a request for each response, and there may be a million rows.
const KNOWN = new Map([flawOfColumn, flawInHeader].map(flawOf => [flawOf, new WeakMap()]))

function check (flawOf, rows, column, where) {
  const known = KNOWN.get(flawOf)
  if (!known.has(rows)) known.set(rows, new Map())
  const flaws = known.get(rows)
  if (!flaws.has(column)) flaws.set(column, flawOf(rows, column))
  const flaw = flaws.get(column)
  if (flaw === null) return
  throw optionProblem('feed', words`{{${column}}} in ${named(where)} cannot be filled in from the feed: ${flaw}`)
}

function flawOfColumn (rows, column) {
  const without = rows.findIndex(row => !Object.hasOwn(row, column))
  if (without === -1) return null
  const known = new Set(rows.flatMap(row => Object.keys(row)))
  return known.has(column)
    ? `row ${without + 1} of the feed has no such column`
    : `the feed has no such column (its columns are ${[...known].join(', ')})`
}

function flawInHeader (rows, column) {
  const bad = rows.findIndex(row => CONTROL_CHARACTERS.test(columnText(row, column)))
  return bad === -1 ? null : `a header must be without control characters, but row ${bad + 1} has ${show(rows[bad][column])}`
}

/**
 * The value of a column as it is sent.
 *
 * @param {object} row
 * @param {string|{ column: string, isFirst: boolean }} place from `splitRequest`
 * @param {boolean} [isInPath]
 * @returns {string}
 */
function columnText (row, place, isInPath = false) {
  if (!isInPath) return textOf(row, place)
  if (typeof place === 'string') return encodeURIComponent(textOf(row, place).toWellFormed())
  const text = encodeTarget(textOf(row, place.column))
  // `/{{{path}}}` with '/items/1': the path has the slash already.
  return place.isFirst ? text.replace(/^\//, '') : text
}

// An empty string for null, JSON for an object.
function textOf (row, column) {
  const value = row[column]
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

module.exports = { splitText, splitBody, splitRequest, restorePlaceholders, checkColumns, checkParts, columnText }

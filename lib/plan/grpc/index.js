'use strict'

const { contradiction, named, optionError, words } = require('../../base/errors')
const { frameMessage } = require('../../grpc/frame')
const { mergeHeaders, headers } = require('../../values/headers')
const { checkParts, columnText, splitText } = require('../../values/placeholders')
const { isObject } = require('../../values/kinds')
const { nameOfRequest } = require('../../values/request-name')

const OF_GRPC = headers.read({ 'content-type': 'application/grpc', te: 'trailers' }, 'grpc')

const NOT_OF_ENTRIES = ['method', 'path', 'body']

/**
 * Plans the gRPC calls of a run, and returns the options with these calls as requests.
 *
 * @param {object} options as read
 * @param {object[]} targets of the plan
 * @returns {?{ options: object, definition: Definition, calls: object[] }} `calls`: the method and message of each request
 * @throws {CannonadeError} CANNONADE_BAD_OPTION, CANNONADE_MISSING_PACKAGE
 */
function planCalls (options, targets) {
  const { grpc } = options
  checkBeside(options, targets)
  const Definition = require('./definition')
  const definition = new Definition(grpc.proto, grpc.include ?? [])
  const calls = options.requests.map((request, index) => {
    const { grpc: own = {} } = request
    const ownName = `${nameOfRequest(request, index)}.grpc`
    const where = own.method === undefined ? 'grpc' : ownName
    const name = own.method ?? grpc.method
    if (name === undefined) throw optionError(`${where}.method`, name, "a string such as 'package.Service/Method'")
    return {
      ...definition.method(name, `${where}.method`),
      message: own.message ?? grpc.message ?? {},
      where: own.message === undefined ? 'grpc.message' : `${ownName}.message`
    }
  })
  return {
    definition,
    calls,
    options: {
      ...options,
      method: 'POST',
      headers: mergeHeaders(mergeHeaders(OF_GRPC, options.headers), grpc.metadata ?? new Map()),
      requests: options.requests.map(({ grpc: own, ...entry }, index) => ({
        ...entry,
        path: calls[index].path,
        ...(own?.metadata !== undefined && { headers: mergeHeaders(entry.headers ?? new Map(), own.metadata) })
      }))
    }
  }
}

function checkBeside (options, targets) {
  if (!options.http2) throw contradiction('grpc', 'http2: false', 'gRPC needs HTTP/2')
  if (options.sessions?.log) throw contradiction('grpc', 'sessions.log', 'a session log contains HTTP requests')
  options.requests.forEach((request, index) => {
    const name = NOT_OF_ENTRIES.find((each) => request[each] !== undefined)
    const own = nameOfRequest(request, index)
    if (name !== undefined) throw contradiction('grpc', `${own}.${name}`, words`the call is defined by ${named(`${own}.grpc`)}`)
  })
  const withPath = targets.find(({ path }) => path !== '/')
  if (withPath !== undefined) throw optionError('url', withPath.href, 'a URL without a path if grpc is set: the path of a call is its method')
}

/**
 * Returns the requests with their messages, encoded in advance: one per request, or one per row if the message contains
 * columns of the feed.
 *
 * @param {object[]} requests of the plan
 * @param {{ calls: object[] }} grpc as planCalls returns it
 * @param {?object} feed of the plan
 * @returns {object[]} new requests with `body`, or with `messages` if there is one per row: `{ bytes, ends }`
 * @throws {CannonadeError} CANNONADE_BAD_OPTION if a message does not match its type
 */
function withMessages (requests, { calls }, feed) {
  return requests.map((request, index) => {
    const call = calls[index]
    const columns = feed === null ? [] : columnsIn(call.message)
    if (columns.length === 0) return { ...request, body: encoded(call, call.message, call.where) }
    checkParts(feed.rows, { path: [], headers: [], body: columns.flatMap((column) => ['', column]) }, call.where)
    const all = feed.rows.map((row, number) => encoded(call, filledFor(row, call.message), `${call.where} with row ${number + 1} of the feed`))
    let end = 0
    const ends = all.map(({ length }) => { end += length; return end })
    return { ...request, body: all[0], messages: { bytes: Buffer.concat(all), ends } }
  })
}

function encoded ({ requestType, serialize }, message, where) {
  return frameMessage(serialize(require('./message').readMessage(requestType, message, where)))
}

/**
 * The part of the plan that is needed to read gRPC responses.
 *
 * @returns {{ descriptors: Uint8Array[], methods: string[] }} the descriptors of all files, and the method that each
 *   request calls
 */
function partOfPlan ({ definition, calls }) {
  return { descriptors: definition.descriptors, methods: calls.map(({ name }) => name) }
}

/*
 * Replaces `{{column}}` in the strings of a message, at any depth. A row's value is inserted as text; if the field is
 * numeric, the text is parsed as a number later.
 */

/** @returns {string[]} names of columns, with duplicates */
function columnsIn (value) {
  if (typeof value === 'string') return splitText(value).filter((_, index) => index % 2 === 1)
  if (Array.isArray(value)) return value.flatMap(columnsIn)
  return isObject(value) ? Object.values(value).flatMap(columnsIn) : []
}

/** Returns the message with a row's values filled in. */
function filledFor (row, value) {
  if (typeof value === 'string') return splitText(value).map((piece, index) => index % 2 === 0 ? piece : columnText(row, piece)).join('')
  if (Array.isArray(value)) return value.map((each) => filledFor(row, each))
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filledFor(row, each)])) : value
}

module.exports = { planCalls, withMessages, partOfPlan }

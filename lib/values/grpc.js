'use strict'

const { optionError } = require('../base/errors')
const { headers } = require('./headers')
const { kind, isObject, ofParts } = require('./kinds')
const { copyPlain } = require('./freeze')

const paths = kind('the path of a file, or an array of them', (value) => {
  const list = Array.isArray(value) ? value : [value]
  return list.length > 0 && list.every((path) => typeof path === 'string' && path !== '') ? list : undefined
})

const method = kind("a string such as 'package.Service/Method'", (value) => typeof value === 'string' && /^\/?[^/\s]+\/[^/\s]+$/.test(value) ? value : undefined)

const message = kind('an object, or JSON of one', (value) => {
  const read = typeof value === 'string' ? parsed(value) : value
  return isObject(read) ? copyPlain(read) : undefined
})

function parsed (json) {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Metadata of a call. Values that are bytes need a name that ends in `-bin`, and are sent as base64. */
const metadata = kind(headers.allowed, (value, name) => headers.read(isObject(value) && Object.getPrototypeOf(value) === Object.prototype ? encodedEach(value, name) : value, name))

function encodedEach (metadata, name) {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => {
    if (!(value instanceof Uint8Array)) return [key, value]
    if (!key.toLowerCase().endsWith('-bin')) throw optionError(`${name}.${key}`, value, 'a string: only names that end in -bin may have bytes')
    return [key, Buffer.from(value).toString('base64')]
  }))
}

/** Parts that each call of the sequence may set. */
const CALL_PARTS = { method, metadata, message }
const PARTS = { proto: paths, include: { read: paths.read, allowed: 'the path of a folder, or an array of them' }, ...CALL_PARTS }

/** The option `grpc`: which method the run calls, and how. */
const grpc = ofParts(PARTS, {
  needs: ['proto'],
  allowed: `an object with proto, method and any of ${Object.keys(PARTS).filter((name) => name !== 'proto' && name !== 'method').join(', ')}`
})

const ofCall = ofParts(CALL_PARTS)

/** The option `grpc` of an entry of `requests`. */
const call = kind(`an object with any of ${Object.keys(CALL_PARTS).join(', ')}`, (value, name) => {
  if (!isObject(value)) return undefined
  const stranger = Object.keys(value).find((part) => !(part in CALL_PARTS))
  if (stranger !== undefined) throw optionError(`${name}.${stranger}`, value[stranger], `left out: a request may have ${Object.keys(CALL_PARTS).join(', ')}`)
  return ofCall.read(value, name)
})

module.exports = { grpc, call }

'use strict'

const zlib = require('node:zlib')

/*
 * What goes from machine to machine: JSON, in which what JSON does not know stands as an object with a key of its own.
 * It holds data and nothing that is executed when it is read.
 *
 *     { "~": "number", "of": "Infinity" }        { "~": "bytes", "of": "aGk=" }        { "~": "map", "of": [["a", 1]] }
 */
const TAG = '~'

// Nothing that is told is larger; what says it is was not made here.
const MOST_BYTES = 512 * 1024 ** 2

// For JSON.parse nothing in an array is no value.
const NOTHING = Symbol('undefined')

const READ = {
  number: (text) => Number(text),
  bigint: (text) => BigInt(text),
  bytes: (text) => Buffer.from(text, 'base64'),
  date: (time) => new Date(time === null ? NaN : time),
  map: (entries) => new Map(entries),
  set: (values) => new Set(values),
  // An object of the user's that has a key like ours.
  object: (entries) => Object.fromEntries(entries),
  undefined: () => NOTHING
}

// A number that JSON gives back as it was.
const isPlain = (value) => Number.isFinite(value) && !Object.is(value, -0)

const tagged = (kind, of) => ({ [TAG]: kind, of })

function toJSON (value) {
  switch (typeof value) {
    case 'number': return isPlain(value) ? value : tagged('number', Object.is(value, -0) ? '-0' : String(value))
    case 'bigint': return tagged('bigint', String(value))
    case 'undefined': return tagged('undefined')
    case 'object': return value === null ? null : objectToJSON(value)
    case 'function':
    case 'symbol': throw new TypeError(`a ${typeof value} cannot be sent to another machine`)
    default: return value
  }
}

function objectToJSON (value) {
  // Counts of histograms are long.
  if (Array.isArray(value)) return value.every(isPlain) ? value : Array.from(value, toJSON)
  if (value instanceof RegExp || (ArrayBuffer.isView(value) && !(value instanceof Uint8Array))) {
    throw new TypeError(`a ${value.constructor.name} cannot be sent to another machine`)
  }
  if (ArrayBuffer.isView(value)) return tagged('bytes', Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'))
  if (value instanceof ArrayBuffer) return tagged('bytes', Buffer.from(value).toString('base64'))
  if (value instanceof Date) return tagged('date', Number.isNaN(value.getTime()) ? null : value.getTime())
  if (value instanceof Map) return tagged('map', [...value].map(([key, part]) => [toJSON(key), toJSON(part)]))
  if (value instanceof Set) return tagged('set', [...value].map(toJSON))
  if (value instanceof Error) return toJSON({ name: value.name, code: value.code, message: value.message, stack: value.stack })
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  // `__proto__` as a key would be lost, or worse.
  if (Object.hasOwn(value, TAG) || Object.hasOwn(value, '__proto__')) return tagged('object', entries.map(([key, part]) => [key, toJSON(part)]))
  return Object.fromEntries(entries.map(([key, part]) => [key, toJSON(part)]))
}

function revive (key, value) {
  if (Array.isArray(value)) return value.includes(NOTHING) ? value.map((part) => part === NOTHING ? undefined : part) : value
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, TAG)) return value
  const read = Object.hasOwn(READ, value[TAG]) ? READ[value[TAG]] : null
  if (read === null) throw new TypeError(`there is no ${value[TAG]} in what machines tell each other`)
  return read(value.of)
}

/** @param {*} value plain data, as structuredClone takes it @returns {string} @throws {TypeError} for what is no data */
function encode (value) {
  return JSON.stringify(toJSON(value))
}

/** @param {string} text of `encode` @returns {*} bytes as Buffers @throws {Error} where it is none */
function decode (text) {
  const value = JSON.parse(text, revive)
  return value === NOTHING ? undefined : value
}

/** The same for what is large: compressed, as base64. */
function pack (value) {
  return zlib.deflateRawSync(encode(value), { level: 1 }).toString('base64')
}

function unpack (text) {
  return decode(zlib.inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: MOST_BYTES }).toString('utf8'))
}

module.exports = { encode, decode, pack, unpack }

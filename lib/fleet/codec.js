'use strict'

const zlib = require('node:zlib')

/*
 * The encoding of what machines send each other: JSON, in which values that JSON doesn't know are objects with a special key.
 * It contains only data, nothing that is executed when it is read.
 *
 *     { "~": "number", "of": "Infinity" }        { "~": "bytes", "of": "aGk=" }        { "~": "map", "of": [["a", 1]] }
 */
const TAG = '~'

// No message is larger; a larger one can't come from this project.
const MOST_BYTES = 512 * 1024 ** 2

// JSON.parse removes array elements for which its reviver returns undefined: this stands for undefined until then.
const NOTHING = Symbol('undefined')

const READ = {
  number: (text) => Number(text),
  bigint: (text) => BigInt(text),
  bytes: (text) => Buffer.from(text, 'base64'),
  date: (time) => new Date(time === null ? NaN : time),
  map: (entries) => new Map(entries),
  set: (values) => new Set(values),
  // A user's object with a key like our special one.
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
  // Most objects, without the questions below.
  if (Object.getPrototypeOf(value) === Object.prototype) return plainToJSON(value)
  // The counts of histograms are long arrays of numbers: pass them on without a copy.
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
  return plainToJSON(value)
}

function plainToJSON (value) {
  const keys = Object.keys(value).filter((key) => value[key] !== undefined)
  // `__proto__` as a key would be lost, or change the prototype.
  if (Object.hasOwn(value, TAG) || Object.hasOwn(value, '__proto__')) return tagged('object', keys.map((key) => [key, toJSON(value[key])]))
  const copy = {}
  for (const key of keys) copy[key] = toJSON(value[key])
  return copy
}

function revive (key, value) {
  if (Array.isArray(value)) return value.includes(NOTHING) ? value.map((part) => part === NOTHING ? undefined : part) : value
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, TAG)) return value
  const read = Object.hasOwn(READ, value[TAG]) ? READ[value[TAG]] : null
  if (read === null) throw new TypeError(`there is no ${value[TAG]} in what machines tell each other`)
  return read(value.of)
}

/** @param {*} value plain data, as structuredClone accepts it @returns {string} @throws {TypeError} if it isn't plain data */
function encode (value) {
  return JSON.stringify(toJSON(value))
}

/** @param {string} text from `encode` @returns {*} bytes as Buffers @throws {Error} if the text is invalid */
function decode (text) {
  const value = JSON.parse(text, revive)
  return value === NOTHING ? undefined : value
}

/** The same for large values: compressed, as base64. */
function pack (value) {
  return packBytes(encode(value))
}

function unpack (text) {
  return decode(unpackBytes(text).toString('utf8'))
}

/** The same for bytes. @param {Uint8Array|string} bytes */
function packBytes (bytes) {
  return zlib.deflateRawSync(bytes, { level: 1 }).toString('base64')
}

/** @returns {Buffer} */
function unpackBytes (text) {
  return zlib.inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: MOST_BYTES })
}

module.exports = { encode, decode, pack, unpack, packBytes, unpackBytes }

'use strict'

const { named, optionError, optionProblem, show, words } = require('../../base/errors')
const { didYouMean } = require('../../base/suggest')
const { isGiven, isObject, toNumber } = require('../../values/kinds')

// Accepts a number or a numeric string, since feed rows and JSON contain large numbers as strings.
function wholeBetween (least, most) {
  return [`a whole number from ${least} to ${most}`, (value) => {
    const isWhole = Number.isSafeInteger(value) || typeof value === 'bigint' || (typeof value === 'string' && /^[+-]?\d+$/.test(value))
    return isWhole && BigInt(value) >= least && BigInt(value) <= most ? String(value) : undefined
  }]
}

const INT32 = wholeBetween(-(2n ** 31n), 2n ** 31n - 1n)
const UINT32 = wholeBetween(0n, 2n ** 32n - 1n)
const INT64 = wholeBetween(-(2n ** 63n), 2n ** 63n - 1n)
const UINT64 = wholeBetween(0n, 2n ** 64n - 1n)
const REAL = ["a number, 'NaN', 'Infinity' or '-Infinity'", (value) => {
  if (typeof value === 'number') return value
  return ['NaN', 'Infinity', '-Infinity'].includes(value) ? Number(value) : toNumber(value)
}]
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/** For each scalar type of protobuf: a description of the allowed values, and the function that reads one. */
const SCALARS = new Map(Object.entries({
  ...Object.fromEntries(['int32', 'sint32', 'sfixed32'].map((type) => [type, narrowed(INT32)])),
  ...Object.fromEntries(['uint32', 'fixed32'].map((type) => [type, narrowed(UINT32)])),
  ...Object.fromEntries(['int64', 'sint64', 'sfixed64'].map((type) => [type, INT64])),
  ...Object.fromEntries(['uint64', 'fixed64'].map((type) => [type, UINT64])),
  float: REAL,
  double: REAL,
  bool: ['true or false', (value) => value === 'true' || value === 'false' ? value === 'true' : typeof value === 'boolean' ? value : undefined],
  string: ['a text', (value) => typeof value === 'string' ? value : undefined],
  bytes: ['bytes, or a string in base64', readBytes]
}))

function narrowed ([allowed, read]) {
  return [allowed, (value) => {
    const text = read(value)
    return text === undefined ? undefined : Number(text)
  }]
}

function readBytes (value) {
  if (value instanceof Uint8Array) return value
  return typeof value === 'string' && BASE64.test(value) ? Buffer.from(value, 'base64') : undefined
}

/**
 * Converts a message from the JSON form of protobuf (fields by their name in the .proto or in camelCase, 64-bit numbers
 * and bytes as strings, enums by name) to the form that can be encoded. Throws on anything it cannot convert instead of
 * dropping it.
 *
 * @param {object} type of protobufjs
 * @param {object} given
 * @param {string} the option that contains it, for errors
 * @returns {object}
 * @throws {CannonadeError} CANNONADE_BAD_OPTION naming the field
 */
function readMessage (type, given, where) {
  if (!isObject(given)) throw optionError(where, given, `an object: a message ${nameOf(type)}`)
  const read = {}
  for (const [name, value] of Object.entries(given)) {
    const field = fieldNamed(type, name)
    if (field === undefined) throw unknownField(type, name, where)
    if (!isGiven(value)) continue
    checkOnce(field, read, where)
    read[field.name] = readField(field, value, `${where}.${name}`)
  }
  const missing = type.fieldsArray.find((field) => field.required && read[field.name] === undefined)
  if (missing !== undefined) throw optionError(`${where}.${missing.name}`, undefined, `given: ${nameOf(type)} requires it`)
  return read
}

const nameOf = ({ fullName }) => fullName.slice(1)
const camelCase = (name) => name.replace(/(?<!_)_+([a-z0-9])/g, (_, letter) => letter.toUpperCase())

function fieldNamed (type, name) {
  if (Object.hasOwn(type.fields, name)) return type.fields[name]
  return type.fieldsArray.find((field) => camelCase(field.name) === name)
}

function unknownField (type, name, where) {
  const known = type.fieldsArray.map((field) => field.name)
  const fields = known.length === 0 ? 'it has none' : `it has ${known.slice(0, 10).join(', ')}${known.length > 10 ? ', …' : ''}`
  return optionProblem(where, words`${named(where)} has ${show(name)}, which is not a field of ${nameOf(type)}${didYouMean(name, known, `: ${fields}`)}`)
}

function checkOnce (field, read, where) {
  const other = [field, ...(field.partOf?.fieldsArray ?? [])].find(({ name }) => read[name] !== undefined)
  if (other === undefined) return
  const why = other === field ? 'it is the same field under both its names' : `of the fields of ${field.partOf.name} a message may have at most one`
  throw optionProblem(where, words`${named(where)} has ${other.name} and ${field.name}: ${why}`)
}

function readField (field, value, where) {
  if (field.map) {
    if (!isObject(value)) throw optionError(where, value, 'an object: a map')
    return Object.fromEntries(Object.entries(value).map(([key, each]) => {
      readScalar(field.keyType, key, `the key ${key} of ${where}`)
      return [key, readOne(field, each, `${where}[${JSON.stringify(key)}]`)]
    }))
  }
  if (!field.repeated) return readOne(field, value, where)
  if (!Array.isArray(value)) throw optionError(where, value, 'an array')
  return value.map((each, index) => readOne(field, each, `${where}[${index}]`))
}

function readOne ({ type, resolvedType }, value, where) {
  if (resolvedType === null) return readScalar(type, value, where)
  return resolvedType.values === undefined ? readMessage(resolvedType, value, where) : readEnum(resolvedType, value, where)
}

function readScalar (type, value, where) {
  const [allowed, read] = SCALARS.get(type)
  const result = read(value)
  if (result === undefined) throw optionError(where, value, `${allowed} (${type})`)
  return result
}

// Any int32 is accepted, since a later version of the enum may define it.
function readEnum ({ values }, value, where) {
  if (Object.hasOwn(values, value)) return values[value]
  const number = INT32[1](value)
  if (number === undefined) throw optionError(where, value, `one of ${Object.keys(values).slice(0, 20).join(', ')}, or a number`)
  return Number(number)
}

module.exports = { readMessage }

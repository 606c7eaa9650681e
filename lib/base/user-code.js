'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { fileURLToPath } = require('node:url')
const { types } = require('node:util')

const ROOT = path.join(__dirname, '..', '..', path.sep)
// Not all of ROOT: the samples are users' code, and so are packages that are installed below it.
const OWN_CODE = ['lib', 'bin', 'autocannon'].map((folder) => path.join(ROOT, folder, path.sep))
const OWN_FILES = new Set(['index.js', 'index.mjs', 'autocannon.js'].map((file) => path.join(ROOT, file)))

/** Whether this is an error, also one of another realm: test runners such as Jest run their tests in one. */
function isError (value) {
  return types.isNativeError(value) || value instanceof Error
}

/**
 * Where in the user's code an error arose: the first line of its stack that is neither of this package nor of Node.js, or the line
 * of a syntax error.
 *
 * @param {*} cause whatever the user's code threw
 * @returns {?string} such as '/app/hooks.js:12:7'; null if it is not known
 */
function userPlaceOf (cause) {
  try {
    if (!isError(cause) || typeof cause.stack !== 'string') return null
    return placeOfSyntaxError(cause) ?? framesOf(cause).map(placeOfFrame).find((place) => place !== null && !isOwn(place)) ?? null
  } catch {
    return null // an error whose own properties throw when they are read
  }
}

// Node.js puts the place of a syntax error in a module before its stack.
function placeOfSyntaxError ({ name, stack }) {
  const place = name === 'SyntaxError' ? /^([^\n]+:\d+)\n/.exec(stack)?.[1] : undefined
  return place === undefined ? null : asPath(place)
}

// The message is left out, because it may contain the stack of another error, for example that of a server.
function framesOf ({ message, stack }) {
  const at = typeof message !== 'string' || message === '' ? -1 : stack.indexOf(message)
  return (at === -1 ? stack : stack.slice(at + message.length)).split('\n').filter((line) => line.startsWith('    at '))
}

// A frame is 'at PLACE' or 'at function (PLACE)'; a path may contain parentheses.
function placeOfFrame (line) {
  const frame = line.slice('    at '.length).replace(/^async /, '')
  const place = frame.endsWith(')') ? frame.slice(frame.indexOf(' (') + 2, -1) : frame
  const isCode = /:\d+:\d+$/.test(place) && !place.startsWith('node:') && !place.startsWith('eval at ') && !place.includes('<anonymous>')
  return isCode ? asPath(place) : null
}

function asPath (place) {
  if (!place.startsWith('file://')) return place
  const [, url, position] = /^(.*?)((?::\d+)+)$/.exec(place)
  try {
    return fileURLToPath(url) + position
  } catch {
    return place
  }
}

function isOwn (place) {
  return OWN_CODE.some((folder) => place.startsWith(folder)) || OWN_FILES.has(place.replace(/:\d+:\d+$/, ''))
}

/**
 * The file of a module, as `require` finds it: the extension may be omitted, and a folder stands for its index file.
 *
 * @param {string} given an absolute path
 * @returns {string}
 * @throws {Error} with the code of the system, if there is none
 */
function moduleFile (given) {
  const file = resolved(given)
  if (fs.statSync(file).isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' })
  return file
}

function resolved (file) {
  try {
    return require.resolve(file)
  } catch {
    return file
  }
}

/** Whether a hook has returned a promise. */
function isThenable (value) {
  return value !== null && typeof value === 'object' && typeof value.then === 'function'
}

module.exports = { isError, isThenable, moduleFile, userPlaceOf }

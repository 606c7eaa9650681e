'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { optionError } = require('../base/errors')
const { kind } = require('../values/kinds')

const ALLOWED = 'the path of a file that can be written'

/** The file that gets a line for each request: `{ file, form }`, with its absolute path, and 'csv' or 'json'. */
const record = kind(ALLOWED, (value, name, { workers } = {}) => {
  if (typeof value !== 'string' || value === '') return undefined
  const file = path.resolve(value)
  const problem = problemOf(file, workers > 1)
  if (problem !== null) throw optionError(name, value, `${ALLOWED}; ${problem}`)
  return { file, form: /\.csv$/i.test(file) ? 'csv' : 'json' }
})

// Why a file cannot be written; null if it can, as far as is known before it is opened.
function problemOf (file, isShared) {
  try {
    const found = fs.statSync(file, { throwIfNoEntry: false })
    if (found?.isDirectory()) return 'this is a folder'
    if (found !== undefined && !found.isFile() && isShared) return 'several workers can only write to a regular file'
    fs.accessSync(found === undefined ? path.dirname(file) : file, fs.constants.W_OK)
    return null
  } catch ({ code }) {
    return REASONS[code] ?? code
  }
}

const REASONS = { ENOENT: 'its folder does not exist', ENOTDIR: 'its folder does not exist', EACCES: 'this file may not be written', EPERM: 'this file may not be written', EROFS: 'its file system is read-only' }

module.exports = { record, ALLOWED }

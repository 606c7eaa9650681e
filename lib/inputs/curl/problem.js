'use strict'

const fs = require('node:fs')
const { optionProblem, showPath, whyUnreadable } = require('../../base/errors')
const { toBytes } = require('./bytes')

function bad (why, cause) {
  return optionProblem('curl', `the curl line cannot be used: ${why}`, cause && { cause })
}

/** Reads a file that the line names. @returns {Buffer} */
function readFile (path) {
  return reading(path, () => fs.readFileSync(toBytes(path)))
}

/** Lists the files of a folder that the line names, with full paths. @returns {string[]} */
function filesOf (path) {
  return reading(path, () => fs.readdirSync(path, { withFileTypes: true }).filter((entry) => !entry.isDirectory()).map(({ name }) => `${path}/${name}`))
}

function reading (path, read) {
  try {
    return read()
  } catch (cause) {
    throw bad(`${showPath(path)} cannot be read: ${whyUnreadable(cause)}`, cause)
  }
}

module.exports = { bad, filesOf, readFile }

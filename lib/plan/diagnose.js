'use strict'

const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { optionError, optionProblem, show } = require('../base/errors')
const { diagnoserOf } = require('../diagnose/target')
const { isGiven, isObject, kind } = require('../values/kinds')

const ALLOWED = 'what launch returned, or { target, profile }'

/** The launched server to diagnose: `{ target, profile }`. */
const diagnose = kind(ALLOWED, (value, name) => {
  if (diagnoserOf(value) !== null) return { target: value, profile: null }
  if (!isObject(value) || diagnoserOf(value.target) === null) return undefined
  const { target, profile, ...others } = value
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw optionError(name, value, `${ALLOWED}; ${show(unknown)} is not a part of it`)
  return { target, profile: isGiven(profile) ? readProfile(profile, `${name}.profile`) : null }
})

/** The path of a CPU profile to write. @throws {CannonadeError} CANNONADE_BAD_OPTION */
function readProfile (value, name) {
  const isNamed = typeof value === 'string' && value.endsWith('.cpuprofile')
  const isFolder = (file) => fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isNamed || !isFolder(path.dirname(value)) || isFolder(value)) {
    throw optionError(name, value, 'the path of a file in an existing folder, ending in .cpuprofile')
  }
  return value
}

/**
 * Throws if what is tested is not on this machine, where the launched server is.
 *
 * @param {object} options as read
 * @param {object[]} targets of the plan
 */
function checkDiagnosed ({ diagnose, socketPath }, targets) {
  if (diagnose === null || isGiven(socketPath)) return
  const other = targets.find(({ hostname }) => !isHere(hostname))
  if (other !== undefined) {
    throw optionProblem('diagnose', `only a server on this machine can be diagnosed; ${show(other.hostname)} is another machine`)
  }
}

function isHere (hostname) {
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (net.isIP(name) === 0) return name === 'localhost' || name.endsWith('.localhost') || name === os.hostname().toLowerCase()
  return name.startsWith('127.') || name === '0.0.0.0' || Object.values(os.networkInterfaces()).flat().some(({ address }) => address === name)
}

module.exports = { checkDiagnosed, diagnose, readProfile }

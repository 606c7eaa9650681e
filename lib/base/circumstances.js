'use strict'

const os = require('node:os')
const packageFile = require('../../package.json')
const { shareableOptions } = require('../outside/options')

let known = null

/**
 * Describes the environment of a run, which must be the same if two results are to be compared.
 *
 * @returns {{ version: string, node: string, os: string, cpu: string, cores: number, memory: number }} version of this
 *   package; processor model; number of cores that this process may use; memory in bytes. Nothing identifies whose machine
 *   it is
 */
function environment () {
  known ??= Object.freeze({
    version: packageFile.version,
    node: process.version,
    os: `${os.type()} ${os.release()} ${os.arch()}`,
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memory: os.totalmem()
  })
  return { ...known }
}

/**
 * Describes the circumstances of a result, as two of its fields.
 *
 * @param {object|object[]} options of the run, or of each target of a study
 * @param {function(string): boolean} isOption
 * @returns {{ environment: object, options: object|object[] }} the options without secrets
 */
function circumstancesOf (options, isOption) {
  const shareable = (each) => each !== null && typeof each === 'object' ? shareableOptions(each, isOption) : null
  return { environment: environment(), options: Array.isArray(options) ? options.map(shareable) : shareable(options) }
}

/**
 * Joins the circumstances of results that were added up. Environments that differ from the first are in
 * `environment.others`.
 *
 * @param {object[]} results
 * @param {object} [options] that were given for the sum
 */
function joinCircumstances (results, options = {}) {
  const [first, ...others] = results.map(({ environment }) => environment)
    .filter((each, index, all) => each && all.findIndex((other) => JSON.stringify(other) === JSON.stringify(each)) === index)
  return {
    environment: others.length > 0 ? { ...first, others } : first,
    options: results[0].options && { ...results[0].options, ...shareableOptions(options) }
  }
}

module.exports = { circumstancesOf, joinCircumstances }

'use strict'

const os = require('node:os')
const packageFile = require('../../package.json')
const { shareableOptions } = require('../outside/options')

let known = null

/**
 * Where a run is made: what has to be the same before two results are compared.
 *
 * @returns {{ version: string, node: string, os: string, cpu: string, cores: number, memory: number }} version of this
 *   package; name of the processor; how many cores this process may use; bytes. Nothing that tells whose machine it is
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
 * Under which circumstances a result came about, as two fields of it.
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
 * The same for several results that were added up. What differs from the first is in `environment.others`.
 *
 * @param {object[]} results
 * @param {object} [options] given for the sum
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

'use strict'

const { clean: shown } = require('./text')
const numbers = require('../words/numbers')

/**
 * Returns the environment in which a result was measured, as rows of its conditions.
 *
 * @param {object} [environment] see lib/base/circumstances.js; missing in results of other programs
 * @returns {Array<[string, string]>}
 */
function provenance (environment) {
  if (environment === null || typeof environment !== 'object') return []
  const { version, node, os, cpu, cores, memory, others } = environment
  const machine = [
    cpu && shown(cpu),
    numbers.isNumber(cores) && `${numbers.count(cores)} ${cores === 1 ? 'core' : 'cores'}`,
    numbers.isNumber(memory) && numbers.size(memory),
    os && shown(os)
  ].filter(Boolean).join(', ')
  const elsewhere = Array.isArray(others) ? `, and ${numbers.counted(others.length, 'other machine')}` : ''
  return [
    ['Measured with', version === undefined ? '' : `Cannonade ${shown(version)}, Node.js ${shown(node ?? '')}`],
    ['Machine', machine + elsewhere]
  ]
}

module.exports = provenance

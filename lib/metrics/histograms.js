'use strict'

const { inspect } = require('node:util')

/**
 * The histograms of a result. Each is encoded when it is first read: loading the package for this and encoding all of them would take a
 * fifth of the time of a short run, of which only the tables are printed. Whoever reads, copies or clones the object gets strings.
 *
 * @param {Object<string, Distribution>} distributions by name
 * @returns {Object<string, string>}
 */
function histogramsOf (distributions) {
  // Several figures may share one distribution (in the closed model, latency is the service time), so encode each only once.
  const encoders = new Map(Object.values(distributions).map((distribution) => [distribution, distribution.encoder()]))
  const histograms = {}
  for (const [name, distribution] of Object.entries(distributions)) {
    Object.defineProperty(histograms, name, { get: encoders.get(distribution), set: (value) => replace(histograms, name, value), enumerable: true, configurable: true })
  }
  return Object.defineProperty(histograms, inspect.custom, { value: strings })
}

function replace (histograms, name, value) {
  Object.defineProperty(histograms, name, { value, writable: true, enumerable: true, configurable: true })
}

function strings () {
  return { ...this }
}

module.exports = histogramsOf

'use strict'

const { AUTOCANNON } = require('../cli/shared/version')

/**
 * The benchmark under autocannon's name. Its help names that command and goes to stderr, and so do its tables, whatever stdout
 * is. Unless `--monitor` is given, `--on-port` doesn't monitor the server, so that a healthy run prints autocannon's lines and
 * no others.
 *
 * @param {object} benchmark see commands.js
 * @returns {object} a command as well
 */
function asAutocannon (benchmark) {
  const renamed = (text) => text.replace(/^cannonade\b/, AUTOCANNON)
  // Derived and not copied, since listing the other commands loads them all.
  return Object.assign(Object.create(benchmark), {
    call: AUTOCANNON,
    usage: renamed(benchmark.usage),
    examples: benchmark.examples.map(renamed),
    helpGoesToStderr: true,
    optionsFrom (...given) {
      const options = benchmark.optionsFrom(...given)
      options.monitor ??= false
      return Object.assign(options, { outputStream: process.stderr })
    }
  })
}

module.exports = { asAutocannon }

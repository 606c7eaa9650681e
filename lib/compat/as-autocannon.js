'use strict'

const { AUTOCANNON } = require('../cli/shared/version')

/**
 * Returns the benchmark command under autocannon's name. Its help uses that name and goes to stderr, and so do its
 * tables, even if stdout is a file or a pipe. Unless `--monitor` is given, `--on-port` doesn't monitor the server, so that a
 * healthy run prints exactly autocannon's lines.
 *
 * @param {object} benchmark see commands.js
 * @returns {object} a command
 */
function asAutocannon (benchmark) {
  const renamed = (text) => text.replace(/^cannonade\b/, AUTOCANNON)
  return {
    ...benchmark,
    call: AUTOCANNON,
    usage: renamed(benchmark.usage),
    examples: benchmark.examples.map(renamed),
    helpGoesToStderr: true,
    optionsFrom (...given) {
      const options = benchmark.optionsFrom(...given)
      options.monitor ??= false
      return Object.assign(options, { outputStream: process.stderr })
    }
  }
}

module.exports = { asAutocannon }

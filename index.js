'use strict'

const run = require('./lib/run')

// The properties of `run`. Each is loaded when it is first used: a test suite that only runs a benchmark needs no tables, no server
// and no command line, and loading all of them takes longer than loading the rest.
const PARTS = {
  track: () => require('./lib/report/track'),
  printResult: () => require('./lib/report/print-result'),
  aggregateResult: () => require('./lib/study/aggregate'),
  toHTML: () => require('./lib/report/html'),
  toTimelineCSV: () => require('./lib/report/csv'),
  toJUnit: () => require('./lib/report/junit'),
  toMarkdown: () => require('./lib/report/markdown'),
  toOpenTelemetry: () => require('./lib/watch/opentelemetry'),
  toHgrm: () => require('./lib/report/hgrm'),
  formatHttperf: () => require('./lib/report/httperf'),
  fromCurl: () => require('./lib/inputs/curl'),
  fromOpenAPI: () => require('./lib/inputs/openapi'),
  parseSessionLog: () => require('./lib/inputs/session-log').parseSessionLog,
  startServer: () => require('./lib/server').startServer,
  launch: () => require('./lib/launch').launch,
  compare: () => require('./lib/study/compare'),
  sweep: () => require('./lib/study/sweep'),
  toCSV: () => require('./lib/study/sweep/csv'),
  findCapacity: () => require('./lib/study/capacity'),
  findJamming: () => require('./lib/study/jamming'),
  evaluateThresholds: () => require('./lib/thresholds').evaluateThresholds,
  assertResult: () => require('./lib/thresholds').assertResult,
  defineConfig: () => defineConfig,
  parseArguments: () => require('./lib/cli').parseArguments,
  start: () => require('./lib/cli').start,
  CannonadeError: () => require('./lib/base/errors').CannonadeError
}

/** Returns its argument (the exports of a config file, or a function that returns them). It exists so that editors know the types. */
function defineConfig (config) {
  return config
}

module.exports = run
module.exports.run = run
module.exports.default = run

for (const [name, load] of Object.entries(PARTS)) {
  Object.defineProperty(run, name, {
    enumerable: true,
    configurable: true,
    get () {
      const value = load()
      Object.defineProperty(run, name, { value, enumerable: true, configurable: true, writable: true })
      return value
    }
  })
}

// Other programs start the command by the file that `require.resolve` returns, as they do with autocannon's main file.
if (require.main === module) require('./lib/cli/main')(process.argv.slice(2), 'autocannon')

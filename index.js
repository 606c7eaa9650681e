'use strict'

const run = require('./lib/run')

// What hangs on `run`. Each is loaded when it is first used: a test suite that only runs a benchmark needs no tables, no
// server and no command line, and loading them all takes longer than loading the rest.
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
  compare: () => require('./lib/study/compare'),
  sweep: () => require('./lib/study/sweep'),
  toCSV: () => require('./lib/study/sweep/csv'),
  findCapacity: () => require('./lib/study/capacity'),
  findJamming: () => require('./lib/study/jamming'),
  evaluateThresholds: () => require('./lib/thresholds').evaluateThresholds,
  assertResult: () => require('./lib/thresholds').assertResult,
  defineConfig: () => require('./lib/cli/config/define'),
  parseArguments: () => require('./lib/cli').parseArguments,
  start: () => require('./lib/cli').start,
  CannonadeError: () => require('./lib/base/errors').CannonadeError
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

// As autocannon's main file does: others start the command by what `require.resolve` says.
if (require.main === module) require('./lib/cli/main')(process.argv.slice(2), 'autocannon')

'use strict'

// The tests that should detect a defect in a room of lib/: its own folders or files. `simulation` has the tests in the simulated world that
// belong to no room.

// Rooms that measure and judge, which are drawn by default.
const MEASURING = {
  load: ['load'],
  metrics: ['metrics', 'run/record.test.js', 'study/aggregate.test.js', 'thresholds/check-plan.test.js', 'thresholds/evaluate.test.js', 'thresholds/names.test.js', 'watch/prometheus/metrics.test.js'],
  engine: ['engine', 'fleet', 'simulation', 'run/record.test.js'],
  protocol: ['protocol', 'http', 'simulation'],
  thresholds: ['thresholds'],
  study: ['study', 'fleet/studies.test.js']
}

// Rooms that read, plan and show.
const OTHERS = {
  cli: ['cli', 'inputs', 'report'],
  compat: ['compat'],
  diagnose: ['diagnose', 'report'],
  http: ['http', 'protocol', 'inputs'],
  inputs: ['inputs', 'cli', 'compat', 'plan'],
  launch: ['launch', 'cli'],
  plan: ['plan', 'run', 'simulation', 'cli', 'inputs', 'engine'],
  report: ['report', 'study', 'cli'],
  script: ['script', 'engine/sessions', 'run', 'simulation'],
  transport: ['transport', 'protocol'],
  values: ['values', 'plan', 'inputs'],
  watch: ['watch']
}

// The tests of all folders, for defects anywhere.
const ALL = { all: [''] }

module.exports = { MEASURING, OTHERS: { ...OTHERS, ...ALL }, ROOMS: { ...MEASURING, ...OTHERS, ...ALL } }

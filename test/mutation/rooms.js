'use strict'

// The tests that should detect a defect in a room of lib/: its own folders or files. `simulation` has the tests in the simulated world that
// belong to no room.

module.exports = {
  load: ['load'],
  metrics: ['metrics', 'run/record.test.js', 'study/aggregate.test.js', 'thresholds/check-plan.test.js', 'thresholds/evaluate.test.js', 'thresholds/names.test.js', 'watch/prometheus/metrics.test.js'],
  engine: ['engine', 'fleet', 'simulation', 'run/record.test.js'],
  protocol: ['protocol', 'http', 'simulation'],
  thresholds: ['thresholds'],
  study: ['study', 'fleet/studies.test.js']
}

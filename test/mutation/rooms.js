'use strict'

// Which tests are to see a defect in a room of lib/: those of its own, by their folders or files. `simulation` has the tests
// in the simulated world that belong to no room.

module.exports = {
  load: ['load'],
  metrics: ['metrics', 'aggregate'],
  engine: ['engine', 'open-model', 'truth', 'sessions', 'workers', 'fleet', 'simulation'],
  protocol: ['protocol', 'http2', 'websocket', 'socketio', 'grpc', 'streams', 'control', 'simulation'],
  thresholds: ['thresholds'],
  study: ['study', 'aggregate']
}

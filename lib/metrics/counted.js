'use strict'

const { PARTS } = require('./parts')

/** Names of the times that a Recorder records for every request. Because they are on the hot path, a Tally collects them first. */
const TALLIES = ['responseTime', 'serviceTime', 'timeToFirstByte', 'transferTime', 'clientDelay', 'waitDelay', 'sendDelay']
/** Names of everything that is kept as a distribution. */
const DISTRIBUTIONS = [
  ...TALLIES, 'unsentAges', 'unsentWaits', 'censored', 'timedOutAges', 'failedAges', 'connectTime', 'dnsTime', 'tcpTime', 'tlsTime', 'connectionLifetime',
  // For responses whose first byte arrived before the rest of the status line: when each of the two arrived. Other responses
  // are in timeToFirstByte.
  'earlyFirstByte', 'lateStatusLine',
  // Delays caused by this thread: how long each standstill lasted, how long requests that were never sent had waited because of the
  // client, how late responses were read, and the parts of waits for a connection that had a cause other than the server.
  'standstills', 'unsentByClient', 'readLate', 'waitAsleep', 'waitForHooks', 'waitForConnecting'
]
/** Names of everything that is kept as a plain number and summed over threads. */
const COUNTERS = [
  'scheduled', 'scheduledInDrain', 'unsent', 'sent', 'completed', 'failed', 'timedOut', 'unfinished',
  'mismatches', 'undecided', 'non2xx', 'resets', 'informational', 'bytesRead', 'bytesWritten',
  'opened', 'connectionsFailed', 'closedByServer', 'closedByClient', 'peak',
  ...PARTS.flatMap(({ counters }) => counters)
]

/** Numbers that are merged by taking the maximum over threads. `burst`: connects started in one iteration of the event loop. */
const MOST = ['burst']

module.exports = { COUNTERS, DISTRIBUTIONS, MOST, TALLIES }

'use strict'

const { PARTS } = require('./parts')

/** What a Recorder counts, by name: what is recorded for each request, and so goes through a Tally first. */
const TALLIES = ['responseTime', 'serviceTime', 'timeToFirstByte', 'transferTime', 'clientDelay', 'waitDelay', 'sendDelay']
/** All that is kept as a distribution. */
const DISTRIBUTIONS = [
  ...TALLIES, 'unsentAges', 'unsentWaits', 'censored', 'timedOutAges', 'failedAges', 'connectTime', 'dnsTime', 'tcpTime', 'tlsTime', 'connectionLifetime',
  // Where the first byte came without the rest of its status line: when each of them came. The others are in timeToFirstByte.
  'earlyFirstByte', 'lateStatusLine',
  // When this thread was late itself: how long it stood still at a time, with requests that were never sent or were
  // answered meanwhile, and how much of each wait to be sent was whose.
  'standstills', 'unsentByClient', 'readLate', 'waitAsleep', 'waitForHooks', 'waitForConnecting'
]
/** Plain numbers. */
const COUNTERS = [
  'scheduled', 'scheduledInDrain', 'unsent', 'sent', 'completed', 'failed', 'timedOut', 'unfinished',
  'mismatches', 'undecided', 'non2xx', 'resets', 'informational', 'bytesRead', 'bytesWritten',
  'opened', 'connectionsFailed', 'closedByServer', 'closedByClient', 'peak',
  ...PARTS.flatMap(({ counters }) => counters)
]

/** Numbers of which a run of several threads has the greatest and not the sum. `burst`: connects begun in one turn of the event loop. */
const MOST = ['burst']

module.exports = { COUNTERS, DISTRIBUTIONS, MOST, TALLIES }

'use strict'

// Whole texts of results in every format that is a text.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { FORMATS } = require('./formats')
const { AT_A_RATE, COPIES, EDGES, FLEET, FOREIGN, MANY, MESSAGES, NO_COPIES, OTHER, RUN, statistics } = require('./fixtures/unique')

const FIXTURE = path.join(__dirname, 'fixtures/texts.json')

const latencyOf = (first, smallest, count) => ({ latency: statistics(first), latencyBounds: { count, share: count / 400, smallest } })

const RESULTS = {
  'a run with everything': RUN,
  'a run without failures': OTHER,
  'a rate': AT_A_RATE,
  'a fleet': FLEET,
  'of another program': FOREIGN,
  'messages and copies': MESSAGES,
  'at the edges': EDGES,
  'many agents': MANY,
  'copies that nobody expected': COPIES,
  'no copies': NO_COPIES,
  'a run without responses': {
    ...OTHER,
    requests: { average: 0, total: 0, sent: 20 },
    latency: { ...statistics(5), totalCount: 0 },
    accounting: { scheduled: 25, unsent: 5, sent: 20, completed: 0, failed: 12, timedOut: 8, unfinished: 0 },
    errors: 20,
    timeouts: 8,
    statusCodeStats: {},
    errorCodes: { ECONNREFUSED: { count: 12, phase: 'connect', message: 'connect, 100% refused: no' } },
    thresholds: [],
    checks: [{ name: 'never', scenario: null, passed: 0, failed: 0 }, { name: 'sometimes', scenario: null, passed: 3, failed: 2 }]
  },
  // Each row of its latency table has bounds of its own.
  'streams of which some have not ended': {
    ...OTHER,
    ...latencyOf(5, 11, 8),
    rate: { offered: 101, achieved: 99 },
    stream: { events: 6300, rate: 1050, eventsPerResponse: statistics(5, { min: 4, max: 4 }), timeToFirstEvent: statistics(51), gap: statistics(6) },
    missing: { timeToFirstEvent: { count: 8, total: 480, smallest: 57, largest: 60 } },
    grpcStatus: { OK: 400, NOT_FOUND: 60, UNAVAILABLE: 20, INTERNAL: 10, ABORTED: 7, UNKNOWN: 3 }
  },
  'calls that failed in many ways': { ...OTHER, mismatches: 1, resets: 2, errors: 1, statusCodeStats: undefined, errorCodes: Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`E${index}`, { count: 20 - index, phases: { send: 1, receive: 19 - index }, message: '' }])) }
}

// Results of other programs have no timeline and no accounting.
const isFor = (format, result) => result.accounting !== undefined || (format !== 'CSV of the timeline' && format !== 'a line for scripts')

const found = Object.fromEntries(Object.entries(RESULTS).map(([name, result]) => [name, Object.fromEntries(Object.entries(FORMATS).filter(([format]) => isFor(format, result)).map(([format, write]) => {
  return [format, write(JSON.parse(JSON.stringify(result))).split('\n')]
}))]))

// After a change of a report, WRITE_DOCUMENTS=1 writes the fixture anew; read what has changed in it.
if (process.env.WRITE_DOCUMENTS) fs.writeFileSync(FIXTURE, `${JSON.stringify(found, null, 2)}\n`)
const wanted = JSON.parse(fs.readFileSync(FIXTURE, 'utf8'))

for (const [name, texts] of Object.entries(found)) {
  t.test(name, async (t) => {
    for (const [format, lines] of Object.entries(texts)) t.strictSame(lines, wanted[name][format], format)
  })
}

'use strict'

const os = require('node:os')
const { CODES } = require('../base/errors')
const { countOrNone, durations, each, from, group, leaf, rates, rising } = require('../metrics/fields')
const { FIGURES } = require('../metrics/figures')
const { PARTS } = require('../metrics/parts')
const { calls } = require('../metrics/parts/calls')
const { checks } = require('../metrics/parts/checks')
const { sessions } = require('../metrics/parts/sessions')
const { suggest } = require('../base/suggest')

// All fields of a result that can be compared with a limit; see metrics/fields.js for the notation.

// `share` and `smallest` have no trend, because they can both grow and shrink during the run.
const latencyBounds = group('share', { count: rising('count'), share: from('latencies', leaf('share')), smallest: leaf('milliseconds') })

const missing = group('latency.count', each(Object.keys(FIGURES), group('count', {
  // Known only at the end, when requests in flight are compared with the longest answered one.
  count: { ...leaf('count'), absent: 0 }, ...each(['smallest', 'largest', 'total'], leaf('milliseconds'))
})))

const statusCodeStats = {
  example: '500',
  entry: group('count', { count: countOrNone }, { short: 'count' }),
  complaint: (name) => /^[1-9]\d\d$/.test(name) ? null : 'is not a status code'
}

// Misspelled error names are rejected, because a threshold on one could never fail.
const KNOWN_ERRORS = [...Object.keys(os.constants.errno), ...Object.values(CODES), 'ENOTFOUND', 'EAI_AGAIN', 'OTHER']

const errorCodes = {
  example: 'ECONNRESET',
  entry: group('count', {
    count: countOrNone,
    phases: group('connect', each(['dns', 'connect', 'tls', 'send', 'receive', 'parse', 'timeout'], countOrNone))
  }, { short: 'count' }),
  complaint (name) {
    const meant = KNOWN_ERRORS.includes(name) ? name : suggest(name, KNOWN_ERRORS)
    return meant === undefined || meant === name ? null : `is not an error code: did you mean ${meant}?`
  }
}

const endpoints = {
  example: '[0]',
  entry: group('latency.p99', {
    latency: durations(),
    latencyBounds,
    missing: group('latency.count', { latency: missing.fields.get('latency') }),
    completed: rising('count', 'endpoint'),
    failed: rising('count', 'endpoint'),
    statusCodeStats,
    ...Object.assign({}, ...PARTS.map(({ endpointFields }) => endpointFields))
  }),
  complaint: () => null,
  inBrackets: true
}

const accounting = group('unsent', {
  ...each(['scheduled', 'unsent', 'sent', 'completed', 'failed', 'timedOut'], rising('count', 'scheduled')),
  // Known only at the end.
  unfinished: leaf('count', 'scheduled')
})

// Calculated from the other fields, see failures.js.
const failures = group('rate', { count: rising('count', 'attempts'), rate: rising('share', 'attempts') }, { short: 'count' })

const ofBodiesAndStatuses = { ...each(['mismatches', 'non2xx', '2xx', '3xx', '4xx', '5xx'], rising('count', 'completed')), unverified: leaf('count') }

const scenarios = {
  example: '.NAME.p99',
  entry: group('p99', {
    sessions: sessions.fields.sessions,
    checks: checks.fields.checks,
    accounting,
    latency: durations('latency'),
    latencyBounds,
    missing: group('latency.count', Object.fromEntries(['latency', 'serviceTime', 'sessionLifetime', 'sessionFailTime'].map((name) => [name, missing.fields.get(name)]))),
    serviceTime: durations('serviceTime'),
    errors: rising('count', 'attempts'),
    errorRate: rising('share', 'attempts'),
    failures,
    timeouts: rising('count', 'sent'),
    ...ofBodiesAndStatuses,
    statusCodeStats,
    ...calls.fields
  }),
  complaint: () => null,
  isNamed: true
}

const fields = {
  latency: durations('latency'),
  latencyBounds,
  latencyWithUnfinishedBounds: group('share', { ...Object.fromEntries(latencyBounds.fields), count: leaf('count'), share: from('latenciesWithUnfinished', leaf('share')) }),
  missing,
  requests: rates('rate', 'count', { sent: rising('count') }),
  throughput: rates('byteRate', 'bytes'),

  errors: rising('count', 'attempts'),
  errorRate: rising('share', 'attempts'),
  failures,
  timeouts: rising('count', 'sent'),
  resets: rising('count'),
  '1xx': rising('count'),
  ...ofBodiesAndStatuses,
  statusCodeStats,
  errorCodes,

  accounting,
  serviceTime: durations('serviceTime'),
  timeToFirstByte: durations('timeToFirstByte'),
  timeToStatusLine: durations('timeToStatusLine'),
  transferTime: durations('transferTime'),
  latencyWithUnfinished: durations('latencyWithUnfinished'),
  connectTime: durations('connectTime', { dns: durations(), tcp: durations(), tls: durations() }),
  connectionStats: group('failed', {
    ...each(['opened', 'failed', 'closedByServer', 'closedByClient', 'peak', 'burst', 'withReplies'], rising('count')),
    lifetime: durations('connectionLifetime')
  }),
  bytes: group('read', each(['read', 'written'], rising('bytes'))),
  endpoints,
  scenarios,
  ...Object.assign({}, ...PARTS.map(({ fields }) => fields)),
  generator: group('saturated', {
    saturated: leaf('truth'),
    cpu: group('percent', { user: leaf('seconds'), system: leaf('seconds'), percent: leaf('percent') }),
    eventLoop: group('delayP99', { utilization: leaf('share'), delayP99: leaf('milliseconds') }),
    waited: leaf('milliseconds'),
    late: group('p99', each(['mean', 'p50', 'p90', 'p99'], leaf('milliseconds'))),
    stoodStill: group('longest', { count: leaf('count'), total: leaf('milliseconds'), longest: leaf('milliseconds') })
  }),

  ...each(['connections', 'pipelining', 'workers'], leaf('count')),
  samples: rising('count'),
  sampleInt: leaf('milliseconds'),
  duration: rising('seconds'),
  drain: group('seconds', { seconds: leaf('seconds'), completed: leaf('count') })
}

/** All fields of a result. The result of its warm-up has the same fields. */
const result = group('p99', { ...fields, warmup: group('p99', fields) })

module.exports = { result }

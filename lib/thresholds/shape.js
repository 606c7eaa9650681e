'use strict'

const os = require('node:os')
const { CODES } = require('../base/errors')
const { OUTCOMES } = require('../grpc/status')
const { FIGURES } = require('../metrics/figures')
const { PERCENTILES, percentileName } = require('../metrics/statistics')
const { suggest } = require('../base/suggest')

/*
 * What a result has, as far as it can be compared with a limit. docs/measurement.md gives the meaning of each field.
 *
 * - A leaf is `{ kind, whole }`: one of the kinds of units.js, and what it is a share of, where '%' makes sense (see
 *   read-value.js). `absent` is its value where the result has no such entry. `trend` is which way alone it may go while
 *   the run goes on, 'up' or 'down', where standing.js of the metrics tells it.
 * - A group is `{ fields, example }`: its parts by name, and the one that is usually meant; `short` is the one that is
 *   meant where the name of the group stands alone. A group of durations may have a `histogram`, from which any other
 *   percentile is read.
 * - An open group has parts with names of their own: `entry` is what each of them is, `complaint(name)` says why there
 *   can be none of a name, and `inBrackets` whether the name is written like that.
 */

const leaf = (kind, whole = null) => ({ kind, whole })
const rising = (kind, whole) => ({ ...leaf(kind, whole), trend: 'up' })
const falling = (kind, whole) => ({ ...leaf(kind, whole), trend: 'down' })
const group = (example, fields, more) => ({ example, fields: new Map(Object.entries(fields)), ...more })
const each = (names, node) => Object.fromEntries(names.map((name) => [name, node]))

const STATISTICS = ['min', 'max', 'average', 'mean', 'stddev', ...PERCENTILES.map(percentileName)]

function durations (histogram = null, more = {}) {
  const fields = {
    ...each(STATISTICS, leaf('milliseconds')),
    min: falling('milliseconds'),
    max: rising('milliseconds'),
    total: rising('milliseconds'),
    totalCount: rising('count'),
    ...more
  }
  return group('p99', fields, { isDuration: true, histogram })
}

// `share` and `smallest` go both ways.
const latencyBounds = group('share', { count: rising('count'), share: leaf('share'), smallest: leaf('milliseconds') })

const missing = group('latency.count', each(Object.keys(FIGURES), group('count', {
  // Known at the end alone, as what is in flight then is held against the longest that was answered.
  count: { ...leaf('count'), absent: 0 }, ...each(['smallest', 'largest', 'total'], leaf('milliseconds'))
})))

function rates (kind, total, more = {}) {
  return group('average', { ...each(STATISTICS, leaf(kind)), total: rising(total), totalCount: rising('count'), ...more })
}

const countOrNone = { ...rising('count'), absent: 0 }

const statusCodeStats = {
  example: '500',
  entry: group('count', { count: countOrNone }, { short: 'count' }),
  complaint: (name) => /^[1-9]\d\d$/.test(name) ? null : 'is not a status code'
}

// Named as gRPC does, and a slip would be a threshold that can never fail.
const grpcStatus = {
  example: 'UNAVAILABLE',
  entry: { ...countOrNone, whole: 'completed' },
  complaint (name) {
    const meant = OUTCOMES.includes(name) ? name : suggest(name, OUTCOMES)
    return meant === name ? null : `is no status of gRPC${meant === undefined ? '' : `: did you mean ${meant}?`}`
  }
}

// A slip in the name of an error would be a threshold that can never fail.
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

// Codes of Close frames: those of RFC 6455 and of who has written the server.
const closeCodes = {
  example: '1006',
  entry: countOrNone,
  complaint: (name) => /^[1-4]\d\d\d$/.test(name) ? null : 'is not the code of a Close frame'
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
    grpcStatus: { ...grpcStatus, entry: { ...countOrNone, whole: 'endpoint' } }
  }),
  complaint: () => null,
  inBrackets: true
}

const fields = {
  latency: durations('latency'),
  latencyBounds,
  latencyWithUnfinishedBounds: group('share', { ...Object.fromEntries(latencyBounds.fields), count: leaf('count') }),
  missing,
  requests: rates('rate', 'count', { sent: rising('count') }),
  throughput: rates('byteRate', 'bytes'),

  errors: rising('count', 'attempts'),
  errorRate: rising('share', 'attempts'),
  timeouts: rising('count', 'sent'),
  resets: rising('count'),
  '1xx': rising('count'),
  ...each(['mismatches', 'non2xx', '2xx', '3xx', '4xx', '5xx'], rising('count', 'completed')),
  unverified: leaf('count'),
  statusCodeStats,
  grpcStatus,
  errorCodes,

  rate: group('achieved', { offered: leaf('rate'), achieved: leaf('rate', 'offered') }),
  accounting: group('unsent', {
    ...each(['scheduled', 'unsent', 'sent', 'completed', 'failed', 'timedOut'], rising('count', 'scheduled')),
    // Known at the end alone.
    unfinished: leaf('count', 'scheduled')
  }),
  serviceTime: durations('serviceTime'),
  timeToFirstByte: durations('timeToFirstByte'),
  timeToStatusLine: durations('timeToStatusLine'),
  transferTime: durations('transferTime'),
  replySize: group('content', each(['head', 'content', 'footer'], leaf('bytes'))),
  // Of windows that are whole, which is known at the end alone.
  replyRate: group('min', { ...each(STATISTICS, leaf('rate')), ...each(['total', 'totalCount'], leaf('count')) }),
  latencyWithUnfinished: durations('latencyWithUnfinished'),
  sendDelay: durations('sendDelay', {
    client: durations(), waiting: durations(), causes: group('connecting', each(['connecting', 'hooks', 'asleep'], leaf('milliseconds')))
  }),
  connectTime: durations('connectTime', { dns: durations(), tcp: durations(), tls: durations() }),
  connectionStats: group('failed', {
    ...each(['opened', 'failed', 'closedByServer', 'closedByClient', 'peak', 'burst', 'withReplies'], rising('count')),
    lifetime: durations('connectionLifetime')
  }),
  bytes: group('read', each(['read', 'written'], rising('bytes'))),
  endpoints,
  sessions: group('failed', {
    ...each(['scheduled', 'started', 'completed', 'failed'], rising('count', 'sessions')),
    // Known at the end alone.
    ...each(['unstarted', 'unfinished'], leaf('count', 'sessions')),
    rate: group('achieved', { offered: leaf('rate'), achieved: leaf('rate', 'offered') }),
    lifetime: durations('sessionLifetime'),
    failTime: durations(),
    connections: group('average', { average: leaf('count') }),
    peak: rising('count'),
    burst: rising('count')
  }),
  stream: group('timeToFirstEvent.p95', {
    events: rising('count'),
    rate: leaf('rate'),
    timeToFirstEvent: durations('timeToFirstEvent'),
    gap: durations('eventGap'),
    eventsPerResponse: group('mean', {
      ...each(STATISTICS, leaf('count')), min: falling('count'), max: rising('count'), total: rising('count'), totalCount: rising('count')
    })
  }),
  messages: group('received', {
    sent: rising('count', 'scheduled'),
    received: rising('count'),
    unasked: rising('count', 'received'),
    ...each(['bytesSent', 'bytesReceived'], rising('bytes')),
    ...each(['pings', 'pongs'], rising('count'))
  }),
  broadcast: group('ratio', {
    expected: rising('count'),
    received: rising('count', 'expected'),
    ratio: leaf('share'),
    lastCopy: durations('lastCopy'),
    fanOut: leaf('rate')
  }),
  closeCodes,
  monitor: {
    example: '[0]',
    entry: group('cpu.mean', {
      cpu: group('mean', { ...each(STATISTICS, leaf('percent')), total: leaf('percent'), totalCount: leaf('count') }),
      memory: group('max', { ...each(STATISTICS, leaf('bytes')), total: leaf('bytes'), totalCount: leaf('count') })
    }),
    complaint: () => null,
    inBrackets: true
  },
  generator: group('saturated', {
    saturated: leaf('truth'),
    cpu: group('percent', { user: leaf('seconds'), system: leaf('seconds'), percent: leaf('percent') }),
    eventLoop: group('delayP99', { utilization: leaf('share'), delayP99: leaf('milliseconds') }),
    late: group('p99', each(['mean', 'p50', 'p90', 'p99'], leaf('milliseconds'))),
    stoodStill: group('longest', { count: leaf('count'), total: leaf('milliseconds'), longest: leaf('milliseconds') })
  }),

  ...each(['connections', 'pipelining', 'workers'], leaf('count')),
  samples: rising('count'),
  sampleInt: leaf('milliseconds'),
  duration: rising('seconds'),
  drain: group('seconds', { seconds: leaf('seconds'), completed: leaf('count') })
}

/** A whole result. That of its warm-up is one, too. */
const result = group('p99', { ...fields, warmup: group('p99', fields) })

module.exports = { result }

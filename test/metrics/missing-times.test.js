'use strict'

// Times that were never measured, for a known list of requests: the number of threads must make no difference.

const assert = require('node:assert')
const t = require('tap')
const fc = require('../support/fast-check')
const { merge } = require('../../lib/metrics/merge')
const { composeMissing, composeTimings } = require('../../lib/metrics/timings')
const { newRecorder, TIMEOUT_MS } = require('./recording')

const THREADS = 2
const END = 20_000
const FAULT = { code: 'CODE', phase: 'receive', message: '' }
const time = fc.nat(60)

// Each request is sent `waited` ms after it was due; first byte, status line and end follow, each after the given number of ms.
const request = fc.record({
  how: fc.constantFrom('completed', 'completed', 'timed out', 'failed by a deadline', 'failed', 'in flight'),
  thread: fc.nat(THREADS - 1),
  endpoint: fc.nat(1),
  waited: time,
  steps: fc.tuple(time, time, time),
  reached: fc.nat(2),
  status: fc.constantFrom(200, 200, 404)
})

/** When each thing happened, ms; NaN if it had not happened by `until`. */
function timesOf ({ how, waited, steps: [toFirstByte, toStatusLine, toEnd], reached, status }, index) {
  const dueAt = how === 'in flight' ? END - 200 + index : 100 * index
  const sentAt = dueAt + waited
  const firstByteAt = reached > 0 || how === 'completed' ? sentAt + toFirstByte : NaN
  const statusLineAt = reached > 1 || how === 'completed' ? sentAt + toFirstByte + toStatusLine : NaN
  return { dueAt, sentAt, firstByteAt, statusLineAt, eventAt: NaN, status: Number.isNaN(statusLineAt) ? null : status, endAt: sentAt + toFirstByte + toStatusLine + toEnd }
}

function play (recorder, { how, endpoint }, { dueAt, sentAt, endAt, ...progress }) {
  recorder.sent++
  switch (how) {
    case 'completed': return recorder.completedRequest(endpoint, progress.status, 0, dueAt, sentAt, progress.firstByteAt, endAt, progress.statusLineAt)
    case 'timed out': return recorder.timedOutRequest(endpoint, dueAt, sentAt, FAULT, progress)
    case 'failed by a deadline': return recorder.failedRequest(endpoint, dueAt, sentAt, endAt + 60, FAULT, progress)
    case 'failed': return recorder.failedRequest(endpoint, dueAt, sentAt, endAt, FAULT)
    default: return recorder.unfinishedRequest(endpoint, dueAt, sentAt, END, progress)
  }
}

const FIGURES = {
  timeToFirstByte: { came: ({ firstByteAt, sentAt }) => firstByteAt - sentAt, isMissing: ({ firstByteAt }) => Number.isNaN(firstByteAt), since: ({ sentAt }) => sentAt },
  timeToStatusLine: { came: ({ statusLineAt, sentAt }) => statusLineAt - sentAt, isMissing: ({ statusLineAt }) => Number.isNaN(statusLineAt), since: ({ sentAt }) => sentAt },
  transferTime: { came: ({ endAt, statusLineAt }) => endAt - statusLineAt, isMissing: () => true, since: ({ statusLineAt }, until) => Number.isNaN(statusLineAt) ? until : statusLineAt },
  latency: { came: ({ endAt, sentAt }) => endAt - sentAt, isMissing: () => true, since: ({ sentAt }) => sentAt }
}

/** The missing values of a figure, ms: all that ended by a deadline, and those in flight that are older than all that completed. */
function missingOf (figure, requests, isOpen, isCounted) {
  const { came, isMissing, since } = FIGURES[figure]
  const completed = requests.filter(({ how, at }) => how === 'completed' && isCounted(at)).map(({ at }) => at)
  const isBeyond = (value, values) => values.length === 0 || value > Math.max(...values)
  return requests.flatMap(({ how, at }) => {
    if (how === 'completed' || how === 'failed' || !isMissing(at)) return []
    const until = { 'timed out': (isOpen ? at.dueAt : at.sentAt) + TIMEOUT_MS, 'failed by a deadline': at.endAt + 60, 'in flight': END }[how]
    const value = until - since(at, until)
    const counts = how !== 'in flight' || isOpen || isBeyond(value, completed.map(came)) || isBeyond(until - at.sentAt, completed.map(FIGURES.latency.came))
    return counts ? [value] : []
  })
}

const model = fc.record({ open: fc.boolean(), ignoreCoordinatedOmission: fc.boolean(), excludeErrorStats: fc.boolean() })

t.test('property: a time is missing if its deadline passed, or if the request is older than all that completed', async (t) => {
  fc.assert(fc.property(fc.array(request, { maxLength: 15 }), model, (drawn, settings) => {
    const { open: isOpen, ignoreCoordinatedOmission, excludeErrorStats } = settings
    // Whether the times of a response are in the statistics, as far as its status is known.
    const isCounted = ({ status }) => !excludeErrorStats || status !== 404
    const requests = drawn.map((each, index) => ({ ...each, at: timesOf(each, index) }))
    const recorders = Array.from({ length: THREADS }, () => newRecorder(settings))
    for (const recorder of recorders) recorder.begin(0)
    for (const each of requests) play(recorders[each.thread], each, each.at)
    for (const recorder of recorders) recorder.takeInterval(END)
    const summary = merge(recorders.map((recorder) => JSON.parse(JSON.stringify(recorder.summary()))))
    const timings = composeTimings(summary)
    const missing = composeMissing(summary, timings)
    for (const name of ['timeToFirstByte', 'timeToStatusLine']) {
      const values = requests.filter(({ how, at }) => how !== 'failed' && isCounted(at) && !FIGURES[name].isMissing(at)).map(({ at }) => 1000 * FIGURES[name].came(at))
      const { count, sum } = timings[name]
      assert.deepStrictEqual([count, sum], [values.length, values.reduce((total, value) => total + value, 0)], `${name}, known`)
    }
    const figures = { ...FIGURES, serviceTime: FIGURES.latency }
    for (const figure of Object.keys(figures)) {
      // If latency counts from the due time, what timed out or was in flight is in there, with its age.
      const isFromDueTime = figure === 'latency' && isOpen && !ignoreCoordinatedOmission
      const values = isFromDueTime
        ? requests.filter(({ how }) => how === 'failed by a deadline').map(({ at }) => at.endAt + 60 - at.dueAt)
        : missingOf(figure === 'serviceTime' ? 'latency' : figure, requests, isOpen, isCounted)
      const { count = 0, sum = 0, min, max } = missing[figure] ?? {}
      const expected = { count: values.length, sum: 1000 * values.reduce((total, value) => total + value, 0), ...(count > 0 && { min: 1000 * Math.min(...values), max: 1000 * Math.max(...values) }) }
      assert.deepStrictEqual({ count, sum, ...(count > 0 && { min, max }) }, expected, figure)
    }
  }), { numRuns: 60 })
})

t.test('the lifetime of a connection without a response: after a timeout it counts in both models, and if it was just open, only if it is the oldest', async (t) => {
  for (const [open, counts] of [[false, 2], [true, 3]]) {
    const recorder = newRecorder({ open })
    recorder.begin(0)
    const opened = () => recorder.openedConnection(1, null, 1, null)
    for (let count = 0; count < 4; count++) opened()
    recorder.closedConnection(true, 500)
    recorder.closedConnection(false, null, 100)
    for (const lifetime of [400, 600]) {
      recorder.closedConnection(false)
      recorder.missing.unanswered(lifetime, true)
    }
    recorder.takeInterval(1000)
    const summary = merge([recorder.summary()])
    t.equal(composeMissing(summary, composeTimings(summary)).connectionLifetime.count, counts, open ? 'open model' : 'closed model')
  }
})

t.test('a connection that did not open lacks the times of the parts that were not complete, each for as long as it took so far', async (t) => {
  for (const open of [false, true]) {
    const recorder = newRecorder({ open })
    recorder.begin(0)
    recorder.missing.unopened({ total: 90, dns: 90, tcp: 0, tls: 0 }, false)
    recorder.missing.unopened({ total: 60, dns: null, tcp: 50, tls: 0 }, false)
    recorder.missing.unopened({ total: 30, dns: null, tcp: null, tls: 20 }, false)
    recorder.openedConnection(40, 1, 25, 14)
    // In flight at the end, one of them for less time than the one that opened took for any part, and as a whole.
    recorder.missing.unopened({ total: 24, dns: null, tcp: null, tls: 13 }, true)
    recorder.missing.unopened({ total: 41, dns: null, tcp: null, tls: 12 }, true)
    recorder.missing.unopened({ total: 39, dns: null, tcp: 26, tls: 0 }, true)
    recorder.takeInterval(1000)
    const summary = merge([recorder.summary()])
    const missing = composeMissing(summary, composeTimings(summary))
    const times = Object.fromEntries(['connectTime', 'dnsTime', 'tcpTime', 'tlsTime'].map((name) => [name, [missing[name].count, missing[name].sum / 1000]]))
    t.strictSame(times, { connectTime: [4, 221], dnsTime: [1, 90], tcpTime: [3, 76], tlsTime: [4, 32] })
  }
})

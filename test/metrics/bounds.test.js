'use strict'

// Which values of a result are only lower bounds, tested with a known list of events.

const t = require('tap')
const hdr = require('hdr-histogram-js')
const { merge } = require('../../lib/metrics/merge')
const { buildResult } = require('../../lib/metrics/result')
const Timeline = require('../../lib/metrics/timeline')
const { newRecorder, play, TIMEOUT_MS } = require('./recording')

const EVENTS = [
  ['completed', 0, 200, 0, 10, 5, 5],
  ['completed', 1, 200, 0, 10, 5, 25],
  ['timedOut', 0, 0],
  ['failed', 0, 0, 7, 'ECONNRESET'],
  ['unfinished', 1, 10, 20],
  ['unsent', 4]
]
const PLAN = { requests: [{ path: '/a' }, { path: '/b' }], pipelining: 1, amount: null, schedule: null }

/** The result of the events, recorded by this many recorders. */
function resultOf (parts, options) {
  const timeline = new Timeline()
  const summaries = parts.map((events) => {
    const recorder = newRecorder(options)
    recorder.begin(0)
    play(recorder, events)
    timeline.add(recorder.takeInterval(1000))
    return JSON.parse(JSON.stringify(recorder.summary()))
  })
  return buildResult({
    plan: { ...PLAN, schedule: options.open ? {} : null },
    summary: merge(summaries),
    timeline,
    seconds: 1,
    scheduleSeconds: 1,
    drain: { seconds: 0, completed: 0 },
    generator: { cpu: {}, eventLoop: { utilization: 0 } },
    warnings: []
  })
}

const countIn = (encoded) => hdr.decodeFromCompressedBase64(encoded, 64, false).totalCount

t.test('in the open model, requests that timed out, were unfinished or never sent are bounds', async (t) => {
  for (const parts of [[EVENTS], EVENTS.map((event) => [event])]) {
    const { latency, latencyBounds, latencyWithUnfinished, histograms, endpoints, timeline, warnings } = resultOf(parts, { open: true })
    t.equal(latency.totalCount, 5)
    t.same(latencyBounds, { count: 3, share: 0.6, smallest: 4 })
    t.equal(countIn(histograms.latencyBounds), 3)
    t.equal(latencyWithUnfinished.totalCount, 6)
    t.equal(countIn(histograms.latencyWithUnfinishedBounds), 4, 'a failed request has an age as well')
    t.same(endpoints.map(({ latencyBounds }) => latencyBounds), [
      { count: 1, share: 0.5, smallest: TIMEOUT_MS }, { count: 1, share: 0.5, smallest: 30 }
    ])
    t.same(endpoints.map(({ histograms }) => countIn(histograms.latencyBounds)), [1, 1])
    t.equal(timeline.reduce((sum, { latencyBounds }) => sum + (latencyBounds?.count ?? 0), 0), 2, 'unsent requests are in no sample')
    t.match(warnings.find(({ code }) => code === 'LATENCY_BOUND').message, /^60% .* 3 of 5 requests had no response \(1 timed out, 1 unfinished, 1 never sent\) .* 4 ms or more\./)
  }
})

t.test('in the closed model, and if latency is the service time, these are missing from the latency instead of being bounds', async (t) => {
  for (const options of [{ open: false }, { open: true, ignoreCoordinatedOmission: true }]) {
    const { latencyBounds, latencyWithUnfinishedBounds, missing, histograms, endpoints, timeline, warnings } = resultOf([EVENTS], options)
    t.same(latencyBounds, { count: 0, share: 0, smallest: null })
    t.equal(countIn(histograms.latencyBounds), 0)
    t.equal(countIn(histograms.latencyWithUnfinishedBounds), options.open ? 4 : 3)
    // A request in flight for 20 ms when the closed model ends is not older than the slowest response, 30 ms.
    t.equal(latencyWithUnfinishedBounds.count, options.open ? 4 : 2)
    const lacking = options.open ? [TIMEOUT_MS, 20] : [TIMEOUT_MS]
    t.match(missing.latency, { count: lacking.length, smallest: Math.min(...lacking), largest: TIMEOUT_MS })
    t.equal(countIn(histograms.latencyMissing), lacking.length)
    t.same(endpoints.map(({ latencyBounds }) => latencyBounds.count), [0, 0])
    t.same(endpoints.map(({ missing, histograms }) => [missing?.latency.count, histograms && countIn(histograms.latencyMissing)]), [[1, 1], options.open ? [1, 1] : [undefined, undefined]])
    t.notOk('latencyBounds' in timeline[0])
    t.notOk(warnings.some(({ code }) => code === 'LATENCY_BOUND'))
  }
})

t.test('in the closed model, a request in flight at the end is a bound if it is older than all responses', async (t) => {
  // All were sent at 10 ms and reach these ages; the slowest response took 30 ms.
  const ages = (...all) => all.map((age) => ['unfinished', 0, 10, age])
  const boundsOf = (...more) => resultOf([[...EVENTS, ...more]], { open: false }).latencyWithUnfinishedBounds
  const { count } = resultOf([EVENTS.filter(([kind]) => kind !== 'unfinished')], { open: false }).latencyWithUnfinishedBounds
  t.equal(count, 2, 'one that timed out, and one that failed')
  t.equal(boundsOf(...ages(29, 30)).count, 2)
  t.equal(boundsOf(...ages(31, 500)).count, 4)
})

t.test('a run that ended before its clock began still has a rate', async (t) => {
  const recorder = newRecorder({ open: true })
  const summary = merge([recorder.summary()])
  const none = { plan: { ...PLAN, schedule: {} }, summary, timeline: new Timeline(), seconds: 0, scheduleSeconds: 0, drain: { seconds: 0, completed: 0 }, generator: { eventLoop: {} }, warnings: [] }
  t.same(buildResult(none).rate, { offered: 0, achieved: 0 })
})

'use strict'

// What a person cut off who stopped the run: which figures lack it, in which model, for the run and for each scenario, whatever the number
// of threads.

const assert = require('node:assert')
const t = require('tap')
const { decodeHistogram } = require('../../lib/base/encoded-histogram')
const fc = require('../support/fast-check')
const { merge } = require('../../lib/metrics/merge')
const MixedRecorder = require('../../lib/metrics/mixed-recorder')
const { buildResult } = require('../../lib/metrics/result')

const THREADS = 3
const TIMEOUT = 5000
// That of requests that are never sent: they may have waited for longer when this is noticed.
const PATIENCE = 900
const FAULT = { code: 'CODE', phase: 'receive', message: '' }
const NAMES = ['a', 'b']
const PLAN = { requests: NAMES.map((scenario) => ({ method: 'GET', path: '/', scenario })), targets: [{ path: '/' }], workers: null, schedule: {}, sessions: {}, scenarios: {}, stream: null, websocket: null, drain: 5, amount: null }

const ms = fc.nat(400)
const request = fc.record({
  thread: fc.nat(THREADS - 1),
  // By index: the scenario, and the endpoint.
  scenario: fc.nat(NAMES.length - 1),
  how: fc.constantFrom('timed out', 'failed by a deadline', 'failed', 'in flight', 'unsent', 'completed'),
  // Whether it ended because the person stopped the run.
  isCut: fc.boolean(),
  dueAt: ms,
  waited: ms,
  steps: fc.tuple(ms, ms, ms),
  reached: fc.nat(2),
  // Quarters of the time in which hooks held the connections.
  held: fc.nat(4)
})

function timesOf ({ dueAt, waited, steps: [toFirstByte, toStatusLine, toEnd], reached }) {
  const sentAt = dueAt + waited
  const firstByteAt = reached > 0 ? sentAt + toFirstByte : NaN
  const statusLineAt = reached > 1 ? firstByteAt + toStatusLine : NaN
  return { sentAt, progress: { firstByteAt, statusLineAt, eventAt: NaN, status: null }, now: sentAt + toFirstByte + toStatusLine + toEnd }
}

function play (recorder, request) {
  const { how, scenario, dueAt, held } = request
  const { sentAt, progress, now } = timesOf(request)
  switch (how) {
    case 'timed out': return recorder.timedOutRequest(scenario, dueAt, sentAt, FAULT, progress, Infinity, TIMEOUT)
    case 'failed by a deadline': return recorder.failedRequest(scenario, dueAt, sentAt, now, FAULT, progress)
    case 'failed': return recorder.failedRequest(scenario, dueAt, sentAt, now, FAULT)
    case 'in flight': return recorder.unfinishedRequest(scenario, dueAt, sentAt, now, progress, TIMEOUT)
    case 'unsent': return recorder.unsentOf(scenario, dueAt, now, held / 4, PATIENCE)
    default: return recorder.completedRequest(scenario, 200, 10, dueAt, sentAt, sentAt, now, sentAt)
  }
}

/** By figure, the times in ms that were cut off. */
function cutOff (requests, { open, ignoreCoordinatedOmission }) {
  const fromDueTime = open && !ignoreCoordinatedOmission
  const all = []
  for (const request of requests.filter(({ isCut }) => isCut)) {
    const { how, dueAt, held } = request
    const { sentAt, progress: { firstByteAt, statusLineAt }, now } = timesOf(request)
    const ended = how === 'timed out' ? (open ? dueAt : sentAt) + TIMEOUT : now
    const isGivenUp = how === 'timed out' || how === 'failed by a deadline' || (how === 'in flight' && open)
    if (how === 'unsent') {
      const age = Math.min(now - dueAt, PATIENCE)
      const byClient = Math.min(age, (now - dueAt) * held / 4)
      all.push(['sendDelay', age], ['clientDelay', byClient], ['waitDelay', age - byClient])
      if (fromDueTime) all.push(['latency', age])
    }
    if (!isGivenUp) continue
    // What is neither answered nor failed is in the latency of the open model.
    all.push(['latency', ended - (fromDueTime ? dueAt : sentAt)])
    if (open) all.push(['serviceTime', ended - sentAt])
    if (Number.isNaN(firstByteAt)) all.push(['timeToFirstByte', ended - sentAt])
    if (Number.isNaN(statusLineAt)) all.push(['timeToStatusLine', ended - sentAt])
    all.push(['transferTime', Number.isNaN(statusLineAt) ? 0 : ended - statusLineAt])
  }
  if (fromDueTime) all.push(...all.filter(([figure]) => figure === 'latency').map(([, time]) => ['latencyWithUnfinished', time]))
  return Object.fromEntries([...new Set(all.map(([figure]) => figure))].sort().map((figure) => [figure, all.filter(([name]) => name === figure).map(([, time]) => time)]))
}

const numbersOf = (times) => ({ count: times.length, smallest: Math.min(...times), largest: Math.max(...times), total: times.reduce((sum, time) => sum + time, 0) })
const numbersOfEach = (cut) => Object.keys(cut).length === 0 ? undefined : Object.fromEntries(Object.entries(cut).map(([figure, times]) => [figure, numbersOf(times)]))
const sorted = (object) => object && Object.fromEntries(Object.entries(object).sort(([one], [other]) => one < other ? -1 : 1))
const only = (cut, ...figures) => Object.fromEntries(Object.entries(cut).filter(([figure]) => figures.includes(figure)))

/** The histograms of what was cut off agree with its numbers. */
function checkHistograms (histograms, cut) {
  const found = Object.entries(histograms ?? {}).filter(([name]) => name.endsWith('Interrupted')).map(([name, text]) => [name, decodeHistogram(text).totalCount]).sort()
  assert.deepStrictEqual(found, Object.entries(cut).map(([figure, times]) => [`${figure}Interrupted`, times.length]).sort())
}

const model = fc.constantFrom({ open: true, ignoreCoordinatedOmission: false }, { open: true, ignoreCoordinatedOmission: true }, { open: false, ignoreCoordinatedOmission: false })

t.test('property: each time that was cut off, in each figure, for the run, its scenarios and its endpoints', async (t) => {
  fc.assert(fc.property(fc.array(request, { maxLength: 20 }), model, (requests, settings) => {
    const recorders = Array.from({ length: THREADS }, () => new MixedRecorder({ endpoints: 2, sessions: true, timeout: TIMEOUT, ...settings }, NAMES.map((name) => ({ name, weight: 1 })), [0, 1]))
    for (const recorder of recorders) recorder.begin(0)
    // The person stops the run once.
    for (const each of requests.filter(({ isCut }) => !isCut)) play(recorders[each.thread], each)
    for (const recorder of recorders) recorder.interrupt()
    for (const each of requests.filter(({ isCut }) => isCut)) play(recorders[each.thread], each)
    for (const recorder of recorders) recorder.takeInterval(9000)
    const result = buildResult({
      plan: PLAN,
      summary: merge(recorders.map((recorder) => JSON.parse(JSON.stringify(recorder.summary())))),
      timeline: { samples: [], requestRates: [], byteRates: [], toResult: () => [] },
      seconds: 9,
      scheduleSeconds: 9,
      drain: { seconds: 0, completed: 0 },
      generator: { cpu: { user: 0, system: 0, percent: 0 }, eventLoop: { utilization: 0, delayP99: 0 } },
      warnings: []
    })
    const cut = cutOff(requests, settings)
    assert.deepStrictEqual(sorted(result.interrupted), numbersOfEach(cut))
    checkHistograms(result.histograms, cut)
    result.scenarios.forEach((scenario, index) => {
      const own = only(cutOff(requests.filter(({ scenario }) => scenario === index), settings), 'latency', 'serviceTime')
      assert.deepStrictEqual(sorted(scenario.interrupted), numbersOfEach(own), scenario.name)
      checkHistograms(scenario.histograms, own)
    })
    result.endpoints.forEach((endpoint, index) => {
      // What was never sent is of no endpoint.
      const own = only(cutOff(requests.filter(({ scenario, how }) => scenario === index && how !== 'unsent'), settings), 'latency')
      assert.deepStrictEqual(endpoint.interrupted, numbersOfEach(own), endpoint.scenario)
      checkHistograms(endpoint.histograms, own)
    })
  }), { numRuns: 60 })
})

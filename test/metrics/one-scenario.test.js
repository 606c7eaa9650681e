'use strict'

// The only scenario of a run has the numbers of the run: each of its fields equals that of the result with the same name, at the end and
// during the run.

const assert = require('node:assert')
const t = require('tap')
const fc = require('../support/fast-check')
const interimResult = require('../../lib/metrics/interim-result')
const { merge } = require('../../lib/metrics/merge')
const MixedRecorder = require('../../lib/metrics/mixed-recorder')
const { buildResult } = require('../../lib/metrics/result')

const THREADS = 2
const TIMEOUT = 4000
const FAULT = { code: 'CODE', phase: 'receive', message: 'gone' }
const SESSION = ['cameDue', 'began', 'wasCompleted', 'hasFailed', 'gaveUp', 'wasCutOff', 'neverBegan']
const ms = fc.nat(900)

const event = fc.record({
  thread: fc.nat(THREADS - 1),
  how: fc.constantFrom('completed', 'call', 'timed out', 'failed', 'failed by a deadline', 'in flight', 'unsent', 'refused', 'mismatched', 'pending', 'check', 'broken code', ...SESSION),
  isCut: fc.boolean(),
  status: fc.constantFrom(200, 302, 404, 503),
  outcome: fc.constantFrom(0, 5, 14),
  dueAt: ms,
  waited: ms,
  lasts: ms,
  flag: fc.boolean()
})

function play (recorder, { how, status, outcome, dueAt, waited, lasts, flag }) {
  const sentAt = dueAt + waited
  const now = sentAt + lasts
  const progress = { firstByteAt: flag ? sentAt : NaN, statusLineAt: NaN, eventAt: NaN, status: null }
  const sessions = recorder.sessionsOf(0)
  switch (how) {
    case 'completed': return recorder.completedRequest(0, status, 10, dueAt, sentAt, sentAt, now)
    case 'call': return recorder.completedCall(0, status, outcome, 10, dueAt, sentAt, sentAt, now, now)
    case 'timed out': return recorder.timedOutRequest(0, dueAt, sentAt, FAULT, progress)
    case 'failed': return recorder.failedRequest(0, dueAt, sentAt, now, FAULT)
    case 'failed by a deadline': return recorder.failedRequest(0, dueAt, sentAt, now, FAULT, progress)
    case 'in flight': return recorder.unfinishedRequest(0, dueAt, sentAt, now, progress)
    case 'unsent': return recorder.unsentOf(0, dueAt, now, 0.25)
    case 'refused': return recorder.failedConnectionOf(0, FAULT)
    case 'mismatched': return recorder.mismatchedOf(0)
    case 'pending': return recorder.verdictPendsOf(0, 1)
    case 'check': return recorder.checks.count('a check', 'only', flag, now)
    case 'broken code': return sessions.failures.count(new Error('broken'), 'only')
    case 'cameDue': return sessions.cameDue(flag)
    case 'began': return sessions.began(flag)
    case 'wasCompleted': return sessions.wasCompleted(dueAt, now, 3, 2, flag)
    case 'hasFailed': return sessions.hasFailed(dueAt, now, 1, flag)
    case 'gaveUp': return sessions.gaveUp(dueAt, now)
    case 'wasCutOff': return sessions.wasCutOff(2, dueAt, now)
    default: return sessions.neverBegan(dueAt, now)
  }
}

/** The part of an object, and of those in it, that another one has as well. */
function within (whole, part) {
  if (part === null || typeof part !== 'object' || Array.isArray(part)) return whole
  return Object.fromEntries(Object.keys(part).map((name) => [name, within(whole?.[name], part[name])]))
}

const plain = (object) => JSON.parse(JSON.stringify(object))
const MISSING = ['latency', 'serviceTime', 'sessionLifetime', 'sessionFailTime']
const only = (object, isIn) => Object.fromEntries(Object.entries(object).filter(([name]) => isIn(name)))
const model = fc.record({ open: fc.boolean(), ignoreCoordinatedOmission: fc.boolean(), verifies: fc.boolean(), calls: fc.boolean(), excludeErrorStats: fc.boolean() })

t.test('property: the only scenario has the numbers of the run', async (t) => {
  fc.assert(fc.property(fc.array(event, { maxLength: 25 }), model, (drawn, { verifies, calls, ...settings }) => {
    const events = drawn.filter(({ how }) => calls ? how !== 'completed' : how !== 'call')
    const options = { endpoints: 1, sessions: true, user: true, origin: 1000, timeout: TIMEOUT, calls, ...settings }
    const recorders = Array.from({ length: THREADS }, () => new MixedRecorder(options, [{ name: 'only', weight: 3 }], [0]))
    for (const recorder of recorders) {
      recorder.begin(0)
      if (verifies) recorder.verifyBodies()
    }
    for (const isCut of [false, true]) {
      for (const each of events.filter((event) => event.isCut === isCut)) play(recorders[each.thread], each)
      if (!isCut) for (const recorder of recorders) recorder.interrupt()
    }
    for (const recorder of recorders) {
      const { completed, failed, timedOut, unfinished, unsent } = recorder
      recorder.sent = completed + failed + timedOut + unfinished
      recorder.scheduled = recorder.sent + unsent
      recorder.sessionsBeganTogether(2, [2])
      recorder.leaveUndecided()
      recorder.interval = recorder.takeInterval(9000)
    }
    const plan = { requests: [{ method: 'GET', path: '/', scenario: 'only' }], targets: [{ path: '/' }], workers: null, schedule: {}, sessions: { maxOpen: 9 }, scenarios: {}, stream: null, websocket: null, drain: 5, amount: null }
    const timeline = { samples: [], requestRates: [], byteRates: [], toResult: () => [] }
    const { scenarios: [scenario], ...result } = plain(buildResult({
      plan,
      summary: merge(recorders.map((recorder) => plain(recorder.summary()))),
      timeline,
      seconds: 9,
      scheduleSeconds: 8,
      drain: { seconds: 0, completed: 0 },
      generator: { cpu: { user: 0, system: 0, percent: 0 }, eventLoop: { utilization: 0, delayP99: 0 } },
      warnings: []
    }))
    const { name, weight, histograms, missing, interrupted, ...numbers } = scenario
    assert.deepStrictEqual([name, weight], ['only', 3])
    const isOfScenario = (figure) => MISSING.includes(figure)
    const { errorCodes, connectionStats, bytes, resets, '1xx': informational, ...counts } = within(result, numbers)
    assert.deepStrictEqual(numbers, counts)
    assert.deepStrictEqual(missing, only(result.missing, isOfScenario))
    const cutOff = only(result.interrupted ?? {}, isOfScenario)
    assert.deepStrictEqual(interrupted, Object.keys(cutOff).length === 0 ? undefined : cutOff)
    const isHistogram = (name) => isOfScenario(name.replace(/(Bounds|Missing|Interrupted)$/, '')) && name !== 'latencyWithUnfinishedBounds'
    assert.deepStrictEqual(histograms, only(result.histograms, isHistogram))
    const names = ['2xx', '3xx', '4xx', '5xx', 'accounting', 'checks', 'errors', 'latency', 'latencyBounds', 'mismatches', 'non2xx', 'serviceTime', 'sessions', 'statusCodeStats', 'timeouts']
    assert.deepStrictEqual(Object.keys(numbers).sort(), [...names, ...(verifies ? ['unverified'] : []), ...(calls ? ['grpcStatus'] : [])].sort())

    const { scenarios: [soFar], ...whole } = plain(interimResult({ plan, interims: recorders.map((recorder) => recorder.interim()), seconds: 9, timeline, warmup: null }))
    const { name: soNamed, missing: missingSoFar, ...numbersSoFar } = soFar
    assert.strictEqual(soNamed, 'only')
    assert.deepStrictEqual(numbersSoFar, within(whole, numbersSoFar))
    assert.deepStrictEqual(missingSoFar, only(whole.missing, isOfScenario))
    assert.deepStrictEqual(Object.keys(numbersSoFar).sort(), Object.keys(numbers).sort())
    assert.ok(!('unfinished' in soFar.accounting))
  }), { numRuns: 60 })
})

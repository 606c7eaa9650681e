'use strict'

// A run with everything that can be counted: however it is divided among threads, its result is the same, at the end and before; and what a
// thread has told does not change when it counts on.

const assert = require('node:assert')
const t = require('tap')
const fc = require('../support/fast-check')
const interimResult = require('../../lib/metrics/interim-result')
const { merge } = require('../../lib/metrics/merge')
const MixedRecorder = require('../../lib/metrics/mixed-recorder')
const { buildResult } = require('../../lib/metrics/result')
const { addTotals, totalsOfRecorder, totalsOfSummary } = require('../../lib/metrics/totals')

const TIMEOUT = 4000
const SCENARIOS = ['a', 'b']
const TARGETS = [{ path: '/' }, { path: '/' }]
const FAULTS = ['EPIPE', 'ECONNRESET'].map((code) => ({ code, phase: 'receive', message: code }))
const CONNECTION = { number: 1, requestIn: () => ({ method: 'GET', path: '/x' }), traceIdOf: () => null, slotAfter: (slot) => slot }
const PLAN = {
  requests: SCENARIOS.map((scenario) => ({ method: 'GET', path: '/', scenario })),
  targets: TARGETS,
  url: ['http://a', 'http://b'],
  workers: null,
  schedule: {},
  sessions: { maxOpen: 9 },
  scenarios: {},
  stream: { events: 'sse' },
  websocket: null,
  drain: 5,
  amount: null
}
const ms = fc.nat(900)

const event = fc.record({
  thread: fc.nat(2),
  how: fc.constantFrom('request', 'request', 'call', 'timed out', 'failed', 'in flight', 'unsent', 'delayed', 'opened', 'refused', 'closed', 'stream', 'check', 'session', 'failed session', 'messages'),
  scenario: fc.nat(SCENARIOS.length - 1),
  status: fc.constantFrom(200, 302, 404, 503),
  choice: fc.nat(1),
  dueAt: ms,
  waited: ms,
  lasts: ms
})

function play (recorder, { how, scenario, status, choice, dueAt, waited, lasts }, order) {
  const sentAt = dueAt + waited
  const now = sentAt + lasts
  const sessions = recorder.sessionsOf(scenario)
  switch (how) {
    // No two of them are equally slow.
    case 'request': return recorder.completedRequest(scenario, status, 10, dueAt, sentAt, sentAt, now + order / 1000, sentAt, CONNECTION)
    case 'call': {
      const { endpoint } = recorder.called.stepOf('GET', `/call ${choice}`, undefined, SCENARIOS[scenario], order)
      return recorder.completedRequest(endpoint, status, 10, dueAt, sentAt, sentAt, now + order / 1000, sentAt + choice, CONNECTION)
    }
    case 'timed out': return recorder.timedOutRequest(scenario, dueAt, sentAt, FAULTS[choice])
    case 'failed': return recorder.failedRequest(scenario, dueAt, sentAt, now + order / 1000, FAULTS[choice])
    case 'in flight': return recorder.unfinishedRequest(scenario, dueAt, sentAt, now)
    case 'unsent': return recorder.unsentOf(scenario, dueAt, now, choice / 2)
    // Only in the open model are requests due before they are sent.
    case 'delayed': return recorder.open && recorder.delayedSend(dueAt, dueAt + choice * waited, now, waited, waited / 2, waited / 4)
    case 'opened': return recorder.openedConnection(lasts, choice === 0 ? null : 1, 2, 3, TARGETS[choice])
    case 'refused': return recorder.failedConnection(FAULTS[choice], TARGETS[choice], order)
    case 'closed': return recorder.closedConnection(choice === 0, lasts, waited)
    case 'stream': {
      recorder.stream.began(1 + choice, waited)
      recorder.stream.continued(2, lasts)
      return recorder.stream.completed(3 + choice)
    }
    case 'check': return recorder.checks.count(`check ${choice}`, SCENARIOS[scenario], status === 200, order)
    case 'session': {
      sessions.cameDue(true)
      sessions.began(choice === 0)
      return sessions.wasCompleted(dueAt, now, 1 + choice, 1, true)
    }
    case 'failed session': {
      sessions.gaveUp(dueAt, now)
      return sessions.failures.count(`why ${choice}`, SCENARIOS[scenario])
    }
    default: {
      recorder.messages.countHandshake(status)
      recorder.messages.closed(1000 + choice)
      recorder.messages.received += 3
      recorder.messages.pings += choice
    }
  }
}

function recorderOf (open, hasMessages) {
  const recorder = new MixedRecorder({ endpoints: 2, open, sessions: true, user: true, stream: true, messages: hasMessages ? { broadcast: null } : null, targets: TARGETS, slowest: 5, origin: 1000, timeout: TIMEOUT },
    SCENARIOS.map((name, index) => ({ name, weight: 1 + index })), [0, 1])
  recorder.begin(0)
  return recorder
}

function finish (recorder, at) {
  const { completed, failed, timedOut, unfinished, unsent } = recorder
  recorder.sent = completed + failed + timedOut + unfinished
  recorder.scheduled = recorder.sent + unsent
  recorder.takeInterval(at)
  return recorder
}

const plain = (object) => JSON.parse(JSON.stringify(object))
const timeline = { samples: [], requestRates: [], byteRates: [], toResult: () => [] }

/** The fields of each part that a run in progress has, apart from the highest number at a time. */
const TOLD = {
  stream: ['events', 'timeToFirstEvent', 'gap', 'eventsPerResponse'],
  sessions: ['scheduled', 'started', 'completed', 'failed', 'burst', 'lifetime', 'failTime']
}

/** Of statistics, those that another object has. */
const within = (whole, part) => typeof part === 'object' ? Object.fromEntries(Object.keys(part).map((name) => [name, whole[name]])) : whole

/** What is known of an endpoint during a run, and after it. */
const knownOf = ({ title, latency: { min, max, total, totalCount }, latencyBounds, missing, completed, failed, statusCodeStats }) =>
  ({ title, latency: { min, max, total, totalCount }, latencyBounds, missing: missing?.latency.count ?? 0, completed, failed, statusCodeStats })

/** All that is told of a run: its result, the one so far, and the totals. */
function told (recorders) {
  const summary = merge(recorders.map((recorder) => plain(recorder.summary())))
  const result = buildResult({
    plan: PLAN,
    summary,
    timeline,
    seconds: 9,
    scheduleSeconds: 8,
    drain: { seconds: 0, completed: 0 },
    generator: { cpu: { user: 0, system: 0, percent: 0 }, eventLoop: { utilization: 0, delayP99: 0 } },
    warnings: []
  })
  const soFar = interimResult({ plan: PLAN, interims: recorders.map((recorder) => recorder.interim()), seconds: 9, timeline, warmup: null })
  const bounds = [0.01, 0.1, 1]
  // Sums of seconds differ in their last digit.
  const withoutSums = ({ timings, ...totals }) => ({ ...totals, timings: Object.fromEntries(Object.entries(timings).map(([name, { counts, sum }]) => [name, { counts, sum: sum.toFixed(9) }])) })
  return sorted(withoutPeaks(plain({ result, soFar, summed: withoutSums(addTotals(recorders.map((recorder) => totalsOfRecorder(recorder, bounds)))), totals: withoutSums(totalsOfSummary(summary, bounds)) })))
}

// The highest number at any one time is the only one that cannot be known for several threads together.
function withoutPeaks (object) {
  if (object === null || typeof object !== 'object') return object
  if (Array.isArray(object)) return object.map(withoutPeaks)
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== 'peak').map(([name, value]) => [name, withoutPeaks(value)]))
}

// Of equally frequent codes and failures, the order is that of the threads, and warnings name the first.
function sorted ({ result, ...rest }) {
  const byText = (list) => list.map((entry) => JSON.stringify(entry)).sort()
  const failures = ({ sessions, ...more }) => ({ ...more, sessions: { ...sessions, failures: byText(sessions.failures) } })
  const { warnings, ...own } = failures(result)
  return { result: { ...own, scenarios: own.scenarios.map(failures), warnings: byText(warnings.map(({ code }) => code)) }, ...rest }
}

t.test('property: however a run is divided among threads, what is told of it is the same', async (t) => {
  fc.assert(fc.property(fc.array(event, { maxLength: 30 }), fc.boolean(), fc.boolean(), (events, open, hasMessages) => {
    const given = events.filter(({ how }) => hasMessages || how !== 'messages')
    const one = recorderOf(open, hasMessages)
    const three = [0, 1, 2].map(() => recorderOf(open, hasMessages))
    given.forEach((each, order) => {
      play(one, each, order)
      play(three[each.thread], each, order)
    })
    // Until then each part has told these fields, which end as they stood.
    const [alone, divided] = [[one], three].map((recorders) => told(recorders.map((recorder) => finish(recorder, 9000))))
    assert.deepStrictEqual(divided, alone)
    const known = { ...TOLD, ...(hasMessages && { messages: ['sent', 'received', 'unasked', 'bytesSent', 'bytesReceived', 'pings', 'pongs'] }) }
    for (const [part, fields] of Object.entries(known)) {
      const { peak, ...soFar } = alone.soFar[part]
      assert.deepStrictEqual(Object.keys(soFar), fields, part)
      for (const field of fields) assert.deepStrictEqual(soFar[field], within(alone.result[part][field], soFar[field]), `${part}.${field}`)
    }
    assert.deepStrictEqual([alone.soFar.checks, alone.soFar.closeCodes], [alone.result.checks, alone.result.closeCodes])
    assert.deepStrictEqual(alone.soFar.endpoints.map(knownOf), alone.result.endpoints.map(knownOf))
    assert.deepStrictEqual(told(three.toReversed()), alone)
  }), { numRuns: 15 })
})

t.test('property: what a thread has told does not change when it counts on', async (t) => {
  fc.assert(fc.property(fc.array(event, { minLength: 1, maxLength: 12 }), fc.array(event, { minLength: 1, maxLength: 12 }), fc.boolean(), (before, after, open) => {
    const recorder = recorderOf(open, true)
    before.forEach((each, order) => play(recorder, each, order))
    finish(recorder, 1000)
    const all = [recorder.summary(), recorder.interim(), recorder.soFar(), totalsOfRecorder(recorder, [0.1])]
    const copies = plain(all)
    after.forEach((each, order) => play(recorder, each, 100 + order))
    finish(recorder, 2000)
    assert.deepStrictEqual(plain(all), copies)
  }), { numRuns: 25 })
})

'use strict'

// Recorders that also write lines, or that follow requests in flight: they count what a plain one counts, and the rest is computed here
// from the calls that they received.

const assert = require('node:assert')
const t = require('tap')
const fc = require('../support/fast-check')
const MixedRecorder = require('../../lib/metrics/mixed-recorder')
const { diagnosed } = require('../../lib/metrics/parts/flights')
const recorded = require('../../lib/metrics/record/recorded')
const Recorder = require('../../lib/metrics/recorder')

const TIMEOUT = 700
const NONE = -1
const [COMPLETED, FAILED, TIMED_OUT, UNFINISHED, UNSENT] = [0, 1, 2, 3, 4]
const PLANNED = [{ title: 'a' }, { title: 'b' }, { title: 'a' }]
// Two titles have two places; calls stand behind them.
const PLACES = [0, 1, 0, 2, 3]
const FAULT = { code: 'EPIPE', phase: 'receive', message: 'gone' }
const us = (ms) => Math.round(ms * 1000)

const TRACES = { name: 'traces' }

/** A connection that answers each question about a slot with another value. */
function connectionOf ({ number, visit, isTraced }) {
  return {
    number,
    script: visit === undefined ? null : { visit },
    traces: isTraced ? TRACES : null,
    requestIn: (slot, endpoint) => ({ method: 'GET', path: `/${slot}/${endpoint}` }),
    traceIdOf: (slot) => isTraced ? `trace ${slot}` : null,
    serialOf: (slot) => 1000 + slot,
    slotAfter: (slot, index) => slot + 10 * index
  }
}

const ms = fc.nat(4000).map((quarters) => quarters / 4)
const visit = fc.constantFrom(undefined, null, { number: 77, scenarioName: 'buyers' })
const drawn = fc.record({
  kind: fc.constantFrom('completedRequest', 'completedWhole', 'completedCall', 'completedMessages', 'failedRequest', 'timedOutRequest', 'unfinishedRequest', 'unsentRequest'),
  count: fc.integer({ min: 1, max: 3 }),
  endpoint: fc.nat(PLACES.length - 1),
  status: fc.constantFrom(200, 204, 304, 404, 503),
  outcome: fc.constantFrom(0, 5),
  bytes: fc.integer({ min: 1, max: 5000 }),
  headBytes: fc.nat(100),
  dueAt: ms,
  // No request is sent after its deadline.
  steps: fc.tuple(fc.nat(1000).map((quarters) => quarters / 4), ms, ms, ms),
  timeout: fc.option(fc.integer({ min: 250, max: 600 }), { nil: undefined }),
  // What had arrived when it ended early, and whether that is known.
  seen: fc.constantFrom('nothing', 'first byte', 'status line', 'unknown'),
  isDeadline: fc.boolean(),
  isNoticed: fc.boolean(),
  heldShare: fc.constantFrom(0, 0.25, 1),
  session: fc.option(fc.nat(9)),
  slot: fc.nat(9),
  connection: fc.record({ number: fc.nat(3), visit, isTraced: fc.boolean() }).map(connectionOf)
})

const seenOf = ({ seen, status }, firstByteAt, statusLineAt) => ({
  nothing: { firstByteAt: NaN, statusLineAt: NaN, eventAt: NaN, status: null },
  'first byte': { firstByteAt, statusLineAt: NaN, eventAt: NaN, status: null },
  'status line': { firstByteAt, statusLineAt, eventAt: NaN, status }
})[seen]

/** The call to a recorder, its lines as objects, and from when to when how many requests were in flight. */
function callOf (event, { open, ignoreCoordinatedOmission, excludeErrorStats, isWhole }) {
  const { kind, count, endpoint, status, outcome, bytes, headBytes, dueAt, steps: [wait, toFirstByte, toStatusLine, rest], timeout, isDeadline, isNoticed, heldShare, session, slot, connection } = event
  const sentAt = dueAt + wait
  const firstByteAt = sentAt + toFirstByte
  const statusLineAt = firstByteAt + toStatusLine
  const now = statusLineAt + rest
  const fromDueTime = open && !ignoreCoordinatedOmission
  const start = open ? dueAt : sentAt
  const seen = seenOf(event, firstByteAt, statusLineAt)
  const age = fromDueTime ? us(Math.min(now - dueAt, timeout ?? TIMEOUT)) : NONE
  const { visit } = connection.script ?? {}
  const line = (changes, place = slot) => ({
    due: open ? dueAt : sentAt,
    sent: sentAt,
    firstByte: seen?.firstByteAt ?? NaN,
    end: now,
    latency: NONE,
    status: seen?.status ?? NONE,
    bytes: NONE,
    error: null,
    request: { method: 'GET', path: `/${place}/${endpoint}` },
    endpoint: endpoint < PLANNED.length || isWhole ? PLACES[endpoint] : NONE,
    session: visit ? 77 : NONE,
    scenario: visit ? 'buyers' : null,
    connection: connection.number === 0 ? NONE : connection.number,
    traces: connection.traces,
    serial: connection.traces === null ? 0 : 1000 + place,
    ...changes
  })
  const completed = (isError, changes, place) => line({ outcome: COMPLETED, firstByte: firstByteAt, status, bytes, latency: isError && excludeErrorStats ? NONE : us(now - (fromDueTime ? dueAt : sentAt)), ...changes }, place)
  const isError = status >= 300
  const several = Array.from({ length: count }, (_, index) => slot + 10 * index)
  switch (kind) {
    case 'completedRequest':
      return { args: [endpoint, status, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt, connection, slot], lines: [completed(isError)], flight: [1, sentAt, now] }
    case 'completedWhole': {
      const memo = { head: { status }, bytes: { length: headBytes }, wholeLength: headBytes + bytes }
      return { args: [count, endpoint, memo, dueAt, sentAt, now, connection, slot], lines: several.map((place) => completed(isError, { firstByte: now, bytes: headBytes + bytes }, place)), flight: [count, sentAt, now] }
    }
    case 'completedCall':
      return { args: [endpoint, status, outcome, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt, connection, slot], lines: [completed(isError || outcome !== 0)], flight: [1, sentAt, now] }
    case 'completedMessages':
      return { args: [count, endpoint, dueAt, sentAt, firstByteAt, now, isNoticed ? bytes : undefined, connection, slot], lines: several.map((place) => completed(false, { status: NONE, bytes: isNoticed ? bytes : 0 }, place)), flight: [count, sentAt, now] }
    case 'failedRequest':
      return { args: [endpoint, dueAt, sentAt, now, FAULT, isDeadline ? seen ?? null : null, connection, slot, seen], lines: [line({ outcome: FAILED, error: 'EPIPE' })], flight: [1, sentAt, now] }
    case 'timedOutRequest': {
      const deadline = start + (timeout ?? TIMEOUT)
      return {
        args: [endpoint, dueAt, sentAt, FAULT, seen, isNoticed ? now : undefined, timeout, connection, slot],
        lines: [line({ outcome: TIMED_OUT, error: 'EPIPE', end: isNoticed ? Math.min(now, deadline) : deadline, latency: fromDueTime ? us(timeout ?? TIMEOUT) : NONE })],
        flight: [1, sentAt, isNoticed ? now : deadline]
      }
    }
    case 'unfinishedRequest':
      return { args: [endpoint, dueAt, sentAt, now, seen, timeout, connection, slot], lines: [line({ outcome: UNFINISHED, end: NaN, latency: age })], flight: [1, sentAt, now] }
    default:
      return {
        args: [dueAt, now, heldShare, timeout, session],
        lines: [{ outcome: UNSENT, due: dueAt, sent: NaN, firstByte: NaN, end: NaN, latency: age, status: NONE, bytes: NONE, error: null, request: null, endpoint: NONE, session: session ?? NONE, scenario: null, connection: NONE, traces: null, serial: 0 }],
        flight: null
      }
  }
}

function linesOf () {
  const log = []
  return {
    log,
    begin: (now) => log.push(['begin', now]),
    endSample: () => log.push(['endSample']),
    line (outcome, due, sent, firstByte, end, latency, status, bytes, error, request, endpoint, session, scenario, connection, traces, serial) {
      log.push({ outcome, due, sent, firstByte, end, latency, status, bytes, error, request, endpoint, session, scenario, connection, traces, serial })
    }
  }
}

const model = fc.record({ open: fc.boolean(), ignoreCoordinatedOmission: fc.boolean(), excludeErrorStats: fc.boolean(), isWhole: fc.boolean() })

t.test('property: they count what a plain recorder counts, write a line for each request, and know how many are in flight', async (t) => {
  fc.assert(fc.property(fc.array(drawn, { maxLength: 16 }), model, (events, settings) => {
    const options = { endpoints: PLACES.length, timeout: TIMEOUT, calls: true, slowest: 12, ...settings }
    const plain = new Recorder(options)
    const writing = new (recorded(Recorder))(options)
    const following = new (diagnosed(Recorder))({ ...options, diagnosed: true })
    const lines = linesOf()
    writing.recordTo(lines, PLANNED, settings.isWhole)
    const all = [plain, writing, following]
    const atEach = (pick) => all.map(pick)
    following.flights.begin(50, 0)
    for (const recorder of all) recorder.begin(50)
    const calls = events.map((event) => ({ method: event.kind, ...callOf(event, settings) }))
    const intervals = [[], [], []]
    calls.forEach(({ method, args }, index) => {
      for (const recorder of all) recorder[method](...args)
      if (index % 5 === 4) atEach((recorder, place) => intervals[place].push(recorder.takeInterval(100 * index)))
    })
    atEach((recorder, place) => intervals[place].push(recorder.takeInterval(9000)))
    const [summary, ofWriting, { flights, ...ofFollowing }] = atEach((recorder) => recorder.summary())
    const { flights: none, ...counted } = summary
    assert.strictEqual(none, null)
    assert.deepStrictEqual(ofWriting, summary)
    assert.deepStrictEqual(ofFollowing, counted)
    assert.deepStrictEqual(intervals[1], intervals[0])
    assert.deepStrictEqual(intervals[2], intervals[0])

    const expected = [['begin', 50], ...calls.flatMap(({ lines }, index) => index % 5 === 4 ? [...lines, ['endSample']] : lines), ['endSample']]
    assert.deepStrictEqual(lines.log, expected)

    const inFlight = calls.flatMap(({ flight }) => flight === null ? [] : [flight])
    const place = (time) => Math.max(0, Math.floor(time - 50))
    const last = inFlight.length === 0 ? 0 : Math.max(...inFlight.map(([,, now]) => place(now))) + 1
    const countsBy = (pick) => Array.from({ length: last }, (_, index) => inFlight.reduce((sum, flight) => sum + (place(pick(flight)) === index ? flight[0] : 0), 0))
    assert.deepStrictEqual(flights, { startedAt: 50, sent: countsBy(([, sentAt]) => sentAt), ended: countsBy(([,, now]) => now) })
  }), { numRuns: 100 })
})

t.test('a request that was never sent has the scenario of its session, and the next one its own or none', async (t) => {
  const options = { endpoints: 2, open: true, sessions: true, timeout: TIMEOUT }
  const writing = new (recorded(MixedRecorder))(options, [{ name: 'a', weight: 1 }, { name: 'b', weight: 1 }], [0, 1])
  const lines = linesOf()
  writing.recordTo(lines, PLANNED, true)
  writing.unsentOf(1, 10, 30, 0, undefined, 5)
  writing.unsentRequest(20, 50, 0, 20, 6)
  writing.unsentOf(0, 30, 60)
  writing.unsentOf(1, 40, 80, 0.5, 30, null)
  t.same(lines.log.map(({ scenario, session, latency, due }) => [scenario, session, latency, due]), [['b', 5, 20_000, 10], [null, 6, 20_000, 20], ['a', NONE, 30_000, 30], ['b', NONE, 30_000, 40]])
  t.same(writing.scenarios.map(({ recorder: { unsent } }) => unsent), [1, 2])
  const alone = new (recorded(Recorder))(options)
  alone.recordTo(lines, PLANNED, true)
  alone.unsentOf(null, 1, 3)
  t.match(lines.log.at(-1), { scenario: null, due: 1, latency: 2000 })
  t.equal(alone.unsent, 1)
})

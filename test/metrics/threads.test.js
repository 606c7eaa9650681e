'use strict'

// Counts other than requests (sessions, stream events, messages, copies) in several threads: the sums are right in each interval and at the
// end.

const assert = require('node:assert')
const t = require('tap')
const fc = require('../support/fast-check')
const Distribution = require('../../lib/metrics/distribution')
const { joinPartIntervals, partIntervalsToData, samplesOfParts } = require('../../lib/metrics/parts')
const { broadcast, BroadcastRecorder, mergeBroadcasts, sharedCounts } = require('../../lib/metrics/parts/broadcast')
const { messages, MessageRecorder } = require('../../lib/metrics/parts/messages')
const { schedule } = require('../../lib/metrics/parts/schedule')
const { sessions: sessionsPart, SessionRecorder } = require('../../lib/metrics/parts/sessions')
const { stream, StreamRecorder } = require('../../lib/metrics/parts/stream')

const THREADS = 3
const dataOf = (distribution) => distribution.toData()
const total = (numbers) => numbers.reduce((sum, each) => sum + each, 0)
const thousandth = (value) => Math.round(value * 1000) / 1000
// Whole milliseconds that a histogram stores exactly.
const time = fc.nat(500)
const thread = fc.nat(THREADS - 1)

function statisticsOf (times) {
  return { count: times.length, sum: 1000 * total(times), max: 1000 * Math.max(0, ...times), min: times.length === 0 ? undefined : 1000 * Math.min(...times) }
}

function agree (distribution, times) {
  const { count, sum, max, min } = distribution
  assert.deepStrictEqual({ count, sum, max, min: count === 0 ? undefined : min }, statisticsOf(times))
}

const session = fc.record({
  thread,
  inWindow: fc.boolean(),
  hasWaited: fc.boolean(),
  how: fc.constantFrom('never begun', 'given up', 'completed', 'failed', 'cut off', 'open'),
  dueAt: time,
  lasts: time,
  responses: fc.nat(4),
  connections: fc.integer({ min: 1, max: 3 }),
  isTold: fc.boolean()
})

function playSession (recorder, { inWindow, hasWaited, how, dueAt, lasts, responses, connections }) {
  recorder.cameDue(inWindow)
  if (how === 'never begun') return recorder.neverBegan(dueAt, dueAt + lasts)
  if (how === 'given up') return recorder.gaveUp(dueAt, dueAt + lasts)
  recorder.began(hasWaited)
  if (how === 'completed') recorder.wasCompleted(dueAt, dueAt + lasts, responses, connections, inWindow)
  if (how === 'failed') recorder.hasFailed(dueAt, dueAt + lasts, responses, inWindow)
  if (how === 'cut off') recorder.wasCutOff(responses, dueAt, dueAt + lasts)
}

t.test('property: sessions', async (t) => {
  fc.assert(fc.property(fc.array(session, { maxLength: 30 }), fc.array(fc.nat(9), { minLength: THREADS, maxLength: THREADS }), (sessions, bursts) => {
    const recorders = bursts.map(() => new SessionRecorder())
    const intervals = bursts.map(() => [])
    recorders.forEach((recorder, index) => {
      recorder.beganTogether(bursts[index])
      recorder.beganTogether(1)
    })
    for (const each of sessions) {
      playSession(recorders[each.thread], each)
      if (each.isTold) intervals[each.thread].push(recorders[each.thread].takeInterval())
    }
    recorders.forEach((recorder, index) => intervals[index].push(recorder.takeInterval()))

    const those = (...hows) => sessions.filter(({ how }) => hows.includes(how))
    const begun = sessions.filter(({ how }) => how !== 'never begun')
    const counts = { scheduled: sessions.length, started: begun.length, completed: those('completed').length, failed: those('failed', 'given up').length }
    for (const [name, count] of Object.entries(counts)) assert.strictEqual(total(intervals.flat().map((interval) => interval[name])), count, name)
    assert.strictEqual(total(intervals.map((list) => list.at(-1).open)), those('open').length)

    const merged = sessionsPart.merge(recorders.map((recorder) => recorder.toData(dataOf)), Distribution)
    const { peak, ...counters } = merged.counters
    assert.deepStrictEqual(counters, {
      ...counts,
      unstarted: those('never begun').length,
      unfinished: those('cut off').length,
      scheduledInDrain: sessions.filter(({ inWindow }) => !inWindow).length,
      completedInDrain: those('completed').filter(({ inWindow }) => !inWindow).length,
      connections: total(those('completed').map(({ connections }) => connections)),
      waited: those('given up').length + those('completed', 'failed', 'cut off', 'open').filter(({ hasWaited }) => hasWaited).length
    })
    assert.deepStrictEqual(merged.most, { burst: Math.max(1, ...bursts) })
    agree(merged.lifetime, those('completed').map(({ lasts }) => lasts))
    agree(merged.failTime, those('failed', 'given up').map(({ lasts }) => lasts))
    const lacking = sessions.filter(({ how, inWindow }) => ['never begun', 'given up', 'cut off'].includes(how) || (how === 'failed' && inWindow))
    agree(merged.lifetimeMissing, lacking.map(({ lasts }) => lasts))
    const ended = those('completed', 'failed', 'cut off', 'given up').map(({ how, responses }) => how === 'given up' ? 0 : responses)
    const longest = ended.length === 0 ? 0 : Math.max(...ended) + 1
    assert.deepStrictEqual(merged.lengths, Array.from({ length: longest }, (_, length) => ended.filter((each) => each === length).length))

    const resultOf = (seconds, scheduleSeconds, unscheduled = 0) => sessionsPart.result(merged, { seconds, scheduleSeconds, unscheduled }).sessions
    const result = resultOf(7, 5)
    assert.deepStrictEqual(resultOf(7, 5, 20), { ...result, rate: { ...result.rate, offered: thousandth((20 + counts.scheduled - counters.scheduledInDrain) / 5) } })
    assert.deepStrictEqual(result.rate, { offered: thousandth((counts.scheduled - counters.scheduledInDrain) / 5), achieved: thousandth((counts.completed - counters.completedInDrain) / 7) })
    assert.strictEqual(result.connections.average, counts.completed === 0 ? 0 : thousandth(counters.connections / counts.completed))
    assert.deepStrictEqual([result.lifetime.totalCount, result.failTime.totalCount, result.peak, result.burst, result.lengths], [counts.completed, counts.failed, peak, merged.most.burst, merged.lengths])
    assert.strictEqual(resultOf(3, 5).rate.achieved, thousandth((counts.completed - counters.completedInDrain) / 5), 'of a run that ended early')
    assert.strictEqual(resultOf(0, 0).rate.offered, 0)
  }), { numRuns: 100 })
})

t.test('the rate of requests: arrivals that nobody reported were offered too, unless they were sessions, whose requests nobody knows', async (t) => {
  const rateOf = (sessions, seconds, scheduleSeconds, plan = { schedule: {} }) =>
    schedule.result({ sessions, counters: { scheduled: 40, scheduledInDrain: 10, completed: 35 } }, { plan, seconds, scheduleSeconds, drain: { completed: 5 }, unscheduled: 6 })
  t.strictSame(rateOf(null, 5, 4), { rate: { offered: 9, achieved: 6 } })
  t.strictSame(rateOf({}, 5, 4), { rate: { offered: 7.5, achieved: 6 } })
  t.strictSame(rateOf(null, 3, 4), { rate: { offered: 9, achieved: 7.5 } }, 'an amount that was sent just before the next request would have been due')
  t.strictSame(rateOf(null, 5, 0), { rate: { offered: 0, achieved: 0 } }, 'a run that ended before its clock started')
  t.strictSame(rateOf({}, 5, 4, { schedule: null }), {}, 'sessions without a schedule')
})

t.test('the highest number of simultaneous sessions', async (t) => {
  const recorder = new SessionRecorder()
  for (const step of ['+', '+', '+', '-', '-', '+']) {
    if (step === '+') recorder.began(false)
    else recorder.wasCompleted(0, 1, 1, 1, true)
  }
  t.match(recorder, { peak: 3, open: 2 })
})

const response = fc.record({ thread, first: fc.integer({ min: 1, max: 4 }), after: time, rest: fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), time), { maxLength: 5 }), isComplete: fc.boolean(), isTold: fc.boolean() })

t.test('property: events of streams', async (t) => {
  fc.assert(fc.property(fc.array(response, { maxLength: 20 }), (responses) => {
    const recorders = Array.from({ length: THREADS }, () => new StreamRecorder())
    const intervals = []
    for (const { thread, first, after, rest, isComplete, isTold } of responses) {
      const recorder = recorders[thread]
      recorder.began(first, after)
      for (const [events, gap] of rest) recorder.continued(events, gap)
      if (isComplete) recorder.completed(first + total(rest.map(([events]) => events)))
      if (isTold) intervals.push(recorder.takeInterval())
    }
    intervals.push(...recorders.map((recorder) => recorder.takeInterval()))

    // Events that arrive together have no gap between them.
    const together = (events, gap) => [...gap, ...new Array(events - 1).fill(0)]
    const gaps = responses.flatMap(({ first, rest }) => [...together(first, []), ...rest.flatMap(([events, gap]) => together(events, [gap]))])
    const lengths = responses.filter(({ isComplete }) => isComplete).map(({ first, rest }) => first + total(rest.map(([events]) => events)))
    const events = total(responses.map(({ first, rest }) => first + total(rest.map(([count]) => count))))
    const check = (merged) => {
      assert.strictEqual(merged.events, events)
      agree(merged.timeToFirstEvent, responses.map(({ after }) => after))
      agree(merged.gap, gaps)
    }
    const { stream: joined } = joinPartIntervals([{}, ...intervals.map((interval) => ({ stream: interval }))], [])
    check(joined)
    check(stream.join([stream.intervalToData(joined)]))
    const whole = stream.merge(recorders.map((recorder) => recorder.toData(dataOf)), Distribution)
    check(whole)
    assert.deepStrictEqual([whole.eventsPerResponse.count, whole.eventsPerResponse.sum], [lengths.length, total(lengths)])

    const { stream: result } = stream.result(whole, { timeline: { samples: [{ stream: { events: 7 } }, {}, { stream: { events: 4 } }] }, seconds: 3 })
    assert.deepStrictEqual([result.events, result.rate, result.timeToFirstEvent.totalCount, result.gap.totalCount], [events, 3.667, responses.length, gaps.length])
    assert.deepStrictEqual([result.eventsPerResponse.totalCount, result.eventsPerResponse.max], [lengths.length, Math.max(0, ...lengths)])
    const rank = (values, share) => values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(share * values.length)) - 1] ?? null
    const { timeToFirstEvent } = stream.sample(joined)
    assert.strictEqual(timeToFirstEvent.p50 === null ? null : Math.round(timeToFirstEvent.p50), rank(responses.map(({ after }) => after), 0.5))
  }), { numRuns: 100 })
})

t.test('a sample of streams, by the names in the result', async (t) => {
  const recorder = new StreamRecorder()
  t.same(stream.sample(recorder.takeInterval()), { events: 0, timeToFirstEvent: { p50: null, p99: null }, gap: { p50: null, p99: null } })
  for (let index = 1; index <= 100; index++) recorder.began(1, index)
  recorder.continued(1, 7)
  const { events, timeToFirstEvent: { p50, p99 }, gap } = stream.sample(recorder.takeInterval())
  t.same([events, Math.round(p50), Math.round(p99)], [101, 50, 99])
  t.same(gap, { p50: 7, p99: 7 })
  for (const convert of [samplesOfParts, partIntervalsToData]) t.strictSame(convert({}), {})
  t.strictSame(joinPartIntervals([{}, {}], [{}]), {})
  t.equal(stream.result(new StreamRecorder().toData((distribution) => distribution), { timeline: { samples: [] }, seconds: 0 }).stream.rate, 0)
})

t.test('messages: counters, handshakes and Close frames of all threads', async (t) => {
  const counters = { received: 11, unasked: 2, bytesSent: 300, bytesReceived: 500, pings: 7, pongs: 5 }
  const recorders = [1, 10, 100].map((factor) => {
    const recorder = new MessageRecorder(null)
    for (const [name, count] of Object.entries(counters)) recorder[name] = count * factor
    for (let count = 0; count < factor; count++) recorder.countHandshake(factor === 10 ? 503 : 101)
    recorder.closed(factor === 1 ? 1006 : 1001)
    return recorder
  })
  t.same(recorders[0].takeInterval(20), { sent: 20, received: 11 })
  recorders[0].received += 3
  t.same(recorders[0].takeInterval(25), { sent: 5, received: 3 })
  const merged = messages.merge(recorders.map((recorder) => recorder.toData(false)))
  const sums = { ...Object.fromEntries(Object.entries(counters).map(([name, count]) => [name, 111 * count])), received: 111 * 11 + 3 }
  t.strictSame(merged, { counters: sums, handshakes: [[101, 101], [503, 10]], closeCodes: [[1001, 2], [1006, 1]], broadcast: null })
  t.strictSame(messages.result(merged, { summary: { counters: { sent: 1234 } } }), { messages: { sent: 1234, ...sums }, closeCodes: { 1001: 2, 1006: 1 } })
})

t.test('messages of an interval: from all threads, and the latest copy', async (t) => {
  const counts = (sent, received, lastCopy) => ({ sent, received, ...(lastCopy !== undefined && { lastCopy }) })
  const joined = (...told) => joinPartIntervals(told.map((interval) => ({ messages: interval })), []).messages
  t.same(joined(counts(1, 2), undefined, counts(10, 20)), counts(11, 22))
  t.same(joined(counts(1, 2, 500), counts(10, 20, 7000), counts(0, 0, null)), counts(11, 22, 7000))
  t.same(joined(counts(1, 2, null), counts(10, 20, null)), counts(11, 22, null))
  t.equal(joined(undefined, undefined), undefined)
  t.same(messages.sample(counts(1, 2, 7000)), counts(1, 2, 7))
  t.same(messages.sample(counts(1, 2, null)), counts(1, 2, null))
  t.same(messages.sample(counts(1, 2)), counts(1, 2))
})

const connection = fc.constantFrom(0, 1, 31, 32, 70)
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom('join', 'join', 'leave'), part: thread, connection }) },
  fc.record({ what: fc.constant('send'), part: thread, copies: fc.array(fc.record({ part: thread, connection, late: fc.nat(90_000) }), { maxLength: 12 }) }),
  fc.record({ what: fc.constant('late copy'), part: thread, number: fc.nat(3), reader: thread, connection, late: fc.nat(90_000) }),
  fc.record({ what: fc.constant('sample'), part: thread })
)

t.test('property: a copy counts once on each connection that was open when its message was sent, and of each message the last copy counts', async (t) => {
  fc.assert(fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    const shared = sharedCounts(THREADS)
    const recorders = Array.from({ length: THREADS }, (_, part) => new BroadcastRecorder({ run: 'x', part, shared, retention: 1000 }))
    // A copy arrives only on a connection that is open, or was.
    for (const recorder of recorders) {
      recorder.joined(70)
      recorder.left(70)
    }
    const open = recorders.map(() => new Map())
    const sent = recorders.map(() => [])
    const received = recorders.map(() => [])
    // How many of those were there at the last sample of each thread.
    const sampled = recorders.map(() => 0)
    let expected = 0
    const longestOf = (lates) => lates.length === 0 ? null : Math.max(...lates)
    const sample = (part) => {
      assert.strictEqual(recorders[part].takeLatest(), longestOf(received[part].slice(sampled[part])))
      sampled[part] = received[part].length
      // What is shown during the run: everything up to now, and times up to the last samples.
      const interim = mergeBroadcasts(recorders.map((recorder) => recorder.interim()))
      const longest = longestOf(received.flatMap((lates, reader) => lates.slice(0, sampled[reader])))
      const counts = { expected, received: received.flat().length }
      assert.deepStrictEqual({ ...interim, lastCopy: interim.lastCopy.count }, { ...counts, receivedInWindow: counts.received, lastCopy: 0, longest: longest ?? -1 })
      assert.deepStrictEqual(broadcast.interim(interim), { broadcast: { ...counts, ...(longest !== null && { lastCopy: { max: longest / 1000 } }) } })
    }
    const copy = (sender, number, reader, connection, late) => {
      const message = sent[sender][number]
      const key = `${reader} ${connection}`
      // A connection should get a copy if it has been open without interruption since the message was sent.
      const counts = message !== undefined && message.listeners.get(key) === open[reader].get(connection) && open[reader].has(connection) && !message.copies.has(key)
      assert.strictEqual(recorders[reader].copied(sender, number, connection, late, 5), counts)
      if (!counts) return
      message.copies.set(key, late)
      received[reader].push(late)
    }
    for (const [index, { what, part, connection, ...more }] of steps.entries()) {
      if (what === 'join' && !open[part].has(connection)) {
        recorders[part].joined(connection)
        open[part].set(connection, index)
      } else if (what === 'leave' && open[part].has(connection)) {
        recorders[part].left(connection)
        open[part].delete(connection)
      } else if (what === 'send') {
        recorders[part].sent(0)
        const listeners = new Map(open.flatMap((connections, reader) => [...connections].map(([connection, since]) => [`${reader} ${connection}`, since])))
        expected += listeners.size
        const number = sent[part].push({ listeners, copies: new Map() }) - 1
        for (const { part: reader, connection, late } of more.copies) {
          copy(part, number + 1, reader, connection, late)
          copy(part, number, reader, connection, late)
        }
      } else if (what === 'late copy') {
        copy(part, more.number, more.reader, connection, more.late)
      } else if (what === 'sample') {
        sample(part)
      }
    }
    const lasts = sent.flat().filter(({ copies }) => copies.size > 0).map(({ copies }) => Math.max(...copies.values()))
    const merged = mergeBroadcasts(recorders.map((recorder) => recorder.toData()))
    const { lastCopy: { count, sum, max } } = merged
    assert.deepStrictEqual([merged.expected, merged.received, merged.receivedInWindow], [expected, received.flat().length, received.flat().length])
    assert.deepStrictEqual([count, sum, max], [lasts.length, total(lasts), Math.max(0, ...lasts)])
    recorders.forEach((recorder, part) => {
      sample(part)
      assert.strictEqual(recorder.takeLatest(), null, 'since the last call none has come')
    })
  }), { numRuns: 200 })
})

t.test('a thread waits for its own copies, or until the last deadline has passed', async (t) => {
  const shared = sharedCounts(2)
  const [one, other] = [0, 1].map((part) => new BroadcastRecorder({ run: 'x', part, shared, retention: 1000 }))
  one.joined(0)
  for (const connection of [0, 1]) other.joined(connection)
  one.sent(500)
  one.sent(400)
  other.sent(450)
  t.equal(one.awaitsCopies(1000), true, 'both still send')
  one.closeWindow()
  t.equal(one.awaitsCopies(1000), true, 'one still sends')
  other.closeWindow()
  for (const each of [one, other]) t.same([499, 500].map((now) => each.awaitsCopies(now)), [true, false])
  const messages = [[0, 0], [0, 1], [1, 0]]
  for (const [part, number] of messages) one.copied(part, number, 0, 10, 0)
  t.same([one, other].map((each) => each.awaitsCopies(0)), [false, true])
  for (const [part, number] of messages) for (const connection of [0, 1]) if (number + connection < 2) other.copied(part, number, connection, 10, 0)
  t.equal(other.awaitsCopies(0), true, '5 of 6')
  other.copied(0, 1, 1, 10, 0)
  t.equal(other.awaitsCopies(0), false)
  t.match(one.toData(), { expected: 3, received: 3, receivedInWindow: 0 })
  t.match(other.interim(), { expected: 6, received: 6, receivedInWindow: 6, lasts: [] })
})

t.test('duplicates are detected as long as copies are remembered, on any connection and for any message', async (t) => {
  const recorder = new BroadcastRecorder({ run: 'x', part: 0, retention: 1000, remembered: 0 })
  const connections = [0, 31, 32, 63, 64, 300, 5000]
  for (const connection of connections) recorder.joined(connection)
  for (let sent = 0; sent < 700; sent++) recorder.sent(0)
  for (const connection of connections) t.same([1, 2].map(() => recorder.copied(0, 3, connection, 10, 0)), [true, false], `connection ${connection}`)
  t.equal(recorder.copied(0, 3, 1, 10, 0), false, 'one that is not open')
  t.equal(recorder.copied(0, 600, 0, 50, 999), true)
  t.equal(recorder.copied(0, 3, 31, 10, 999), false)
  t.equal(recorder.copied(0, 5, 31, 10, 1000), true, 'it is forgotten with the next message')
  t.equal(recorder.copied(0, 3, 31, 20, 1000), false, 'and then copies of it are no longer recognized')
  t.equal(recorder.copied(0, 600, 0, 50, 1000), false)
  const { lastCopy } = mergeBroadcasts([recorder.toData()])
  t.same([lastCopy.count, lastCopy.sum, lastCopy.max], [3, 10 + 50 + 10, 50])
  t.equal(recorder.copied(1, 0, 0, 0, 0), false, 'there is no other part')
})

t.test('the memory of last copies grows with the numbers of messages, not with copies', async (t) => {
  const recorder = new BroadcastRecorder({ run: 'x', part: 0, retention: 1000 })
  for (let connection = 0; connection < 100; connection++) recorder.joined(connection)
  for (let sent = 0; sent < 2000; sent++) recorder.sent(0)
  const roomAfter = (number) => {
    for (let connection = 0; connection < 100; connection++) recorder.copied(0, number, connection, 10, 0)
    return recorder.senders[0].lasts.length
  }
  t.same([0, 255, 256, 511, 1999].map(roomAfter), [256, 256, 512, 512, 2000])
})

t.test('copies of this many messages are remembered, however old they are', async (t) => {
  // Five messages of 36 words each, or two if a connection needs as many bits as the last one.
  for (const [connection, most] of [[127, 5], [1200, 2]]) {
    const recorder = new BroadcastRecorder({ run: 'x', part: 0, retention: 1000, remembered: 5 * 36 - 36 })
    for (const index of [0, connection]) recorder.joined(index)
    for (let number = 0; number < most + 1; number++) recorder.sent(0)
    for (let number = 0; number < most; number++) recorder.copied(0, number, connection, 10, number * 10_000)
    t.same([1, 2].map(() => recorder.copied(0, 0, 0, 10, 1e6)), [true, false], `${most} messages, connection ${connection}`)
    recorder.copied(0, most, 0, 10, 1e6)
    t.equal(recorder.copied(0, 0, connection, 10, 1e6), false)
    t.equal(recorder.copied(0, 1, 0, 10, 1e6), true, 'only the oldest is forgotten')
    t.equal(recorder.received, most + 1 + 2)
  }
})

t.test('copies in a result', async (t) => {
  const lastCopy = new Distribution()
  lastCopy.record(7000)
  t.match(broadcast.result({ expected: 3, received: 2, receivedInWindow: 1, lastCopy }, { seconds: 3 }).broadcast, { expected: 3, received: 2, ratio: 0.666666, lastCopy: { max: 7, totalCount: 1 }, fanOut: 0.333 })
  t.match(broadcast.result({ expected: 0, received: 0, receivedInWindow: 0, lastCopy }, { seconds: 0 }).broadcast, { ratio: 0, fanOut: 0 })
  const recorder = new MessageRecorder({ run: 'x', part: 0, retention: 1 })
  for (const connection of [0, 1]) recorder.broadcast.joined(connection)
  recorder.broadcast.sent(0)
  recorder.broadcast.copied(0, 0, 0, 4000, 0)
  t.same(recorder.takeInterval(1), { sent: 1, received: 0, lastCopy: 4000 })
  t.same(recorder.takeInterval(1), { sent: 0, received: 0, lastCopy: null })
  const summary = { counters: { sent: 1 }, messages: messages.merge([recorder.toData(false)]) }
  t.match(messages.result(summary.messages, { summary }), { messages: { sent: 1 } })
  t.match(broadcast.result(broadcast.of(summary), { seconds: 2 }), { broadcast: { expected: 2, received: 1, fanOut: 0.5, lastCopy: { totalCount: 1 } } })
  t.match(recorder.toData(true).broadcast, { expected: 2, received: 1, lasts: [], longest: 4000 })
})

t.test('a copy on a connection that has not joined yet does not count, whatever its number', async (t) => {
  const recorder = new BroadcastRecorder({ run: 'x', part: 0, retention: 1000 })
  recorder.sent(100)
  for (const connection of [0, 63, 64, 1000]) t.equal(recorder.copied(0, 0, connection, 10, 0), false, `connection ${connection}`)
  t.equal(recorder.received, 0)
})

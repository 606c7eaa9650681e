'use strict'

const assert = require('node:assert')
const t = require('tap')
const fc = require('../support/fast-check')
const { causeOfSaturation, isQuick, latenessOf, reasonsForSaturation, whoWasLate } = require('../../lib/metrics/lateness')
const { merge } = require('../../lib/metrics/merge')
const { newRecorder } = require('./recording')

const PLAN = { pacing: 'precise' }
const idle = { eventLoop: { utilization: 0.2 } }
const busy = { eventLoop: { utilization: 0.97 } }

// All times in ms; `late`: how late the client was, at each percentile that is compared.
function resultOf ({ count = 1000, late = {}, latency = {}, duration = 1, achieved = 100 }) {
  return {
    duration,
    rate: { offered: 100, achieved },
    latency: { totalCount: count, p50: 5, p90: 5, p99: 5, ...latency },
    sendDelay: { client: { p50: 0, p90: 0, p99: 0, ...late } }
  }
}

const open = (given, generator = idle, plan = PLAN) => reasonsForSaturation(generator, true, resultOf(given), plan)
const closed = (given, generator) => reasonsForSaturation(generator, false, { ...resultOf(given), rate: undefined }, PLAN)

t.test('open model: late by more than 1 ms and by more than a tenth of the latency', async (t) => {
  t.same(open({}), [])
  t.match(open({ late: { p99: 1.1 } }), [/sent requests late \(1\.1 ms at the 99th percentile\)/])
  t.same(open({ late: { p99: 0.9 } }), [], 'too little to matter')
  t.same(open({ late: { p99: 20 }, latency: { p99: 250 } }), [], 'a small part of a long time')
  t.match(open({ late: { p99: 26 }, latency: { p99: 250 } }), [/26 ms/])
})

t.test('lateness is that of the whole generator, and is called a stall if one took at least half of it', async (t) => {
  const late = (longest, client) => open({ late: { p99: client }, latency: { p99: 50 } }, { ...idle, late: { p99: 8 }, stoodStill: { longest } })
  for (const client of [0, 2, 20]) {
    t.match(late(3.9, client), [/^the load generator sent requests late \(8 ms at the 99th percentile\)/])
    t.match(late(4, client), [/^the load generator stalled for up to 4 ms, and sent requests or read their responses late \(8 ms at/])
  }
})

t.test('one pause among few requests does not make a generator too slow', async (t) => {
  const late = { p90: 0.1, p99: 60 }
  t.match(open({ count: 100, late }), [/99th/])
  t.same(open({ count: 99, late }), [])
  t.match(open({ count: 99, late: { p90: 60 } }), [/90th/])
  t.match(open({ count: 10, late: { p50: 0.1, p90: 60, p99: 0.1 } }), [/90th/])
  t.same(open({ count: 9, late: { p50: 0.1, p90: 60, p99: 60 } }), [], 'of nine the 90th percentile is the slowest')
  t.match(open({ count: 9, late: { p50: 60, p90: 60, p99: 60 } }), [/50th/])
})

t.test('an expected timer lateness is reported as such', async (t) => {
  t.match(open({ late: { p99: 2 } }, idle, { pacing: 'sleep' }), [/pacing 'sleep' alone adds up to 1 ms/])
})

t.test('a busy event loop: always saturated in the closed model, and in the open one if the rate was missed', async (t) => {
  t.same(closed({}, idle), [])
  t.match(closed({}, busy), [/busy 97% of the time/])
  t.same(closed({ duration: 0.2 }, busy), [], 'busy with starting up')
  t.same(closed({ count: 0 }, busy), [], 'nothing was answered')
  t.same(open({}, busy), [], 'it still kept to the schedule')
  t.match(open({ achieved: 98 }, busy), [/busy 97%/])
  t.same(open({ achieved: 98 }, idle), [])
})

// --- who was late, computed from what a recorder was told; the thread reads the clock at 10 ms and stalls from 20 ms on

function tell (events) {
  const recorder = newRecorder({ open: true })
  recorder.begin(0)
  events(recorder)
  recorder.takeInterval(10_000)
  const summary = merge([recorder.summary()])
  const sums = Object.fromEntries(Object.entries(summary.distributions).map(([name, { sum }]) => [name, sum / 1000]))
  return { ...latenessOf(summary), sums }
}

function standStill (recorder) {
  recorder.look(10)
  recorder.look(3010)
}

t.test('a gap between two readings of the clock is a stall, except for the time until the next reading was due', async (t) => {
  t.same(tell(standStill).stoodStill, { count: 1, total: 2990, longest: 2990 })
  const stoodStill = (...looks) => tell((recorder) => looks.forEach((now) => recorder.look(now))).stoodStill
  t.same(stoodStill(10, 20, 31, 50, 70), { count: 0, total: 0, longest: 0 })
  // Timers are due every 10 ms, and may be 10 ms late.
  t.same([stoodStill(10, 30), stoodStill(10, 30.5), stoodStill(10, 31, 100)], [{ count: 0, total: 0, longest: 0 }, { count: 1, total: 10.5, longest: 10.5 }, { count: 2, total: 70, longest: 59 }])
})

t.test('what came due during a stall waited for the thread, and only then for a connection', async (t) => {
  const { late, sums } = tell((recorder) => {
    standStill(recorder)
    recorder.delayedSend(1010, 0, 3010)
    recorder.delayedSend(1010, 3050, 3050)
  })
  t.equal(sums.waitAsleep, 4000)
  t.equal(sums.clientDelay, 4000)
  t.equal(sums.waitDelay, 40)
  t.equal(late.mean, 2000)
  t.ok(Math.abs(late.p99 - 2000) < 2)
})

t.test('what was not sent because of a stall is attributed to the generator, and so is a response that nobody read', async (t) => {
  const { sums, late } = tell((recorder) => {
    standStill(recorder)
    recorder.unsentRequest(1010, 3010)
    recorder.unsentRequest(3010, 4010)
    recorder.unsentRequest(3010, 4010, 0.5)
    recorder.completedRequest(0, 200, 10, 0, 0, 3010, 3010)
  })
  t.equal(sums.unsentByClient, 2000 + 0 + 500)
  t.equal(sums.readLate, 2990)
  t.ok(Math.abs(late.p99 - 2990) < 3, 'the worst of both')
})

t.test('an unsent request waited no longer than its deadline, for whatever it waited', async (t) => {
  for (const [heldShare, byClient] of [[0, 0], [0.25, 3000], [1, 10_000]]) {
    const { sums } = tell((recorder) => recorder.unsentRequest(0, 12_000, heldShare))
    t.same([sums.unsentByClient, sums.unsentWaits, sums.unsentAges], [byClient, 10_000 - byClient, 10_000])
    const own = tell((recorder) => recorder.unsentRequest(0, 12_000, heldShare, 4000)).sums
    t.same([own.unsentByClient, own.unsentWaits, own.unsentAges], [Math.min(4000, byClient), 4000 - Math.min(4000, byClient), 4000])
  }
})

t.test('what an unsent request waited for: the thread, hooks for their share of the rest, and connections', async (t) => {
  // Due, the end of the run, and the share of connections that hooks held; the thread stands still from 20 ms to 3010 ms.
  const cases = [
    [[1010, 3510, 0.5], 2000 + 250, 250], [[1010, 3510, 0], 2000, 500], [[1010, 3510, 1], 2500, 0], [[3010, 3510, 0.5], 250, 250], [[3510, 3910, 0.25], 100, 300],
    [[3009, 3010, 0], 1, 0], [[1010, 3510, 0.5, 1000], 1000, 0], [[3010, 3510, 0.5, 400], 250, 150]
  ]
  for (const [unsent, byClient, waited] of cases) {
    const { sums } = tell((recorder) => {
      standStill(recorder)
      recorder.unsentRequest(...unsent)
    })
    t.same([sums.unsentByClient, sums.unsentWaits, sums.unsentAges], [byClient, waited, byClient + waited], `${unsent}`)
  }
})

t.test('hooks that blocked a connection, and connecting, are told apart from a busy server', async (t) => {
  // A turn of 105 ms, of which a hook took 100 ms: a wait of two turns includes 200 ms of hooks.
  const { sums } = tell((recorder) => recorder.delayedSend(0, 210, 210, 105, 100))
  t.equal(sums.waitForHooks, 200)
  t.equal(sums.clientDelay, 200)
  t.equal(sums.waitDelay, 10)
  const short = tell((recorder) => recorder.delayedSend(0, 40, 45, 105, 100)).sums
  t.equal(short.waitForHooks, 40, 'it arrived after the hook had begun')
  t.equal(short.clientDelay, 45)
  const connecting = tell((recorder) => recorder.delayedSend(0, 610, 610, 305, 0, 300)).sums
  t.equal(connecting.waitForConnecting, 600)
  t.equal(connecting.waitDelay, 610, 'it is still a wait for a connection')
})

t.test('what a request waited for, by how long its connection was unavailable, held by hooks, and not open', async (t) => {
  // Due, a connection free, sent; unavailable, held, not open. The thread stands still from 20 ms to 3010 ms. In ms: asleep, by hooks, by
  // connecting, and of the whole delay, what was the client's.
  const cases = [
    // Not longer than the last use of the connection: once.
    [[4000, 4040, 4045, 105, 10, 0], [0, 10, 0, 15]],
    [[4000, 4040, 4040, 105, 0, 10], [0, 0, 10, 0]],
    [[4000, 4105, 4105, 105, 10, 20], [0, 10, 20, 10]],
    // Longer: as often as it fits.
    [[4000, 4210, 4210, 105, 10, 20], [0, 20, 40, 20]],
    [[4000, 4010, 4010, 0.5, 0.5, 0], [0, 10, 0, 10]],
    [[4000, 4010, 4010, 0.5, 0, 0.5], [0, 0, 10, 0]],
    // At most the wait, hooks first.
    [[4000, 4010, 4012, 40, 30, 10], [0, 10, 0, 12]],
    [[4000, 4010, 4012, 40, 6, 34], [0, 6, 4, 8]],
    // One millisecond is enough.
    [[4000, 4003, 4003, 3, 1, 0], [0, 1, 0, 1]],
    [[4000, 4001, 4001, 1, 1, 0], [0, 1, 0, 1]],
    [[4000, 4003, 4003, 3, 0, 1], [0, 0, 1, 0]],
    [[4000, 4003, 4003, 3, 1, 1], [0, 1, 1, 1]],
    // What the thread slept through is neither.
    [[2010, 3060, 3060, 60, 60, 0], [1000, 50, 0, 1050]],
    [[2010, 3060, 3065, 1050, 20, 500], [1000, 20, 30, 1025]],
    [[2010, 2010, 3065, 60, 60, 0], [1000, 0, 0, 1055]],
    [[2010, 2000, 3065, 60, 0, 60], [1000, 0, 0, 1055]],
    [[3010, 3060, 3060, 0, 0, 0], [0, 0, 0, 0]]
  ]
  for (const [delay, expected] of cases) {
    const [dueAt, , now] = delay
    const { sums: { waitAsleep, waitForHooks, waitForConnecting, clientDelay, waitDelay, sendDelay } } = tell((recorder) => {
      standStill(recorder)
      recorder.delayedSend(...delay)
    })
    t.same([waitAsleep, waitForHooks, waitForConnecting, clientDelay], expected, `${delay}`)
    t.same([waitDelay, sendDelay], [now - dueAt - expected[3], now - dueAt], `${delay}`)
  }
})

t.test('the cause of saturation, at each of its limits', async (t) => {
  const causeIn = ({ utilization = 0.5, cpu = 50, waited = 0, late = 0, total = 0, client = 100, hooks = 0, duration = 1 }) => causeOfSaturation(
    { cpu: { percent: cpu }, eventLoop: { utilization }, waited, late: { mean: late }, stoodStill: { total } },
    { duration, sendDelay: { client: { mean: client }, causes: { hooks } } }
  )
  const cases = [
    [{ hooks: 50 }, null], [{ hooks: 51 }, 'hooks'], [{ hooks: 51, utilization: 1, cpu: 100 }, 'hooks'],
    [{ client: 0, late: 40, hooks: 20 }, null], [{ client: 0, late: 40, hooks: 21 }, 'hooks'],
    [{ utilization: 0.85, cpu: 85 }, 'process'], [{ utilization: 0.84, cpu: 100 }, null], [{ utilization: 1, cpu: 84 }, null],
    [{ waited: null, total: 80 }, null], [{ waited: 100, total: 80, duration: 0 }, null],
    [{ waited: 40, total: 80 }, 'machine'], [{ waited: 39, total: 80 }, 'hooks'], [{ waited: 1, total: 2 }, 'hooks'],
    // Without stalls: a fifth of the time with something to do, which was 500 ms at 40% CPU and 100 ms of waiting.
    [{ cpu: 40, waited: 100 }, 'machine'], [{ cpu: 40, waited: 99 }, null], [{ cpu: 0, waited: 1 }, null], [{ cpu: 0, waited: 1.1 }, 'machine']
  ]
  t.strictSame(cases.map(([given]) => [given, causeIn(given)]), cases)
})

t.test('who was late, in words', async (t) => {
  const result = (changes) => ({
    connections: 5,
    pipelining: 1,
    latency: { mean: 1000, p99: 2000 },
    serviceTime: { p50: 5, totalCount: 100 },
    connectTime: { mean: 300, dns: { mean: 290 } },
    sendDelay: { client: { mean: 0, p99: 0 }, waiting: { mean: 990 }, causes: { connecting: 0, hooks: 0, asleep: 0 } },
    ...changes,
    generator: { eventLoop: { utilization: 0.1, delayP99: 0 }, late: { mean: 0, p99: 0 }, stoodStill: { longest: 0 }, ...changes.generator }
  })
  const late = { late: { mean: 900, p99: 1900 } }
  const hooks = { client: { mean: 900, p99: 1900 }, waiting: { mean: 90 }, causes: { connecting: 0, hooks: 890, asleep: 0 } }
  const connecting = { client: { mean: 0, p99: 0 }, waiting: { mean: 990 }, causes: { connecting: 900, hooks: 0, asleep: 0 } }
  t.same(whoWasLate(result({})), { who: 'server', reason: null })
  // A few requests were late: that made a few latencies long, but no rate too low.
  const rarely = result({ generator: { late: { mean: 10, p99: 1900 } } })
  t.same(whoWasLate(rarely), { who: 'server', reason: null })
  t.match(whoWasLate(rarely, null, true), { who: 'generator', reason: /by 1\.9 s at the 99th percentile$/ })
  const stalled = result({ generator: { late: { mean: 10, p99: 1900 }, stoodStill: { longest: 950 } } })
  t.match(whoWasLate(stalled, null, true), { who: 'generator', reason: /^the load generator stalled for up to 950 ms, .*by 1\.9 s at the 99th percentile$/ })
  t.match(whoWasLate(result({ generator: late, sendDelay: hooks })), { who: 'generator', reason: /^hooks blocked the connections/ })
  // Without delays of the client before a request was sent, it is compared with how late the generator was.
  for (const [blocked, reason] of [[100, /^the load generator sent/], [890, /^hooks blocked the connections/]]) {
    const sendDelay = { client: { mean: 0, p99: 0 }, waiting: { mean: 90 }, causes: { connecting: 0, hooks: blocked, asleep: 0 } }
    t.match(whoWasLate(result({ generator: late, sendDelay })), { who: 'generator', reason }, `${blocked}`)
  }
  // However short these delays were, what hooks held is compared with them if there are any.
  for (const [blocked, reason] of [[0.25, /^the load generator sent/], [0.26, /^hooks blocked the connections/]]) {
    const sendDelay = { client: { mean: 0.5, p99: 1 }, waiting: { mean: 90 }, causes: { connecting: 0, hooks: blocked, asleep: 0 } }
    t.match(whoWasLate(result({ generator: late, sendDelay })), { who: 'generator', reason }, `${blocked}`)
  }
  t.match(whoWasLate(result({ generator: { ...late, stoodStill: { longest: 2000 } } })), { reason: /^the load generator stalled for up to 2 s/ })
  t.match(whoWasLate(result({ sendDelay: connecting })), { who: 'generator', reason: /took 300 ms each, 290 ms of it for name resolution/ })
  const idle = { serviceTime: { p50: 4 } }
  t.match(whoWasLate(result({}), idle), { who: 'connections', reason: /^all 5 connections were busy while the server responded as quickly as when idle/ })
  t.match(whoWasLate(result({ sessions: { peak: 8 }, warnings: [{ code: 'MAX_OPEN_REACHED' }] }), idle), { reason: /^all places for 8 sessions \(sessions\.maxOpen\) were busy .* loading it takes more of them$/ })
  t.match(whoWasLate(result({ sessions: { peak: 8 }, warnings: [] }), idle), { reason: /^all connections of a session \(sessions\.connections\) were busy / })
  t.same(whoWasLate(result({}), { serviceTime: { p50: 1 } }), { who: 'server', reason: null }, 'it takes longer than it could')
  t.match(whoWasLate(result({ generator: late, sendDelay: hooks }), idle), { who: 'generator' }, 'more connections would be held as well')
})

t.test('a server counts as fast as when idle until it takes half as long again', async (t) => {
  const taking = (p50, totalCount = 10) => ({ serviceTime: { p50, totalCount } })
  t.ok(isQuick(taking(14.99), taking(10)))
  t.notOk(isQuick(taking(15), taking(10)))
  t.notOk(isQuick(taking(0, 0), taking(10)), 'nothing was answered')
  t.notOk(isQuick(taking(10), null), 'it was never idle')
})

t.test('responses that were read late are counted relative to all responses, not to late ones', async (t) => {
  // The thread stalls from 20 ms to 3010 ms, and reads responses to earlier requests late.
  const late = (answers) => tell((recorder) => {
    standStill(recorder)
    for (let count = 0; count < 1000; count++) recorder.completedRequest(0, 200, 10, 4000, 4000, 4005, 4005)
    for (let count = 0; count < answers; count++) recorder.completedRequest(0, 200, 10, 0, 0, 3010, 3010)
  }).late
  t.equal(late(9).p99, 0)
  t.ok(Math.abs(late(11).p99 - 2990) < 3)
  t.equal(late(100).p90, 0)
  t.ok(Math.abs(late(200).p90 - 2990) < 3)
})

t.test('property: each millisecond of a delay has one cause, whatever the durations of hooks, connecting and stalls', async (t) => {
  const ms = fc.integer({ min: 0, max: 4000 })
  fc.assert(fc.property(ms, ms, ms, ms, ms, ms, (dueAt, wait, more, turn, held, apart) => {
    const [freeSince, now] = [dueAt + wait, dueAt + wait + more]
    const { sums } = tell((recorder) => {
      standStill(recorder)
      recorder.delayedSend(dueAt, freeSince, now, turn, Math.min(held, turn), Math.min(apart, Math.max(0, turn - held)))
    })
    const inSleep = (from, to) => Math.max(0, Math.min(to, 3010) - Math.max(from, 20))
    const { waitAsleep, waitForHooks, waitForConnecting, clientDelay, waitDelay, sendDelay } = sums
    assert.strictEqual(sendDelay, now - dueAt)
    assert.strictEqual(Math.round((clientDelay + waitDelay) * 1000), Math.round(sendDelay * 1000))
    assert.strictEqual(waitAsleep, wait > 0 ? inSleep(dueAt, freeSince) : inSleep(dueAt, now))
    if (wait === 0) return
    // Of the wait for a connection, stalls and hooks are the client's; connecting is part of the rest.
    assert.ok(Math.abs(waitDelay - (wait - waitAsleep - waitForHooks)) < 0.01)
    assert.ok(waitForConnecting <= waitDelay + 0.01 && waitForHooks >= 0)
  }), {
    numRuns: 100,
    // Both parts end in half a microsecond.
    examples: [[1110, 1962, 0, 128, 4, 0]]
  })
})

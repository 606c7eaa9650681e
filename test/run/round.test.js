'use strict'

// What a run makes of the intervals and the outcome of its engine.

const t = require('tap')
const { run } = require('../..')
const Recorder = require('../../lib/metrics/recorder')
const { createPlan } = require('../../lib/plan')
const Round = require('../../lib/run/round')
const { simulate } = require('../simulation/world')
const { playInWorld } = require('../support/play-in-world')

const codesOf = ({ warnings }) => warnings.map(({ code }) => code)

t.test('the last interval is told by a tick if anything happened in it, or if it was half as long as the others', async (t) => {
  const isWorth = (interval) => Round.prototype.isWorthATick.call({ plan: { sampleInt: 1000 } }, { start: 3000, end: 3001, completed: 0, bytes: 0, errors: 0, ...interval })
  t.same([{}, { completed: 1 }, { bytes: 1 }, { errors: 1 }, { end: 3499 }, { end: 3500 }].map(isWorth), [false, true, true, true, false, true])
})

t.test('a reading of monitored processes that is late belongs to the sample that its own has become part of', (t) => {
  const [before, merged] = [{}, {}]
  const observe = (sample) => Round.prototype.observe.call({ processes: { look: (onRead) => onRead([5]) }, monitor: null, timeline: { samples: [before, merged] } }, sample)
  observe({})
  t.same([before, merged], [{}, { monitor: [5] }])
  observe(before)
  t.same([before, merged], [{ monitor: [5] }, { monitor: [5] }])
  // A sample that has its own keeps it, also if the rest at the end of the run has become part of it.
  Round.prototype.observe.call({ processes: { look: (onRead) => onRead([7]) }, monitor: null, timeline: { samples: [before, merged] } }, {})
  t.same([before, merged], [{ monitor: [5] }, { monitor: [5] }])
  t.end()
})

t.test('a warm-up has a result of its own settings, and its totals are not those of the run', async (t) => {
  const ticks = []
  const { result } = await playInWorld(t, { serviceTime: 9 }, { connections: 4, duration: 0.3, sampleInt: 100, warmup: { connections: 2, duration: 0.2 } }, (instance) => instance.on('tick', (tick) => ticks.push(tick)))
  t.match(result.warmup, { connections: 2, duration: 0.2, accounting: { completed: 44 } })
  t.match(result, { connections: 4, duration: 0.3, timeline: { length: 3 } })
  t.match(ticks.map(({ counter, requests, time, connections }) => [counter, requests, time, connections]), [[44, 44, 0.1, 4], [44, 88, 0.2, 4], [44, 132, 0.3, 4]])
})

t.test('a tick has what was counted in its sample, and since the start', async (t) => {
  const so = { requests: 0, errors: 0, statuses: { '2xx': 0, '5xx': 0 } }
  const outcomes = [200, 200, 503, 'reset', 200, 503, 'reset', 'reset', 200, 200]
  const seen = []
  const ticks = []
  const answer = ({ number }) => {
    const outcome = outcomes[number % outcomes.length]
    seen.push(outcome)
    return outcome
  }
  await playInWorld(t, { serviceTime: 30, answer }, { connections: 1, amount: 50, sampleInt: 250 }, (instance) => instance.on('tick', (tick) => {
    ticks.push([tick.counter, tick.requests, tick.errors, { '2xx': 0, '5xx': 0, ...tick.statuses }])
    const own = seen.splice(0)
    // The one in flight belongs to a later sample.
    if (so.requests + so.errors + own.length > tick.requests + tick.errors) seen.push(own.pop())
    const answered = own.filter((outcome) => outcome !== 'reset')
    so.requests += answered.length
    so.errors += own.length - answered.length
    for (const outcome of answered) so.statuses[outcome === 200 ? '2xx' : '5xx']++
    t.same(ticks.at(-1), [answered.length, so.requests, so.errors, so.statuses])
  }))
  t.ok(ticks.length > 5)
  t.same(ticks.at(-1).slice(1), [35, 15, { '2xx': 25, '5xx': 10 }])
})

t.test('a tick has what its samples add up to since the start of the run, without the warm-up, also of sessions and events', async (t) => {
  const sums = (rows, valueOf) => rows.reduce((sum, row) => sum + valueOf(row), 0)
  const answer = { pieces: [[2, 'data: a\n\n'], [7, 'data: b\n\ndata: c\n\n']] }
  const kinds = {
    plain: [{ serviceTime: 9 }, { connections: 3 }],
    sessions: [{ serviceTime: 23 }, { connections: 9, overallRate: 50, arrivals: 'poisson', seed: 1, sessions: { calls: 2 } }],
    events: [{ answer }, { connections: 3, stream: true }]
  }
  for (const [kind, [server, opts]] of Object.entries(kinds)) {
    for (const warmup of [undefined, { duration: 0.35 }]) {
      const ticks = []
      const { result } = await playInWorld(t, server, { duration: 0.57, sampleInt: 100, ...opts, warmup }, (instance) => instance.on('tick', (tick) => ticks.push(structuredClone(tick))))
      const { timeline } = result
      const expected = timeline.map((_, index) => {
        const rows = timeline.slice(0, index + 1)
        const { open } = rows.at(-1).sessions ?? {}
        return {
          requests: sums(rows, (row) => row.requests),
          errors: 0,
          statuses: { '2xx': sums(rows, ({ statuses }) => statuses['2xx'] ?? 0) },
          ...(kind === 'events' && { events: sums(rows, ({ stream }) => stream.events) }),
          ...(kind === 'sessions' && { sessions: { ...Object.fromEntries(['scheduled', 'started', 'completed', 'failed'].map((name) => [name, sums(rows, ({ sessions }) => sessions[name])])), open } })
        }
      })
      const shown = `${kind}, ${warmup === undefined ? 'without' : 'with'} a warm-up`
      t.equal(result.warmup !== undefined, warmup !== undefined)
      t.match(ticks, expected, shown)
      t.ok(ticks.length >= 5 && expected.at(-1).requests > 10 && (kind !== 'events' || expected.at(-1).events > 30) && (kind !== 'sessions' || expected.at(-1).sessions.completed > 10), shown)
    }
  }
})

t.test('a threshold that is lost in the last sample fails, and ends nothing early', async (t) => {
  const opts = { connections: 1, duration: 1.2, sampleInt: 500, thresholds: ['errors == 0'], abortOnFail: true }
  const failingAt = (wanted) => ({ serviceTime: 100, answer: ({ number }) => number === wanted ? 'reset' : 200 })
  const { result: late } = await playInWorld(t, failingAt(10), opts)
  t.match(late, { duration: 1.2, passed: false, errors: 1 })
  t.notOk(codesOf(late).includes('ABORTED_ON_FAIL'))
  const { result: early } = await playInWorld(t, failingAt(2), opts)
  t.match(early, { duration: 0.5, passed: false })
  t.ok(codesOf(early).includes('ABORTED_ON_FAIL'))
})

t.test('a threshold that is lost ends the run once, whatever samples of other threads still say', async (t) => {
  let aborted = 0
  const { plan } = createPlan({ url: 'http://127.0.0.1', duration: 5, thresholds: ['errors == 0'], abortOnFail: true })
  const failed = { ...new Recorder({ endpoints: 1, targets: plan.targets }).interim() }
  failed.counters = { ...failed.counters, failed: 1 }
  const round = Object.assign(Object.create(Round.prototype), { plan, timeline: { samples: [] }, warmup: null, abortion: null, isStopped: false, onAbort: () => aborted++ })
  round.abortWhenLost({ end: 1000, interims: [failed] })
  const { abortion } = round
  t.match(abortion, { code: 'ABORTED_ON_FAIL', message: /^The run ended early, after 1 seconds, because a threshold can no longer be met: errors == 0 \(it was 1 by then\)\.$/ })
  round.abortWhenLost({ end: 2000, interims: [failed] })
  t.equal(round.abortion, abortion)
  t.equal(aborted, 1)
})

t.test('a run that a person stopped says so, even if the sample in which that happened fails a threshold', async (t) => {
  const opts = { connections: 1, duration: 10, sampleInt: 500, thresholds: ['errors == 0'], abortOnFail: true }
  const failing = { serviceTime: 100, answer: ({ number }) => number === 2 ? 'reset' : 200 }
  const { result } = await playInWorld(t, failing, opts, (instance) => instance.once('tick', () => instance.stop()))
  t.match(result, { duration: 0.5, passed: false, errors: 1 })
  t.same(codesOf(result).filter((code) => code === 'STOPPED' || code === 'ABORTED_ON_FAIL'), ['STOPPED'])
})

t.test('a run whose user code throws has its error, and its result says that it covers only part of the run', async (t) => {
  const failing = async (listeners = {}) => {
    const { value } = await simulate({}, (world) => {
      const { url } = world.server({ serviceTime: 15 })
      let requests = 0
      const setupRequest = (request) => {
        if (++requests === 5) throw new Error('my hook')
        return request
      }
      const instance = run({ url, connections: 20, overallRate: 100, duration: 1, timeout: 10, drain: 0.1, requests: [{ setupRequest }] })
      for (const [event, listener] of Object.entries(listeners)) instance.on(event, listener)
      return instance.catch((error) => error)
    })
    return value
  }
  const error = await failing()
  t.match(error, { code: 'CANNONADE_HOOK_FAILED', message: /my hook/ })
  t.ok(error.result.accounting.unfinished > 0)
  t.same(error.result.warnings.filter(({ code }) => code === 'STOPPED').map(({ message }) => message), ['The run failed after 0.04 of its 1 seconds, so the result covers only part of it.'])
  t.match(await failing({ tick () { throw new Error('my listener') } }), { message: /my hook/ }, 'the engine\'s error goes before that of a listener that hears of its end')
})

'use strict'

// Settings that follow from several options at once: whatever is combined, the plan is what the rules in docs/options.md say, computed here
// from the given options alone.

const assert = require('node:assert')
const t = require('tap')
const fc = require('../support/fast-check')
const { createPlan, draftPlan } = require('../../lib/plan')

// Users' objects have a prototype.
const record = (parts, more) => fc.record(parts, { noNullPrototype: true, ...more })
const maybe = (arbitrary) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const count = fc.integer({ min: 1, max: 50 })
const seconds = fc.integer({ min: 1, max: 30 })
const ramp = record({ from: fc.integer({ min: 0, max: 5 }), to: fc.integer({ min: 5, max: 60 }), over: seconds })
const stages = fc.array(record({ duration: seconds, rate: count }), { minLength: 1, maxLength: 3 })
const list = fc.array(record({ path: fc.constantFrom('/a', '/b'), weight: maybe(count) }, { requiredKeys: ['path'] }), { minLength: 1, maxLength: 4 })

/** Without what is not given, as users write options. */
const given = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

const combination = record({
  // Often one alone, or none.
  ends: fc.subarray(['duration', 'amount', 'maxConnectionRequests', 'maxOverallRequests', 'stages'], { maxLength: 2 }),
  limit: count,
  stages,
  connections: maybe(fc.oneof(count, ramp)),
  timeout: maybe(seconds),
  drain: maybe(seconds),
  warmup: maybe(fc.oneof(seconds, fc.constant(true), record({ connections: count, duration: seconds }, { requiredKeys: [] }))),
  overallRate: maybe(count),
  rows: maybe(record({ count, order: fc.constantFrom('once', 'sequential', 'random') })),
  requests: maybe(list)
}).map(({ ends, limit, stages, overallRate, rows, requests, warmup, ...options }) => given({
  ...options,
  ...Object.fromEntries(ends.map((name) => [name, name === 'stages' ? stages : limit])),
  ...(!ends.includes('stages') && { overallRate }),
  feed: rows && { rows: Array.from({ length: rows.count }, (_, id) => ({ id })), order: rows.order },
  requests: requests?.map(given),
  warmup: warmup === undefined || typeof warmup !== 'object' ? warmup : given(warmup)
}))

function expectedOf ({ duration, amount, maxConnectionRequests = null, maxOverallRequests = null, connections = 10, timeout = 10, drain, warmup, stages, feed, requests = [{}] }) {
  const length = duration ?? stages?.reduce((sum, stage) => sum + stage.duration, 0) ?? 10
  const most = connections.to ?? connections
  const isMix = requests.some(({ weight }) => weight !== undefined)
  const steps = isMix ? 1 : requests.length
  const ends = [duration, amount, stages, maxConnectionRequests ?? undefined, maxOverallRequests ?? undefined].some((each) => each !== undefined)
  const ofRows = feed?.order === 'once' && !ends ? feed.rows.length * steps : null
  const before = typeof warmup === 'object' ? warmup : { duration: warmup === true ? undefined : warmup }
  return {
    duration: length,
    connections: most,
    rampUp: typeof connections === 'object' ? connections : null,
    timeout,
    drain: drain ?? timeout,
    amount: amount ?? ofRows,
    maxConnectionRequests: amount === undefined ? maxConnectionRequests : null,
    maxOverallRequests: amount === undefined && maxConnectionRequests === null ? maxOverallRequests : null,
    warmup: warmup === undefined ? null : { connections: before.connections ?? most, duration: before.duration ?? length },
    mix: isMix ? { weights: requests.map(({ weight = 1 }) => weight) } : null,
    feed: feed === undefined ? null : { rows: feed.rows, order: feed.order, steps, amount: ofRows },
    sessions: null
  }
}

const derivedOf = (plan) => Object.fromEntries(Object.keys(expectedOf({})).map((name) => [name, plan[name]]))

t.test('property: limits, lengths, warm-up, drain, mix and feed, whichever of these options are given together', async (t) => {
  fc.assert(fc.property(combination, (options) => {
    const { plan } = createPlan({ url: 'http://a.test', ...options })
    assert.deepStrictEqual(structuredClone(derivedOf(plan)), expectedOf(options), JSON.stringify(options))
    // Programs may inherit options, such as from a prototype with their defaults.
    const inherited = createPlan(Object.create({ url: 'http://a.test', ...options })).plan
    assert.deepStrictEqual(derivedOf(inherited), derivedOf(plan), `inherited: ${JSON.stringify(options)}`)
    const { opts } = draftPlan({ url: 'http://a.test', ...options })
    assert.deepStrictEqual([opts.connections, opts.duration, opts.drain], [plan.connections, plan.duration, plan.drain])
  }), { numRuns: 200 })
})

t.test('property: sessions end with the rows of a feed that is used once, or with their own amount if that is smaller', async (t) => {
  const options = record({ rows: maybe(count), order: fc.constantFrom('once', 'sequential'), amount: maybe(count), requests: fc.integer({ min: 1, max: 3 }) })
  fc.assert(fc.property(options, ({ rows, order, amount, requests }) => {
    const feed = rows && { rows: Array.from({ length: rows }, () => ({})), order }
    const opts = given({ url: 'http://a.test', sessions: amount === undefined ? true : { amount, calls: 5 }, feed, requests: Array(requests).fill({}) })
    const { plan } = createPlan(opts)
    const least = Math.min(amount ?? Infinity, rows !== undefined && order === 'once' ? rows : Infinity)
    assert.strictEqual(plan.sessions.amount, least === Infinity ? null : least)
    // How many requests these are, is up to the sessions.
    assert.deepStrictEqual([plan.amount, plan.feed?.amount ?? null], [null, null])
  }), { numRuns: 100 })
})

t.test('property: a step of a scenario pauses by itself, else as its scenario does, else as the run does', async (t) => {
  const pause = maybe(fc.integer({ min: 0, max: 9 }))
  const scenario = record({ thinkTime: pause, pauses: fc.array(pause, { minLength: 1, maxLength: 3 }) })
  fc.assert(fc.property(fc.array(scenario, { minLength: 1, maxLength: 3 }), pause, (scenarios, thinkTime) => {
    const { plan } = createPlan(given({
      url: 'http://a.test',
      thinkTime,
      scenarios: scenarios.map(({ thinkTime, pauses }, index) => given({ name: `s${index}`, thinkTime, requests: pauses.map((thinkTime) => given({ thinkTime })) }))
    }))
    let number = 0
    const fixed = (seconds) => ({ from: seconds, to: seconds })
    // For the whole run, 0 is the same as none.
    const ofRun = thinkTime ? fixed(thinkTime) : null
    const expected = scenarios.map(({ thinkTime, pauses }) => pauses.map((own) => {
      const first = own ?? thinkTime
      return { requests: [number++], thinkTime: first === undefined ? ofRun : fixed(first) }
    }))
    assert.deepStrictEqual(structuredClone(plan.sessions.scripts), expected)
  }), { numRuns: 100 })
})

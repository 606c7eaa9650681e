'use strict'

// What is told of drawn runs while they last: the page of a run or study, and metrics for OpenTelemetry and Prometheus.

const { EventEmitter } = require('node:events')
const { toOpenTelemetry } = require('../..')
const { version } = require('../../package.json')
const Distribution = require('../../lib/metrics/distribution')
const { merge } = require('../../lib/metrics/merge')
const Recorder = require('../../lib/metrics/recorder')
const { noTotals } = require('../../lib/metrics/totals')
const { createPlan } = require('../../lib/plan')
const { livePage } = require('../../lib/report/html/live')
const { createRegistry } = require('../../lib/watch/prometheus/metrics')
const State = require('../../lib/watch/prometheus/state')
const PageServer = require('../../lib/watch/dashboard/page-server')
const Pages = require('../../lib/watch/dashboard/pages')
const { Dice, count, counts, list, maybe, name, rate, round, size, time } = require('../report/drawn/draw')
const { drawnRun } = require('../report/drawn/runs')
const { KINDS, drawnStudy } = require('../report/drawn/studies')

const rounded = (key, value) => typeof value === 'number' ? Number(value.toPrecision(9)) : value
const few = (dice) => dice.one(0, 0, 1, 2, 9)
const OPTIONS = [
  {}, { overallRate: 100 }, { stages: '1s:100, 1s:0, 1s:300' }, { amount: 40 }, { sessions: true }, { overallRate: 10, sessions: true }, { thresholds: ['p50 < 12ms', 'p99.9 < 1s', 'errors < 10%', 'failures <= 9', '5xx == 0', 'non2xx < 25%', 'latency.max < 30ms'] }, { thresholds: ['p99 < 1s', 'errors == 0', '4xx < 1%'], bursts: { size: 5, interval: 1 } }
]
const planOf = (dice, more) => createPlan({ url: 'http://localhost:1', duration: dice.one(1, 5, 60), ...dice.one(...OPTIONS), ...more }).plan

/** The states that a page is shown. @param {number} seed */
function outputsOfDashboard (seed) {
  const dice = Dice.of(seed, 'dashboard')
  const what = { title: maybe(dice, 0.5, name), url: dice.one('http://a', ['http://a', 'http://b/?token=x'], 'ws://c', undefined), websocket: dice.happens(0.2), hasFlame: dice.happens(0.2) }
  const states = []
  const { changed } = Pages.prototype
  Pages.prototype.changed = function () { states.push(this.state()) }
  try {
    playOnPage(dice, new PageServer({ port: 0, host: '127.0.0.1' }, what))
  } finally {
    Object.assign(Pages.prototype, { changed })
  }
  const page = livePage(what).page.replace(/<style>[^]*?<\/style>/g, '').replace(/<script>[^]*?<\/script>/g, '').replaceAll(version, 'VERSION')
  return { states: JSON.stringify(states, rounded), page }
}

function playOnPage (dice, server) {
  const isStudy = dice.happens(0.4)
  const kind = dice.one(...KINDS)
  for (let runs = isStudy ? 3 : dice.one(1, 1, 2); runs > 0; runs--) {
    if (isStudy) server.begins(`run ${runs}`)
    if (dice.happens(0.3)) server.warmsUp()
    const { duration, amount, schedule, thresholds } = planOf(dice)
    server.started({ duration, amount, schedule: dice.one(schedule, null), thresholds, hasOtherFailures: dice.happens(0.5) })
    samplesOf(dice).forEach((sample) => server.sampled(sample))
    server.ended()
    if (isStudy) server.grew({ ...(kind === 'comparison' && { metrics: {} }), ...drawnStudy(kind, dice.whole(0, 99)).study })
  }
}

function samplesOf (dice) {
  const { timeline } = drawnRun(dice.whole(0, 999))
  const seconds = dice.one(0.5, 1)
  const totals = { requests: 0, errors: 0, statuses: {} }
  return timeline.slice(0, 5).map(({ sessions, ...row }, index) => {
    totals.requests += row.requests
    totals.errors += row.errors
    for (const [name, number] of Object.entries(counts(dice, ['1xx', '2xx', '3xx', '4xx', '5xx'], 0.3))) totals.statuses[name] = (totals.statuses[name] ?? 0) + number
    return {
      row: { ...row, time: (index + 1) * seconds, seconds, ...(sessions && { sessions }), ...maybe(dice, 0.3, () => ({ latencyBounds: { count: 1, smallest: dice.one(row.p50, row.p99) } })) }, index: dice.one(index, index, Math.max(0, index - 1)), sampleInt: 1000 * seconds, totals: structuredClone(totals), connections: few(dice)
    }
  })
}

/** What a meter is told. @param {number} seed */
function outputsOfTelemetry (seed) {
  const dice = Dice.of(seed, 'telemetry')
  const log = []
  const instrument = (kind) => (name, how) => {
    log.push([kind, name, how])
    return { add: (...args) => log.push([name, ...args]), record: (...args) => log.push([name, ...args]) }
  }
  const instance = Object.assign(new EventEmitter(), { opts: { title: maybe(dice, 0.5, name) } })
  toOpenTelemetry(instance, { meter: { createCounter: instrument('counter'), createGauge: instrument('gauge') }, ...dice.one({}, { attributes: { branch: 'main' } }, { attributes: { title: 'other' } }) })
  for (let rounds = dice.one(1, 2, 3); rounds > 0; rounds--) {
    instance.emit('start')
    const { scenarios, checks, ...result } = drawnRun(dice.whole(0, 999), true)
    let [sent, requests, errors] = [0, 0, 0]
    for (let ticks = dice.whole(0, 4); ticks > 0; ticks--) {
      const counter = few(dice)
      sent += few(dice)
      requests += counter
      errors += few(dice)
      instance.emit('tick', { sent, requests, errors, bytes: few(dice), connections: few(dice), p50: time(dice), p99: time(dice), counter })
    }
    const sums = { accounting: { ...result.accounting, sent: sent + few(dice) }, requests: { total: requests + few(dice) }, errors: errors + few(dice), throughput: { total: size(dice) } }
    const ofScenarios = scenarios?.map(({ sessions, accounting, ...each }) => ({ ...each, sessions: { ...sessions, unstarted: few(dice) }, accounting: { ...accounting, timedOut: few(dice) } }))
    instance.emit('done', { ...result, ...sums, scenarios: ofScenarios, ...(checks.length > 0 && { checks }) })
  }
  return { told: JSON.stringify(log) }
}

/** What is served to Prometheus. @param {number} seed @returns {Promise<Record<string, string>>} */
async function outputsOfPrometheus (seed) {
  const dice = Dice.of(seed, 'prometheus')
  const plan = planOf(dice, { prometheus: dice.one(0, { port: 0, buckets: [0.001, 0.01, 1], labels: { branch: 'main' } }), ...maybe(dice, 0.4, () => ({ title: 'shop' })) })
  const state = new State({ ...plan, monitor: dice.one(null, [71, 72]) })
  const registry = createRegistry(state)
  const texts = []
  const scrape = async () => texts.push((await registry.metrics()).replace(/^(cannonade_generator_cpu_seconds_total\S*) .*$/m, '$1'))
  await scrape()
  for (let rounds = dice.one(1, 1, 2); rounds > 0; rounds--) {
    state.started()
    await playSamples(dice, state, scrape)
    if (dice.happens(0.2)) continue
    const recorder = new Recorder({ endpoints: 1, open: dice.happens(0.5), timeout: 0 })
    for (const name of Object.keys(recorder.counters)) recorder.counters[name] += few(dice)
    list(few(dice), () => recorder.distributions.connectTime.record(Math.round(1000 * time(dice))))
    state.ended(merge([recorder.summary()]))
    await scrape()
  }
  return { served: texts.join('\n') }
}

async function playSamples (dice, state, scrape) {
  const { plan } = state
  const totals = noTotals(plan.prometheus.buckets)
  const counted = { ...totals.counters }
  let start = 0
  for (let samples = dice.whole(1, 3); samples > 0; samples--) {
    const end = start + dice.one(250, 1000, 1500)
    for (const name of Object.keys(counted)) counted[name] += few(dice)
    const latency = new Distribution()
    list(few(dice), () => latency.record(Math.round(1000 * time(dice))))
    const timings = Object.fromEntries(Object.entries(totals.timings).map(([name, { counts: each }]) => [name, { counts: each.map(() => few(dice)), sum: round(rate(dice)) }]))
    const watched = { totals: { ...totals, counters: { ...counted }, statuses: counts(dice, ['200', '404'], 0.7), errors: counts(dice, ['ECONNRESET', 'EPIPE']), timings }, eventLoop: { utilization: dice.one(0, 0.5, 1), delayP99: time(dice) } }
    state.interval({ start, end, connections: count(dice), latency, watched })
    if (dice.happens(0.5)) state.observed(list(dice.whole(0, 2), (index) => ({ pid: 71 + index, cpu: rate(dice), memory: size(dice) })))
    start = end
    await scrape()
  }
}

module.exports = { OUTPUTS: { dashboard: outputsOfDashboard, telemetry: outputsOfTelemetry, prometheus: outputsOfPrometheus } }

'use strict'

// The served metrics must agree with the result.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { run } = require('../../..')
const Distribution = require('../../../lib/metrics/distribution')
const { merge } = require('../../../lib/metrics/merge')
const Recorder = require('../../../lib/metrics/recorder')
const { noTotals } = require('../../../lib/metrics/totals')
const { createPlan } = require('../../../lib/plan')
const { METRICS, createRegistry } = require('../../../lib/watch/prometheus/metrics')
const State = require('../../../lib/watch/prometheus/state')
const { closedPort, httpServer } = require('../../support/servers')
const { readMetrics, scrape, watch } = require('./exposition')

const LINGER = 60

/** A server with every kind of outcome; some requests get no response at all. */
function moody (t) {
  return httpServer(t, (request, response, number) => {
    if (number % 40 === 13) request.socket.destroy()
    else if (number % 40 !== 27) response.writeHead([200, 200, 404, 500][number % 4]).end('x'.repeat(number % 50))
  })
}

function checkCounters (t, result, { value, samples }) {
  const { accounting, bytes, connectionStats, statusCodeStats, errorCodes } = result
  const { scheduled, sent, completed, failed, timedOut, unfinished, unsent } = accounting
  t.equal(value('cannonade_requests_scheduled_total'), scheduled)
  t.equal(value('cannonade_requests_sent_total'), sent)
  for (const [outcome, count] of Object.entries({ completed, failed, timed_out: timedOut, unfinished, unsent })) {
    t.equal(value('cannonade_requests_total', { outcome }), count, outcome)
  }
  t.equal(value('cannonade_mismatches_total'), result.mismatches)
  t.equal(value('cannonade_resets_total'), result.resets)
  t.equal(value('cannonade_read_bytes_total'), bytes.read)
  t.equal(value('cannonade_written_bytes_total'), bytes.written)
  t.equal(value('cannonade_connections_opened_total'), connectionStats.opened)
  t.equal(value('cannonade_connections_failed_total'), connectionStats.failed)
  t.equal(value('cannonade_connections_closed_total', { by: 'server' }), connectionStats.closedByServer)
  t.equal(value('cannonade_connections_closed_total', { by: 'client' }), connectionStats.closedByClient)
  const byCode = (name) => Object.fromEntries(samples.filter((each) => each.name === name).map(({ labels: { code }, value }) => [code, value]))
  t.same(byCode('cannonade_responses_total'), Object.fromEntries(Object.entries(statusCodeStats).map(([code, { count }]) => [code, count])))
  t.same(byCode('cannonade_errors_total'), Object.fromEntries(Object.entries(errorCodes).map(([code, { count }]) => [code, count])))
  t.equal(value('cannonade_running'), 0)
  t.equal(value('cannonade_connections'), 0)
  t.equal(value('cannonade_requests_in_flight'), 0)
}

function checkHistogram (t, { samples, value }, name, statistics, labels = {}) {
  const isOf = (each) => Object.entries(labels).every(([label, text]) => each.labels[label] === text)
  const buckets = samples.filter((each) => each.name === `${name}_bucket` && isOf(each))
  t.equal(buckets.at(-1).labels.le, '+Inf', name)
  t.ok(buckets.every((bucket, index) => index === 0 || bucket.value >= buckets[index - 1].value), 'cumulative')
  t.equal(buckets.at(-1).value, statistics.totalCount)
  t.equal(value(`${name}_count`, labels), statistics.totalCount)
  const sum = value(`${name}_sum`, labels)
  t.ok(Math.abs(sum - statistics.totalCount * statistics.mean / 1000) <= statistics.totalCount * 1e-6 + 1e-9, `${name}: ${sum} s`)
  for (const { labels: { le }, value: count } of buckets) {
    // Percentiles of the same values agree to 0.1%.
    if (Number(le) * 1000 < statistics.p50 * 0.998) t.ok(count <= statistics.totalCount / 2, `below the median at ${le}`)
    if (Number(le) * 1000 > statistics.p99 * 1.002) t.ok(count >= statistics.totalCount * 0.99 - 1, `above p99 at ${le}`)
  }
}

const RUNS = {
  'the closed model': { amount: 200, connections: 8, timeout: 0.4, expectBody: 'x' },
  'the open model, with a drain': { duration: 1.2, connections: 8, overallRate: 150, timeout: 0.4, pacing: 'sleep' },
  'an amount, with workers': { amount: 200, connections: 6, timeout: 0.4, workers: 2, overallRate: 300, pacing: 'sleep' },
  'workers, closed model': { amount: 200, connections: 4, timeout: 0.4, workers: 2, sampleInt: 250 },
  'errors left out of the latency': { amount: 200, connections: 4, timeout: 0.4, excludeErrorStats: true }
}

for (const [name, opts] of Object.entries(RUNS)) {
  t.test(`at the end all numbers are those of the result: ${name}`, async (t) => {
    const server = await moody(t)
    const { result, during, final } = await watch(run({ url: server.url, prometheus: { port: 0, linger: LINGER }, ...opts }))
    // If the machine stands still, a run with a duration may end before there were all of them.
    t.ok(opts.duration || (result.accounting.failed > 0 && result.accounting.timedOut > 0), 'all kinds of outcomes')
    checkCounters(t, result, final)
    checkHistogram(t, final, 'cannonade_latency_seconds', result.latency)
    checkHistogram(t, final, 'cannonade_service_time_seconds', result.serviceTime)
    checkHistogram(t, final, 'cannonade_time_to_first_byte_seconds', result.timeToFirstByte)
    checkHistogram(t, final, 'cannonade_connect_time_seconds', result.connectTime)
    if (opts.overallRate) {
      checkHistogram(t, final, 'cannonade_send_delay_seconds', result.sendDelay.client, { cause: 'generator' })
      checkHistogram(t, final, 'cannonade_send_delay_seconds', result.sendDelay.waiting, { cause: 'connection' })
    } else {
      t.equal(final.value('cannonade_offered_rate'), undefined, 'without a schedule nothing about one')
      t.equal(final.types.cannonade_send_delay_seconds, undefined)
    }
    t.ok(during.length > 0)
    const pages = [...during, final]
    for (const { name, labels } of final.samples.filter(({ name }) => /_(total|count|bucket)$/.test(name))) {
      const history = pages.map(({ value }) => value(name, labels) ?? 0)
      if (history.some((value, index) => value < history[index - 1])) t.fail(`${name} goes back: ${history}`)
    }
  })
}

t.test('during the run', async (t) => {
  // Three scrapes during the load end the run, by an answer that it does not accept.
  let scrapes = 0
  const server = await httpServer(t, (request, response) => response.writeHead(scrapes < 3 ? 200 : 500).end())
  const opts = {
    url: server.url, overallRate: 200, pacing: 'sleep', duration: 60, sampleInt: 200, connections: 3, thresholds: 'non2xx == 0', abortOnFail: true, prometheus: { port: 0, linger: LINGER }
  }
  const { result, during, final } = await watch(run(opts), ({ value }) => { if (value('cannonade_running') && value('cannonade_connections') === 3) scrapes++ })
  t.ok(scrapes >= 3)
  for (const { value, types, headers } of during) {
    t.match(headers['content-type'], 'text/plain')
    t.equal(types.cannonade_latency_seconds, 'histogram')
    t.equal(types.cannonade_requests_total, 'counter')
    const isRunning = value('cannonade_running')
    if (!isRunning) continue // scraped after the last tick
    t.equal(value('cannonade_offered_rate'), 200)
    t.ok(value('cannonade_connections') <= 3)
    const busy = value('cannonade_generator_event_loop_utilization_ratio')
    t.ok(busy >= 0 && busy <= 1, `${busy}`)
    t.ok(value('cannonade_generator_event_loop_delay_seconds') >= 0)
    t.ok(value('cannonade_generator_cpu_seconds_total') >= 0)
  }
  const running = during.filter(({ value }) => value('cannonade_running'))
  for (const name of ['cannonade_generator_cpu_seconds_total', 'cannonade_latency_seconds_count']) t.ok(running.some(({ value }) => value(name) > 0), name)
  t.ok(during[0].value('cannonade_requests_sent_total') < result.accounting.sent, 'not all at once')
  t.equal(final.value('cannonade_requests_sent_total'), result.accounting.sent)
  t.equal(final.value('cannonade_offered_rate'), 0, 'nothing is scraped anymore')
})

t.test('with stages, the rate is that of the last sample', async (t) => {
  const { plan } = createPlan({ url: 'http://localhost:1', stages: '1s:100, 1s:0, 1s:300', prometheus: 0 })
  const state = new State(plan)
  const registry = createRegistry(state)
  const rateAfter = async (start, end) => {
    const watched = { totals: noTotals(plan.prometheus.buckets), eventLoop: { utilization: 0, delayP99: 0 } }
    state.interval({ start, end, connections: 3, latency: new Distribution(), watched })
    return readMetrics(await registry.metrics()).value('cannonade_offered_rate')
  }
  const rates = []
  for (const interval of [[0, 500], [500, 1000], [900, 1100], [1100, 2000], [1500, 2500], [2500, 3000], [3000, 3000]]) rates.push(await rateAfter(...interval))
  t.same(rates, [100, 100, 50, 0, 150, 300, 300], 'a sample without length has none of its own')
})

t.test('when a run is over, and before the next round, each gauge is that of a run that has not begun', async (t) => {
  const { plan } = createPlan({ url: 'http://localhost:1', sessions: true, overallRate: 10, prometheus: 0 })
  const state = new State({ ...plan, monitor: [71] })
  const registry = createRegistry(state)
  const gauges = async () => {
    const { types, samples } = readMetrics(await registry.metrics())
    return Object.fromEntries(samples.filter(({ name }) => types[name] === 'gauge').map(({ name, labels, value }) => [`${name} ${JSON.stringify(labels)}`, value]))
  }
  const before = await gauges()
  t.ok(Object.values(before).every((value) => value === 0), 'nothing yet')
  for (let round = 0; round < 2; round++) {
    state.started()
    const totals = noTotals(plan.prometheus.buckets)
    const counters = { ...totals.counters, scheduled: 9, sent: 7, completed: 4 }
    const watched = { totals: { ...totals, counters }, eventLoop: { utilization: 0.5, delayP99: 20 } }
    state.interval({ start: 0, end: 1000, connections: 3, latency: new Distribution(), watched, sessions: { scheduled: 9, started: 7, completed: 4, failed: 0, open: 3 } })
    state.observed([{ pid: 71, cpu: 0.5, memory: 1000 }])
    const during = await gauges()
    t.same(Object.entries(during).filter(([, value]) => value === 0), [], 'each of them has a value')
    t.equal(during['cannonade_sessions_open {}'], 3)
    state.ended(merge([new Recorder({ endpoints: 1, open: true, timeout: 0 }).summary()]))
    t.same(await gauges(), before, `after round ${round + 1}`)
  }
})

t.test('the service time during a run: its own with a schedule and with sessions, otherwise it is the latency', async (t) => {
  const sumAfter = async (opts) => {
    const { plan } = createPlan({ url: 'http://localhost:1', prometheus: 0, ...opts })
    const state = new State(plan)
    const totals = noTotals(plan.prometheus.buckets)
    const own = { ...totals.timings.serviceTime, sum: 3 }
    const latency = new Distribution()
    latency.record(5e6)
    for (const start of [0, 1000]) {
      const watched = { totals: { ...totals, timings: { ...totals.timings, serviceTime: own } }, eventLoop: { utilization: 0, delayP99: 0 } }
      state.interval({ start, end: start + 1000, connections: 1, latency, watched })
    }
    const { value } = readMetrics(await createRegistry(state).metrics())
    return ['latency', 'service_time'].map((name) => value(`cannonade_${name}_seconds_sum`))
  }
  const all = [{}, { overallRate: 10 }, { sessions: true }, { sessions: true, overallRate: 10 }]
  t.same(await Promise.all(all.map(sumAfter)), [[10, 10], [10, 3], [10, 3], [10, 3]])
})

t.test('a warm-up does not count', async (t) => {
  let url, early
  // The warm-up waits for its response until the metrics have been scraped.
  const server = await httpServer(t, async (request, response, number) => {
    if (number === 0) early = await scrape(url)
    response.end('ok')
  })
  const instance = run({ url: server.url, warmup: 0.2, sampleInt: 100, amount: 50, connections: 2, prometheus: { port: 0, linger: LINGER } })
  instance.on('prometheus', (address) => { url = address.url })
  const { result, final } = await watch(instance)
  // If the machine stands still during all of the warm-up, the first request is one of the run.
  const names = ['running', 'requests_sent_total', 'latency_seconds_count'].map((name) => `cannonade_${name}`)
  if (result.warmup.requests.sent > 0) t.same(names.map((name) => early.value(name)), [0, 0, 0])
  t.equal(final.value('cannonade_requests_sent_total'), 50)
})

t.test('an unreachable server', async (t) => {
  const { url } = await closedPort(t)
  const { result, final } = await watch(run({ url, duration: 60, bailout: 5, prometheus: { port: 0, linger: LINGER } }))
  checkCounters(t, result, final)
  t.ok(final.value('cannonade_errors_total', { code: 'ECONNREFUSED' }) > 0)
})

t.test('labels, a title and custom buckets', async (t) => {
  const server = await httpServer(t)
  const title = 'a "title"\\ of\ntwo lines'
  const prometheus = { port: 0, linger: LINGER, labels: { branch: 'main', build: 17 }, buckets: [0.2, 3600] }
  const { final, result } = await watch(run({ url: server.url, amount: 20, title, prometheus }))
  t.ok(final.samples.length > 20)
  for (const { name, labels } of final.samples) t.match(labels, { title, branch: 'main', build: '17' }, name)
  const bounds = final.samples.filter(({ name }) => name === 'cannonade_latency_seconds_bucket').map(({ labels, value }) => [labels.le, value])
  t.same(bounds.map(([le]) => le), ['0.2', '3600', '+Inf'])
  t.equal(bounds[1][1], result.latency.totalCount)
})

t.test('every request that was sent and has no outcome is in flight', (t) => {
  const { values } = METRICS.find(({ name }) => name === 'cannonade_requests_in_flight')
  t.match(values({ counters: { scheduled: 128, sent: 64, completed: 1, failed: 2, timedOut: 4, unfinished: 8, unsent: 16 } }, {}), [{ value: 64 - 1 - 2 - 4 - 8 }])
  t.end()
})

t.test('the documentation lists each metric with its type', async (t) => {
  const page = fs.readFileSync(path.join(__dirname, '../../../docs/prometheus.md'), 'utf8').split('<!-- metrics -->')[1].split('\n\n')[0]
  const told = page.split('\n').flatMap((line) => {
    const [, names, type] = line.split('|')
    return [...(names ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => [name, type.trim()])
  })
  t.same(Object.fromEntries(told), Object.fromEntries(METRICS.map(({ name, type }) => [name, type])))
})

t.test('names follow Prometheus conventions: base units, counters that end in _total', async (t) => {
  const server = await httpServer(t)
  const { final: { types } } = await watch(run({ url: server.url, overallRate: 50, amount: 5, prometheus: { port: 0, linger: LINGER } }))
  for (const [name, type] of Object.entries(types)) {
    t.match(name, /^cannonade_[a-z_]+$/)
    t.equal(name.endsWith('_total'), type === 'counter', name)
    if (type === 'histogram') t.match(name, /_seconds$/)
    t.notMatch(name, /milli|_ms/)
  }
})

'use strict'

const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { metrics } = require('@opentelemetry/api')
const { MeterProvider, MetricReader } = require('@opentelemetry/sdk-metrics')
const { run, toOpenTelemetry } = require('../..')
const { runCommand } = require('../cli/command')
const { simulate } = require('../simulation/world')
const { withoutPackage } = require('../support/without-package')

/** A reader of metrics that the test triggers. */
class Reader extends MetricReader {
  flushed = 0
  async onForceFlush () {
    // Whoever doesn't wait for it has ended by then.
    for (let turn = 0; turn < 1000; turn++) await null
    this.flushed++
  }

  onShutdown () {}
}

function setUp () {
  const reader = new Reader()
  const provider = new MeterProvider({ readers: [reader] })
  return { reader, provider, meter: provider.getMeter('test') }
}

/** By name, the values as [attributes, value]. */
async function collected (reader) {
  const { resourceMetrics, errors } = await reader.collect()
  if (errors.length > 0) throw errors[0]
  const all = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics)
  return Object.fromEntries(all.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints.map(({ attributes, value }) => [attributes, value])]))
}

t.test('without the package: an error that names it', async (t) => {
  withoutPackage(t, '@opentelemetry/api')
  const missing = { code: 'CANNONADE_MISSING_PACKAGE', message: 'OpenTelemetry needs the package @opentelemetry/api, which is not installed: npm install @opentelemetry/api' }
  t.throws(() => toOpenTelemetry({ on () {} }), missing)
  const { code, stderr } = await runCommand(t, ['--opentelemetry', 'http://127.0.0.1:1'])
  t.match({ code, stderr }, { code: 2, stderr: `${missing.message}\n` })
})

t.test('progress once per sample, and the result at the end', async (t) => {
  const { value } = await simulate({ seed: 1 }, async (world) => {
    world.server({ host: '10.0.0.1', serviceTime: 20 })
    const { reader, meter } = setUp()
    const instance = run({ url: '10.0.0.1', overallRate: 50, duration: 3, connections: 5, title: 'slow' })
    t.equal(toOpenTelemetry(instance, { meter, attributes: { branch: 'main' } }), instance)
    const during = []
    instance.on('tick', (tick) => during.push(collected(reader).then((metrics) => ({ tick, metrics }))))
    const result = await instance
    return { during: await Promise.all(during), result, metrics: await collected(reader) }
  })
  const { during, result, metrics } = value
  const own = { title: 'slow', branch: 'main' }
  t.ok(during.length >= 3)
  for (const { tick, metrics } of during) {
    t.same(metrics['cannonade.requests.sent'], [[own, tick.sent]])
    t.same(metrics['cannonade.responses'], [[own, tick.requests]])
    t.same(metrics['cannonade.connections'], [[own, tick.connections]])
    t.same(metrics['cannonade.sample.latency'], [[{ ...own, quantile: '0.5' }, tick.p50 / 1000], [{ ...own, quantile: '0.99' }, tick.p99 / 1000]])
    t.notOk('cannonade.requests' in metrics, 'outcomes of requests are exported at the end')
  }
  t.same(metrics['cannonade.requests.sent'], [[own, result.accounting.sent]])
  t.same(metrics['cannonade.responses'], [[own, result.requests.total]])
  t.same(metrics['cannonade.read'], [[own, result.throughput.total]])
  t.same(metrics['cannonade.requests'], [[{ ...own, outcome: 'completed' }, result.accounting.completed]])
  t.same(metrics['cannonade.statuses'], [[{ ...own, 'http.response.status_code': 200 }, result.accounting.completed]])
  t.same(metrics['cannonade.connections'], [[own, 0]])
  t.same(metrics['cannonade.result.latency'].map(([{ quantile }, seconds]) => [quantile, seconds]),
    [['0.5', 'p50'], ['0.9', 'p90'], ['0.99', 'p99'], ['0.999', 'p99_9'], ['1', 'max']].map(([quantile, name]) => [quantile, result.latency[name] / 1000]))
  const documented = [...fs.readFileSync(path.join(__dirname, '../../docs/opentelemetry.md'), 'utf8').matchAll(/^\| `(cannonade\.[\w.]+)`/mg)].map(([, name]) => name)
  t.same(Object.keys(metrics).filter((name) => !documented.includes(name)), [], 'all of them are documented')
})

t.test('failures have their cause, and rounds add up', async (t) => {
  const { value } = await simulate({ seed: 1 }, async (world) => {
    const { reader, meter } = setUp()
    const instance = run({ url: '10.0.0.9', amount: 3, connections: 1, timeout: 1, forever: true, bailout: 2 })
    toOpenTelemetry(instance, { meter })
    const results = []
    await new Promise((resolve) => instance.on('done', (result) => {
      results.push(result)
      if (results.length === 2) resolve(instance.stop())
    }))
    await world.sleep(5000)
    return { results, metrics: await collected(reader) }
  })
  const errors = value.results.reduce((sum, { errors }) => sum + errors, 0)
  t.ok(errors > 0)
  t.same(value.metrics['cannonade.errors'], [[{}, errors]])
  t.same(value.metrics['cannonade.errors.causes'], [[{ 'error.type': 'ECONNREFUSED' }, errors]])
})

t.test('--opentelemetry: the global provider, which is flushed at the end', async (t) => {
  const { reader, provider } = setUp()
  metrics.setGlobalMeterProvider(provider)
  t.teardown(() => metrics.disable())
  const simulated = async (...args) => (await simulate({ seed: 1 }, (world) => runCommand(t, [...args, world.server({ host: '10.0.0.1', serviceTime: 9 }).url]))).value
  const { code, stderr } = await simulated('--opentelemetry', '-a', '10', '-c', '2', '-n')
  t.equal(code, 0, stderr)
  t.equal(reader.flushed, 1)
  t.same((await collected(reader))['cannonade.requests'], [[{ outcome: 'completed' }, 10]])

  const swept = await simulated('sweep', '--rates', '50', '-d', '0.1', '--pause', '0', '-n', '--opentelemetry')
  t.equal(swept.code, 0, swept.stderr)
  t.equal(reader.flushed, 2)
  const targets = (await collected(reader))['cannonade.requests'].map(([{ target }]) => target)
  t.same(targets, [undefined, '10.0.0.1'])

  const url = 'http://10.0.0.1'
  const compared = await simulated('compare', '--rounds', '2', '-d', '0.1', '-W', '0.3', '-n', '-j', '--opentelemetry', `${url}/a`)
  t.equal(compared.code, 0, compared.stderr)
  const [[, count]] = (await collected(reader))['cannonade.requests'].filter(([{ target }]) => target === '10.0.0.1/a')
  // Ten connections with 9 ms per request, twice for 100 ms; a warm-up would add 330 requests.
  t.ok(count >= 200 && count <= 240, `warm-ups are no measurements: ${count}`)
})

t.test('what cannot be exported, and from where', async (t) => {
  t.throws(() => toOpenTelemetry(), { code: 'CANNONADE_BAD_ARGUMENT' })
  t.throws(() => toOpenTelemetry({ on () {} }, { meter: 5 }), { code: 'CANNONADE_BAD_OPTION', message: 'meter must be a Meter of OpenTelemetry; got 5' })
  t.throws(() => toOpenTelemetry({ on () {} }, { attributes: 5 }), { code: 'CANNONADE_BAD_OPTION' })
})

t.test('what the result says, each with its attributes; the attributes of the tester go before the title', async (t) => {
  const { reader, meter } = setUp()
  const instance = toOpenTelemetry(Object.assign(new EventEmitter(), { opts: { title: 'run' } }), { meter, attributes: { title: 'mine' } })
  const accounting = (first) => ({ sent: first + 60, completed: first, failed: first + 1, timedOut: first + 2, unfinished: 0, unsent: first + 3 })
  const latency = (first) => ({ totalCount: 9, p50: first, p90: first + 1, p99: first + 2, p99_9: first + 3, max: first + 4 })
  instance.emit('start')
  instance.emit('done', {
    accounting: accounting(10),
    requests: { total: 10 },
    errors: 23,
    throughput: { total: 5000 },
    latency: latency(1000),
    statusCodeStats: { 200: { count: 7 }, 503: { count: 3 } },
    errorCodes: { ECONNRESET: { count: 11 } },
    checks: [{ name: 'a', scenario: null, passed: 5, failed: 0 }, { name: 'b', scenario: 'buy', passed: 0, failed: 6 }],
    scenarios: [{ name: 'buy', sessions: { completed: 31, failed: 0, unfinished: 32, unstarted: 33 }, accounting: accounting(40), latency: latency(2000) }, { name: 'rest', sessions: {}, accounting: {}, latency: { totalCount: 0 } }]
  })
  const metrics = await collected(reader)
  const found = Object.fromEntries(Object.entries(metrics).map(([name, points]) => [name.replace('cannonade.', ''), points.map(([{ title, ...attributes }, value]) => {
    t.equal(title, 'mine')
    return [Object.values(attributes).join(' '), value]
  })]))
  const quantiles = (name, first) => ['0.5', '0.9', '0.99', '0.999', '1'].map((quantile, index) => [`${name}${quantile}`, (first + index) / 1000])
  const boxes = (name, first) => [[`${name}completed`, first], [`${name}failed`, first + 1], [`${name}timed_out`, first + 2], [`${name}unsent`, first + 3]]
  t.same(found, {
    'requests.sent': [['', 70]],
    responses: [['', 10]],
    errors: [['', 23]],
    read: [['', 5000]],
    connections: [['', 0]],
    requests: boxes('', 10),
    statuses: [['200', 7], ['503', 3]],
    'errors.causes': [['ECONNRESET', 11]],
    checks: [['a passed', 5], ['b failed buy', 6]],
    'scenarios.sessions': [['buy completed', 31], ['buy unfinished', 32], ['buy unstarted', 33]],
    'scenarios.requests': boxes('buy ', 40),
    'scenarios.latency': quantiles('buy ', 2000),
    'result.latency': quantiles('', 1000)
  })
})

t.test('counters never decrease, and nothing is added twice, even if an earlier sample said more', async (t) => {
  const { reader, meter } = setUp()
  const instance = toOpenTelemetry(new EventEmitter(), { meter })
  const tick = (errors) => instance.emit('tick', { sent: errors, requests: 0, errors, bytes: 0, connections: 1, counter: 0, p50: 0, p99: 0 })
  instance.emit('start')
  for (const errors of [2, 5, 3, 4, 6]) tick(errors)
  instance.emit('start')
  tick(1)
  const metrics = await collected(reader)
  t.same(['cannonade.errors', 'cannonade.requests.sent'].map((name) => metrics[name]), [[[{}, 7]], [[{}, 7]]])
  t.notOk('cannonade.sample.latency' in metrics, 'samples without responses have no latency')
})

'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { CODES } = require('../../lib/base/errors')
const { parseThresholds } = require('../../lib/thresholds')
const { toMilliseconds } = require('../../lib/thresholds/units')

const parse = (written) => {
  const [{ field, ...threshold }] = parseThresholds(written)
  return threshold
}

t.test('a text is a field, an operator, and a limit in the unit of the field', async (t) => {
  const texts = {
    'p99 < 50ms': ['latency.p99', '<', 50, 'ms'],
    'p99<50': ['latency.p99', '<', 50, 'ms'],
    'latency.p99_9 <= 1s': ['latency.p99_9', '<=', 1000, 'ms'],
    'latency.p99.9 ≤ 1.1 s': ['latency.p99_9', '<=', 1100, 'ms'],
    'p(95) < 500us': ['latency.p95', '<', 0.5, 'ms'],
    'p50 < 500 µs': ['latency.p50', '<', 0.5, 'ms'],
    'p50 < 1e3ns': ['latency.p50', '<', 0.001, 'ms'],
    'serviceTime.max < 2m': ['serviceTime.max', '<', 120000, 'ms'],
    'connectTime.tls.mean < .5s': ['connectTime.tls.mean', '<', 500, 'ms'],
    'duration >= 1m': ['duration', '>=', 60, 's'],
    'drain.seconds < 500ms': ['drain.seconds', '<', 0.5, 's'],
    'errors == 0': ['errors', '==', 0, ''],
    'errors = 0': ['errors', '==', 0, ''],
    'errors === 0': ['errors', '==', 0, ''],
    'resets != 3': ['resets', '!=', 3, ''],
    'requests.total ≥ 10k': ['requests.total', '>=', 10000, ''],
    'errors < 1%': ['errors', '<', 1, '%'],
    '5xx < 0.1 %': ['5xx', '<', 0.1, '%'],
    'errorRate < 0.1%': ['errorRate', '<', 0.1, '%'],
    'errorRate < 0.001': ['errorRate', '<', 0.1, '%'],
    'errorRate < 0.007': ['errorRate', '<', 0.7, '%'],
    'accounting.unsent <= 1%': ['accounting.unsent', '<=', 1, '%'],
    'requests.average > 1000': ['requests.average', '>', 1000, '/s'],
    'requests.average > 1.5k/s': ['requests.average', '>', 1500, '/s'],
    'requests.p2_5 > 1000 req/s': ['requests.p2_5', '>', 1000, '/s'],
    'requests.p2.5 > 1000rps': ['requests.p2_5', '>', 1000, '/s'],
    'rate.achieved >= 99%': ['rate.achieved', '>=', 99, '%'],
    'rate.achieved >= 990': ['rate.achieved', '>=', 990, '/s'],
    'throughput.average > 5MB': ['throughput.average', '>', 5e6, 'B/s'],
    'throughput.average > 5 MiB/s': ['throughput.average', '>', 5 * 2 ** 20, 'B/s'],
    'bytes.read < 1GB': ['bytes.read', '<', 1e9, 'B'],
    'bytes.read < 1k': ['bytes.read', '<', 1000, 'B'],
    'generator.saturated == false': ['generator.saturated', '==', false, ''],
    'generator.cpu.percent < 90%': ['generator.cpu.percent', '<', 90, '%'],
    'generator.eventLoop.utilization < 90%': ['generator.eventLoop.utilization', '<', 90, '%'],
    'endpoints[0].latency.p95 < 20ms': ['endpoints[0].latency.p95', '<', 20, 'ms'],
    'endpoints[ "log in" ].failed < 1%': ["endpoints['log in'].failed", '<', 1, '%'],
    "endpoints['a < b'].completed > 1": ["endpoints['a < b'].completed", '>', 1, ''],
    'statusCodeStats.404 == 0': ['statusCodeStats.404.count', '==', 0, ''],
    'statusCodeStats[404].count == 0': ['statusCodeStats.404.count', '==', 0, ''],
    'errorCodes.ECONNRESET < 3': ['errorCodes.ECONNRESET.count', '<', 3, ''],
    'errorCodes.CANNONADE_BAD_RESPONSE.phases.parse == 0': ['errorCodes.CANNONADE_BAD_RESPONSE.phases.parse', '==', 0, ''],
    'warmup.latency.p99 < 1s': ['warmup.latency.p99', '<', 1000, 'ms'],
    'warmup.p99 < 1s': ['warmup.latency.p99', '<', 1000, 'ms'],
    'warmup.p99.5 < 1s': ['warmup.latency.p99_5', '<', 1000, 'ms'],
    'endpoints[0].p95 < 1s': ['endpoints[0].latency.p95', '<', 1000, 'ms'],
    'checks.ok == 100%': ['checks.ok', '==', 100, '%'],
    "checks['is ok'] >= 99%": ["checks['is ok']", '>=', 99, '%'],
    'checks["it\'s ok"] >= 0.5': ['checks["it\'s ok"]', '>=', 50, '%'],
    "scenarios['look around'].p99 < 1s": ["scenarios['look around'].latency.p99", '<', 1000, 'ms'],
    'scenarios.buy.errors == 0': ['scenarios.buy.errors', '==', 0, ''],
    ...Object.fromEntries(['', 'warmup.', 'scenarios.buy.', 'warmup.scenarios.buy.'].flatMap((before) => [
      [`${before}failures < 5`, [`${before}failures.count`, '<', 5, '']],
      [`${before}failures < 1%`, [`${before}failures.count`, '<', 1, '%']],
      [`${before}failures.count == 0`, [`${before}failures.count`, '==', 0, '']],
      [`${before}failures.rate < 0.01`, [`${before}failures.rate`, '<', 1, '%']],
      [`${before}checks == 100%`, [`${before}checks`, '==', 100, '%']],
      [`${before}checks.ok > 99%`, [`${before}checks.ok`, '>', 99, '%']]
    ]))
  }
  for (const [threshold, [metric, operator, limit, unit]] of Object.entries(texts)) {
    t.same(parse(threshold), { threshold, metric, operator, limit, unit })
    t.same(parse(` ${threshold} `), { threshold, metric, operator, limit, unit })
  }
})

t.test('objects mean the same', async (t) => {
  t.same(parse({ metric: 'p99', operator: '<', value: '50ms' }), {
    threshold: 'p99 < 50ms', metric: 'latency.p99', operator: '<', limit: 50, unit: 'ms'
  })
  t.match(parse({ metric: 'p99', operator: '<=', value: 50 }), { limit: 50, unit: 'ms', operator: '<=' })
  t.match(parse({ metric: 'generator.saturated', operator: '!=', value: true }), { limit: true })
  t.same(parseThresholds({ p99: '< 50ms', 'rate.achieved': ['>= 99%', '<= 101%'], errors: 0 }).map(({ threshold }) => threshold),
    ['p99 < 50ms', 'rate.achieved >= 99%', 'rate.achieved <= 101%', 'errors == 0'])
  t.equal(parseThresholds(['p99 < 5', { p50: '< 1' }, { metric: 'errors', operator: '==', value: 0 }]).length, 3)
  t.same(parseThresholds([]), [])
})

t.test('a parsed threshold is plain data, and may be parsed again', async (t) => {
  const parsed = parseThresholds(["endpoints['x'].latency.p99 < 5", 'p99.5 < 5', 'errorCodes.EPIPE == 0'])
  t.same(structuredClone(parsed), parsed)
  t.same(JSON.parse(JSON.stringify(parsed)), parsed)
  t.same(parseThresholds(parsed), parsed)
})

t.test('an invalid threshold gives one sentence, with a suggestion if there is one', async (t) => {
  const bad = {
    'x < 1': /x is not a field of a result, such as p99, errors or requests\.average$/,
    'foo < 1': /foo is not a field of a result, such as p99, errors or requests\.average$/,
    'error == 0': /error is not a field of a result: did you mean errors\?/,
    'max < 5': /did you mean latency\.max\?/,
    'latency.avg < 5': /did you mean latency\.average\?/,
    'rps > 5': /did you mean requests\.average\?/,
    'requests.averge > 5': /did you mean requests\.average\?/,
    'warmup.max < 5': /warmup\.max is not a field of a result: did you mean warmup\.latency\.max\?/,
    'endpoints[0].mean < 5': /did you mean endpoints\[0\]\.latency\.mean\?/,
    'endpoints[0].p99.5 < 1': /endpoints\[0\]\.latency has the percentiles/,
    'accounting.p99 < 1': /accounting\.p99 is not a field of a result$/,
    'warmup < 1': /warmup is a group of values: choose one, such as warmup\.p99$/,
    'latency < 50': /latency is a group of values: choose one, such as latency\.p99$/,
    'requests > 50': /such as requests\.average$/,
    'endpoints < 1': /such as endpoints\[0\]\.latency\.p99$/,
    'endpoints[0] < 1': /such as endpoints\[0\]\.latency\.p99$/,
    'latency.p99.x < 1': /latency\.p99 is a single value and has no x$/,
    'p999 < 5': /did you mean p99\.9\?/,
    'p101 < 5': /a percentile is between 0 and 100/,
    'requests.p99.5 > 1': /requests has the percentiles p0_001, .*but not p99_5/,
    'endpoints[0].latency.p99.5 < 1': /endpoints\[0\]\.latency has the percentiles/,
    'statusCodeStats.99 == 0': /99 is not a status code/,
    'errorCodes.ECONREFUSED == 0': /did you mean ECONNREFUSED\?/,
    'p99 < 50MB': /'MB' is not a valid unit for latency\.p99, which is a duration: use ns, us, ms/,
    'p99 < 50%': /'%' is not a valid unit for latency\.p99/,
    'errors < 5ms': /'ms' is not a valid unit for errors, which is a count: use a plain number, k or M, or %$/,
    'resets < 5%': /'%' is not a valid unit for resets, which is a count: use a plain number, k or M$/,
    'errorRate < 5': /errorRate is a share, a number from 0 to 1: did you mean 5%\?/,
    'errorRate < 1.5': /did you mean 1\.5%\?/,
    'errorRate > -5': /errorRate is a share, a number from 0 to 1: did you mean -5%\?/,
    'throughput.average > 5ms': /use B, kB, MB/,
    'p99 < constructor': /'constructor' is not a valid limit/,
    'p99 < 5constructor': /'constructor' is not a valid unit/,
    'p99 <': /'' is not a valid limit/,
    'p99 < NaN': /'NaN' is not a valid limit/,
    'p99 < 1e999': /'1e999' is not a valid limit/,
    'p99 =< 5': /=< is not an operator: use <, <=, >, >=, == or !=/,
    'p99 << 5': /<< is not an operator/,
    'generator.saturated < 1': /which is true or false/,
    'generator.saturated < true': /compare it with == or !=/,
    'constructor < 5': /constructor is not a field/,
    'latency.__proto__ < 5': /not a field/,
    'endpoints[0 < 5': /not the name of a field/,
    'p99 p50 < 5': /not the name of a field/,
    'p99 50ms': /a threshold is a field, an operator and a limit, such as 'p99 < 50ms'$/,
    '< 5': /a threshold is a field/,
    '': /a threshold is a field/
  }
  for (const [threshold, message] of Object.entries(bad)) {
    t.throws(() => parseThresholds([threshold]), { code: CODES.BAD_THRESHOLD, threshold, message }, threshold)
  }
  const objects = [
    5, null, undefined, true, {}, { metric: 'p99' }, { metric: 'p99', operator: '<' }, { metric: 5, operator: '<', value: 5 }, { p99: null }, { p99: {} }
  ]
  for (const threshold of objects) {
    t.throws(() => parseThresholds([threshold]), { code: CODES.BAD_THRESHOLD, message: /such as/ })
  }
})

t.test('property: any text is either a threshold or an error of one line with the code', async (t) => {
  const piece = fc.constantFrom('p99', 'latency', '.', '[', ']', "'", '"', '0', '5', ' ', '<', '>=', '==', 'ms', '%', 'errors', 'k/s', '\n', 'é', '__proto__')
  fc.assert(fc.property(fc.oneof(fc.string(), fc.array(piece).map((pieces) => pieces.join(''))), (text) => {
    try {
      const [{ metric, limit }] = parseThresholds(text)
      return typeof metric === 'string' && limit !== undefined
    } catch (error) {
      return error.code === CODES.BAD_THRESHOLD && !error.message.includes('\n')
    }
  }), { numRuns: 2000 })
})

t.test('a limit in a wrong unit: the error says what the field is and which units it has', async (t) => {
  const words = {
    'p99 < 5x': "'x' is not a valid unit for latency.p99, which is a duration: use ns, us, ms (also without a unit), s, m or h",
    'duration < 5x': "'x' is not a valid unit for duration, which is a duration: use ns, us, ms, s (also without a unit), m or h",
    'resets < 5x': "'x' is not a valid unit for resets, which is a count: use a plain number, k or M",
    'requests.average < 5x': "'x' is not a valid unit for requests.average, which is a number per second: use a plain number, k or M",
    'rate.achieved < 5x': "'x' is not a valid unit for rate.achieved, which is a number per second: use a plain number, k or M, or %",
    'bytes.read < 5x': "'x' is not a valid unit for bytes.read, which is a number of bytes: use B, kB, MB, GB, KiB or MiB",
    'throughput.average < 5x': "'x' is not a valid unit for throughput.average, which is a number of bytes per second: use B, kB, MB, GB, KiB or MiB",
    'errorRate < 5x': "'x' is not a valid unit for errorRate, which is a share: use %, or a number from 0 to 1",
    'generator.cpu.percent < 5x': "'x' is not a valid unit for generator.cpu.percent, which is a percentage: use %",
    'generator.saturated == x': "'x' is not a valid limit for generator.saturated, which is true or false",
    'p99 < x': "'x' is not a valid limit for latency.p99, which is a duration: use ns, us, ms (also without a unit), s, m or h"
  }
  for (const [threshold, message] of Object.entries(words)) t.throws(() => parseThresholds(threshold), { message: `The threshold '${threshold}' cannot be checked: ${message}` })
})

t.test('each unit has the right factor', async (t) => {
  const sizes = {
    'p99 < ': { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1e3, sec: 1e3, m: 6e4, min: 6e4, h: 36e5, '': 1 },
    'duration < ': { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, sec: 1, m: 60, min: 60, h: 3600, '': 1 },
    'resets < ': { k: 1e3, K: 1e3, M: 1e6, G: 1e9, '': 1 },
    'requests.average < ': { k: 1e3, 'k/s': 1e3, '/s': 1, '/sec': 1, 'req/s': 1, requests: 1, 'k req/s': 1e3, M: 1e6, rps: 1, 'k rps': 1e3, '': 1 },
    'bytes.read < ': { B: 1, k: 1e3, kB: 1e3, KB: 1e3, M: 1e6, MB: 1e6, G: 1e9, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, '': 1 },
    'throughput.average < ': { B: 1, 'kB/s': 1e3, MB: 1e6, 'MiB / s': 1024 ** 2, GiB: 1024 ** 3, '': 1 }
  }
  for (const [before, units] of Object.entries(sizes)) {
    for (const [unit, size] of Object.entries(units)) t.equal(parse(`${before}7${unit}`).limit, Number((7 * size).toPrecision(15)), `${before}7${unit}`)
  }
  t.equal(parse('errorRate < 1').limit, 100)
  t.equal(parse('errorRate >= -1').limit, -100)
  t.equal(parse('generator.cpu.percent < 101').limit, 101)
})

t.test('durations are read as in options', async (t) => {
  t.same(['200ms', '1.5 s', 30, '30', '2m', '1us', ' 7h '].map(toMilliseconds), [200, 1500, 30, 30, 120_000, 0.001, 252e5])
  t.same(['x', '5x', '', NaN, Infinity, {}, null, undefined].map(toMilliseconds), new Array(8).fill(undefined))
})

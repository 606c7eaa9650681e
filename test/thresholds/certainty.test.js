'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const Distribution = require('../../lib/metrics/distribution')
const { boundStatistics, durationStatistics } = require('../../lib/metrics/statistics')
const run = require('../../lib/run')
const { assertResult, boundsOf, copyBoundsOf, evaluateThresholds, isLowerBound, isMarked, markedBounds, verdictInWords } = require('../../lib/thresholds')
const { simulate } = require('../simulation/world')
const { hangingServer } = require('../support/servers')

// Integers (µs) that a histogram stores exactly.
const values = (constraints) => fc.array(fc.integer({ min: 0, max: 2000 }), { maxLength: 40, ...constraints })
const PERCENTS = [0.001, 10, 50, 90, 97.5, 99, 99.999]
const OPERATORS = {
  '<': (a, b) => a < b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b, '==': (a, b) => a === b, '!=': (a, b) => a !== b
}
const nameOf = (percent) => `p${String(percent).replace('.', '_')}`

function distributionOf (values) {
  const distribution = new Distribution()
  for (const value of values) distribution.record(value)
  return distribution
}

/** The result of a run in the open model, with exact response times and with lower bounds. */
function resultOf (answered, bounds) {
  const all = distributionOf([...answered, ...bounds])
  const unanswered = distributionOf(bounds)
  return {
    latency: durationStatistics(all),
    latencyBounds: boundStatistics(unanswered, all),
    requests: { total: answered.length },
    accounting: { completed: answered.length, timedOut: 0, unfinished: bounds.length, unsent: 0, failed: 0 },
    rate: { offered: 1, achieved: 1 },
    non2xx: 0,
    errors: 0,
    histograms: { latency: all.encode(), latencyBounds: unanswered.encode() }
  }
}

const rising = (values) => [...values].sort((a, b) => a - b)
const ofRank = (values, percent) => values[Math.max(1, Math.ceil(percent / 100 * values.length - 1e-9)) - 1]
const verdictOf = (result, threshold) => evaluateThresholds(result, threshold)[0]

t.test('a percentile passes if it passes with each bound as it is and with each infinite, also after JSON', async (t) => {
  fc.assert(fc.property(values({ minLength: 1 }), values(), fc.integer({ min: 0, max: 2100 }), fc.constantFrom(...Object.keys(OPERATORS)), (answered, bounds, limit, operator) => {
    const result = JSON.parse(JSON.stringify(resultOf(answered, bounds)))
    for (const percent of PERCENTS) {
      const [least, most] = [bounds, bounds.map(() => Infinity)].map((some) => ofRank(rising([...answered, ...some]), percent))
      const holds = (value) => OPERATORS[operator](value, limit)
      // Between the two it is uncertain.
      const between = limit > least && limit < most ? [limit] : []
      const possible = [least, most, ...between].map(holds)
      const { passed, certain } = verdictOf(result, `${nameOf(percent)} ${operator} ${limit}us`)
      if (passed !== possible.every(Boolean)) return false
      if (certain !== (possible.every(Boolean) || !possible.some(Boolean))) return false
    }
    return true
  }), { numRuns: 100 })
})

t.test('no threshold passes that the true values could miss, also in results with fewer fields', async (t) => {
  const someBound = fc.tuple(fc.integer({ min: 0, max: 2000 }), fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2000 }), fc.constant(1e6)))
  fc.assert(fc.property(values({ minLength: 1 }), fc.array(someBound, { maxLength: 20 }), fc.integer({ min: 0, max: 2100 }), (answered, unanswered, limit) => {
    const bounds = unanswered.map(([bound]) => bound)
    const truth = durationStatistics(distributionOf([...answered, ...unanswered.map(([bound, more]) => bound + more)]))
    const result = resultOf(answered, bounds)
    const { latencyBounds, ...untold } = result
    const { histograms, ...bare } = result
    const forms = [result, untold, bare, { ...untold, histograms: undefined }]
    for (const name of [...PERCENTS.map(nameOf), 'min', 'max', 'mean', 'average', 'stddev', 'total']) {
      for (const [operator, holds] of Object.entries(OPERATORS)) {
        // Avoid limits at which rounding by the histogram would decide.
        if (Math.abs(truth[name] - limit / 1000) < 0.002 * truth[name]) continue
        for (const form of forms) {
          if (verdictOf(form, `latency.${name} ${operator} ${limit}us`).passed && !holds(truth[name], limit / 1000)) return false
        }
      }
    }
    return true
  }), { numRuns: 50 })
})

t.test('without bounds no percentile is uncertain; a single bound makes the mean, the maximum and the deviation uncertain', async (t) => {
  const answered = Array.from({ length: 999 }, (_, index) => index + 1)
  const some = ['p99 < 1s', 'latency.max < 1s', 'latency.mean < 1s', 'latency.stddev < 1s', 'latency.min <= 1us', 'p99 > 900us', 'latency.total < 1h']
  t.ok(evaluateThresholds(resultOf([...answered, 1000], []), some).every(({ passed, certain }) => passed && certain))
  t.same(evaluateThresholds(resultOf(answered, [1000]), some).map(({ passed }) => passed), [true, false, false, false, true, true, false])
  const [mean] = evaluateThresholds(resultOf(answered, [1000]), 'latency.mean < 1s')
  t.match(mean, { certain: false, actual: 0.5005, unanswered: { count: 1, of: 1000 } })
})

t.test('a lower limit that the bounds already reach is met', async (t) => {
  const result = resultOf([100, 200], [500, 500])
  t.match(verdictOf(result, 'p99 > 400us'), { passed: true, certain: true })
  t.match(verdictOf(result, 'p99 > 600us'), { passed: false, certain: false })
  t.match(verdictOf(result, 'latency.max != 400us'), { passed: true })
  t.match(verdictOf(result, 'latency.max != 600us'), { passed: false, certain: false })
  t.match(verdictOf(result, 'p50 == 200us'), { passed: true })
  t.match(verdictOf(result, 'p50 > 200us'), { passed: false, certain: true })
})

t.test('without any response no threshold on a time is met; thresholds on counts still work', async (t) => {
  const nothing = resultOf([], [3000, 3506])
  for (const threshold of ['p99 < 1s', 'p99 > 1us', 'latency.min >= 0', 'latencyWithUnfinished.p99 < 1h', 'connectTime.p99 < 1h']) {
    const connectTime = durationStatistics(distributionOf([5]))
    const result = { ...nothing, connectTime, latencyWithUnfinished: nothing.latency }
    t.match(verdictOf(result, threshold), { passed: false, certain: false }, threshold)
  }
  t.match(verdictOf(nothing, 'errors == 0'), { passed: true, certain: true })
  const closed = { ...nothing, latency: durationStatistics(new Distribution()), rate: undefined, latencyBounds: { count: 0, share: 0, smallest: null } }
  t.match(verdictOf(closed, 'p99 < 1s'), { actual: null, passed: false, certain: false })
})

t.test('each endpoint has its own bounds, and so has the latency with failed requests', async (t) => {
  const all = distributionOf([100, 200, 5000])
  const bounds = distributionOf([5000])
  const endpoint = (more) => ({ latency: durationStatistics(all), completed: 2, failed: 1, latencyBounds: boundStatistics(bounds, all), ...more })
  const result = {
    ...resultOf([100, 200], [5000]),
    latencyWithUnfinished: durationStatistics(all),
    accounting: { completed: 2, timedOut: 0, unfinished: 1, unsent: 0, failed: 1 },
    endpoints: [endpoint(), { ...endpoint(), latencyBounds: undefined }, endpoint({ latencyBounds: { count: 0, share: 0, smallest: null } })]
  }
  const passed = (threshold) => verdictOf(result, threshold).passed
  t.notOk(passed('endpoints[0].latency.p99 < 1s'))
  t.ok(passed('endpoints[0].latency.p50 < 1ms'))
  t.notOk(passed('endpoints[1].latency.p99 < 1s'), 'from an earlier version: at most as many as had no response')
  t.ok(passed('endpoints[2].latency.p99 < 1s'))
  t.notOk(passed('latencyWithUnfinished.p99 < 1s'), 'a failed request has an age, but no time')
})

t.test('the sentence about an uncertain verdict', async (t) => {
  const words = (result, threshold) => verdictInWords(verdictOf(result, threshold))
  const result = resultOf([], Array.from({ length: 60 }, () => 3506200))
  t.equal(words(result, 'p99 < 3.6s'), 'p99 < 3.6s: at least 3.51 s: 60 of 60 had no answer')
  t.equal(words(result, 'p99 < 3s'), 'p99 < 3s: it was at least 3.51 s, 16.9% over', 'already missed')
  t.match(words(resultOf([100], [50]), 'latency.stddev < 1s'), /cannot be told: 1 of 2 had no answer/)
  t.throws(() => assertResult(result, 'p99 < 3.6s'), { message: /at least 3.51 s: 60 of 60 had no answer/ })
  const lostByOne = resultOf(Array.from({ length: 99 }, () => 100), [200])
  t.equal(words(lostByOne, 'p99 < 1ms'), 'p99 < 1ms: it was 100 µs')
  t.equal(words(lostByOne, 'p99.5 < 1ms'), 'p99.5 < 1ms: at least 200 µs: 1 of 100 had no answer')
})

t.test('a verdict of an earlier version that relied on bounds is evaluated again', async (t) => {
  const { latencyBounds, ...earlier } = resultOf([], [3506200])
  const thresholds = [
    { threshold: 'p99 < 3.6s', metric: 'latency.p99', operator: '<', limit: 3600, unit: 'ms', actual: 3506.2, passed: true },
    { threshold: 'errors == 0', metric: 'errors', operator: '==', limit: 0, unit: '', actual: 0, passed: true }
  ]
  t.throws(() => assertResult({ ...earlier, thresholds }), { message: /1 of 2 thresholds was not met:\n.*p99 < 3.6s: at least 3.51 s: 1 of 1/ })
  t.same(assertResult({ ...resultOf([100], []), thresholds }), thresholds)
  const ofOthers = [{ threshold: 'sessions.failed == 0', metric: 'sessions.failed', operator: '==', limit: 0, unit: '', actual: 0, passed: true }]
  t.same(assertResult({ ...earlier, thresholds: ofOthers }), ofOthers, 'unless the result has no such value anymore')
})

t.test('a server that never responds passes no threshold on a time: after a run, after JSON, and during a run', async (t) => {
  const server = await hangingServer(t, { every: 1 })
  const opts = { url: server.url, overallRate: 20, connections: 20, duration: 0.5, drain: 0.1, thresholds: ['p99 < 1h', 'latency.max < 1h', 'errors == 0'] }
  const result = await run(opts)
  t.same(result.thresholds.map(({ passed, certain }) => [passed, certain]), [[false, false], [false, false], [true, true]])
  t.equal(result.passed, false)
  t.same(result.latencyBounds, { count: result.accounting.scheduled, share: 1, smallest: result.latency.min })
  t.same(result.warnings.map(({ code }) => code).filter((code) => code !== 'RATE_NOT_ACHIEVED' && code !== 'GENERATOR_SATURATED'), ['STOPPED', 'NO_ANSWER', 'LATENCY_BOUND'])
  t.same(evaluateThresholds(JSON.parse(JSON.stringify(result)), opts.thresholds), result.thresholds)

  const ended = await run({ ...opts, duration: 60, timeout: 0.2, sampleInt: 50, thresholds: ['p99 < 1h', 'latency.max < 1h'], abortOnFail: true })
  t.ok(ended.duration < 30)
  t.match(ended.warnings.find(({ code }) => code === 'ABORTED_ON_FAIL').message, /can no longer be met: latency.max < 1h \(at least 200 ms: \d+ of \d+ had no answer by then\)/)
})

/** A result in which this many requests, streams or messages have no known end. */
const LACKING = {
  'stream.timeToFirstEvent': (known, missing) => ({
    ...resultOf(known, []),
    accounting: { sent: known.length + missing, completed: known.length, timedOut: missing, unfinished: 0, unsent: 0, failed: 0 },
    stream: { timeToFirstEvent: durationStatistics(distributionOf(known)) },
    histograms: { timeToFirstEvent: distributionOf(known).encode() }
  }),
  'sessions.lifetime': (known, missing) => ({
    ...resultOf(known, []),
    sessions: { unfinished: Math.floor(missing / 2), unstarted: Math.ceil(missing / 2), lifetime: durationStatistics(distributionOf(known)) },
    histograms: { sessionLifetime: distributionOf(known).encode() }
  })
}

t.test('without a first event, or without an end, the time may be anything', async (t) => {
  const valueAt = (percent, sorted) => sorted[Math.max(1, Math.ceil(percent / 100 * sorted.length * (1 - Number.EPSILON))) - 1]
  for (const [figure, lacking] of Object.entries(LACKING)) {
    fc.assert(fc.property(values({ minLength: 1 }), fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 2100 }), (known, missing, limit) => {
      const sorted = [...known].sort((a, b) => a - b)
      const large = [...sorted, ...new Array(missing).fill(Infinity)]
      const small = [...new Array(missing).fill(0), ...sorted]
      const result = lacking(known, missing)
      for (const percent of PERCENTS) {
        const [below, above] = evaluateThresholds(result, [`${figure}.${nameOf(percent)} < ${limit}us`, `${figure}.${nameOf(percent)} > ${limit}us`])
        if (below.passed !== (valueAt(percent, large) < limit) || above.passed !== (valueAt(percent, small) > limit)) return false
        if (missing === 0 && !below.certain) return false
      }
      const [max, mean] = evaluateThresholds(result, [`${figure}.max < 1s`, `${figure}.mean < 1s`])
      return max.passed === (missing === 0) && mean.passed === (missing === 0)
    }))
  }
})

t.test('missing values shift ranks, and the verdict includes them even if the value at the rank is known', async (t) => {
  const OFTEN = [10, 50, 60, 75, 90]
  fc.assert(fc.property(values({ minLength: 1 }), values(), fc.integer({ min: 0, max: 2100 }), (known, lost, limit) => {
    const missing = distributionOf(lost)
    const result = resultOf(known, [])
    const [smallest, largest] = [Math.min(...lost, 2000), Math.max(...lost, 0)].map((us) => us / 1000)
    result.missing = lost.length === 0 ? {} : { latency: { count: lost.length, smallest, largest, total: lost.reduce((sum, us) => sum + us / 1000, 0) } }
    result.histograms.latencyMissing = missing.encode()
    for (const percent of OFTEN) {
      const [least, most] = [lost, lost.map(() => Infinity)].map((some) => ofRank(rising([...known, ...some]), percent))
      const [below, above] = evaluateThresholds(result, [`${nameOf(percent)} < ${limit}us`, `${nameOf(percent)} >= ${limit}us`])
      if (below.passed !== (most < limit) || above.passed !== (least >= limit)) return false
      if (below.certain !== (most < limit || least >= limit) || above.certain !== below.certain) return false
      const shown = ofRank(rising(known), percent)
      if (isMarked(result, nameOf(percent), shown / 1000) !== (lost.length > 0 && (most > least || most > shown * 1.01))) return false
    }
    return true
  }), { numRuns: 200 })
})

t.test('a value that is certain, but differs from the one in the result', async (t) => {
  // At 90 ms a request hangs, and the four pipelined behind it are lost with it at 390 ms. Requests that came due meanwhile are sent then.
  const { value: result } = await simulate({ seed: 1 }, (world) => {
    const { url } = world.server({ serviceTime: 1, answer: ({ number }) => number === 9 ? 'silence' : 200 })
    return run({ url, connections: 1, pipelining: 5, overallRate: 100, amount: 20, timeout: 0.3 })
  })
  t.match(result.accounting, { completed: 15, timedOut: 1, failed: 4 })
  t.equal(result.latency.p50, 1)
  const [below, above, surely] = evaluateThresholds(result, ['p55 < 100ms', 'p55 >= 100ms', 'p55 < 300ms'])
  // Of 16 values the ninth; of 20 the eleventh, which was due at 180 ms.
  t.match(below, { actual: 1, atLeast: 211.071, passed: false, certain: true, unanswered: { count: 5, of: 20 } })
  t.equal(verdictInWords(below), 'p55 < 100ms: it was at least 211 ms, 111% over')
  t.match(above, { actual: 1, atLeast: 211.071, passed: true, certain: true })
  t.equal(verdictInWords(above), 'p55 >= 100ms: it was at least 211 ms')
  t.match(surely, { actual: 1, passed: true, certain: true, atLeast: undefined })
  t.ok(isMarked(result, 'p55', 1))
})

t.test('the verdict names what is missing', async (t) => {
  const [stream] = evaluateThresholds(LACKING['stream.timeToFirstEvent']([1000, 2000], 2), 'stream.timeToFirstEvent.p95 < 300ms')
  t.match(stream, { actual: 2, passed: false, certain: false, unanswered: { count: 2, of: 4 } })
  t.equal(verdictInWords(stream), 'stream.timeToFirstEvent.p95 < 300ms: it was 2 ms among the measured values, but 2 of 4 streams had no first event')
  const [session] = evaluateThresholds(LACKING['sessions.lifetime']([1000, 2000], 1), 'sessions.lifetime.p99 < 5s')
  t.equal(verdictInWords(session), 'sessions.lifetime.p99 < 5s: it was 2 ms among the measured values, but 1 of 3 sessions did not finish')
  const inFlight = { ...LACKING['stream.timeToFirstEvent']([1000, 2000], 0), rate: undefined }
  inFlight.accounting = { ...inFlight.accounting, sent: 4, unfinished: 2 }
  t.equal(evaluateThresholds(inFlight, 'stream.timeToFirstEvent.p95 < 300ms')[0].passed, true, 'requests in flight when the closed model ends are not reported')
  t.equal(evaluateThresholds({ ...inFlight, rate: { offered: 1, achieved: 1 } }, 'stream.timeToFirstEvent.p95 < 300ms')[0].passed, false)
})

t.test('a report marks percentiles that are bounds, from the first one on; without information it marks none', async (t) => {
  const one = resultOf(Array.from({ length: 9 }, () => 100), [300])
  t.match(markedBounds(one), { count: 1, smallest: 0.3 })
  t.same(['p50', 'p90', 'p99', 'max', 'min'].map((name) => isMarked(one, name)), [false, false, true, true, false])
  t.same(['p50', 'p90', 'p99', 'max', 'min'].map((name) => isLowerBound(one, name)), [false, false, true, true, false])
  t.equal(isMarked(one, 'p95_5', 0.3), true)
  t.equal(isMarked(one, 'p45_5', 0.1), false)
  t.equal(markedBounds(resultOf([100], [])), null)
  t.equal(isMarked(resultOf([100], []), 'max'), false)
  const { latencyBounds, ...untold } = one
  t.equal(markedBounds(untold), null)
  t.equal(isLowerBound(untold, 'p99'), true, 'although it may be one')
})

t.test('for what an earlier version does not store, the histogram is used, or the largest possible number', async (t) => {
  const all = distributionOf([100, 200, 5000, 7000])
  const bounds = distributionOf([5000, 7000])
  const latencyWithUnfinished = durationStatistics(all)
  const accounting = { completed: 2, timedOut: 1, unfinished: 0, unsent: 1, failed: 0 }
  const told = boundsOf({ latencyWithUnfinished, accounting, histograms: { latencyWithUnfinished: all.encode(), latencyWithUnfinishedBounds: bounds.encode() } }, 'latencyWithUnfinished')
  t.match(told, { count: 2, smallest: 5 })
  t.match(boundsOf({ latencyWithUnfinished, accounting, histograms: { latencyWithUnfinishedBounds: new Distribution().encode() } }, 'latencyWithUnfinished'), { count: 0, smallest: 0 })
  t.match(boundsOf({ latencyWithUnfinished, accounting: { ...accounting, failed: 1 } }, 'latencyWithUnfinished'), { count: 3, smallest: 0 }, 'a failed request counts as well')
  const earlier = { latency: durationStatistics(all), rate: {}, accounting: { ...accounting, completed: 3 }, non2xx: 0 }
  t.match(boundsOf(earlier, 'latency'), { count: 1 }, 'no more than those that did not complete')
  t.match(boundsOf(earlier, 'latency', { latency: durationStatistics(all), completed: 2 }), { count: 2 })
  t.match(boundsOf({ ...earlier, accounting: { ...accounting, completed: 0 } }, 'latency'), { count: 2 }, 'no more than those without a response')
  t.match(boundsOf({ ...earlier, non2xx: 1 }, 'latency'), { count: 2 }, 'with excludeErrorStats no completed one may be among them')
  t.match(boundsOf({ ...earlier, rate: undefined }, 'latency'), { count: 1 }, 'and so are timeouts in the closed model')
  t.match(boundsOf({ ...earlier, latency: null }, 'latency'), { count: 0, total: 0 })
})

t.test('the lateness of copies that never arrived is unknown', async (t) => {
  const broadcast = { expected: 60, received: 45, lastCopy: { max: 7, stddev: 2, totalCount: 20 } }
  const bounds = copyBoundsOf({ broadcast })
  t.match(bounds, { count: 15, total: 60 })
  t.same(bounds.range('max'), { atLeast: 7, atMost: Infinity })
  t.same(bounds.range('stddev'), { atLeast: 0, atMost: Infinity })
  t.same(bounds.range('totalCount'), { atLeast: 20, atMost: 20 })
  for (const none of [{}, { broadcast: { ...broadcast, received: 60 } }]) t.equal(copyBoundsOf(none), null)
})

t.test('a percentile of the last copies is at most what it is if the earliest of them were not the last', async (t) => {
  // Ten messages to two connections. Two got no copy, so at least two of the five copies that are missing are theirs; each of the other
  // three may be the last of another message.
  const times = [1, 2, 3, 4, 5, 6, 7, 8]
  const lastCopies = distributionOf(times.map((ms) => ms * 1000))
  const bounds = copyBoundsOf({
    accounting: { sent: 10 },
    broadcast: { expected: 20, received: 15, lastCopy: durationStatistics(lastCopies) },
    histograms: { lastCopy: lastCopies.encode() }
  })
  const worst = [...times.slice(3), ...Array(5).fill(Infinity)]
  for (let percent = 1; percent <= 100; percent++) {
    const { atMost } = bounds.range('', 0, percent)
    const expected = worst[Math.ceil(percent * 10 / 100) - 1]
    if (!(atMost === expected || Math.abs(atMost / expected - 1) < 0.001)) t.fail(`p${percent}: ${atMost} rather than ${expected}`)
  }
})

t.test('a share of what was sent, also in a result without accounting', async (t) => {
  const result = { latency: {}, timeouts: 3, requests: { sent: 60 } }
  t.match(verdictOf(result, 'timeouts <= 5%'), { actual: 5, passed: true })
  t.match(verdictOf({ ...result, accounting: { sent: 30 } }, 'timeouts < 5%'), { actual: 10, passed: false })
})

t.test('if values are missing and there is no histogram, a percentile is known only as far as the result has it', async (t) => {
  for (const figure of Object.keys(LACKING)) {
    const { histograms, ...bare } = LACKING[figure]([1000, 2000, 3000, 4000], 1)
    t.match(verdictOf(bare, `${figure}.p50 < 1h`), { passed: false, certain: false }, figure)
    t.match(verdictOf(bare, `${figure}.p50 > 0`), { passed: false, certain: false }, figure)
    const whole = LACKING[figure]([1000, 2000, 3000, 4000], 0)
    t.match(verdictOf({ ...whole, histograms: undefined }, `${figure}.p50 < 1h`), { passed: true, certain: true }, figure)
  }
})

t.test('a part of a result that is null counts as absent', async (t) => {
  for (const threshold of ['connectTime.p99 < 1h', 'stream.events == 0', 'warmup.p99 < 1h']) {
    t.match(verdictOf({ ...resultOf([100], []), connectTime: null, stream: null, warmup: null }, threshold), { actual: null, passed: false, certain: false }, threshold)
  }
})

t.test('earlier versions did not count missing values: at most all requests without an end', async (t) => {
  const statistics = durationStatistics(distributionOf([100, 200, 300]))
  const accounting = (changes) => ({ sent: 3, completed: 3, failed: 0, timedOut: 0, unfinished: 0, unsent: 0, ...changes })
  const unansweredIn = (changes, field) => {
    const { latencyBounds, rate, ...result } = resultOf([100, 200, 300], [])
    return verdictOf({ ...result, ...changes }, `${field}.max < 1s`).unanswered
  }
  const endpoints = [{ latency: statistics, completed: 3, failed: 0 }]
  t.equal(unansweredIn({ endpoints, accounting: accounting({}) }, 'endpoints[0].latency'), undefined)
  t.match(unansweredIn({ endpoints, accounting: accounting({ unsent: 2 }) }, 'endpoints[0].latency'), { count: 2, of: 5 }, 'any unsent request may have been one of its own')
  // A stream has many gaps, and a stream that did not end may have one more.
  t.match(unansweredIn({ stream: { gap: statistics }, accounting: accounting({ sent: 2, completed: 1, timedOut: 1 }) }, 'stream.gap'), { count: 1, of: 4 })
  const late = { accounting: accounting({ sent: 8, failed: 4, timedOut: 1 }), serviceTime: statistics }
  const failed = (code, count) => ({ errorCodes: { [code]: { count } } })
  for (const code of ['CANNONADE_LOST_IN_PIPELINE', 'CANNONADE_SESSION_FAILED']) {
    t.match(unansweredIn({ ...late, ...failed(code, 2) }, 'serviceTime'), { count: 3, of: 6 }, code)
    t.match(unansweredIn({ ...late, ...failed(code, 9) }, 'serviceTime'), { count: 5, of: 8 }, 'no more than those that failed')
  }
  const noneLate = { ...late, accounting: accounting({ sent: 8, failed: 4 }) }
  t.equal(unansweredIn({ ...noneLate, ...failed('CANNONADE_LOST_IN_PIPELINE', 2) }, 'serviceTime'), undefined, 'behind a failure, not behind a deadline')
  t.match(unansweredIn({ ...late, ...failed('ECONNRESET', 4) }, 'serviceTime'), { count: 1, of: 4 }, 'a reset is not a deadline')
  const counts = (field, { count, of } = {}) => [field, count, of]
  const some = {
    sessions: { lifetime: statistics, failTime: statistics, unfinished: 2, unstarted: 4, failed: 8 },
    connectTime: statistics,
    sendDelay: statistics,
    connectionStats: { opened: 9, withReplies: 7, lifetime: statistics },
    timeToFirstByte: statistics,
    accounting: accounting({ sent: 40, failed: 8, timedOut: 16, unsent: 32 }),
    errorCodes: { CANNONADE_CONNECT_TIMEOUT: { count: 64 } }
  }
  const missing = { 'sessions.failTime': 2 + 4, 'sessions.lifetime': 2 + 4 + 8, connectTime: 64, sendDelay: 32, 'connectionStats.lifetime': 9 - 7, timeToFirstByte: 16 + 2 }
  t.same(Object.keys(missing).map((field) => counts(field, unansweredIn({ ...some, rate: undefined, accounting: { ...some.accounting, unfinished: 2 } }, field))),
    Object.entries(missing).map(([field, count]) => [field, count, 3 + count]))
  t.match(unansweredIn({ ...some, errorCodes: { CANNONADE_CONNECT_TIMEOUT: { count: 1 } }, accounting: accounting({ timedOut: 1 }) }, 'sessions.lifetime'), { count: 2 + 4 + 2 }, 'each session that failed at a deadline')
  const { latencyWithUnfinished, ...whole } = { latencyWithUnfinished: statistics, accounting: accounting({ sent: 4, failed: 1 }) }
  t.match(unansweredIn({ latencyWithUnfinished, ...whole }, 'latencyWithUnfinished'), { count: 1, of: 3 })
})

t.test('no time of an endpoint that never responded passes, whatever the others did', async (t) => {
  const bounds = distributionOf([5000])
  const silent = { latency: durationStatistics(bounds), latencyBounds: boundStatistics(bounds, bounds), completed: 0, failed: 0 }
  const answered = { latency: durationStatistics(distributionOf([100])), completed: 1, failed: 0 }
  const result = { ...resultOf([100], [5000]), missing: {}, endpoints: [answered, silent] }
  t.same(['endpoints[0].p99 < 1ms', 'endpoints[1].p99 > 1ms'].map((threshold) => verdictOf(result, threshold).passed), [true, false])
})

t.test('every unsent request may have belonged to any endpoint', async (t) => {
  const endpoints = [{ latency: durationStatistics(distributionOf([100, 200])), completed: 2, failed: 0 }]
  const unansweredOf = (unsent) => verdictOf({ ...resultOf([100, 200], []), missing: {}, accounting: { sent: 2, completed: 2, unsent }, endpoints }, 'endpoints[0].latency.max < 1s').unanswered
  t.match(unansweredOf(3), { count: 3, of: 5 })
  t.equal(unansweredOf(0), undefined)
})

t.test('the causes of a delay are at least what they would be if no unsent request had any', async (t) => {
  const result = { ...resultOf([100], []), sendDelay: { ...durationStatistics(distributionOf([100, 200, 300])), causes: { connecting: 0, hooks: 8, asleep: 0 } }, missing: { sendDelay: { count: 1, smallest: 5, largest: 5, total: 5 } } }
  t.match(verdictOf(result, 'sendDelay.causes.hooks > 5.9ms'), { passed: true, certain: true })
  t.match(verdictOf(result, 'sendDelay.causes.hooks > 6ms'), { passed: false, certain: false, unanswered: { count: 1, of: 4 } })
  t.match(verdictOf(result, 'sendDelay.causes.hooks < 6ms'), { passed: false, certain: true })
})

t.test('messages without any copy do not make the last copies of other messages uncertain', async (t) => {
  const broadcast = { expected: 6, received: 4, ratio: 0.666666, lastCopy: durationStatistics(distributionOf([1000, 2000])) }
  const result = { ...resultOf([100], []), accounting: { sent: 3, completed: 3 }, broadcast, histograms: { lastCopy: distributionOf([1000, 2000]).encode() } }
  // One message had no copy, and one of the two others lacks a copy.
  t.match(verdictOf(result, 'broadcast.lastCopy.p25 <= 2ms'), { passed: true })
  t.match(verdictOf(result, 'broadcast.lastCopy.p25 <= 1ms'), { passed: false, certain: false })
  t.match(verdictOf(result, 'broadcast.lastCopy.p50 <= 1h'), { passed: false, certain: false })
})

t.test('a number is a lower bound if and only if unknown values could change it', async (t) => {
  const result = resultOf([100, 200, 300], [400])
  t.same(['min', 'p25', 'p75', 'p99', 'max', 'mean'].map((name) => isLowerBound(result, name)), [false, false, false, true, true, true])
  t.same(['min', 'p50', 'p99', 'max', 'mean', 'stddev'].filter((name) => isLowerBound(resultOf([100, 200], []), name)), [])
})

t.test('an unsent request may have been faster than all others of an endpoint, whatever those lack that were sent', async (t) => {
  const endpoints = [{ latency: durationStatistics(distributionOf([100, 200])), completed: 2, failed: 1, missing: { latency: { count: 1, smallest: 50_000, largest: 50_000, total: 50_000 } } }]
  const verdict = (unsent) => verdictOf({ ...resultOf([100, 200], []), missing: {}, accounting: { sent: 3, completed: 2, timedOut: 1, unsent }, endpoints }, 'endpoints[0].latency.min >= 0.1ms')
  t.match([verdict(0), verdict(1)], [{ passed: true, certain: true }, { passed: false, certain: false }])
})

t.test('the histogram of what an endpoint lacks does not include what was never sent', async (t) => {
  const all = distributionOf([100, 200])
  const missing = distributionOf([1500])
  const endpoints = [{
    latency: durationStatistics(all),
    latencyBounds: { count: 0, share: 0, smallest: null },
    completed: 2,
    failed: 1,
    missing: { latency: { count: 1, smallest: 1.5, largest: 1.5, total: 1.5 } },
    histograms: { latency: all.encode(), latencyMissing: missing.encode() }
  }]
  const rangeWith = (unsent, percent) => boundsOf({ ...resultOf([100, 200], []), missing: {}, accounting: { sent: 3, completed: 2, timedOut: 1, unsent }, endpoints }, 'latency', endpoints[0]).range('', 0.2, percent)
  // 0.1, 0.2 and 1.5 ms, or more.
  t.same([33, 66, 100].map((percent) => rangeWith(0, percent)), [{ atLeast: 0.1, atMost: 0.1 }, { atLeast: 0.2, atMost: 0.2 }, { atLeast: 1.5, atMost: Infinity }])
  // One more, which may have taken no time. Of the other one, only the count is used then, so it may have as well.
  t.same([25, 50, 75, 100].map((percent) => rangeWith(1, percent)), [{ atLeast: 0, atMost: 0.1 }, { atLeast: 0, atMost: 0.2 }, { atLeast: 0.1, atMost: Infinity }, { atLeast: 0.2, atMost: Infinity }])
})

t.test('a histogram that has other bounds than those that count tells ranks, but not which values are bounds', async (t) => {
  const all = distributionOf(Array.from({ length: 100 }, (_, index) => 10 * (index + 1)))
  const latencyWithUnfinished = durationStatistics(all)
  const rangeWith = (count, bounds) => boundsOf({
    latencyWithUnfinished,
    latencyWithUnfinishedBounds: { count, share: count / 100, smallest: 0.01 },
    accounting: { completed: 100 - count, timedOut: count },
    histograms: { latencyWithUnfinished: all.encode(), latencyWithUnfinishedBounds: distributionOf(bounds).encode() }
  }, 'latencyWithUnfinished').range('p40', 0.4, 40)
  // The last ten are bounds, so the fortieth is known; if any may be one, the smallest ten are, at worst.
  const last = Array.from({ length: 10 }, (_, index) => 910 + 10 * index)
  t.same(rangeWith(10, last), { atLeast: 0.4, atMost: 0.4 })
  t.same(rangeWith(10, last.slice(1)), { atLeast: 0.4, atMost: 0.5 })
  t.same(rangeWith(11, last), { atLeast: 0.4, atMost: 0.51 })
})

t.test('a mean without the one value that a person cut off: in the open model it is among the values, in the closed model it is not', async (t) => {
  const known = [10_000, 20_000, 30_000]
  const cut = distributionOf([4000])
  const interrupted = { latency: { count: 1, smallest: 4, largest: 4, total: 4 } }
  const meanOf = (values, changes) => {
    const all = distributionOf(values)
    const result = { latency: durationStatistics(all), histograms: { latency: all.encode(), latencyInterrupted: cut.encode() }, interrupted, missing: {}, accounting: { completed: 3, unfinished: 1 }, ...changes }
    return boundsOf(result, 'latency').range('mean')
  }
  t.same(meanOf([...known, 4000], { latencyBounds: { count: 1, share: 0.25, smallest: 4 } }), { atLeast: 20, atMost: 20 })
  t.same(meanOf(known, { latencyBounds: { count: 0, share: 0, smallest: null }, missing: { latency: { count: 1, smallest: 4, largest: 4, total: 4 } } }), { atLeast: 20, atMost: 20 })
})

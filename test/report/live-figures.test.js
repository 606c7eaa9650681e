'use strict'

// The figures and thresholds of a live page, each with a number of its own.

const t = require('tap')
const { liveFigures, titleOf } = require('../../lib/report/html/live')
const { progressInWords, thresholdsInWords } = require('../../lib/report/html/live-progress')
const { parseThresholds } = require('../../lib/thresholds')

const ROW = { time: 8, seconds: 2, requests: 30, p50: 11, p90: 12, p99: 13, max: 14 }
const TOTALS = { requests: 200, errors: 50, statuses: { '1xx': 3, '2xx': 150, '3xx': 20, '4xx': 24, '5xx': 6 } }

t.test('figures: rates of the last sample, counts so far', async (t) => {
  const figures = { rate: '15', offered: 'in the last sample', p50: '11 ms', p99: '13 ms', requests: '200', failures: '80', kinds: '4xx: 24 · 5xx: 6 · 50 errors', connections: '7' }
  t.strictSame(liveFigures(ROW, TOTALS, 7), figures)
  t.strictSame(liveFigures(ROW, TOTALS, 7, 20), { ...figures, offered: 'of 20/s offered' })
  t.strictSame(liveFigures(ROW, TOTALS, 7, 0), { ...figures, offered: 'of 0/s offered' })
  t.strictSame(liveFigures({ ...ROW, latencyBounds: { smallest: 12 } }, TOTALS, 7), { ...figures, p99: '≥ 13 ms' })
  t.strictSame(liveFigures({ ...ROW, latencyBounds: { smallest: 11 } }, TOTALS, 7), { ...figures, p50: '≥ 11 ms', p99: '≥ 13 ms' })
  t.strictSame(liveFigures({ ...ROW, max: 0, p50: 0, p99: 0 }, TOTALS, 7), { ...figures, p50: '–', p99: '–' })
  t.strictSame(liveFigures(ROW, { ...TOTALS, errors: 1, statuses: { '2xx': 1 } }, 7), { ...figures, failures: '1', kinds: '1 error' })
  t.strictSame(liveFigures(ROW, { ...TOTALS, errors: 0, statuses: undefined }, 7), { ...figures, failures: '0', kinds: 'so far' })
  t.strictSame(liveFigures(null, { requests: 0, errors: 0 }, 0), { rate: '–', offered: 'in the last sample', p50: '–', p99: '–', requests: '0', failures: '0', kinds: 'so far', connections: '0' })
})

t.test('thresholds: percentiles of the last sample, counts and shares so far, and what is only known at the end', async (t) => {
  const state = (threshold, { row = ROW, totals = TOTALS, hasOtherFailures = false } = {}) => {
    const [{ text, state }] = thresholdsInWords(row, totals, { thresholds: parseThresholds([threshold]), hasOtherFailures })
    return `${text.slice(threshold.length + 2)}, ${state}`
  }
  const cases = [
    ['p50 < 12ms', '11 ms in the last sample, pass'],
    ['p90 < 12ms', '12 ms in the last sample, fail'],
    ['p99 < 14ms', '13 ms in the last sample, pass'],
    ['latency.max <= 14ms', '14 ms in the last sample, pass'],
    ['p99.9 < 1s', 'checked at the end, unknown'],
    ['errors <= 50', '50 so far, pass'],
    ['errors < 20%', '20% so far, fail'],
    ['errorRate <= 20%', '20% so far, pass'],
    // Of the responses, not of all attempts.
    ['5xx < 3%', '3% so far, fail'],
    ['5xx <= 6', '6 so far, pass'],
    ['4xx <= 12%', '12% so far, pass'],
    ['non2xx < 25%', '25% so far, fail'],
    ['non2xx <= 50', '50 so far, pass'],
    ['failures <= 80', '80 so far, pass'],
    ['failures < 32%', '32% so far, fail']
  ]
  for (const [threshold, wanted] of cases) t.equal(state(threshold), wanted, threshold)
  t.equal(state('non2xx < 80', { totals: { requests: 80, errors: 0, statuses: { '5xx': 80 } } }), '80 so far, fail', 'none of them was 2xx')
  t.equal(state('failures <= 80', { hasOtherFailures: true }), '≥ 80 so far, unsure', 'bodies are counted at the end')
  t.equal(state('failures < 32%', { hasOtherFailures: true }), '≥ 32% so far, fail')
  t.equal(state('errors <= 50', { hasOtherFailures: true }), '50 so far, pass')
  // Each name with the number that it counts, and what that is a share of; 'rate': a name of the share alone.
  const counts = { errors: [50, 250], errorRate: [50, 250, 'rate'], failures: [80, 250], 'failures.count': [80, 250], 'failures.rate': [80, 250, 'rate'], non2xx: [50, 200], '4xx': [24, 200], '5xx': [6, 200] }
  for (const [name, [value, of, isRate]] of Object.entries(counts)) {
    const percentage = 100 * value / of
    const forms = [[`${percentage}%`, `${percentage}%`], isRate ? [String(value / of), `${percentage}%`] : [String(value), String(value)]]
    for (const [limit, actual] of forms) {
      for (const hasOtherFailures of [false, true]) {
        const isBound = hasOtherFailures && name.startsWith('failures')
        const words = `${isBound ? '≥ ' : ''}${actual} so far`
        t.equal(state(`${name} <= ${limit}`, { hasOtherFailures }), `${words}, ${isBound ? 'unsure' : 'pass'}`, `${name} <= ${limit}`)
        t.equal(state(`${name} < ${limit}`, { hasOtherFailures }), `${words}, fail`, `${name} < ${limit}`)
      }
    }
  }
  const bounded = { ...ROW, latencyBounds: { smallest: 13 } }
  t.equal(state('p99 < 14ms', { row: bounded }), '≥ 13 ms in the last sample, unsure')
  t.equal(state('p90 < 14ms', { row: bounded }), '12 ms in the last sample, pass')
  t.equal(state('p99 < 14ms', { row: { ...ROW, max: 0 } }), 'checked at the end, unknown')
  t.equal(state('errors < 1%', { totals: { requests: 0, errors: 0, statuses: {} } }), 'checked at the end, unknown')
})

t.test('how far a run is', async (t) => {
  const words = (extent, time, requests = 40, url = 'http://a') => progressInWords({ amount: null, duration: 60, ...extent }, { time }, { requests }, { url })
  t.equal(words({}, 12), '12 s of 1 min, 48 s left')
  t.equal(words({}, 12.4), '12 s of 1 min, 48 s left')
  t.equal(words({}, 59.4), '59 s of 1 min, 1 s left')
  t.equal(words({}, 59.6), '1 min of 1 min, 1 s left')
  t.equal(words({}, 60), '1 min of 1 min, waiting for the last responses')
  t.equal(words({}, 61), '1 min of 1 min, waiting for the last responses')
  t.equal(words({ amount: 100 }, 3), '40 of 100 requests after 3 s')
  t.equal(words({ amount: 1 }, 3, 0, 'ws://a'), '0 of 1 message after 3 s')
})

t.test('the title', async (t) => {
  t.equal(titleOf({ title: 'shop', url: 'http://a' }), 'shop')
  t.equal(titleOf({ url: ['http://u:p@a/', 'http://b/?key=x'] }), 'http://***@a/, http://b/?key=***')
  t.equal(titleOf({}), 'A run')
})

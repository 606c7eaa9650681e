'use strict'

const fc = require('../support/fast-check')
const t = require('tap')
const format = require('../../lib/words/numbers')

t.test('a duration has the unit that suits it and three significant digits', async (t) => {
  t.same([0.0004, 0.041, 0.9994, 0.9996, 1, 5.154, 77.72, 145.4, 999.4, 999.6, 2854, 62345, 3600000].map((value) => format.time(value)),
    ['0.4 µs', '41 µs', '999 µs', '1 ms', '1 ms', '5.15 ms', '77.7 ms', '145 ms', '999 ms', '1 s', '2.85 s', '62.3 s', '3,600 s'])
  t.equal(format.time(0), '0 ms')
})

t.test('several durations share a unit if they differ by a factor of at most 1,000', async (t) => {
  const together = (...values) => {
    const unit = format.commonUnit(values)
    return values.map((value) => format.time(value, unit))
  }
  t.same(together(0.054, 0.041, 4.21), ['54 µs', '41 µs', '4,210 µs'])
  t.same(together(0.7, 0.5, 500), ['0.7 ms', '0.5 ms', '500 ms'], 'no five-digit number')
  t.same(together(2, 2000), ['2 ms', '2,000 ms'], 'a factor of a thousand')
  t.same(together(2, 2001), ['2 ms', '2 s'], 'more')
  t.same(together(0.041, 77.7), ['41 µs', '77.7 ms'])
  t.same(together(2850, 21.4), ['2,850 ms', '21.4 ms'], 'no number with leading zeros')
  t.same(together(612, 12, 10000), ['612 ms', '12 ms', '10 s'], 'neither fits')
  t.same(together(0, 0.054), ['0 µs', '54 µs'], 'zero does not count')
  t.same(together(0), ['0 ms'])
})

t.test('durations for programs are in milliseconds, without separators, to the microsecond', async (t) => {
  const ms = (value) => format.duration(value)
  t.same([0.0004, 0.054, 0.5, 1.005, 5.154, 51.53, 300.95, 12345.678, 3600000].map(ms),
    ['0', '0.054', '0.5', '1', '5.15', '51.5', '301', '12346', '3600000'])
})

t.test('values that are not numbers have no digits', async (t) => {
  for (const value of [undefined, null, NaN, Infinity, '5']) {
    for (const show of [format.duration, format.time, format.rate, format.shortRate, format.size, format.shortSize, format.count]) {
      t.equal(show(value), '–')
    }
  }
})

t.test('moments', async (t) => {
  t.equal(format.moment('2026-03-01T14:05:09.123Z'), '2026-03-01 14:05:09 UTC')
  t.same([undefined, null, 'yesterday'].map(format.moment), ['', '', ''])
})

t.test('numbers are written as Intl.NumberFormat writes them', async (t) => {
  const usual = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 9 })).map(([digits, places]) => digits / 10 ** places)
  fc.assert(fc.property(fc.oneof(usual, fc.double()), fc.integer({ min: 0, max: 20 }), fc.nat(), (value, atMost, some) => {
    const atLeast = some % (atMost + 1)
    return format.grouped(value, atMost, atLeast) === value.toLocaleString('en-US', { maximumFractionDigits: atMost, minimumFractionDigits: atLeast })
  }), { examples: [[1.005, 2, 0], [-0, 3, 3], [999.9995, 3, 0], [0.5, 0, 0], [1e21, 0, 0], [99_999_999_999.5, 0, 0]] })
})

t.test('rates', async (t) => {
  t.same([67391.4, 219.62, 99.97, 2.5, 0.1, 0.0123, 0, 1234567.8].map(format.rate),
    ['67,391', '219.6', '100', '2.5', '0.1', '0.0123', '0', '1,234,568'])
  t.same([1234567.8, 67391.4, 999.5, 2.5].map(format.shortRate), ['1.23M', '67.4k', '999.5', '2.5'])
})

t.test('sizes', async (t) => {
  t.same([0, 0.333333, 381, 7440, 8556789, 123456789].map(format.size), ['0 B', '0.33 B', '381 B', '7.44 kB', '8.56 MB', '123 MB'])
  t.same([0, 381, 7440, 85567890, 123456789].map(format.shortSize), ['0 B', '381 B', '7.4 kB', '86 MB', '123 MB'])
})

t.test('counts and seconds of the last line', async (t) => {
  t.same([0, 999, 1000, 1500, 251400, 1258999].map(format.thousands), ['0', '999', '1k', '2k', '251k', '1259k'])
  t.same([10.049, 1.01, 10.003, 0.2184, 3600].map(format.seconds), ['10.05', '1.01', '10', '0.218', '3,600'])
  t.same([format.counted(1, 'request'), format.counted(12000, 'request'), format.counted(0.5, 'second')],
    ['1 request', '12,000 requests', '0.5 seconds'])
})

// Of each function: values, and what it makes of them, on both sides of each limit.
const TABLES = {
  percent: [
    [[0], '0%'], [[0.00001], '< 0.01%'], [[0.00009999], '< 0.01%'], [[0.0001], '0.01%'], [[0.057], '5.7%'], [[0.1], '10%'], [[0.123456], '12.3%'],
    [[0.99], '99%'], [[0.9904], '99.04%'], [[0.9995], '99.95%'], [[0.9996], '99.96%'], [[0.9999], '99.99%'], [[0.999901], '> 99.99%'], [[0.99999], '> 99.99%'], [[1], '100%'],
    [[1.5], '150%'], [[1.23456], '123%'], [[12.3456], '1,235%'], [[11], '1,100%'], [[998.99], '99,899%'], [[999], 'over 1,000-fold'], [[5000], 'over 1,000-fold'], [[-0.1], '−10%'], [[-1], '−100%'], [[-0.00001], '< −0.01%'],
    [[0, { signed: true }], '0%'], [[0.057, { signed: true }], '+5.7%'], [[-0.057, { signed: true }], '−5.7%'], [[0.00001, { signed: true, unit: ' points' }], '< +0.01 points'], [[0.5, { unit: ' points' }], '50 points'], [[NaN], '–']
  ],
  share: [[[1, 3], '33.3%'], [[0, 5], '0%'], [[5, 5], '100%'], [[5, 0], '–'], [[0, 0], '–'], [[5, undefined], '–'], [[undefined, 5], '–']],
  span: [
    [[59.4], '59 s'], [[59.6], '1 min'], [[9.96], '10 s'], [[3599.6], '1 h'],
    [[0.0004], '400 µs'], [[0.5], '500 ms'], [[1], '1 s'], [[1.04], '1 s'], [[9.94], '9.9 s'], [[10], '10 s'], [[10.4], '10 s'], [[59.4], '59 s'], [[60], '1 min'], [[61], '1 min 1 s'], [[90], '1 min 30 s'],
    [[119.6], '2 min'], [[3599.6], '1 h'], [[3600], '1 h'], [[3661], '1 h 1 min 1 s'], [[7200], '2 h'], [[90061], '25 h 1 min 1 s'], [[NaN], '–']
  ],
  tenths: [[[0], '0.0'], [[0.04], '0.0'], [[12.34], '12.3'], [[999.94], '999.9'], [[999.96], '1000'], [[1000], '1000'], [[1000.6], '1001'], [[Infinity], '–']],
  seconds: [[[0.2184], '0.218'], [[0.9994], '0.999'], [[1], '1'], [[1.006], '1.01'], [[1.0004], '1'], [[59.999], '60'], [[NaN], '–']],
  rate: [[[0.099], '0.099'], [[12.34], '12.3'], [[999.94], '999.9'], [[1000], '1,000'], [[1000.4], '1,000'], [[-3.333], '-3.33'], [[-2000.4], '-2,000']],
  shortRate: [[[999.4], '999.4'], [[1000], '1k'], [[-5000], '-5k'], [[-1234567], '-1.23M']],
  size: [[[0.004], '0 B'], [[0.006], '0.01 B'], [[0.994], '0.99 B'], [[1], '1 B'], [[1.5], '1.5 B'], [[999], '999 B'], [[1000], '1 kB'], [[-0.3333], '-0.33 B'], [[-2000], '-2 kB']],
  shortSize: [[[99999], '100 kB'], [[12345], '12 kB'], [[999999], '1 MB']],
  counted: [[[2, 'query', 'queries'], '2 queries'], [[1, 'query', 'queries'], '1 query'], [[0, 'row'], '0 rows']],
  count: [[[1.5], '2'], [[-12000], '-12,000']],
  atLeast: [[['5 ms'], '≥ 5 ms'], [['5 ms', true], '≥ 5 ms'], [['5 ms', false], '5 ms']],
  decimalsFor: [[[0], 0], [[0.0123], 4], [[0.95], 3], [[1], 2], [[9.9], 2], [[10], 1], [[100], 0], [[12345], 0], [[-5], 2], [[9.9, 5], 4], [[NaN], 0]],
  time: [[[1234.5678, undefined, 6], '1.23457 s'], [[0.0123456, undefined, 5], '12.346 µs'], [[-5.154], '-5.15 ms'], [[1500, null], '1.5 s']]
}

for (const [name, rows] of Object.entries(TABLES)) {
  t.test(`${name}, at its limits`, async (t) => {
    for (const [values, expected] of rows) t.equal(format[name](...values), expected, JSON.stringify(values))
  })
}

t.test('the durations of a column have the decimals that the shortest of them needs', async (t) => {
  for (const [column, shown] of [
    [[0.0123, 5, 100], ['0.012', '5.000', '100.000']], [[5, 0], ['5.00', '0.00']], [[0, 100, 2000], ['0', '100', '2,000']], [[NaN, 20, undefined], ['–', '20.0', '–']], [[0], ['0']]
  ]) t.same(column.map(format.durations(column)), shown)
})

'use strict'

const t = require('tap')
const format = require('../../lib/report/format')

const inUnitOf = (statistics) => format.durationWithUnit(statistics.p50, format.unitOf(statistics))

t.test('a row of durations is in microseconds where milliseconds say nothing', async (t) => {
  t.equal(inUnitOf({ p50: 0.054, max: 4.2 }), '54 µs')
  t.equal(inUnitOf({ p50: 0.9994, max: 15 }), '999 µs')
  t.equal(inUnitOf({ p50: 1, max: 15 }), '1 ms')
  t.equal(inUnitOf({ p50: 0.054, max: 99.9 }), '54 µs')
  t.equal(inUnitOf({ p50: 0.054, max: 2000 }), '0.054 ms', 'a long tail keeps the row in milliseconds')
  t.equal(inUnitOf({ p50: 0, max: 0 }), '0 ms')
  t.equal(inUnitOf({}), '-')
})

t.test('durations have three significant digits and lose no whole ones', async (t) => {
  const ms = (value) => format.duration(value)
  t.same([0.0004, 0.054, 0.5, 1.005, 5.154, 51.53, 300.95, 12345.678, 3600000].map(ms),
    ['0', '0.054', '0.5', '1', '5.15', '51.5', '301', '12346', '3600000'])
  const unit = format.unitOf({ p50: 0.01, max: 1 })
  t.same([0.0074, 0.0743, 0.7431, 7.4312, 0].map((value) => format.duration(value, unit)), ['7.4', '74.3', '743', '7431', '0'])
})

t.test('what is no number has no digits', async (t) => {
  for (const value of [undefined, null, NaN, Infinity, '5']) {
    t.equal(format.duration(value), '-')
    t.equal(format.durationWithUnit(value, format.unitOf({})), '-')
    t.equal(format.rate(value), '-')
    t.equal(format.shortRate(value), '-')
    t.equal(format.size(value), '-')
    t.equal(format.shortSize(value), '-')
  }
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
  t.same([10.049, 1.01, 10.003, 0.2184, 3600].map(format.seconds), ['10.05', '1.01', '10', '0.218', '3600'])
  t.same([format.counted(1, 'request'), format.counted(12000, 'request'), format.counted(0.5, 'second')],
    ['1 request', '12,000 requests', '0.5 seconds'])
})

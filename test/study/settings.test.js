'use strict'

// How the settings of all studies are read: shares, durations, defaults, and names that do not exist.

const t = require('tap')
const { CODES } = require('../../lib/base/errors')
const { milliseconds, readSettings, seconds, secondsOrZero, share } = require('../../lib/study/settings')
const { maxRegression } = require('../../lib/study/compare/regression')
const { connections, stopWhen } = require('../../lib/study/sweep/settings')

// The values that a kind reads, and those that it rejects.
const KINDS = [
  ['share', share, [[0, 0], [1, 1], ['0.25', 0.25], ['5%', 0.05], [' 100 % ', 1], ['0%', 0]], [-0.01, 1.01, '101%', '-1%', '5', 'x%', '%', '', true, {}], /^x must be a share: a number from 0 to 1, or a percentage such as '5%'; got/],
  ['seconds', seconds, [[0.5, 0.5], ['2', 2], ['500ms', 0.5], ['1m 30s', 90]], [0, -1, 'soon', '0s', {}], /^x must be greater than 0 \(seconds as a number, or a string such as '500ms' or '1m 30s'\); got/],
  ['secondsOrZero', secondsOrZero, [[0, 0], [0.5, 0.5], ['0s', 0], ['2m', 120]], [-1, 'soon', {}], /^x must be 0 or more \(seconds as a number, or a string such as '500ms' or '1m 30s'\); got/],
  ['milliseconds', milliseconds, [[5, 5], ['5', 5], ['200ms', 200], ['1.5s', 1500]], [0, '0ms', -1, '1 parsec', {}, [5], true, Object.create(null)], /^x must be a number of milliseconds greater than 0, or a string such as '200ms'; got/]
]

for (const [name, kind, good, bad, message] of KINDS) {
  t.test(name, async (t) => {
    for (const [given, expected] of good) t.equal(kind.read(given, 'x'), expected, JSON.stringify(given))
    for (const given of bad) t.throws(() => kind.read(given, 'x'), { code: CODES.BAD_OPTION, option: 'x', message }, JSON.stringify(given))
  })
}

t.test('settings have defaults, and a warning for each unknown name', async (t) => {
  const table = [{ name: 'pause', ...secondsOrZero, default: 1 }, { name: 'limit', ...milliseconds }]
  t.strictSame(readSettings(undefined, table), { settings: { pause: 1, limit: undefined }, warnings: [] })
  t.strictSame(readSettings({ pause: null, limit: undefined }, table), { settings: { pause: 1, limit: undefined }, warnings: [] })
  t.strictSame(readSettings({ pause: 0, limit: '1s', pauze: 5, other: 1, gone: null }, table), {
    settings: { pause: 0, limit: 1000 },
    warnings: [
      { code: 'UNKNOWN_OPTION', message: "the setting 'pauze' is unknown and has no effect: did you mean 'pause'?" },
      { code: 'UNKNOWN_OPTION', message: "the setting 'other' is unknown and has no effect" }
    ]
  })
  for (const bad of [null, 5, 'text', []]) t.throws(() => readSettings(bad, table), { code: CODES.BAD_OPTION, message: /^the settings must be an object; got/ })
  t.throws(() => readSettings({ limit: 0, pause: -1 }, table), { option: 'pause' }, 'the first one of the table')
})

t.test('how much worse each metric may be', async (t) => {
  t.strictSame(maxRegression.read('5%', 'm'), { '*': 0.05 })
  t.strictSame(maxRegression.read({ p99: '10%', errorRate: 0, gapP99: 1 }, 'm'), { p99: 0.1, errorRate: 0, gapP99: 1 })
  const all = 'throughput, p50, p99, errorRate, eventRate, firstEventP50, firstEventP99, gapP50, gapP99'
  t.throws(() => maxRegression.read({ p99: 0.1, p98: 0.1 }, 'm'), { option: 'm.p98', message: `m.p98 must be one of ${all}; got 0.1` })
  t.throws(() => maxRegression.read({ p99: 2 }, 'm'), { option: 'm.p99', message: /^m\.p99 must be a share/ })
  t.throws(() => maxRegression.read(2, 'm'), { option: 'm' })
})

t.test('the limits that end a sweep', async (t) => {
  t.strictSame(stopWhen.read({ errorRate: '5%', failureRate: 0.1, achievedRatio: '90%', p99: '1s' }, 's'), { errorRate: 0.05, failureRate: 0.1, achievedRatio: 0.9, p99: 1000 })
  t.strictSame(stopWhen.read({ errorRate: null, p99: undefined }, 's'), {})
  t.throws(() => stopWhen.read({ xyz: 1 }, 's'), { option: 's.xyz', message: "s has no limit called 'xyz': there are errorRate, failureRate, achievedRatio, p99" })
  t.throws(() => stopWhen.read({ errorrate: 1 }, 's'), { message: "s has no limit called 'errorrate': did you mean errorRate?" })
  for (const bad of [5, [], 'p99']) t.throws(() => stopWhen.read(bad, 's'), { message: /^s must be an object \{ errorRate, failureRate, achievedRatio, p99 \}; got/ })
})

t.test('numbers of connections grow by half, by a step, or are those of a list', async (t) => {
  const read = (value) => connections.read(value, 'c')
  t.same(read({ from: 1, to: 12 }), [1, 2, 3, 5, 8, 12])
  t.same(read({ from: 10, to: 50 }), [10, 15, 23, 35, 50])
  t.same(read({ from: 7, to: 7 }), [7])
  t.same(read({ from: 10, to: 35, step: 10 }), [10, 20, 30])
  t.same(read([5, 1, 5]), [1, 5])
  t.same(read({ from: 1, to: 10_000, step: 1 }).length, 10_000)
  t.throws(() => read({ from: 1, to: 10_001, step: 1 }), { option: 'c.step', message: 'c.step must be large enough for at most 10000 numbers: from 1 to 10001 it makes 10001; got 1' })
  t.throws(() => read({ from: 5, to: 4 }), { option: 'c.to', message: 'c.to must be at least c.from, which is 5; got 4' })
  for (const bad of [[], 5, 'x']) t.throws(() => read(bad), { option: 'c', message: /^c must be an object \{ from, to, step \}, or an array of whole numbers greater than 0; got/ })
})

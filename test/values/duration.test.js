'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { toSeconds } = require('../../lib/values/duration')

const UNITS = {
  ms: 0.001,
  milliseconds: 0.001,
  s: 1,
  sec: 1,
  seconds: 1,
  m: 60,
  minutes: 60,
  h: 3600,
  hour: 3600,
  d: 86400,
  days: 86400,
  w: 604800,
  weeks: 604800
}

t.test('a number, or a text with only a number, is in seconds', async t => {
  t.equal(toSeconds(10), 10)
  t.equal(toSeconds(0.25), 0.25)
  t.equal(toSeconds('10'), 10)
  t.equal(toSeconds(' 0.5 '), 0.5)
  t.equal(toSeconds('.5'), 0.5)
  t.equal(toSeconds('-1'), -1)
})

t.test('numbers with units add up, in upper or lower case, with or without spaces', async t => {
  t.equal(toSeconds('1m 30s'), 90)
  t.equal(toSeconds('1m30s'), 90)
  t.equal(toSeconds('1 Minute, 30 Seconds'), 90)
  t.equal(toSeconds('1.5h'), 5400)
  t.equal(toSeconds('2 weeks'), 1209600)
  t.equal(toSeconds('250ms'), 0.25)
})

t.test('partly valid texts are rejected', async t => {
  for (const text of ['', 'soon', '1m 30', '-5s', '10 s econds', '5 fortnights', 'in 5s', '5s!', '1..5s', 's', '1e400']) {
    t.equal(toSeconds(text), undefined, text)
  }
  for (const value of [NaN, Infinity, null, undefined, true, {}, [], 5n]) t.equal(toSeconds(value), undefined)
})

t.test('property: any list of amounts with units is their sum', async t => {
  const part = fc.record({
    amount: fc.integer({ min: 0, max: 9999 }),
    unit: fc.constantFrom(...Object.keys(UNITS)),
    space: fc.constantFrom('', ' ')
  })
  fc.assert(fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), fc.constantFrom(' ', ', '), (parts, between) => {
    const text = parts.map(({ amount, unit, space }) => `${amount}${space}${unit}`).join(between)
    const sum = parts.reduce((total, { amount, unit }) => total + amount * UNITS[unit], 0)
    return Math.abs(toSeconds(text) - sum) <= sum * 1e-12
  }))
  t.pass('held')
})

t.test('property: any text is parsed or rejected, quickly and without throwing', async t => {
  fc.assert(fc.property(fc.anyText, text => {
    const seconds = toSeconds(text)
    return seconds === undefined || Number.isFinite(seconds)
  }))
  t.equal(toSeconds('1s '.repeat(20000) + '!'), undefined, 'a long text that fails at its end')
})

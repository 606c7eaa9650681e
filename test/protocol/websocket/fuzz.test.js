'use strict'

const t = require('tap')
const fuzz = require('./fuzz')

t.test('5,000 mutated captures: what ws hears, no crash, no hang, and every message in one box', async (t) => {
  fuzz(5_000, 42)
  t.pass('no fault')
})

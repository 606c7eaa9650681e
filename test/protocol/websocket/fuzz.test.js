'use strict'

const t = require('tap')
const fuzz = require('./fuzz')

t.test('5,000 mutated captures: the same messages as ws, no crash, no hang, and every message has one outcome', async (t) => {
  fuzz(5_000, 42)
  t.pass('no fault')
})

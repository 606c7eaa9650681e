'use strict'

const t = require('tap')
const fuzz = require('./fuzz')

t.test('20,000 mutated captures: no crash, no hang, and every request has one outcome', async (t) => {
  fuzz(20_000, 42)
  t.pass('no fault')
})

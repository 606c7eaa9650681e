'use strict'

const t = require('tap')
const fuzz = require('./fuzz')

t.test('3,000 mutated captures of Socket.IO: no crash, no hang, no unlimited memory, and every message has one outcome', async (t) => {
  fuzz(3_000, 42)
  t.pass('no fault')
})

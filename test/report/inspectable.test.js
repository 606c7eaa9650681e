'use strict'

const { inspect, stripVTControlCharacters } = require('node:util')
const t = require('tap')
const inspectable = require('../../lib/report/inspectable')
const printResult = require('../../lib/report/print-result')
const healthy = require('./fixtures/healthy')

t.test('console.log shows a result as printResult does, without control characters', async (t) => {
  const result = inspectable(healthy())
  const shown = inspect(result)
  const printed = printResult(healthy(), { outputStream: { isTTY: true, columns: 80 } })
  t.equal(shown.replace(/\n\nAll fields: .*$/, ''), stripVTControlCharacters(printed).trim())
  t.match(shown, /\nAll fields: console\.dir\(result, \{ depth: null \}\)$/)
  t.equal(inspect(result, { colors: true }).includes('\u001b['), printed.includes('\u001b['))
  t.same(shown.split('\n').filter((line) => line.length > 80), [])
})

t.test('within another object it is one line', async (t) => {
  const result = inspectable(healthy())
  t.equal(inspect([result]), '[ [219,600 of 219,610 requests answered in 10 s, 27.9 MB read] ]')
  t.equal(inspect({ a: { b: result } }, { depth: null }).split('\n').length > 5, true, 'all of it on request')
})

t.test('all fields remain accessible', async (t) => {
  const result = inspectable(healthy())
  t.same(Object.keys(result), Object.keys(healthy()))
  t.equal(JSON.stringify(result), JSON.stringify(healthy()))
  t.same(structuredClone(result), healthy())
  t.match(inspect(result, { customInspect: false }), /latency: \{/)
  t.match(inspect(inspectable({ kind: 'sweep', rows: 5 })), /kind: 'sweep',? rows: 5/, 'a result that a program has damaged is shown as any object')
})

'use strict'

const t = require('tap')
const tablePart = require('../../lib/report/html/document-table')

const table = (columns, cells, more) => String(tablePart({ caption: 'A table', columns, rows: [cells], ...more }).markup)

t.test('names of columns and rows are broken if they have a word of 19 characters', async (t) => {
  for (const [name, isBroken] of [['x'.repeat(18), false], ['x'.repeat(19), true], [`${'x'.repeat(18)} ${'y'.repeat(18)}`, false], [`a ${'y'.repeat(19)}`, true]]) {
    t.equal(table([{ name }], ['1']).includes('broken'), isBroken, name)
    t.equal(table([{ name, look: { color: 'series-1', line: 'solid' } }], ['1']).includes('broken'), isBroken, `${name}, with its line`)
  }
})

t.test('tables of 11 columns are dense', async (t) => {
  for (const [count, isDense] of [[10, false], [11, true], [12, true]]) {
    const columns = Array.from({ length: count }, (_, index) => ({ name: `c${index}` }))
    for (const isStacked of [true, false]) t.equal(/<table class="(?:stacked )?dense">/.test(table(columns, columns.map(({ name }) => name), { isStacked })), isDense, count)
    t.notMatch(table([...columns.slice(0, 10), { name: 'left out', only: 'terminal' }], columns.map(({ name }) => name)), /dense|left out/)
  }
})

t.test('the units of columns are in their heads, unless each cell has its own', async (t) => {
  const headOf = (column, cell) => /<th scope="col"[^>]*>([^<]*)</.exec(table([column], [cell]))[1]
  t.equal(headOf({ name: 'p50', of: 'time' }, 3), 'p50 ms')
  t.equal(headOf({ name: 'p50', of: 'time', hasUnits: true }, 3), 'p50')
  t.equal(headOf({ name: 'Rate', of: 'rate' }, 3), 'Rate/s')
  t.equal(headOf({ name: 'req/s', of: 'rate' }, 3), 'req/s')
  t.equal(headOf({ name: 'Count', of: 'count' }, 3), 'Count')
})

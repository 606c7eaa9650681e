'use strict'

const fc = require('../support/fast-check')
const t = require('tap')
const { records } = require('../../lib/inputs/csv')

const read = (text, separator = ',') => [...records(text, separator)].map(({ cells }) => cells)
const lines = (text) => [...records(text, ',')].map(({ line }) => line)

t.test('cells, quotes, and any kind of line ending', async (t) => {
  t.same(read('a,b\n1,2\n'), [['a', 'b'], ['1', '2']])
  t.same(read('a,b\r\n1,2\r3,4'), [['a', 'b'], ['1', '2'], ['3', '4']])
  t.same(read('a\tb,c\n', '\t'), [['a', 'b,c']])
  t.same(read('"a ""b"", c\nd" ,"",'), [['a "b", c\nd', '', '']])
  t.same(read('"\t"\t1\n', '\t'), [['\t', '1']], 'a tab after a quote separates cells')
  t.same(read('5" disk,a "b"\n'), [['5" disk', 'a "b"']], 'a quote within a cell is one')
  t.same(read('\n\r\n1\n\n,\n""\n'), [['1'], ['', '']], 'empty lines are ignored')
  t.same(read(''), [])
  t.same(lines('a\n\n"1\r\n2",3\n4\n'), [1, 3, 5])
})

t.test('errors name the line', async (t) => {
  t.throws(() => read('a\n1,"2\n3\n'), { name: 'SyntaxError', message: 'line 2: a quote is not closed' })
  t.throws(() => read('a\n"1"x,2\n'), { message: /^line 2: there is text between the closing quote/ })
})

t.test('property: what is written by the rules is read back unchanged', async (t) => {
  const cell = fc.string({ unit: fc.constantFrom('a', ' ', ',', '"', '\n', '\r', 'ü', '\t') })
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 })
  fc.assert(fc.property(table, fc.constantFrom('\n', '\r\n', '\r'), (rows, end) => {
    const text = rows.map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(',') + end).join('')
    return JSON.stringify(read(text)) === JSON.stringify(rows)
  }), { numRuns: 200 })
})

t.test('parsing takes linear time, also for many megabytes', async (t) => {
  const row = `${'x'.repeat(50)},"${'y""'.repeat(20)}"\n`
  t.equal([...records(row.repeat(2e4), ',')].length, 2e4)
  t.equal([...records(`"${'a'.repeat(3e6)}"`, ',')][0].cells[0].length, 3e6)
})

t.test('the separator is detected', async (t) => {
  t.same([...records('a;b\n1,5;2\n')].map(({ cells }) => cells), [['a', 'b'], ['1,5', '2']])
  // Several could separate the first record, but only one all of them.
  t.same([...records('a,b;c\n1;2\n3;4\n')].map(({ cells }) => cells), [['a,b', 'c'], ['1', '2'], ['3', '4']])
  t.same([...records('a;b,c\n1,2\n3,4\n')].map(({ cells }) => cells), [['a;b', 'c'], ['1', '2'], ['3', '4']])
  t.same([...records('a|b\n1|2\n')].map(({ cells }) => cells), [['a', 'b'], ['1', '2']])
  t.same([...records('name\nSmith; Ann\n')].map(({ cells }) => cells), [['name'], ['Smith; Ann']])
  t.same([...records('a,b;c\n1,2;3\n4,5;6\n')].map(({ cells }) => cells), [['a', 'b;c'], ['1', '2;3'], ['4', '5;6']])
})

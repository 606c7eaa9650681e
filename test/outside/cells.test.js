'use strict'

// Lines of CSV files: what each kind of value becomes, and that any reader gets the text back as a text.

const Papa = require('papaparse')
const t = require('tap')
const { csvLine, csvNames } = require('../../lib/outside/cells')
const fc = require('../support/fast-check')

t.test('what each kind of value becomes', async (t) => {
  const cases = [
    [null, ''], [undefined, ''], [NaN, ''], [Infinity, ''], [-Infinity, ''], [0, '0'], [-1.5, '-1.5'], [1e21, '1e+21'], [true, 'true'], [false, 'false'], ['', ''], ['a b', 'a b'],
    ['=1+1', "'=1+1"], ['+1', "'+1"], ['-1', "'-1"], ['@x', "'@x"], ['＝1', "'＝1"], ['＋1', "'＋1"], ['－1', "'－1"], ['＠x', "'＠x"], ['"=1', '"\'""=1"'], ["'=1", "''=1"],
    ['a=1', 'a=1'], ['1-1', '1-1'], ['a,b', '"a,b"'], ['a;b', '"a;b"'], ['a|b', '"a|b"'], ['a"b', '"a""b"'], ['a\tb', 'a b'], ['a\r\nb', 'a b'], ['\u001b[31ma', 'a'],
    ['http://u:p@h/', 'http://***@h/'], ['token=x', 'token=***']
  ]
  for (const [value, cell] of cases) t.equal(csvLine([value, 'end'], ','), `${cell},end\n`, String(value))
})

t.test('names of the tester keep words that a text from outside would not', async (t) => {
  t.equal(csvNames(['auth: login', '=1', 'a,b'], ';'), 'auth: login;\'=1;"a,b"\n')
  t.equal(csvLine(['auth: login', '=1', 'a,b'], ';'), 'auth: ***;\'=1;"a,b"\n')
})

t.test('any texts come back as the cells that they were, whatever the separator', async (t) => {
  const separators = fc.constantFrom(',', ';', '\t', '|', ' ', '::')
  const texts = fc.array(fc.oneof(fc.anyText, fc.string({ unit: fc.constantFrom('a', ' ', ',', ';', '"', "'", '\t', '|', '\n', '=', ':') })), { minLength: 1, maxLength: 5 })
  fc.assert(fc.property(texts, separators, (values, separator) => {
    const shown = (value) => value.trim()
    const line = csvLine([...values, 'end'], separator, shown)
    const isFormula = (text) => /^[\s"']*[=+\-@＋－＝＠]/.test(text)
    const { data: [cells] } = Papa.parse(line.slice(0, -1), { delimiter: separator })
    t.strictSame(cells, [...values.map(shown).map((text) => isFormula(text) ? `'${text}` : text), 'end'])
  }))
})

t.test('a cell that begins or ends with a part of a long separator comes back as well', async (t) => {
  for (const separator of ['::', ':;', ':-:', ' : ']) {
    const texts = [1, 2, 3].reduce((all) => all.flatMap((text) => ['', 'a', ...separator].map((character) => text + character)), [''])
    for (const text of new Set(texts)) {
      const line = csvLine(['b', text, 'end'], separator, (value) => value)
      const { data: [cells] } = Papa.parse(line.slice(0, -1), { delimiter: separator })
      t.strictSame(cells, ['b', /^\s*-/.test(text) ? `'${text}` : text, 'end'], `${JSON.stringify(text)} between ${JSON.stringify(separator)}`)
    }
  }
})

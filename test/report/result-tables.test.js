'use strict'

// Tables that are defined once: the contents of their cells, and that every kind of report has them.

const t = require('tap')
const { printResult, toHTML, toMarkdown } = require('../..')
const { inWords } = require('../../lib/report/document')
const { TABLES, endpointTable } = require('../../lib/report/result-tables')
const runDocument = require('../../lib/report/run')
const { SHOWN } = require('../../lib/report/shown')
const { tableText } = require('../../lib/report/table-text')
const { readResult } = require('../../lib/report/well-formed')
const measured = require('./fixtures/measured')

const colors = Object.fromEntries(['bold', 'cyan', 'gray'].map((name) => [name, String]))
const wordsOf = ({ columns, rows }) => rows.map((cells) => cells.map((cell, index) => inWords(cell, columns[index].of)))

t.test('by endpoint: counts, times, statuses, and a mark on times that are only lower bounds', async (t) => {
  const [first, second] = measured().endpoints
  const table = (...endpoints) => endpointTable([{ result: readResult(measured({ endpoints })) }])
  t.same(wordsOf(table(first, second)), [
    ['front page', '4,000', '2', '500 ms', '990 ms', '1 s', '200: 4,000'],
    ['POST /cart?item=1', '1,412', '212', '250 ms', '495 ms', '500 ms', '200: 1,200, 503: 212']
  ])
  const late = { ...second, latencyBounds: { count: 3, share: 0.01, smallest: 300 } }
  t.same(wordsOf(table(first, late))[1].slice(3, 6), ['250 ms', '≥ 495 ms', '≥ 500 ms'])
  t.same(wordsOf(table(first, { ...second, latency: { totalCount: 0, p50: 0 } }))[1].slice(3, 6), ['–', '–', '–'])
  t.same(wordsOf(table(first)), [], 'a single one is the whole run')
  t.same(wordsOf(endpointTable(['a', 'b'].map((name) => ({ name, result: readResult(measured()) })))).map((row) => row[1]), ['a', 'a', 'b', 'b'])
})

t.test('on a terminal of 80 columns, in Markdown and in an HTML report', async (t) => {
  const result = measured()
  const text = printResult(result, { outputStream: { isTTY: true, columns: 80 } }).split('\n')
  t.ok(text.some((line) => /POST \/cart\?item=1.*503: 212/.test(line)))
  // eslint-disable-next-line no-control-regex -- colors take no space
  t.ok(text.filter((line) => line.includes('│')).every((line) => line.replace(/\u001b\[\d+m/g, '').length <= 80))
  t.match(toMarkdown(result), '\n| front page | 4,000 | 2 | 500 ms | 990 ms | 1 s | 200: 4,000 |\n')
  t.match(toHTML(result), 'POST /cart?item=1')
  t.notMatch(printResult({ ...result, endpoints: [result.endpoints[0]] }, { outputStream: {} }), 'front page')
})

t.test('each table names a section that pages have, and an option that exists', async (t) => {
  const titles = runDocument([measured()], {}).sections.map(({ title }) => title)
  t.same(TABLES.filter(({ section }) => !titles.includes(section)), [])
  t.same(TABLES.filter(({ option }) => option !== undefined && !SHOWN.some(({ name }) => name === option)), [])
})

t.test('a table omits columns if there is no room, and rows if there are too many', async (t) => {
  const table = endpointTable([{ result: readResult(measured()) }])
  const heads = (width) => tableText(table, { width, colors }).split('\n')[1]
  t.match(heads(100), /Failed.*p50.*p99.*Max/)
  t.notMatch(heads(80), /p50/)
  t.match(heads(80), /Failed/)
  t.notMatch(heads(50), /Failed|p50|Max/)
  t.match(tableText(table, { width: 100, colors }, 1), /\nand 1 other request: see the JSON result\.$/)
})

'use strict'

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const t = require('tap')
const { createPlan } = require('../../lib/plan')

const ROWS = [{ id: '1', name: 'Ada' }, { id: '2', name: 'Grace' }]

function planOf (feed, opts) {
  return createPlan({ url: 'http://localhost/{{id}}', feed, ...opts }).plan
}

t.test('rows from files, by file name extension', async t => {
  const files = {
    'a.csv': 'id,name\n1,Ada\n2,Grace\n',
    'marked.csv': '\ufeffid,name\r\n\r\n1,Ada\r\n"2","Grace"',
    'A.CSV': 'id,name\n1,Ada\n2,Grace',
    'a.tsv': 'id\tname\n1\tAda\n2\tGrace\n',
    'b.TSV': 'id\tname\r\n\r\n"1"\tAda\r\n2\tGrace',
    'a.json': `\ufeff${JSON.stringify(ROWS, null, 2)}`,
    'a.jsonl': ROWS.map(row => JSON.stringify(row)).join('\n'),
    'marked.jsonl': `\ufeff${ROWS.map(row => JSON.stringify(row)).join('\n')}\n`,
    'a.ndjson': ROWS.map(row => `${JSON.stringify(row)}\r\n`).join('\n')
  }
  const folder = t.testdir(files)
  for (const name of Object.keys(files)) {
    const file = path.join(folder, name)
    for (const feed of [file, { file }, pathToFileURL(file), { file: pathToFileURL(file).href }]) {
      t.same(planOf(feed).feed.rows, ROWS, name)
    }
  }
})

t.test('the separator of a TSV file is a tab, whatever else its cells contain', async t => {
  const folder = t.testdir({ 'one.tsv': 'id\n1,a\n2;b\n', 'two.tsv': 'id\ta,b\n1,2\tx;y,z\n' })
  t.same(planOf(path.join(folder, 'one.tsv')).feed.rows, [{ id: '1,a' }, { id: '2;b' }])
  t.same(planOf(path.join(folder, 'two.tsv')).feed.rows, [{ id: '1,2', 'a,b': 'x;y,z' }])
})

t.test('real-world variants of CSV', async t => {
  const file = path.join(t.testdir({ 'a.csv': 'id,text\n1,"a ""b"", c\nd"\n2,ü\n' }), 'a.csv')
  t.same(planOf(file).feed.rows, [{ id: '1', text: 'a "b", c\nd' }, { id: '2', text: 'ü' }])
})

t.test('rows from an array, which the plan copies', async t => {
  const rows = structuredClone(ROWS)
  for (const feed of [rows, { rows }, { array: rows }]) {
    const plan = planOf(feed)
    t.same(plan.feed, { rows: ROWS, order: 'sequential', steps: 1, amount: null })
    t.ok(Object.isFrozen(plan.feed.rows[0]))
    t.notOk(Object.isFrozen(rows[0]))
    t.same(structuredClone(plan).feed, plan.feed)
  }
  t.equal(createPlan({ url: 'http://localhost' }).plan.feed, null)
})

t.test('a URL is one of a file', async t => {
  for (const file of ['http://a.test/rows.csv', 'https://a.test/rows.csv', 'data:,id']) {
    for (const feed of [new URL(file), { file: new URL(file) }]) t.throws(() => planOf(feed), { code: 'CANNONADE_BAD_OPTION', option: 'feed.file', message: /^feed\.file must be the path of a file/ })
  }
})

t.test('`array` is an alias of `rows`, and errors use the name that was given', async t => {
  t.same(planOf({ array: ROWS, order: 'once' }).feed, planOf({ rows: ROWS, order: 'once' }).feed)
  t.throws(() => planOf({ array: [5] }), { code: 'CANNONADE_BAD_OPTION', option: 'feed.array', message: /row 1 is 5/ })
  t.throws(() => planOf({ array: 5 }), { option: 'feed.array', message: /^feed\.array must be an array of at least one object/ })
  for (const both of [{ rows: ROWS, array: ROWS }, { file: 'a.csv', array: ROWS }, { file: 'a.csv', rows: ROWS }]) {
    t.throws(() => planOf(both), { code: 'CANNONADE_BAD_OPTION', option: 'feed', message: /^feed must be an object with one of file, rows and array; got/ })
  }
})

t.test('if each row is used once, their number is the amount, unless something else ends the run', async t => {
  const once = { rows: ROWS, order: 'once' }
  t.equal(planOf(once).amount, 2)
  t.equal(planOf(once, { requests: [{}, {}, {}] }).amount, 6, 'a row is for one round of the sequence')
  for (const opts of [{ duration: 5 }, { stages: '5s:1' }, { maxOverallRequests: 5 }, { maxConnectionRequests: 5 }]) {
    t.same([planOf(once, opts).amount, planOf(once, opts).feed.amount], [null, null], Object.keys(opts)[0])
  }
  t.same([planOf(once, { amount: 5 }).amount, planOf(once, { amount: 5 }).feed.amount], [5, null])
  t.equal(planOf({ rows: ROWS, order: 'random' }).amount, null)
  t.equal(planOf(once, { overallRate: 5 }).amount, 2)
})

t.test('errors say why a file cannot be read', async t => {
  const folder = t.testdir({
    'short.csv': 'id,name\n1\n',
    'long.csv': 'id,name\r\n\r\n"1\r\n",2\r\n3,4,5\r\n6,7',
    'open.csv': 'id,name\n1,2\n3,"4\n5,6\n',
    'stray.csv': 'id,name\n"1"x,2\n',
    'head.csv': 'id,name\n',
    'bad.json': '[',
    'object.json': '{"id":1}',
    'numbers.json': '[1]',
    'bad.jsonl': '{"id":1}\n\n{"id":'
  })
  const cases = {
    'short.csv': /line 2: it has 1 and not 2 columns/,
    'long.csv': /line 5: it has 3 and not 2 columns/,
    'open.csv': /line 3: /,
    'stray.csv': /line 2: /,
    'head.csv': /it has no rows/,
    'bad.json': /JSON/,
    'object.json': /it has no rows/,
    'numbers.json': /row 1 is 1, not an object/,
    'bad.jsonl': /line 3: .*JSON/,
    'none.csv': /it does not exist/
  }
  for (const [name, message] of Object.entries(cases)) {
    const file = path.join(folder, name)
    t.throws(() => planOf(file), { code: 'CANNONADE_BAD_OPTION', option: 'feed.file', message }, name)
    t.throws(() => planOf(file), { message: new RegExp(name) })
  }
  t.throws(() => planOf('rows.xlsx'), { option: 'feed.file', message: /\.csv, \.tsv, \.json, \.jsonl, \.ndjson/ })
})

t.test('an unknown column is an error that lists the columns', async t => {
  const cases = [
    [{ url: 'http://localhost/{{ID}}' }, 'ID'],
    [{ url: ['http://localhost/{{ID}}', 'http://localhost/{{id}}'] }, 'ID'],
    [{ url: ['http://localhost/{{id}}', 'http://localhost', 'http://localhost/?{{ID}}'] }, 'ID'],
    [{ url: ['http://localhost/{{id}}', 'http://localhost/{{ID}}'], requests: [{ path: '/a' }, {}] }, 'ID'],
    [{ requests: [{}, { path: '/{{nam}}' }] }, 'nam'],
    [{ headers: { a: 'x {{nam}}' } }, 'nam'],
    [{ body: '{"a":"{{nam}}"}' }, 'nam'],
    [{ body: Buffer.from('{{größe}}') }, 'größe']
  ]
  for (const [opts, column] of cases) {
    t.throws(() => planOf(ROWS, opts), {
      code: 'CANNONADE_BAD_OPTION',
      option: 'feed',
      message: new RegExp(`^{{${column}}} in requests\\[\\d\\] cannot be filled in from the feed: the feed has no such column \\(its columns are id, name\\)`)
    })
  }
  t.throws(() => planOf([{ id: 1, x: 1 }, { id: 2 }], { body: '{{x}}' }), { message: /row 2 of the feed has no such column/ })
  t.throws(() => planOf([{ id: 1 }, { id: 'a\r\nb' }], { headers: { a: '{{id}}' } }), { message: /row 2 has 'a\\r\\nb'/ })
  t.doesNotThrow(() => planOf([{ id: 'a\r\nb' }], { body: '{{id}}' }), 'a body and a path take anything')
  t.doesNotThrow(() => planOf(ROWS, { url: ['http://localhost/{{id}}', 'http://localhost/{{ID}}'], requests: [{ path: '/{{name}}' }] }), 'no request has the path of the URL')
})

t.test('without a feed nothing is a placeholder', async t => {
  const { plan } = createPlan({ url: 'http://localhost/{{id}}', body: '{{x}}', headers: { a: '{{y}}' } })
  t.same([plan.requests[0].body, plan.requests[0].headers, plan.targets[0].path], ['{{x}}', [['a', '{{y}}']], '/%7B%7Bid%7D%7D'])
})

t.test('with a feed the placeholders of a URL are kept', async t => {
  const { targets: [{ path }] } = planOf([{ id: 1, 'a b': 2, ü: 3 }], { url: 'http://localhost/x y/{{id}}/{{a b}}?q={{ü}}&{one}' })
  t.equal(path, '/x%20y/{{id}}/{{a%20b}}?q={{%C3%BC}}&{one}')
})

t.test('with workers, rows must be plain data', async t => {
  const rows = [{ id: 1, f () {} }]
  t.throws(() => planOf(rows, { workers: 2 }), { option: 'feed' })
  t.doesNotThrow(() => planOf(rows))
})

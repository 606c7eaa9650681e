'use strict'

// How values are written on a command line: what each text becomes before the option checks it.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const notation = require('../../lib/plan/options/notation')
const { completeUrl } = require('../../lib/plan/url')

const TABLES = {
  number: { 5: 5, ' 1e3 ': 1000, '-1': -1, '10s': '10s', x: 'x', '': '' },
  seconds: { 5: 5, '1m 30s': 90, '500ms': 0.5, soon: 'soon' },
  streamLimit: { 20: 20, '5s': { seconds: '5s' }, x: { seconds: 'x' } },
  connections: { 10: 10, x: 'x', '10..100/30s': { from: 10, to: 100, over: '30s' }, '0..5/2': { from: 0, to: 5, over: 2 }, 'a..b/c/d': { from: 'a', to: 'b', over: 'c/d' } },
  thinkTime: { 0.5: 0.5, '1s': '1s', '0.2..1.5': [0.2, 1.5], '1..2..3': [1, 2, 3], '500ms..1s': ['500ms', '1s'], 'mean:0.5': { mean: 0.5 }, 'mean:1s': { mean: '1s' } },
  bursts: { '100/5s': { size: 100, interval: '5s' }, '5/0.5': { size: 5, interval: 0.5 }, '1/2/3': { size: 1, interval: '2/3' }, '/': { size: '', interval: '' } },
  header: { 'a=b': ['a', 'b'], 'a:b': ['a', 'b'], 'a: b=c': ['a', ' b=c'], 'a=b:c': ['a', 'b:c'], 'a=': ['a', ''], 'a==': ['a', '='] },
  feed: { 'a.csv': { file: 'a.csv' }, 'once:a.csv': { file: 'a.csv', order: 'once' }, 'random:a:b': { file: 'a:b', order: 'random' }, 'sequential:': { file: '', order: 'sequential' }, 'twice:a': { file: 'twice:a' }, 'C:\\a.csv': { file: 'C:\\a.csv' } },
  scenario: {
    'buy.js': { name: 'buy', user: 'buy.js' },
    'buy.js:5': { name: 'buy', weight: 5, user: 'buy.js' },
    'in/buy.mjs:0.5': { name: 'buy', weight: 0.5, user: 'in/buy.mjs' },
    'buy:.25': { name: 'buy', weight: 0.25, user: 'buy' },
    'buy.js:0': { name: 'buy', weight: 0, user: 'buy.js' },
    'buy.js:': { name: 'buy', user: 'buy.js:' },
    'a:b.js': { name: 'a:b', user: 'a:b.js' },
    'a:3:b.js:4': { name: 'a:3:b', weight: 4, user: 'a:3:b.js' }
  },
  listenAt: { 9464: { port: 9464 }, '0.0.0.0:80': { host: '0.0.0.0', port: 80 }, 'a.test:0': { host: 'a.test', port: 0 }, '[::1]:80': { host: '::1', port: 80 }, ':80': { host: '', port: 80 }, x: { port: 'x' }, 'a:x': { host: 'a', port: 'x' } },
  numbers: { '100,200 500': [100, 200, 500], ' 1,, x ': [1, 'x'], '': [] }
}

for (const [name, table] of Object.entries(TABLES)) {
  t.test(name, async (t) => {
    for (const [text, value] of Object.entries(table)) t.strictSame(notation[name](text), value, text)
  })
}

t.test('what cannot be split', async (t) => {
  for (const [name, texts] of Object.entries({ connections: ['1..2', '..'], bursts: ['100', ''], header: ['a', '=b', ':b', ''] })) {
    for (const text of texts) t.throws(() => notation[name](text), { code: 'CANNONADE_BAD_OPTION', option: name === 'header' ? 'headers' : name }, text)
  }
})

t.test('values of flags that are repeated', async (t) => {
  t.same([['a'], ['b']].reduce((before, [value]) => notation.list(before, value), undefined), ['a', 'b'])
  t.same([['a', '1'], ['b', '2'], ['a', '3']].reduce((before, entry) => notation.entries(before, entry), undefined), { a: '3', b: '2' })
})

t.test('files: keys, certificates, recordings, sequences and bytes', async (t) => {
  const certificate = fs.readFileSync(path.join(__dirname, '../support/certs/ca-cert.pem'))
  const files = {
    plain: 'a key',
    unix: 'a key\n',
    windows: 'a key\r\n',
    blank: 'a key \n\n',
    none: '\n',
    pem: certificate,
    other: 'nothing',
    'a.har': '\ufeff{"log":{}}',
    'list.json': '\ufeff[{"path":"/"}]',
    'all.JSON': '{"requests":[{}],"thinkTime":"1s","calls":3,"more":1}',
    'bad.json': '{',
    'text.json': '"x"'
  }
  const folder = t.testdir(files)
  const of = (name, file) => notation[name](path.join(folder, file))
  t.same(['plain', 'unix', 'windows', 'blank'].map((file) => of('keyFile', file)), ['a key', 'a key', 'a key', 'a key \n'])
  t.throws(() => of('keyFile', 'none'), { option: 'keyFile', message: /is empty/ })
  t.throws(() => of('keyFile', 'missing'), { option: 'key', message: /^Failed to load key file: / })
  t.same(notation.certificates('ca')(path.join(folder, 'pem')), certificate)
  t.throws(() => notation.certificates('ca')(path.join(folder, 'other')), { option: 'ca', message: /contains none$/ })
  t.same(notation.file('input')(path.join(folder, 'other')), Buffer.from('nothing'))
  t.same(of('har', 'a.har'), { log: {} })
  t.throws(() => of('har', 'bad.json'), { option: 'har', message: /^Failed to load HAR file content: / })
  t.same(of('scenario', 'list.json'), { name: 'list', requests: [{ path: '/' }] })
  t.same(of('scenario', 'all.JSON:1.5'), { name: 'all', weight: 1.5, requests: [{}], thinkTime: '1s', calls: 3 })
  t.throws(() => of('scenario', 'bad.json'), { option: 'scenarios', message: /is not valid JSON/ })
  t.throws(() => of('scenario', 'text.json'), { option: 'scenarios', message: /must contain an array of requests/ })
})

t.test('the scheme of a URL that has none', async (t) => {
  const cases = [
    [['a.test'], 'http://a.test'], [['a.test', undefined, true], 'ws://a.test'], [['//a.test', undefined, {}], 'ws://a.test'], [['https://a.test', undefined, true], 'https://a.test'],
    [['/x', '/tmp/a.sock'], 'http://localhost/x'], [['/x', '/tmp/a.sock', true], 'ws://localhost/x'], [[['a', 'http://b', '/c'], '/tmp/a.sock', true], ['ws://a', 'http://b', 'ws://localhost/c']], [[['/a', 5], '/tmp/a.sock'], ['http://localhost/a', 5]],
    [[' a:b@c '], 'http://a:b@c'], [['ftp://a'], 'ftp://a'], [[''], ''], [[undefined], undefined]
  ]
  for (const [given, url] of cases) t.strictSame(completeUrl(...given), url, JSON.stringify(given))
})

'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { createPlan } = require('../../lib/plan')
const { CODES } = require('../../lib/base/errors')

function headersOf (headers, own) {
  return createPlan({ url: 'http://localhost', headers, requests: [own === undefined ? {} : { headers: own }] })
    .plan.requests[0].headers
}

t.test('every form gives the same pairs', async t => {
  const pairs = [['Content-Type', 'text/plain'], ['X-Count', '5']]
  const forms = [
    { 'Content-Type': 'text/plain', 'X-Count': 5 },
    [['Content-Type', 'text/plain'], ['X-Count', 5]],
    ['Content-Type', 'text/plain', 'X-Count', 5],
    new Map([['Content-Type', 'text/plain'], ['X-Count', 5]])
  ]
  for (const form of forms) t.strictSame(headersOf(form), pairs)
  t.strictSame(headersOf(new Headers({ accept: 'text/html' })), [['accept', 'text/html']])
  t.strictSame(headersOf(Object.assign(Object.create(null), { a: '1' })), [['a', '1']])
  t.strictSame(headersOf([['x', 'y']]), [['x', 'y']], 'one pair, not a name and a value')
  t.strictSame(headersOf(['a', ['x', 'y']]), [['a', 'x'], ['a', 'y']])
  for (const nothing of [{}, [], new Map()]) t.strictSame(headersOf(nothing), [])
})

t.test('lists that are neither pairs nor alternating names and values', async t => {
  for (const list of [['a'], ['a', '1', 'b'], [['a']], [['a', '1', '2']], [['a', '1'], ['b', '2', '3']], [['a', '1'], ['b']], [['a', '1'], 'b', '2'], [[]], 'a', 5, true, new String('ab'), Buffer.from('ab'), new Date(0)]) { // eslint-disable-line no-new-wrappers
    t.throws(() => headersOf(list), { code: CODES.BAD_OPTION, option: 'headers' }, JSON.stringify(list))
  }
})

t.test('a repeated name replaces the earlier one in its place, whatever its case', async t => {
  t.strictSame(headersOf({ 'content-type': 'a', x: '1', 'Content-Type': 'b' }), [['Content-Type', 'b'], ['x', '1']])
  t.strictSame(headersOf([['X', '1'], ['x', '2']]), [['x', '2']])
})

t.test('an array value repeats the header', async t => {
  t.strictSame(headersOf({ cookie: ['a=1', 'b=2'], n: [1, null] }), [['cookie', 'a=1'], ['cookie', 'b=2'], ['n', '1']])
  t.strictSame(headersOf(['cookie', ['a=1', 'b=2']]), [['cookie', 'a=1'], ['cookie', 'b=2']])
})

t.test("a request's own headers override the common ones, whatever their case", async t => {
  const common = { Accept: '*/*', 'X-Token': 'common', cookie: ['a=1', 'b=2'] }
  t.strictSame(headersOf(common, { 'x-token': 'own', extra: 'yes' }), [
    ['Accept', '*/*'], ['x-token', 'own'], ['cookie', 'a=1'], ['cookie', 'b=2'], ['extra', 'yes']
  ])
  t.strictSame(headersOf(common, { Cookie: 'c=3' }), [['Accept', '*/*'], ['X-Token', 'common'], ['Cookie', 'c=3']])
})

t.test('null and undefined remove a header', async t => {
  t.strictSame(headersOf({ a: null, b: undefined, c: '1' }), [['c', '1']])
  t.strictSame(headersOf({ Accept: '*/*', b: '1' }, { accept: null }), [['b', '1']])
  t.strictSame(headersOf({ Accept: '*/*', b: '1' }, { accept: undefined }), [['b', '1']])
})

t.test('true, false and numbers become texts, and an empty text is kept', async t => {
  t.strictSame(headersOf({ a: true, b: 0, c: -1.5, d: '', e: 10n }), [
    ['a', 'true'], ['b', '0'], ['c', '-1.5'], ['d', ''], ['e', '10']
  ])
})

t.test('tabs and non-ASCII characters are allowed in a value', async t => {
  t.strictSame(headersOf({ a: 'x\ty', b: 'naïve €' }), [['a', 'x\ty'], ['b', 'naïve €']])
})

t.test('a name that is not a token is an error', async t => {
  for (const name of ['', 'a b', 'a:', 'a\r\nb', 'ä', 'a\0', '(a)', '[a]']) {
    t.throws(() => headersOf({ [name]: '1' }), { code: CODES.BAD_OPTION, option: 'headers', message: /tokens/ },
      JSON.stringify(name))
  }
})

t.test('a value with a line break is an error that names the header', async t => {
  for (const value of ['a\r\nX: 1', 'a\n', '\r', '\0', '\x7f', '\x1b[0m']) {
    t.throws(() => headersOf({ 'X-Bad': value }), { code: CODES.BAD_OPTION, message: /headers\['X-Bad'\].*control/ })
  }
  for (const value of [{}, NaN, Infinity, () => {}, Symbol('x'), [['nested']], Buffer.from('x')]) {
    t.throws(() => headersOf({ 'X-Bad': value }), { code: CODES.BAD_OPTION, message: /headers\['X-Bad'\]/ })
  }
})

t.test('a header may have the name of an Object.prototype property', async t => {
  t.strictSame(headersOf(JSON.parse('{"__proto__":"1","constructor":"2"}')), [['__proto__', '1'], ['constructor', '2']])
})

t.test("property: merging never duplicates a name, and the request's headers win", async t => {
  const name = fc.constantFrom('host', 'Host', 'HOST', 'accept', 'Accept', 'x-a', 'X-A', 'x-b')
  const pairs = fc.array(fc.tuple(name, fc.constantFrom('1', '2', '3')))
  fc.assert(fc.property(pairs, pairs, (common, own) => {
    const merged = headersOf(common, own)
    const names = merged.map(([name]) => name.toLowerCase())
    t.equal(new Set(names).size, names.length, 'each name once')
    const last = new Map([...common, ...own].map(([name, value]) => [name.toLowerCase(), value]))
    t.same(new Map(merged.map(([name, value]) => [name.toLowerCase(), value])), last, 'the last value of each name')
  }))
})

t.test('property: no text can inject a line break into the headers', async t => {
  fc.assert(fc.property(fc.anyText, fc.anyText, (name, value) => {
    try {
      return headersOf([[name, value]]).every(([n, v]) => !/[\r\n\0]/.test(n + v))
    } catch (error) {
      return error.code === CODES.BAD_OPTION
    }
  }), { numRuns: 500 })
  t.pass('held')
})

'use strict'

// Options as they are published: whole objects and whole commands, with limits of lengths and depths.

const t = require('tap')
const { shareableOptions } = require('../../lib/outside/options')
const { commandWithoutSecrets, wordsWithoutSecrets } = require('../../lib/outside/secrets')

const times = (count, value) => Array.from({ length: count }, (_, index) => typeof value === 'function' ? value(index) : value)

class Own {}
const nested = (depth, value) => depth === 0 ? value : { in: nested(depth - 1, value) }

// Each option's value, and what is published of it; undefined if it is left out.
const CASES = [
  ['connections', 5, 5],
  ['overallRate', Infinity, 'Infinity'],
  ['amount', NaN, 'NaN'],
  ['limit', 10n, '10'],
  ['forever', false, false],
  ['timeout', null, undefined],
  ['timeout', undefined, undefined],
  ['signal', { aborted: false }, undefined],
  ['outputStream', {}, undefined],
  ['diagnose', { target: {} }, undefined],
  ['title', 'x', 'x'],
  ['title', 'x'.repeat(1000), 'x'.repeat(1000)],
  ['title', 'x'.repeat(1001), `${'x'.repeat(999)}…`],
  ['token', 'x', '***'],
  ['cookies', true, true],
  ['body', 'ä', '(2 bytes)'],
  ['body', '', '(0 bytes)'],
  ['body', Buffer.alloc(7), '(7 bytes)'],
  ['body', function made () {}, '(function made)'],
  ['body', (() => () => {})(), '(function without a name)'],
  ['body', { stream: 'x' }, '(14 bytes)'],
  ['body', 5, '5'],
  ['body', new Own(), '(Own)'],
  ['form', { a: { type: 'text', value: 'x' } }, '(33 bytes)'],
  ['feed', [1], '(1 entry)'],
  ['feed', [], '(0 entries)'],
  ['feed', [1, 2], '(2 entries)'],
  ['har', { log: { big: 1n } }, '(an object)'],
  ['expectBody', 'abc', '(3 bytes)'],
  ['onPort', ['node', 'a.js', '--token', 'x', '-v'], ['node', 'a.js', '--token', '***', '-v']],
  ['url', ['http://u:p@h/', 'h'], ['http://***@h/', 'h']],
  ['url', new URL('http://u:p@h/?key=x'), 'http://***@h/?key=***'],
  ['headers', ['x-key', 'x', 'accept', 'x-key', 'x'], ['x-key', '***', 'accept', 'x-key', '***']],
  ['headers', ['x key', 'x'], ['x key', 'x']],
  ['headers', [['x-key', 'x'], ['a', 'x']], [['x-key', '***'], ['a', 'x']]],
  ['headers', { 'X-Key': 'x', a: ['x', undefined], b: undefined }, { 'X-Key': '***', a: ['x', 'undefined'] }],
  ['headers', new Map([['x-key', 'x']]), '(Map)'],
  ['tlsOptions', { key: 'x', ciphers: 'y' }, { key: '***', ciphers: '***' }],
  ['tlsOptions', 'x', 'x'],
  ['list', times(100, (index) => index), times(100, (index) => index)],
  ['list', times(101, (index) => index), [...times(100, (index) => index), '(1 more)']],
  ['list', times(130, (index) => index), [...times(100, (index) => index), '(30 more)']],
  ['words', times(130, 'a'), [...times(100, 'a'), '(30 more)']],
  ['context', nested(4, 'x'), nested(4, 'x')],
  ['context', nested(5, 'x'), nested(4, '(more)')],
  ['context', [[[[['x']]]]], [[[['(more)']]]]],
  ['context', nested(4, times(3, 'x')), nested(4, '(more)')],
  ['context', { body: { a: 1 }, token: 'x', when: new Date(0), bytes: new Uint8Array(3), run () {} }, { body: '(7 bytes)', token: '***', when: '(Date)', bytes: '(3 bytes)', run: '(function run)' }],
  ['context', Object.create(null, { a: { value: 1, enumerable: true } }), { a: 1 }],
  ['context', new Own(), '(Own)'],
  ['command', 'curl -u me:x http://h', 'curl -u me:*** http://h'],
  ['command', 'http://u:p@h -v', 'http://***@h -v']
]

t.test('what is published of each kind of value', async (t) => {
  for (const [name, value, shown] of CASES) {
    t.strictSame(shareableOptions({ [name]: value }), shown === undefined ? {} : { [name]: shown }, `${name}: ${typeof value}`)
  }
  t.strictSame(shareableOptions({ 'a?token=x': 1 }), { 'a?token=***': 1 }, 'names are texts from outside, too')
})

t.test('what is not known as an option is hidden, at any depth', async (t) => {
  const known = new Set(['a', 'a b', 'a b c', 'list', 'list x'])
  const isOption = (...names) => known.has(names.join(' '))
  t.strictSame(shareableOptions({ a: { b: { c: 1, d: 2 }, e: 3 }, f: 4, list: [{ x: 5, y: 6 }] }, isOption), { a: { b: { c: 1, d: '***' }, e: '***' }, f: '***', list: [{ x: 5, y: '***' }] })
})

t.test('words of commands', async (t) => {
  const cases = [
    // A flag that is followed by another one has no value.
    [['--auth', '--port', '80'], ['--auth', '--port', '80']],
    [['--auth', '-v'], ['--auth', '-v']],
    [['--auth', 'x', 'y'], ['--auth', '***', 'y']],
    [['--token', '', 'y'], ['--token', '***', 'y']],
    [['token', 'x'], ['token', 'x']],
    [['-k', 'x'], ['-k', 'x']],
    [['--key', 'x'], ['--key', '***']],
    [['--a.token', 'x'], ['--a.token', '***']],
    [['-u', 'me'], ['-u', 'me']],
    [['-u', 'me:x:y'], ['-u', 'me:***']],
    [['--user', 'me:x'], ['--user', 'me:***']],
    [['--proxy-user', 'me:x'], ['--proxy-user', 'me:***']],
    [['-E', 'c:x'], ['-E', 'c:***']],
    [['-e', 'c:x'], ['-e', 'c:x']],
    [['-ume'], ['-ume']],
    [['X-Key: x', 'Accept: x'], ['X-Key: ***', 'Accept: x']],
    [['X-Key:'], ['X-Key:']],
    [['TOKEN=x', 'A=x'], ['TOKEN=***', 'A=x']],
    [['http://u:p@h/'], ['http://***@h/']]
  ]
  for (const [words, shown] of cases) t.strictSame(wordsWithoutSecrets(words), shown, words.join(' '))
  const commands = [
    ['a "b c"  d', 'a "b c" d'],
    ["curl -H 'X-Key: x' h", "curl -H 'X-Key: ***' h"],
    ['a --token "x y" b', 'a --token *** b'],
    ['a "b', 'a " b']
  ]
  for (const [command, shown] of commands) t.equal(commandWithoutSecrets(command), shown)
})

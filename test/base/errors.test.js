'use strict'

// What errors say of the values of users: on one line, short, and without secrets.

const t = require('tap')
const { CODES, CannonadeError, contradiction, failureInWords, hookError, optionError, readingResults, reasonOf, secondsInWords, sentenceOf, show, showPath, whyUnreadable } = require('../../lib/base/errors')

t.test('a value is shown on one line of at most 80 characters', async (t) => {
  for (const [value, text] of [
    ['text', "'text'"], [5, '5'], [null, 'null'], [undefined, 'undefined'], [-0, '-0'], [10n, '10n'], [true, 'true'],
    ['two\nlines', "'two\\nlines'"],
    ['z'.repeat(60), `'${'z'.repeat(60)}'`],
    ['z'.repeat(70), `'${'z'.repeat(60)}'... 10 more cha...`],
    [{ a: { b: { c: 1 } } }, '{ a: { b: [Object] } }'],
    [[1, 2, 3, 4, 5, 6, 7], '[ 1, 2, 3, 4, 5, ... 2 more items ]'],
    [{ headers: { Authorization: 'Bearer x', accept: 'y' } }, "{ headers: { Authorization: '***', accept: 'y' } }"],
    [[{ password: 'p', user: 'ann' }], "[ { password: '***', user: 'ann' } ]"],
    [new Map([['a', 1]]), "Map(1) { 'a' => 1 }"]
  ]) t.equal(show(value), text)
  // As long as it may be, and one character longer.
  const listOf = (length) => ['a'.repeat(30), 'b'.repeat(length)]
  t.equal(show(listOf(38)).length, 78)
  t.equal(show(listOf(40)), `[ '${'a'.repeat(30)}', '${'b'.repeat(40)}' ]`)
  t.equal(show(listOf(41)), `[ '${'a'.repeat(30)}', '${'b'.repeat(40)}...`)
  t.equal(showPath('/x'.repeat(100)), `'${'/x'.repeat(100)}'`, 'a path is shown whole')
})

t.test('an option that must be something else, is missing, or contradicts another', async (t) => {
  for (const [error, option, message] of [
    [optionError('duration', -1, 'a number'), 'duration', 'duration must be a number; got -1'],
    [optionError('duration', undefined, 'a number'), 'duration', 'duration must be a number; it is missing'],
    [optionError("headers['Authorization']", 'x', 'a string'), "headers['Authorization']", "headers['Authorization'] must be a string; got another value"],
    [optionError("headers['Accept']", 5, 'a string'), "headers['Accept']", "headers['Accept'] must be a string; got 5"],
    [contradiction("websocket.expect: 'nothing'", 'pipelining', 'why'), "websocket.expect: 'nothing'", "websocket.expect: 'nothing' and pipelining cannot be given together: why"]
  ]) {
    t.match(error, { name: 'CannonadeError', code: CODES.BAD_OPTION, option, message })
    t.equal(sentenceOf(error).say((path) => `<${path}>`).includes('<'), true, 'its names are data')
  }
})

t.test('what was thrown is named, whatever it is', async (t) => {
  for (const [thrown, reason] of [
    [new Error('no token'), 'no token'], [new TypeError(''), 'TypeError'], ['text', 'text'], [undefined, 'undefined'], [{ a: 1 }, '{ a: 1 }'],
    [Object.assign(new Error('x'), { message: { not: 'text' } }), "{ not: 'text' }"],
    [Object.defineProperty(new Error('x'), 'message', { get () { throw new Error('no') } }), 'an error that cannot be shown']
  ]) t.equal(reasonOf(thrown), reason)
  t.match(failureInWords(new Error('no token')), /^no token \(at .*errors\.test\.js:\d+:\d+\)$/)
})

t.test('a value that is or has an error is shown without the lines of its stack', async (t) => {
  const cause = new TypeError('y')
  const places = ['at f (/a.js:1:2)', 'at async g (node:x:3:4)', 'at Array.map (<anonymous>)', 'at async Promise.all (index 0)', 'at /b.js:5:6']
  const error = (message, more) => Object.assign(new Error(message), { stack: [`Error: ${message}`, ...places].join('\n    ') }, more)
  t.equal(show(error('at home')), 'Error: at home')
  t.equal(show(error('x\ny')), 'Error: x y')
  t.equal(show([error('x'), 2]), '[ Error: x, 2 ]')
  t.equal(show({ a: error('x'), b: 1 }), '{ a: Error: x, b: 1 }')
  t.equal(show(error('x', { b: 1 })), 'Error: x { b: 1 }')
  t.equal(show(new Error('x', { cause })), 'Error: x { [cause]: TypeError: y }')
})

t.test('an error of ours that user code caused keeps its code, and gets the place once', async (t) => {
  const ours = optionError('duration', -1, 'a number')
  const first = hookError('setupClient', ours)
  t.equal(first, ours)
  t.match(first.message, /^duration must be a number; got -1 \(at .*errors\.test\.js:\d+:\d+\)$/)
  t.equal(sentenceOf(first).say(() => '-d'), first.message.replace('duration', '-d'), 'for the command as well')
  const once = first.message
  t.equal(hookError('setupClient', first).message, once)
  const theirs = new Error('no token')
  t.match(hookError('setupClient', theirs), { code: CODES.HOOK_FAILED, cause: theirs, message: /^setupClient failed: no token \(at / })
})

t.test('a result that cannot be read is one kind of error, and any other error remains as it is', async (t) => {
  const readers = [() => null.a, () => new Array(-1), () => { throw new CannonadeError(CODES.BAD_OPTION, 'x') }, () => { throw new SyntaxError('y') }]
  const codes = readers.map((read) => { try { return readingResults(read)() } catch ({ code, name, message }) { return code ?? `${name}: ${message}` } })
  t.same(codes, ['CANNONADE_BAD_RESULT', 'CANNONADE_BAD_RESULT', 'CANNONADE_BAD_OPTION', 'SyntaxError: y'])
  t.equal(readingResults(function toHTML () {}).name, 'toHTML')
  t.equal(readingResults((a, b) => a + b)(1, 2), 3)
})

t.test('why a file cannot be read, and seconds', async (t) => {
  const codes = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EMFILE']
  t.same(codes.map((code) => whyUnreadable({ code, message: 'other' })), ['it does not exist', 'it does not exist', 'it is a folder', 'this user may not read it', 'other'])
  t.same([0, 0.5, 1, 2].map(secondsInWords), ['0 seconds', '0.5 seconds', '1 second', '2 seconds'])
})

'use strict'

const t = require('tap')
const { clean, colorsFor, cut, isTerminal, widthOf, wrap } = require('../../lib/report/text')
const fc = require('../support/fast-check')
const environment = require('./fixtures/environment')

t.test('escape sequences of every kind are removed, and the text around them remains', async (t) => {
  const sequences = {
    colour: '\u001b[1;31m',
    'clear the screen': '\u001b[2J',
    'one-character form of a control sequence': '\u009b2J',
    'title, ended by a bell': '\u001b]0;pwned by me\u0007',
    'link, ended by a string terminator': '\u001b]8;;http://evil.example\u001b\\',
    'device control string': '\u001bPq#0;2;0;0;0\u001b\\',
    'character set': '\u001b(0',
    reset: '\u001bc',
    'save the cursor': '\u001b7'
  }
  for (const [name, sequence] of Object.entries(sequences)) {
    t.equal(clean(`before${sequence}after`), 'beforeafter', name)
  }
})

t.test('an unterminated sequence does not swallow the rest of the text', async (t) => {
  t.equal(clean('before\u001b]0;title'), 'before0;title')
  t.equal(clean('before\u001b'), 'before')
  t.equal(clean('\u001b[12'), '12')
})

t.test('a text stays on one line and in its direction', async (t) => {
  t.equal(clean('one\r\ntwo\tthree\u2028four'), 'one two three four')
  t.equal(clean('abc\u202edcba\u2066x\u200b'), 'abcdcbax')
  t.equal(clean('nul\u0000bell\u0007delete\u007fnext\u0085line'), 'nulbelldeletenext line')
  t.equal(clean('  padded  '), 'padded')
})

t.test('what is cut off does not make a secret look like something else', (t) => {
  for (let length = 1960; length < 2000; length++) {
    const text = clean(`${'x'.repeat(length)} http://user:password@h.test/`)
    if (text.length > 2000 || text.includes('pass')) t.fail(`${length}: ${text.slice(1950)}`)
  }
  t.end()
})

t.test('letters of all scripts remain; lone surrogates do not', async (t) => {
  t.equal(clean('Zürich 東京 🚀 µs'), 'Zürich 東京 🚀 µs')
  t.equal(clean('half \ud83d'), 'half \ufffd')
})

t.test('values that are not strings are shown, and long ones shortened', async (t) => {
  t.equal(clean(42), '42')
  t.equal(clean(undefined), 'undefined')
  t.equal(clean({ toString: 1 }), '{ toString: 1 }')
  t.equal(clean('x'.repeat(1e6)).length, 2000)
})

t.test('cleaning a hostile text is fast', async (t) => {
  const before = process.cpuUsage()
  for (const piece of ['\u001b]', '\u001b[', '\u001b[0;', '\u009d', '\u001b ']) clean(piece.repeat(1e5))
  t.ok(process.cpuUsage(before).user < 1_000_000)
})

t.test('the width counts columns, not characters', async (t) => {
  t.equal(widthOf('latency'), 7)
  t.equal(widthOf('54 µs'), 5)
  t.equal(widthOf('東京'), 4)
  t.equal(widthOf('e\u0301'), 1)
  t.equal(widthOf('🚀'), 2)
  for (const emoji of ['👨‍👩‍👧‍👦', '🇩🇪', '❤️']) t.equal(widthOf(emoji), 2, emoji)
  t.same(wrap('👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 4), ['👨‍👩‍👧‍👦👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦'], 'a character is never cut')
})

t.test('a paragraph breaks at spaces, with indented continuation lines', async (t) => {
  t.same(wrap('the quick brown fox jumps', 12, '  '), ['the quick', '  brown fox', '  jumps'])
  t.same(wrap('short', 80), ['short'])
  t.same(wrap('', 80), [''])
})

t.test('a word wider than a line is cut, and no line is too wide', async (t) => {
  t.same(wrap('abcdefghij', 4), ['abcd', 'efgh', 'ij'])
  t.same(wrap('a ' + 'b'.repeat(12), 8, '  '), ['a bbbbbb', '  bbbbbb'])
  const lines = wrap(`${'東京'.repeat(50)} ${'x'.repeat(200)} and so on`, 80, '  ')
  t.ok(lines.length > 3)
  for (const line of lines) t.ok(widthOf(line) <= 80, line)
})

// Characters of one and two columns, of one to several code units.
const CHARACTERS = ['a', 'µ', 'é', 'e\u0301', '東', '🚀', '👨‍👩‍👧‍👦', '🇩🇪', '❤️']
const characters = (maxLength, ...more) => fc.array(fc.constantFrom(...CHARACTERS, ...more), { maxLength })

t.test('wherever a text is broken, no line begins with a command for a CI runner', async (t) => {
  const isCommand = (line) => /^\s*::[a-z-]+(?:\s|::)/i.test(line) || /##[\w.-]*\[/.test(line)
  for (const command of ['::add-mask::x', '::set-output name=a::b', '##[group]x', '##vso[task]x']) {
    t.ok(isCommand(command), command)
    for (let length = 0; length <= 25; length++) {
      for (const before of ['a'.repeat(length), 'a '.repeat(length), `${'a'.repeat(length)} ${'b'.repeat(length)}`]) {
        for (const indent of ['', '  ']) {
          const lines = wrap(clean(`${before}${command}`), 20, indent)
          t.same(lines.filter(isCommand), [], `${before}${command}`)
          t.equal(lines.join('').replace(/\s/g, ''), `${before}${command}`.replace(/\s/g, ''), 'nothing else changes')
        }
      }
    }
  }
})

t.test('what is cut is the longest beginning that fits, in whole characters', async (t) => {
  fc.assert(fc.property(characters(12, ' '), fc.nat(14), (text, columns) => {
    let fitting = ''
    for (const character of text) {
      if (widthOf(fitting + character) > columns) break
      fitting += character
    }
    return cut(text.join(''), columns) === fitting
  }))
})

t.test('each line of a paragraph has as many words as fit', async (t) => {
  const word = characters(2).filter(({ length }) => length > 0).map((characters) => characters.join(''))
  fc.assert(fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), fc.integer({ min: 6, max: 20 }), fc.constantFrom('', '  '), (words, width, indent) => {
    const lines = []
    for (const word of words) {
      const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
      if (lines.length > 0 && widthOf(longer) > width) lines.push(indent + word)
      else lines.splice(-1, 1, longer)
    }
    t.same(wrap(words.join(' '), width, indent), lines)
  }), { numRuns: 50 })
})

t.test('only terminals that can move their cursor count', async (t) => {
  environment(t, { TERM: 'xterm' })
  t.equal(isTerminal({ isTTY: true }), true)
  t.equal(isTerminal({}), false)
  t.equal(isTerminal(undefined), false)
  environment(t, { TERM: 'dumb' })
  t.equal(isTerminal({ isTTY: true }), false)
})

t.test('colors need a terminal and no NO_COLOR', async (t) => {
  environment(t, { TERM: 'xterm', NO_COLOR: undefined, FORCE_COLOR: '1' })
  t.equal(colorsFor({ isTTY: true }).red('x'), '\u001b[31mx\u001b[39m')
  t.equal(colorsFor({}).red('x'), 'x', 'whatever FORCE_COLOR says')
  environment(t, { NO_COLOR: '' })
  t.not(colorsFor({ isTTY: true }).red('x'), 'x', 'an empty NO_COLOR counts as unset')
  environment(t, { NO_COLOR: '1' })
  t.equal(colorsFor({ isTTY: true }).red('x'), 'x')
})

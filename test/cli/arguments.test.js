'use strict'

// Command lines, parsed with a made-up table of flags: each way to write a flag means the same anywhere on a line.

const assert = require('node:assert/strict')
const t = require('tap')
const fc = require('../support/fast-check')
const { readArguments } = require('../../lib/cli/arguments')

const [valued, listed, truth, other, negative, optional, followed, topical] = [
  { letter: 'a', name: 'alpha', names: ['maxAge'], argument: 'X' },
  { letter: 'W', name: 'someThing', argument: 'Y', takesList: true },
  { letter: 't', name: 'truth' },
  { letter: 'u', name: 'otherTruth' },
  { letter: 'n', name: 'progress', names: ['renderBar'], isNegative: true },
  { letter: 'm', name: 'maybe', argument: '[E]', isOptional: true },
  { name: 'profile', argument: '[F.x]', isOptional: true, follows: /\.x$/ },
  { letter: 'h', name: 'help', takesTopic: true }
]
const FLAGS = [valued, listed, truth, other, negative, optional, followed, topical]

const read = (words) => {
  const { settings, operands, rest } = readArguments(words, FLAGS, 'hint')
  return { settings: settings.map(({ flag, value, spelling }) => [flag.name, value, spelling]), operands, rest }
}

/** Words, and what they mean wherever they stand before words that are no value of theirs. */
const item = (words, settings, operands = []) => ({ words, settings, operands })
const setting = (flag, words, value, spelling, operands) => item(words, [[flag.name, value, spelling]], operands)

const OPERANDS = ['a:1', '/p', 'http://h/x=1', '-', '5', '', 'a=b']
const operand = fc.constantFrom(...OPERANDS).map((word) => item([word], [], [word]))

const VALUES = ['1', '-5', '-.5', 'a=b', '=', '', 'x y', '-', '--', '--x', '-a', 'true', '/p', ']']
const mayFollow = (value) => !/^-[^\d.]/.test(value)
const value = fc.constantFrom(...VALUES).chain((text) => fc.constantFrom('-a', '--a', '--alpha', '--maxAge', '--max-age').chain((spelling) => {
  const attached = setting(valued, [`${spelling}=${text}`], text, spelling)
  const apart = setting(valued, [spelling, text], text, spelling)
  const glued = setting(valued, [`-a${text}`], text, '-a')
  return fc.constantFrom(attached, ...mayFollow(text) ? [apart] : [], ...text !== '' && !text.startsWith('=') ? [glued] : [])
}))

const LISTS = [['[', 'b', '-c', '2', ']'], ['[b', '-c', '2]'], ['[ b  -c\t2 ]'], ['[b -c 2]']]
const list = fc.constantFrom(...LISTS).chain(([first, ...others]) => fc.constantFrom('-W', '--W', '--someThing', '--some-thing').chain((spelling) => fc.constantFrom(
  setting(listed, [spelling, first, ...others], ['b', '-c', '2'], spelling), setting(listed, [`${spelling}=${first}`, ...others], ['b', '-c', '2'], spelling), setting(listed, [spelling, '3s'], '3s', spelling)
)))

const SWITCHES = [
  [truth, true, ['-t', '--t', '--truth']], [truth, false, ['--noTruth', '--no-truth']],
  [other, true, ['-u', '--u', '--otherTruth', '--other-truth']], [other, false, ['--noOtherTruth', '--no-other-truth']],
  [negative, true, ['--progress', '--renderBar', '--render-bar']], [negative, false, ['-n', '--n', '--noProgress', '--no-progress', '--noRenderBar', '--no-render-bar']]
].flatMap(([flag, meaning, spellings]) => spellings.map((spelling) => [flag, meaning, spelling]))
const truths = fc.constantFrom(...SWITCHES).chain(([flag, isOn, spelling]) => fc.constantFrom(
  setting(flag, [spelling], isOn, spelling), setting(flag, [`${spelling}=true`], isOn, spelling), setting(flag, [`${spelling}=false`], !isOn, spelling),
  setting(flag, [spelling, 'true'], isOn, spelling), setting(flag, [spelling, 'false'], !isOn, spelling)
))

// Several letters in one word, of which the last one may have a value.
const letters = fc.tuple(fc.uniqueArray(fc.constantFrom(['t', truth.name, true], ['u', other.name, true], ['n', negative.name, false]), { minLength: 1 }), fc.constantFrom('', 'a1', 'a=1', 'a 1', '=false', ' false')).map(([several, end]) => {
  const [last, ...separate] = end.split(' ')
  const settings = several.map(([letter, name, isOn]) => [name, isOn, `-${letter}`])
  if (end.startsWith('a')) settings.push([valued.name, '1', '-a'])
  else if (end !== '') settings.at(-1)[1] = !settings.at(-1)[1]
  return item([`-${several.map(([letter]) => letter).join('')}${last}`, ...separate], settings)
})

const optionals = fc.constantFrom(...['-m', '--m', '--maybe'].flatMap((spelling) => [
  setting(optional, [`${spelling}=say`], 'say', spelling), setting(optional, [`${spelling}=`], '', spelling), setting(optional, [`${spelling}=/x`], '/x', spelling),
  setting(optional, [spelling, 'say', '/p'], 'say', spelling, ['/p']), setting(optional, [spelling, '-5', '/p'], '-5', spelling, ['/p']), setting(optional, [spelling, '/p'], '', spelling, ['/p']),
  setting(optional, [spelling, 'ws://h'], '', spelling, ['ws://h']), item([spelling, '-t', 'a:1'], [[optional.name, '', spelling], [truth.name, true, '-t']], ['a:1'])
]), ...['f.x', 'f.y', '/f.x'].map((word) => word.endsWith('.x') ? setting(followed, ['--profile', word], word, '--profile') : setting(followed, ['--profile', word], '', '--profile', [word])))

const topics = fc.constantFrom(...['-h', '--h', '--help'].flatMap((spelling) => [
  setting(topical, [spelling, 'load'], 'load', spelling), setting(topical, [`${spelling}=all`], 'all', spelling), setting(topical, [spelling, '/p'], true, spelling, ['/p']), setting(topical, [spelling, 'a:1'], true, spelling, ['a:1']),
  setting(topical, [spelling, 'true'], true, spelling), setting(topical, [spelling, 'false'], false, spelling), setting(topical, [`${spelling}=false`], false, spelling)
]), setting(topical, ['--no-help', '/p'], false, '--no-help', ['/p']))

t.test('property: a line means what its parts mean, in their order; what follows -- is not parsed', async (t) => {
  const parts = fc.array(fc.oneof(operand, value, list, truths, letters, optionals, topics), { maxLength: 6 })
  const rest = fc.option(fc.array(fc.constantFrom('node', '-a', '--', '--truth', 'x=1'), { maxLength: 3 }), { nil: null })
  fc.assert(fc.property(parts, rest, (parts, rest) => {
    const words = [...parts.flatMap(({ words }) => words), ...rest === null ? [] : ['--', ...rest]]
    const given = [...words]
    assert.deepEqual(read(words), { settings: parts.flatMap(({ settings }) => settings), operands: parts.flatMap(({ operands }) => operands), rest: rest ?? [] })
    assert.deepEqual(words, given)
  }), { numRuns: 500 })
})

t.test('a word after a flag whose value is optional is its value unless it must be the server', async (t) => {
  const rows = [
    [['--maybe', 'say'], '', ['say']], [['http://h', '--maybe', 'say'], 'say', ['http://h']], [['--maybe', 'say', '-t'], 'say', []], [['--maybe'], '', []], [['--maybe', '-'], '', ['-']],
    [['x', '--maybe', '/p'], '', ['x', '/p']], [['x', '--maybe', ''], '', ['x']]
  ]
  for (const [words, value, operands] of rows) {
    const { settings: [[, found]], operands: others } = read(words)
    t.same([found, others], [value, operands], words.join(' '))
  }
})

t.test('what cannot be parsed, and what is meant', async (t) => {
  const refused = (words, whyNot) => {
    try {
      readArguments(words, FLAGS, 'hint', whyNot)
    } catch ({ code, option, message }) {
      return [code, option, message]
    }
  }
  for (const [words, option, message] of [
    [['--alhpa', '1'], '--alhpa', '--alhpa is unknown: did you mean --alpha?'], [['--some-thingg=1'], '--some-thingg', '--some-thingg is unknown: did you mean --some-thing?'], [['--zzzz'], '--zzzz', '--zzzz is unknown: hint'],
    [['-A', '1'], '-A', '-A is unknown: did you mean -a?'], [['-w', '1'], '-w', '-w is unknown: did you mean -W?'], [['-z'], '-z', '-z is unknown: hint'], [['-tz'], '-z', '-z is unknown: hint'], [['-alpha=1'], '-alpha', '-alpha is unknown: did you mean --alpha?'],
    [['-a'], '-a', '-a needs a value: X'], [['--alpha', '-t'], '--alpha', "--alpha needs a value, X; got '-t' (write a value that starts with a dash as --alpha=VALUE)"], [['-a', '--'], '-a', "-a needs a value, X; got '--' (write a value that starts with a dash as -a=VALUE)"],
    [['-W', '[', 'a'], '-W', '-W has a [ without a matching ]'], [['--truth=5'], '--truth', "--truth must be true or false; got '5'"], [['--no-alpha'], '--no-alpha', '--no-alpha is unknown: did you mean --alpha?'], [['-t5'], '-5', '-5 is unknown: hint']
  ]) t.same(refused(words), ['CANNONADE_BAD_OPTION', option, message], words.join(' '))
  const whyNot = (spelling) => spelling === '--zzzz' ? 'of another command' : null
  t.same(refused(['--zzzz=1'], whyNot), ['CANNONADE_BAD_OPTION', '--zzzz', '--zzzz cannot be given here: of another command'])
  t.same(refused(['--zzz'], whyNot), ['CANNONADE_BAD_OPTION', '--zzz', '--zzz is unknown: hint'])
})

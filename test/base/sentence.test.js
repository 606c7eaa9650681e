'use strict'

const t = require('tap')
const { CannonadeError, CODES, Sentence, contradiction, either, named, optionError, sentenceOf, words } = require('../../lib/base/errors')
const FlagWording = require('../../lib/cli/flag-wording')
const { fromData, toData } = require('../../lib/engine/parallel/error-data')

const FLAGS = [{ name: 'connections', letter: 'c' }, { name: 'rate', option: 'overallRate' }, { name: 'expect', sets: 'websocket.expect' }, { name: 'stages' }]
const wordingOf = (spelled = [], how) => new FlagWording(FLAGS, spelled.map((spelling, index) => ({ flag: FLAGS[index], spelling })), how)

t.test('an error names the option as in a program, and for the command as the flag that was typed', async (t) => {
  const error = optionError('connections', 'overallRate', words`${named('overallRate')} or ${either('an object', 'FROM..TO')}`)
  t.match(error.message, /^connections must be overallRate or an object.*'overallRate'$/)
  t.match(wordingOf(['-c']).messageOf(error), /^-c must be --rate or FROM\.\.TO.*'overallRate'$/, 'a value that looks like a name stays')
})

t.test('part of an option, and an option with its value', async (t) => {
  t.match(wordingOf().messageOf(optionError('stages[1].rate', -1, 'more')), /^RATE of part 2 of --stages must be more/)
  const error = contradiction("websocket.expect: 'nothing'", 'unknown', 'why')
  t.equal(error.message, "websocket.expect: 'nothing' and unknown cannot be given together: why")
  t.equal(error.option, "websocket.expect: 'nothing'")
  t.equal(wordingOf().messageOf(error), "--expect: 'nothing' and unknown cannot be given together: why")
})

t.test('with a config file, an option that no flag set keeps its name', async (t) => {
  const wording = wordingOf(['-c'], { hasFile: true })
  t.match(wording.messageOf(optionError('overallRate', 0, 'more')), /^overallRate must/)
  t.match(wording.messageOf(contradiction('connections', 'overallRate', 'why')), /^-c and overallRate cannot/)
  // Only the command says which option it is about.
  const about = (name) => new CannonadeError(CODES.BAD_OPTION, either('too long', words`${named(name)}: too ${either('long', 'late')}`))
  t.same(['connections', 'overallRate'].map((name) => wording.messageOf(about(name))), ['-c: too late', 'too long'])
})

t.test('messages that are not ours remain unchanged', async (t) => {
  const error = new CannonadeError(CODES.BAD_OPTION, 'overallRate', { option: 'overallRate' })
  t.equal(sentenceOf(error), undefined)
  t.equal(wordingOf().messageOf(error), 'overallRate')
  t.equal(wordingOf().messageOf(new Error('connections')), 'connections')
})

t.test('a sentence survives being sent from another thread', async (t) => {
  const sentence = words`${named('connections')} is ${either(words`an ${'object'}`, words`${named('overallRate')}s`)}, ${1} of ${either('a', 'b')}`
  const error = fromData(structuredClone(toData(new CannonadeError(CODES.BAD_OPTION, sentence, { option: 'connections' }))))
  t.match(error, { name: 'CannonadeError', code: CODES.BAD_OPTION, option: 'connections', message: 'connections is an object, 1 of a' })
  t.equal(wordingOf(['-c']).messageOf(error), '-c is --rates, 1 of b')
  t.ok(sentenceOf(error) instanceof Sentence)
})

t.test('the parts of a sentence are not enumerable properties of the error', async (t) => {
  t.same(Object.keys(optionError('body', 'a secret', 'a text')), ['name', 'code', 'option'])
})

'use strict'

const { optionProblem, show } = require('../../base/errors')
const { didYouMean } = require('../../base/suggest')
const { HTTPERF_FLAGS, REFUSED, refusal } = require('./flags')

const FLAGS = HTTPERF_FLAGS.flatMap(({ flags }) => flags)
const BY_NAME = new Map(FLAGS.map((flag) => [flag.name, flag]))
const NAMES = [...BY_NAME.keys(), ...REFUSED.keys()]
const LETTERS = new Map(FLAGS.filter(({ letter }) => letter).map((flag) => [flag.letter, flag]))

/**
 * Parses a command line as httperf does: `--rate 10`, `--rate=10`, `-rate 10`, unambiguous abbreviations of names, and
 * letters (`-v`). A repeated flag replaces its earlier value.
 *
 * @param {string[]} argv
 * @returns {{ given: Map<string, *>, written: Map<string, string|string[]|true> }} keyed by full name: the values, and
 *   the texts that they were read from (true for flags without an argument)
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function readWords (argv) {
  const words = [...argv]
  const given = new Map()
  const written = new Map()
  while (words.length > 0) {
    const { flag, attached, spelling } = readFlag(words.shift())
    const text = textOf(flag, attached, words, spelling)
    const value = text === true ? true : flag.read(text, spelling)
    for (const other of flag.replaces ?? []) {
      given.delete(other)
      written.delete(other)
    }
    const all = (known, one) => flag.isRepeated ? [...known.get(flag.name) ?? [], one] : one
    given.set(flag.name, all(given, value))
    written.set(flag.name, all(written, text))
  }
  return { given, written }
}

function readFlag (word) {
  if (/^-[a-z]+$/i.test(word) && [...word.slice(1)].every((letter) => letter === 'v')) return { flag: BY_NAME.get('verbose'), spelling: word }
  if (/^-[a-z]\d*$/i.test(word) && LETTERS.has(word[1])) return { flag: LETTERS.get(word[1]), attached: word.slice(2) || undefined, spelling: word.slice(0, 2) }
  const matched = /^--?([a-z][^=]*)(?:=(.*))?$/is.exec(word)
  if (matched === null) throw misuse(word, `cannonade httperf takes only flags; got ${show(word)}`)
  return { flag: flagNamed(matched[1]), attached: matched[2], spelling: `--${matched[1]}` }
}

// Finds the flag with exactly this name, or the only one that begins with it.
function flagNamed (written) {
  const candidates = NAMES.includes(written) ? [written] : NAMES.filter((name) => name.startsWith(written))
  if (candidates.length > 1) throw misuse(`--${written}`, `--${written} is ambiguous: it may be ${candidates.map((name) => `--${name}`).join(' or ')}`)
  const [name] = candidates
  if (name === undefined) {
    const hint = didYouMean(written, NAMES, ': cannonade httperf --help lists them', (name) => `--${name}`)
    throw misuse(`--${written}`, `--${written} is not an httperf flag${hint}`)
  }
  if (REFUSED.has(name)) throw refusal(name, REFUSED.get(name))
  return BY_NAME.get(name)
}

// Returns the text of the flag's argument; true if it takes none.
function textOf (flag, attached, words, spelling) {
  if (!flag.argument) {
    if (attached !== undefined) throw misuse(spelling, `${spelling} takes no value; got ${show(attached)}`)
    return true
  }
  if (attached === undefined && flag.isOptional) return true
  const text = attached ?? words.shift()
  if (text === undefined) throw misuse(spelling, `${spelling} needs a value: ${flag.argument}`)
  return text
}

function misuse (option, sentence) {
  return optionProblem(option, sentence)
}

module.exports = { readWords, FLAGS }

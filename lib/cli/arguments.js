'use strict'

const { optionError, optionProblem, show } = require('../base/errors')
const { suggest } = require('../base/suggest')
const { spellings } = require('./shared/names')

// The word after a flag is its value unless it looks like another flag. '-5' is a number, and '-' alone is a value.
const LOOKS_LIKE_A_FLAG = /^-[^\d.]/
const LOOKS_LIKE_A_URL = /^\/|:\/\//
const LOOKS_LIKE_A_TOPIC = /^[a-z]\w*$/i
const TRUTH = /^(true|false)$/

/**
 * Parses the words of a command line by a table of flags.
 *
 * Accepts `-c 10`, `-c10`, `-c=10`, `--connections 10`, `--connections=10`, several letters without an argument in one
 * word (`-jl`), `--no-progress` and `--progress=false`, and for flags with `takesList` a list in brackets: `[ a b ]`.
 * Words after `--` are not parsed.
 *
 * @param {string[]} argv
 * @param {object[]} flags see benchmark-flags.js
 * @param {string} hint the end of the error for an unknown flag if no known flag is similar
 * @param {function(string): ?string} [whyNot] why a flag of other commands cannot be given; null if no command has it
 * @returns {{ settings: Array<{ flag: object, value: string|string[]|boolean, spelling: string }>, operands: string[],
 *   rest: string[] }} in the order given; `rest` is what follows `--`
 * @throws {CannonadeError} CANNONADE_BAD_OPTION for a flag that is unknown or lacks its value
 */
function readArguments (argv, flags, hint, whyNot = () => null) {
  const reader = new ArgumentReader(argv, flags, hint, whyNot)
  while (reader.words.length > 0) reader.readWord()
  return { settings: reader.settings, operands: reader.operands, rest: reader.rest }
}

class ArgumentReader {
  constructor (argv, flags, hint, whyNot) {
    this.words = [...argv]
    this.known = spellings(flags)
    this.hint = hint
    this.whyNot = whyNot
    this.settings = []
    this.operands = []
    this.rest = []
  }

  readWord () {
    const word = this.words.shift()
    if (word === '--') this.rest = this.words.splice(0)
    else if (word.startsWith('--')) this.readLong(word)
    else if (word.startsWith('-') && word !== '-') this.readLetters(word)
    else this.operands.push(word)
  }

  readLong (word) {
    const end = word.indexOf('=')
    if (end === -1) this.readFlag(word)
    else this.readFlag(word.slice(0, end), word.slice(end + 1))
  }

  // '-c', '-c10', '-jl', '-jlc10'
  readLetters (word) {
    const [name] = word.split('=', 1)
    if (name.length > 2 && this.known.has('-' + name)) throw unknownFlag(name, `did you mean -${name}?`)

    for (let rest = word.slice(1); rest !== '';) {
      const spelling = '-' + rest[0]
      rest = rest.slice(1)
      if (rest !== '' && (this.known.get(spelling)?.flag.argument || rest.startsWith('='))) {
        return this.readFlag(spelling, rest.replace(/^=/, ''))
      }
      this.readFlag(spelling, undefined, rest === '')
    }
  }

  // `attached` is the value in the same word. Without one, the value is the next word, if `mayTakeNext`.
  readFlag (spelling, attached, mayTakeNext = true) {
    const entry = this.known.get(spelling)
    if (entry === undefined) throw this.unknown(spelling)
    const { flag, isOff } = entry
    const value = flag.argument
      ? this.readValue(spelling, flag, attached)
      : this.topicOf(flag, attached, mayTakeNext) ?? this.readTruth(spelling, attached, mayTakeNext) !== isOff
    this.settings.push({ flag, value, spelling })
  }

  readTruth (spelling, attached, mayTakeNext) {
    const isNext = attached === undefined && mayTakeNext && TRUTH.test(this.words[0])
    const value = attached ?? (isNext ? this.words.shift() : 'true')
    if (!TRUTH.test(value)) throw optionError(spelling, value, 'true or false')
    return value === 'true'
  }

  // The topic that the user wants help on: a plain word, which cannot be a URL.
  topicOf (flag, attached, mayTakeNext) {
    const word = attached ?? (mayTakeNext ? this.words[0] : undefined)
    if (!flag.takesTopic || word === undefined || !LOOKS_LIKE_A_TOPIC.test(word) || TRUTH.test(word)) return undefined
    return attached ?? this.words.shift()
  }

  readValue (spelling, flag, attached) {
    if (flag.isOptional && attached === undefined && !this.isValueNext(flag)) return ''
    const value = attached ?? this.nextValue(spelling, flag)
    return flag.takesList && value.startsWith('[') ? this.readList(value, spelling) : value
  }

  // For a flag with an optional value: the next word is not the value if it is a URL, or if it is the last word and so
  // must be the server.
  isValueNext ({ follows }) {
    const [next] = this.words
    if (follows !== undefined) return next !== undefined && follows.test(next)
    if (next === undefined || LOOKS_LIKE_A_FLAG.test(next) || LOOKS_LIKE_A_URL.test(next)) return false
    return this.words.length > 1 || this.operands.length > 0
  }

  nextValue (spelling, { argument }) {
    const [next] = this.words
    if (next === undefined) throw badFlag(spelling, `${spelling} needs a value: ${argument}`)
    if (LOOKS_LIKE_A_FLAG.test(next)) {
      const sentence = `${spelling} needs a value, ${argument}; got ${show(next)} (write a value that starts with a ` +
        `dash as ${spelling}=VALUE)`
      throw badFlag(spelling, sentence)
    }
    return this.words.shift()
  }

  // A list is one quoted word, '[ -c 1 ]', or several words if the shell split it.
  readList (first, spelling) {
    if (first.endsWith(']')) return first.slice(1, -1).split(/\s+/).filter(isNotEmpty)
    const length = this.words.findIndex((word) => word.endsWith(']')) + 1
    if (length === 0) throw badFlag(spelling, `${spelling} has a [ without a matching ]`)
    const parts = [first.slice(1), ...this.words.splice(0, length)]
    return [...parts.slice(0, -1), parts.at(-1).slice(0, -1)].filter(isNotEmpty)
  }

  unknown (spelling) {
    const why = this.whyNot(spelling)
    if (why !== null) return badFlag(spelling, `${spelling} cannot be given here: ${why}`)
    const meant = spelling.startsWith('--') ? this.nearestLong(spelling) : this.otherCase(spelling)
    return unknownFlag(spelling, meant === undefined ? this.hint : `did you mean ${meant}?`)
  }

  nearestLong (spelling) {
    const inKebabCase = [...this.known.keys()].filter((name) => /^--../.test(name) && name === name.toLowerCase())
    const meant = suggest(spelling.slice(2), inKebabCase.map((name) => name.slice(2)))
    return meant === undefined ? undefined : '--' + meant
  }

  // For an unknown letter, the only useful suggestion is the same letter in the other case.
  otherCase (spelling) {
    return [spelling.toLowerCase(), spelling.toUpperCase()].find((other) => this.known.has(other))
  }
}

const isNotEmpty = (word) => word !== ''

function badFlag (spelling, sentence) {
  return optionProblem(spelling, sentence)
}

function unknownFlag (spelling, rest) {
  return badFlag(spelling, `${spelling} is unknown: ${rest}`)
}

module.exports = { readArguments }

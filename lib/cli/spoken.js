'use strict'

const { shownName } = require('./names')

// What a program writes as an object or an array, a command line has as a word.
const AS_WORDS = [
  ['{ from, to, over } for a ramp', 'FROM..TO/SEC for a ramp, such as 10..100/30s'],
  ['an object { size, interval }', 'SIZE/SEC, such as 100/5s'],
  ['{ connections, duration }, a duration, or true', '[ -c NUM -d SEC ], or a number of seconds'],
  ['{ redis, agents, key, wait, tls }', 'a URL such as redis://host:6379'],
  ['{ port, host, labels, buckets, linger }, or a port', '[HOST:]PORT'],
  ['or an array of them (final ones', 'or several, such as 404,5xx (final ones'],
  ['the path of a file, an array of rows, or { file or rows, order }', 'the path of a file, also as once:FILE or random:FILE']
]

// What the parts of a value are called where a flag's value is told: 10..100/30s is FROM..TO/SEC.
const PARTS = {
  connections: '-c', from: 'FROM', to: 'TO', over: 'SEC', size: 'SIZE', interval: 'SEC', mean: 'SEC', rate: 'RATE', duration: 'SEC', port: 'PORT', host: 'HOST', file: ''
}

// Programs that were written for autocannon look for these words, so that the flag only stands before them.
const OLDER_WORDS = /^(timeout must be greater than 0|duration entered was in an invalid format|url or socketPath option required)/

// 'overallRate', 'sessions.calls', 'stages[1].rate', "headers['A']": what can be meant for nothing but an option. A plain
// word may be one of the sentence.
const NAME = /(?<![\w.'$/-])[a-z]+(?:[A-Z][A-Za-z]*|(?=\.[A-Za-z]|\[))(?:\.[A-Za-z][A-Za-z0-9]*|\[\d+\]|\['[^']*'\])*/g
// What was given is the user's, whatever it looks like.
const VALUE = /, but it is |formatted: |: '/

/**
 * How messages name options to somebody who wrote flags: `-c must be …` in the place of `connections must be …`, each flag
 * as it was spelled.
 */
class Spoken {
  /**
   * @param {object[]} flags of the command, see benchmark-flags.js
   * @param {Array<{ flag: object, spelling: string }>} [settings] what was given, see arguments.js
   * @param {object} [how]
   * @param {boolean} [how.hasFile=false] options that no flag has given come from a config file, which has names
   */
  constructor (flags, settings = [], { hasFile = false } = {}) {
    this.flags = flags
    this.settings = settings
    this.hasFile = hasFile
  }

  /**
   * @param {string} message
   * @param {object} [error] whose message it is: `option`, and `others` that stand in the sentence
   * @returns {string}
   */
  say (message, { option, others = [] } = {}) {
    if (this.hasFile && ![option, ...others].some((name) => this.isSpelled(name))) return message
    const words = AS_WORDS.reduce((text, [object, word]) => text.replace(object, word), message)
    if (OLDER_WORDS.test(words)) return [this.flagFor(option), words].filter(Boolean).join(': ')

    const value = VALUE.exec(words)?.index ?? words.length
    const sentence = simpler(words.slice(0, value))
    const startsWithIt = typeof option === 'string' && sentence.startsWith(`${option} `)
    const head = startsWithIt ? this.nameOf(option) : ''
    const rest = others.reduce((text, other) => text.replace(new RegExp(`\\b${other}\\b`), () => this.nameOf(other)), sentence.slice(startsWithIt ? option.length : 0))
    return head + rest.replace(NAME, (name) => this.nameOf(name)) + words.slice(value)
  }

  // Whether a flag has given this, or the whole that it is a part of.
  isSpelled (path) {
    const [whole] = String(path).split(/[.[]/)
    return this.settings.some(({ flag, spelling }) => [flag.name, spelling, pathOf(flag)].includes(path) || pathOf(flag) === whole)
  }

  // An option or a part of one; as it is where no flag stands for it.
  nameOf (path) {
    for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))) {
      const flag = this.flagFor(path.slice(0, end), end === path.length)
      if (flag !== undefined) return inFront(path.slice(end), flag)
    }
    return path === 'url' ? 'the URL' : path
  }

  // As spelled; where it was not given but parts of it were, one of those; else as the help has it.
  flagFor (option, isWhole = true) {
    const ways = [({ name }) => name === option, (flag) => pathOf(flag) === option, (flag) => isWhole && pathOf(flag).startsWith(`${option}.`)]
    for (const [index, isMeant] of ways.entries()) {
      const spelled = this.settings.filter(({ flag }) => isMeant(flag)).map(({ spelling }) => spelling)
      if (spelled.length > 0) return index === 1 ? [...new Set(spelled)].join(' and ') : spelled[0]
    }
    const flag = this.hasFile ? undefined : ways.slice(0, 2).map((isMeant) => this.flags.find(isMeant)).find(Boolean)
    return flag && shownName(flag)
  }
}

/** The option that a flag sets, or the part of one, as messages name it. */
const pathOf = ({ sets, option, name }) => sets ?? option ?? name

// A duration that is no such thing is told in two steps to programs.
function simpler (sentence) {
  return sentence.replace(/ entered was in an invalid format: it must be /, ' must be ')
}

// `.to` of -c is 'TO of -c', `[1].rate` of --stages 'RATE of part 2 of --stages'.
function inFront (rest, flag) {
  const parts = [...rest.matchAll(/\.(\w+)|\[(\d+)\]|\[('[^']*')\]/g)]
    .map(([, name, index, quoted]) => quoted ?? (name === undefined ? `part ${Number(index) + 1}` : PARTS[name] ?? name))
  return [...parts.reverse(), flag].filter(Boolean).join(' of ')
}

module.exports = Object.assign(Spoken, { pathOf })

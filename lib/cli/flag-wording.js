'use strict'

const { sentenceOf } = require('../base/errors')
const { shownName } = require('./shared/names')

// What the parts of a value are called in the text of its flag: 10..100/30s is FROM..TO/SEC.
const PARTS = {
  connections: '-c', from: 'FROM', to: 'TO', over: 'SEC', size: 'SIZE', interval: 'SEC', mean: 'SEC', rate: 'RATE', duration: 'SEC', port: 'PORT', host: 'HOST', file: ''
}

/**
 * Puts errors into the words of a command line: `-c must be …` in the place of `connections must be …`, each flag as it was
 * spelled.
 */
class FlagWording {
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
   * @param {Error} error
   * @returns {string}
   */
  messageOf (error) {
    const sentence = sentenceOf(error)
    const isAboutFile = this.hasFile && !sentence?.names.some((path) => this.isSpelled(path))
    return sentence === undefined || isAboutFile ? error.message : sentence.say((path) => this.nameOf(path))
  }

  // Whether a flag has given this, or the whole that it is a part of.
  isSpelled (path) {
    const [whole] = path.split(/[.[]/)
    return this.settings.some(({ flag, spelling }) => [flag.name, spelling, pathOf(flag)].includes(path) || pathOf(flag) === whole)
  }

  // An option or a part of one; its own name if it has no flag.
  nameOf (path) {
    for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))) {
      const flag = this.flagFor(path.slice(0, end), end === path.length)
      if (flag !== undefined) return inFront(path.slice(end), flag)
    }
    return path === 'url' ? 'the URL' : path
  }

  // As spelled; if only parts of it were given, one of those; else as the help has it.
  flagFor (option, isWhole) {
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

// `.to` of -c is 'TO of -c', `[1].rate` of --stages 'RATE of part 2 of --stages'.
function inFront (rest, flag) {
  const parts = [...rest.matchAll(/\.(\w+)|\[(\d+)\]|\[('[^']*')\]/g)]
    .map(([, name, index, quoted]) => quoted ?? (name === undefined ? `part ${Number(index) + 1}` : PARTS[name] ?? name))
  return [...parts.reverse(), flag].filter(Boolean).join(' of ')
}

module.exports = Object.assign(FlagWording, { pathOf })

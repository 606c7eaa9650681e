'use strict'

const { sentenceOf } = require('../base/errors')
const { shownName } = require('./shared/names')

// How the help names the parts of a value: 10..100/30s is FROM..TO/SEC.
const PARTS = {
  connections: '-c', from: 'FROM', to: 'TO', over: 'SEC', size: 'SIZE', interval: 'SEC', mean: 'SEC', rate: 'RATE', duration: 'SEC', port: 'PORT', host: 'HOST', file: ''
}

/**
 * Rewords errors for the command line: `-c must be …` instead of `connections must be …`, with flags as the user spelled
 * them.
 */
class FlagWording {
  /**
   * @param {object[]} flags of the command, see benchmark-flags.js
   * @param {Array<{ flag: object, spelling: string }>} [settings] the given flags, see arguments.js
   * @param {object} [how]
   * @param {boolean} [how.hasFile=false] whether options that no flag set come from a config file, which uses option
   *   names
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
    return sentence === undefined || isAboutFile ? error.message : sentence.say((path) => this.nameOf(path, sentence.names))
  }

  // Whether a flag set this option, or the option that it is a part of.
  isSpelled (path) {
    const [whole] = path.split(/[.[]/)
    return this.settings.some(({ flag, spelling }) => [flag.name, spelling, ...pathsOf(flag)].includes(path) || pathsOf(flag).includes(whole))
  }

  // Returns the flag for an option or a part of one; the option's name if there is no flag. `names` are all names in the same sentence.
  nameOf (path, names = []) {
    for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))) {
      const flag = this.flagFor(path.slice(0, end), end === path.length, names)
      if (flag !== undefined) return inFront(path.slice(end), flag)
    }
    return path === 'url' ? 'the URL' : path
  }

  // The flag as the user spelled it, or a flag for a part of the option; if none was given, the flag as in the help.
  flagFor (option, isWhole, names) {
    // What a file sets is not what a flag says that contradicts it.
    const isElsewhere = (flag) => this.hasFile && pathsOf(flag).some((path) => names.includes(path))
    const isPart = (flag) => pathsOf(flag)[0].startsWith(`${option}.`) && !isElsewhere(flag)
    const ways = [({ name }) => name === option, (flag) => pathsOf(flag).includes(option), (flag) => isWhole && isPart(flag)]
    for (const [index, isMeant] of ways.entries()) {
      const spelled = this.settings.filter(({ flag }) => isMeant(flag)).map(({ spelling }) => spelling)
      if (spelled.length > 0) return index === 1 ? [...new Set(spelled)].join(' and ') : spelled[0]
    }
    const flag = this.hasFile ? undefined : ways.slice(0, 2).map((isMeant) => this.flags.find(isMeant)).find(Boolean)
    return flag && shownName(flag)
  }
}

/** The option (or part of one) that a flag sets, as messages name it; a flag may set one of several, first what it usually sets. */
const pathsOf = ({ sets, option, name }) => [sets ?? option ?? name].flat()

// `.to` of -c becomes 'TO of -c', and `[1].rate` of --stages becomes 'RATE of part 2 of --stages'.
function inFront (rest, flag) {
  const parts = [...rest.matchAll(/\.(\w+)|\[(\d+)\]|\[('[^']*')\]/g)]
    .map(([, name, index, quoted]) => quoted ?? (name === undefined ? `part ${Number(index) + 1}` : PARTS[name] ?? name))
  return [...parts.reverse(), flag].filter(Boolean).join(' of ')
}

module.exports = Object.assign(FlagWording, { pathsOf })

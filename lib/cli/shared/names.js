'use strict'

/** Converts `maxConnectionRequests` to the usual form of a flag: `max-connection-requests`. */
function kebab (name) {
  return name.replace(/[A-Z]/g, (letter) => '-' + letter.toLowerCase())
}

// 'progress' -> 'noProgress'
function negative (name) {
  return 'no' + name[0].toUpperCase() + name.slice(1)
}

/** Returns the long name of a flag as the help shows it. */
function shownName (flag) {
  return '--' + kebab(flag.isNegative ? negative(flag.name) : flag.name)
}

/**
 * Returns every spelling of the flags of a table: letters, and long names in both kebab-case and camelCase. Flags without
 * an argument can also be negated.
 *
 * @param {object[]} flags see benchmark-flags.js
 * @returns {Map<string, { flag: object, isOff: boolean }>} keyed by the spelling with its dashes; `isOff`: this spelling
 *   turns the flag off
 */
function spellings (flags) {
  const all = new Map()
  const add = (name, entry) => all.set('--' + kebab(name), entry).set('--' + name, entry)
  for (const flag of flags) {
    // Programs that build command lines from option names write letters with two dashes: '--m=POST'.
    for (const dashes of flag.letter ? ['-', '--'] : []) all.set(dashes + flag.letter, { flag, isOff: flag.isNegative === true })
    for (const name of [flag.name, ...(flag.names ?? [])]) {
      add(name, { flag, isOff: false })
      if (!flag.argument) add(negative(name), { flag, isOff: true })
    }
  }
  return all
}

module.exports = { kebab, shownName, spellings }

'use strict'

/** `maxConnectionRequests` as it is usually written on a command line: `max-connection-requests`. */
function kebab (name) {
  return name.replace(/[A-Z]/g, (letter) => '-' + letter.toLowerCase())
}

// 'progress' -> 'noProgress'
function negative (name) {
  return 'no' + name[0].toUpperCase() + name.slice(1)
}

/** How the help shows a flag: the one spelling of its long name that it recommends. */
function shownName (flag) {
  return '--' + kebab(flag.isNegative ? negative(flag.name) : flag.name)
}

/**
 * Every way to write the flags of a table: letters, and long names both in kebab-case and camelCase. One without an
 * argument can also be negated.
 *
 * @param {object[]} flags see benchmark-flags.js
 * @returns {Map<string, { flag: object, isOff: boolean }>} by the spelling with its dashes; `isOff`: it switches off
 */
function spellings (flags) {
  const all = new Map()
  const add = (name, entry) => all.set('--' + kebab(name), entry).set('--' + name, entry)
  for (const flag of flags) {
    // Tools that start others build command lines of names alone: '--m=POST'.
    for (const dashes of flag.letter ? ['-', '--'] : []) all.set(dashes + flag.letter, { flag, isOff: flag.isNegative === true })
    for (const name of [flag.name, ...(flag.names ?? [])]) {
      add(name, { flag, isOff: false })
      if (!flag.argument) add(negative(name), { flag, isOff: true })
    }
  }
  return all
}

module.exports = { kebab, shownName, spellings }

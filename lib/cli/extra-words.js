'use strict'

const { show } = require('../base/errors')

// A host without a dot, port or path. It may well be one (in a network of containers), so it is no error.
const PLAIN_WORD = /^(?!localhost$)[a-z][\w-]*$/i

// Words that became URLs only because nothing else could be made of them, by the options that they are in.
const extraWords = new WeakMap()

/** Remembers which words of a command line with several URLs don't look like one. @param {object} options @param {string[]} operands */
function rememberExtraWords (options, operands) {
  const plain = operands.filter((word) => PLAIN_WORD.test(word))
  if (operands.length > 1 && plain.length > 0) extraWords.set(options, plain)
}

/** Says on stderr what such words were taken for. @param {object} options */
function warnOfExtraWords (options) {
  for (const word of extraWords.get(options) ?? []) {
    process.stderr.write(`Warning: ${show(word)} is taken as one more URL, http://${word}, which gets its share of the load. Is a flag missing before it?\n`)
  }
}

module.exports = { rememberExtraWords, warnOfExtraWords }

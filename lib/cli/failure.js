'use strict'

const { CODES } = require('../errors')
const { clean } = require('../report/text')

// What only the user's words can be to blame for, a file that they name among them.
const MISUSE = new Set([CODES.BAD_OPTION, CODES.BAD_THRESHOLD, CODES.BAD_RESULT, CODES.MISSING_PACKAGE])

// What a program writes as an object or an array, a command line has as a word.
const AS_WORDS = [
  ['{ from, to, over } for a ramp', 'FROM..TO/SEC for a ramp, such as 10..100/30s'],
  ['an object { size, interval }', 'SIZE/SEC, such as 100/5s'],
  ['{ connections, duration }, a duration, or true', '[ -c NUM -d SEC ], or a number of seconds'],
  ['{ port, host, labels, buckets, linger }, or a port', '[HOST:]PORT'],
  ['the path of a file, an array of rows, or { file or rows, order }', 'the path of a file, also as once:FILE or random:FILE']
]

function inWordsOf (message) {
  return AS_WORDS.reduce((text, [object, words]) => text.replace(object, words), message)
}

/**
 * Says on stderr, in one line, what went wrong.
 *
 * @param {Error} error
 * @returns {number} the exit code for it: 2 for wrong options, 1 for anything else
 */
function tellFailure (error) {
  process.stderr.write(`${inWordsOf(clean(error?.message || error))}\n`)
  return MISUSE.has(error?.code) ? 2 : 1
}

module.exports = { tellFailure }

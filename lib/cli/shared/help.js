'use strict'

const { widthOf, wrap } = require('../../report/text')
const { shownName } = require('./names')

const WIDTH = 80
const LEFT = 30

/**
 * The help of a command, from its table of flags.
 *
 * @param {object} command one of commands.js
 * @returns {string} lines of at most 80 columns, the last one ended
 */
function helpText (command) {
  const { usage, others = [], about, groups, notes = [], examples } = command
  const blocks = [
    [`Usage: ${usage}`, ...others.map(({ name, summary }) => `       cannonade ${name} [options]   ${summary}`)].join('\n'),
    ...about.map(paragraph),
    ...groups.map(({ title, flags }) => [`${title}:`, ...flags.map((flag) => flagEntry(flag, command))].join('\n')),
    ...notes.map(paragraph),
    ['Examples:', ...examples.map(exampleLines)].join('\n')
  ]
  return blocks.join('\n\n') + '\n'
}

/**
 * How a command is used, for somebody who has left out what it cannot do without: three lines, and where there is more.
 *
 * @param {object} command
 * @returns {string} lines, the last one ended
 */
function usageText ({ call, usage, examples }) {
  return [`Usage: ${usage}`, `Such as: ${examples[0]}`, `${call} --help lists all options.`].join('\n') + '\n'
}

function paragraph (text) {
  return wrap(text, WIDTH).join('\n')
}

function flagEntry (flag, command) {
  const letter = flag.letter ? `-${flag.letter},` : '   '
  const argument = flag.argument ? ` ${flag.argument}` : ''
  return entry(`  ${letter} ${shownName(flag)}${argument}`, flag.help + defaultInWords(command.defaultOf(flag)))
}

function defaultInWords (value) {
  return typeof value === 'number' || typeof value === 'string' ? ` (default ${value})` : ''
}

// As a shell reads it over several lines, broken between its words.
function exampleLines (example) {
  const lines = ['  ']
  for (const [word] of example.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
    const longer = `${lines.at(-1)}${lines.at(-1).trim() === '' ? '' : ' '}${word}`
    if (widthOf(`${longer} \\`) <= WIDTH) lines[lines.length - 1] = longer
    else lines.push(`      ${word}`)
  }
  return lines.join(' \\\n')
}

// Two columns. Where the left one is too wide, the right one begins on the next line.
function entry (left, right) {
  const lines = wrap(right, WIDTH - LEFT)
  const [first, rest] = widthOf(left) + 2 <= LEFT ? [left.padEnd(LEFT) + lines[0], lines.slice(1)] : [left, lines]
  return [first, ...rest.map((line) => ' '.repeat(LEFT) + line)].join('\n')
}

module.exports = { helpText, usageText }

'use strict'

const { optionProblem, show } = require('../../base/errors')
const { widthOf, wrap } = require('../../report/text')
const { shownName } = require('./names')

const WIDTH = 80
const LEFT = 30
// How many examples the short help shows.
const FIRST = 3

/**
 * Returns the help of a command, from its table of flags. Without a topic it fits one screen: it lists only the common
 * flags of groups that are topics, and omits groups that a study shares with the benchmark.
 *
 * @param {object} command one of commands.js
 * @param {string} [topic] the name of a group of flags or its beginning, the name of another command, or 'all'
 * @returns {string} lines of at most 80 columns, with a final newline
 * @throws {CannonadeError} CANNONADE_BAD_OPTION for an unknown topic
 */
function helpText (command, topic) {
  const topics = command.groups.filter(({ name }) => name !== undefined)
  const blocks = topic === undefined && topics.length > 0
    ? shortHelp(command, topics)
    : topic === undefined || topic === 'all' ? wholeHelp(command) : topicHelp(command, topics, topic)
  return blocks.join('\n\n') + '\n'
}

function wholeHelp (command) {
  const { usage, about, groups, notes = [], examples } = command
  return [`Usage: ${usage}`, ...about.map(paragraph), ...commandList(command), ...groups.map((group) => flagList(group, command)), ...notes.map(paragraph), exampleList(examples)]
}

function shortHelp (command, topics) {
  const { call, usage, about, groups, others, examples } = command
  const common = { title: 'Common options', flags: topics.flatMap(({ flags }) => flags).filter(({ isCommon }) => isCommon) }
  const own = others === undefined ? groups.filter(({ name }) => name === undefined) : [common]
  const more = others === undefined ? 'The runs have more options' : 'There are more options'
  return [
    `Usage: ${usage}`,
    paragraph(about[0]),
    ...commandList(command),
    ...own.map((group) => flagList(group, command)),
    paragraph(`${more}; ${call} --help TOPIC lists them, and --help all lists everything. The topics are ${namesOf(topics)}.`),
    exampleList(examples.slice(0, FIRST))
  ]
}

function topicHelp (command, topics, topic) {
  if (command.others?.some(({ name }) => name === topic)) return [helpText(command.commandNamed(topic)).trimEnd()]
  const found = topics.filter(({ name }) => name.startsWith(topic.toLowerCase()))
  if (found.length !== 1) throw optionProblem('--help', `There is no help on ${show(topic)}: the topics are ${namesOf([...topics, { name: 'all' }])}`)
  const list = flagList(found[0], command)
  return [`Usage: ${command.usage}`, list, ...(command.units !== undefined && /\bSEC\b/.test(list) ? [paragraph(command.units)] : [])]
}

const namesOf = (topics) => topics.map(({ name }) => name).join(', ').replace(/, (\w+)$/, ' and $1')

function commandList ({ others = [] }) {
  return others.length === 0 ? [] : [['Commands:', ...others.map(({ name, summary }) => entry(`  cannonade ${name}`, summary))].join('\n')]
}

function flagList ({ title, flags }, command) {
  return [`${title}:`, ...flags.map((flag) => flagEntry(flag, command))].join('\n')
}

function exampleList (examples) {
  return ['Examples:', ...examples.map(exampleLines)].join('\n')
}

/**
 * Returns a short usage text, for a command line that lacks a required argument.
 *
 * @param {object} command
 * @returns {string} lines, with a final newline
 */
function usageText ({ call, usage, examples }) {
  return [`Usage: ${usage}`, `Such as: ${examples[0]}`, `${call} --help lists the options.`].join('\n') + '\n'
}

function paragraph (text) {
  return wrap(text, WIDTH).join('\n')
}

function flagEntry (flag, command) {
  const letter = flag.letter ? `-${flag.letter},` : '   '
  const topic = flag.takesTopic && command.groups.some(({ name }) => name !== undefined) ? '[TOPIC]' : undefined
  const argument = flag.argument ?? topic
  return entry(`  ${letter} ${shownName(flag)}${argument === undefined ? '' : ` ${argument}`}`, flag.help + defaultInWords(command.defaultOf(flag)))
}

function defaultInWords (value) {
  return typeof value === 'number' || typeof value === 'string' ? ` (default ${value})` : ''
}

// Breaks an example between words, with a backslash at each line end, so that it can be pasted into a shell.
function exampleLines (example) {
  const lines = ['  ']
  for (const [word] of example.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
    const longer = `${lines.at(-1)}${lines.at(-1).trim() === '' ? '' : ' '}${word}`
    if (widthOf(`${longer} \\`) <= WIDTH) lines[lines.length - 1] = longer
    else lines.push(`      ${word}`)
  }
  return lines.join(' \\\n')
}

// Formats two columns. If the left one is too wide, the right one begins on the next line.
function entry (left, right) {
  const lines = wrap(right, WIDTH - LEFT)
  const [first, rest] = widthOf(left) + 2 <= LEFT ? [left.padEnd(LEFT) + lines[0], lines.slice(1)] : [left, lines]
  return [first, ...rest.map((line) => ' '.repeat(LEFT) + line)].join('\n')
}

module.exports = { helpText, usageText }

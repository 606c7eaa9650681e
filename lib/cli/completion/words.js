'use strict'

const { shownName } = require('../shared/names')

const FILES = new Set(['FILE', 'FORM'])
const FOLDERS = new Set(['DIR'])
// Commands whose operands are files.
const TAKE_FILES = new Set(['compare', 'report', 'openapi'])

/**
 * What a shell can complete, from the tables of flags.
 *
 * @typedef {object} CompletedFlag
 * @property {string[]} spellings such as ['-c', '--connections']
 * @property {string} help
 * @property {?string} argument as the help shows it; null for none, or if it may be left out
 * @property {'file'|'folder'|'choice'|'other'|null} kind of the argument
 * @property {string[]} choices of the kind 'choice'
 *
 * @typedef {object} CompletedCommand
 * @property {?string} name null for the benchmark, which has none
 * @property {string} summary
 * @property {CompletedFlag[]} flags
 * @property {string[]} operands words to offer
 * @property {boolean} takesFiles whether operands may be files
 */

/** @param {object[]} commands see commands.js; the unnamed one first @returns {CompletedCommand[]} */
function allWords (commands) {
  const names = commands.flatMap(({ name }) => name ?? [])
  return commands.map((command) => ({
    name: command.name ?? null,
    summary: command.summary ?? '',
    flags: command.groups.flatMap(({ flags }) => flags).map(completed),
    operands: command.operands ?? (command.name === undefined ? names : []),
    takesFiles: TAKE_FILES.has(command.name)
  }))
}

function completed (flag) {
  const { letter, help, argument, isOptional = false, choices = [] } = flag
  const isNeeded = argument !== undefined && !isOptional
  return {
    spellings: [...(letter === undefined ? [] : [`-${letter}`]), shownName(flag)],
    help,
    argument: isNeeded ? argument : null,
    kind: isNeeded ? kindOf(argument, choices) : null,
    choices
  }
}

function kindOf (argument, choices) {
  if (choices.length > 0) return 'choice'
  if (FILES.has(argument)) return 'file'
  return FOLDERS.has(argument) ? 'folder' : 'other'
}

module.exports = { allWords }

'use strict'

/**
 * @param {CompletedCommand[]} commands see words.js
 * @returns {string} a script for fish 3 or later
 */
function fish (commands) {
  const names = commands.filter(({ name }) => name !== null).map(({ name }) => name).join(' ')
  return [
    '# Completion of cannonade for fish. Written by: cannonade completion fish',
    'complete -c cannonade -f',
    ...commands.flatMap((command) => linesOf(command, conditionOf(command.name, names)))
  ].join('\n') + '\n'
}

function conditionOf (name, names) {
  return name === null ? `not __fish_seen_subcommand_from ${names}` : `__fish_seen_subcommand_from ${name}`
}

function linesOf ({ name, summary, flags, operands, takesFiles }, condition) {
  const begin = `complete -c cannonade -n ${quoted(condition)}`
  return [
    ...(name === null ? [] : [`complete -c cannonade -n '__fish_use_subcommand' -a ${name} -d ${quoted(summary)}`]),
    ...(name !== null && operands.length > 0 ? [`${begin} -a ${quoted(operands.join(' '))}`] : []),
    ...(takesFiles ? [`${begin} -F`] : []),
    ...flags.map((flag) => `${begin} ${wordsOf(flag)} -d ${quoted(flag.help)}`)
  ]
}

function wordsOf ({ spellings, kind, choices }) {
  const names = spellings.map((name) => name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)
  const values = { file: ['-r -F'], folder: ["-x -a '(__fish_complete_directories)'"], choice: [`-x -a ${quoted(choices.join(' '))}`], other: ['-x'] }
  return [...names, ...values[kind] ?? []].join(' ')
}

const quoted = (text) => `'${text.replace(/[\\']/g, '\\$&')}'`

module.exports = { fish }

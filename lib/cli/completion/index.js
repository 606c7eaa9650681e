'use strict'

const { optionProblem, show } = require('../../base/errors')
const { askFlags } = require('../shared/version')
const { bash } = require('./bash')
const { fish } = require('./fish')
const { allWords } = require('./words')
const { zsh } = require('./zsh')

const SHELLS = { bash, zsh, fish }

/** `cannonade completion bash|zsh|fish`. @param {function(): object[]} commands all of them, see commands.js */
const completionOf = (commands) => ({
  name: 'completion',
  call: 'cannonade completion',
  usage: 'cannonade completion bash|zsh|fish',
  about: ['Prints a script with which a shell completes the commands, flags and values of cannonade. Print it again after an update.'],
  groups: [{ title: 'Options', flags: askFlags }],
  defaultOf: () => undefined,
  examples: [
    'source <(cannonade completion bash)',
    'cannonade completion zsh > ~/.zfunc/_cannonade',
    'cannonade completion fish > ~/.config/fish/completions/cannonade.fish'
  ],
  operands: Object.keys(SHELLS),
  optionsFrom,
  run: async ({ shell }) => { process.stdout.write(SHELLS[shell](allWords(commands()))) }
})

function optionsFrom (settings, operands) {
  const [shell] = operands
  if (operands.length !== 1 || !Object.hasOwn(SHELLS, shell)) {
    const got = operands.length === 0 ? 'none' : operands.map(show).join(' ')
    throw optionProblem('completion', `cannonade completion needs one shell, which must be bash, zsh or fish; got ${got}`)
  }
  return { shell }
}

module.exports = { completionOf }

'use strict'

// What becomes of drawn command lines: the command and its options, or the error that is printed.

const { chooseCommand } = require('../../../lib/cli/commands')
const { readConfigNow } = require('../../../lib/cli/config')
const { readCommand } = require('../../../lib/cli/read-command')
const Dice = require('../../simulation/random/dice')
const { plain } = require('../../support/digests')
const { EXPECTED, fixture } = require('../flag-values')

const LINES = 10
// Names of commands, and words that each needs.
const NAMES = [
  [[], ['localhost:3000']],
  [[], ['http://a.test/x', 'https://b.test']],
  [['compare'], ['localhost:3000', 'https://b.test']],
  [['compare'], ['--command', 'node a.js', '--command', 'node b.js', '/items']],
  [['sweep'], ['--rates', '5,10', 'localhost:3000']],
  [['sweep'], ['-c', '1..50', 'localhost:3000']],
  [['sweep'], ['--from', '5', '--to', '20', '--step', '5', 'a.test', 'b.test']],
  [['capacity'], ['http://a.test']],
  [['capacity'], ['--of', 'connections', 'http://a.test']],
  [['jamming'], ['ws://c.test']],
  [['serve'], []],
  [['agent'], []],
  [['report'], ['a.json']],
  [['openapi'], ['a.json']]
]
// They print, read what is not there, are read before all others, or watch a process.
const LEFT_OUT = new Set(['help', 'version', 'config', 'baseline', 'monitor'])
const VALUES = ['5', '5', '5', '20', '20', '0', '-3', '1.5', '10..20', '1..9/2s', '5%', '2s', '2s', 'x', '', 'a=b', '1,2,30', 'p99 < 1s', 'node server.js', 'true', 'false']
const OPERANDS = ['localhost:3000', 'http://a.test/x', 'https://b.test', 'ws://c.test', '/path', '3000', 'a.json']

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function drawFlag (dice, { name, letter, argument }) {
  const spelling = letter !== undefined && dice.happens(0.3) ? `-${letter}` : dice.happens(0.9) ? `--${kebab(name)}` : dice.one(`--no-${kebab(name)}`, `--${name}`, `--${kebab(name).slice(0, -1)}`)
  if (argument === undefined) return [spelling]
  const value = EXPECTED[name]?.[0] !== undefined && dice.happens(0.6) ? EXPECTED[name][0] : dice.one(...VALUES)
  return dice.happens(0.2) ? [`${spelling}=${value}`] : [spelling, value]
}

/** @returns {string[]} the words after the name of the program */
function drawLine (dice) {
  const [name, needed] = dice.one(...NAMES)
  const { command: { groups } } = chooseCommand(name)
  // Each group as often as others, since that of a study or a schedule matters more than any other.
  const each = groups.map(({ flags }) => flags.filter(({ name }) => !LEFT_OUT.has(name))).filter(({ length }) => length > 0)
  const flags = Array.from({ length: dice.one(0, 1, 1, 2, 2, 3, 4) }, () => drawFlag(dice, dice.one(...dice.one(...each))))
  const words = dice.happens(0.85) ? needed : [...needed.slice(0, -1), ...(dice.happens(0.5) ? [dice.one(...OPERANDS)] : [])]
  const more = dice.happens(0.06) ? [dice.one(...OPERANDS)] : []
  return [...name, ...(dice.happens(0.5) ? [...flags.flat(), ...words] : [...words, ...flags.flat()]), ...more, ...(dice.happens(0.08) ? ['--', 'node', 'server.js'] : [])]
}

function inWords (key, value) {
  if (typeof value === 'function' || value === Infinity) return String(value)
  if (value?.type === 'Buffer') return Buffer.from(value.data).toString('latin1')
  return typeof value?.write === 'function' ? 'a stream' : value
}

function readLine (argv, file) {
  const { command, words } = chooseCommand(argv)
  try {
    const config = file === null ? null : readConfigNow(['--config', file])
    return { command: command.name, options: JSON.parse(JSON.stringify(readCommand(command, words, config) ?? null, inWords)) }
  } catch (error) {
    const { name, code, option, message, isUsageNeeded } = error
    return { name, code, option, message, isUsageNeeded }
  }
}

/** @param {number} seed @returns {Record<string, string>} */
function outputsOfLines (seed) {
  const dice = Dice.of(seed, 'lines')
  return Object.fromEntries(Array.from({ length: LINES }, (_, index) => {
    const line = drawLine(dice)
    return [index, plain({ line, ...readLine(line, dice.happens(0.3) ? fixture(dice.one('studies.json', 'run.json')) : null) })]
  }))
}

module.exports = { OUTPUTS: { lines: outputsOfLines } }

'use strict'

// What becomes of drawn command lines: the command and its options, or the error that is printed.

const { benchmark, chooseCommand, commandNamed, takesConfig } = require('../../../lib/cli/commands')
const { Config } = require('../../../lib/cli/config')
const { readCommand } = require('../../../lib/cli/read-command')
const Dice = require('../../simulation/random/dice')
const { plain } = require('../../support/digests')
const { EXPECTED } = require('../flag-values')

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
  [['sweep'], ['--rates', '5,10', '--curl', EXPECTED.curl[0]]],
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

// Options of a config file: some for any run, and some that a study decides, refuses or has as a setting.
const OF_RUNS = [
  { connections: 7 }, { connections: { from: 2, to: 9, over: 3 } }, { headers: { 'X-A': '1', Accept: 'a' } }, { timeout: 3 }, { title: 'filed' }, { pipelining: 2 }, { duration: 4 }, { amount: 50 }, { warmup: 3 },
  { overallRate: 30 }, { stages: '5s:10..20' }, { thresholds: ['p99 < 2s'] }, { requests: [{ path: '/filed' }] }, { method: 'PUT', body: 'filed' }, { curl: "curl -X POST -H 'X-B: 2' http://curl.test/c -d x" },
  { tlsOptions: { servername: 'filed.test' } }, { sessions: { calls: 2 } }, { thinkTime: 0.5 }, { feed: { rows: [{ id: 1 }] } }, { http2: true }, { workers: 2 }, { forever: true }, { html: 'filed.html' }, { csv: 'filed.csv' }, { junit: 'filed.xml' },
  { json: true }, { renderProgressBar: false }, { verbose: true }, { strict: true }, { seed: 3 }, { baseline: 'before.json' }, { command: 'node filed.js' }, { connectons: 3 }
]
const OF_STUDIES = {
  compare: [{ rounds: 3 }, { maxRegression: { p99: '10%' } }, { maxRegression: '5%' }, { pause: 2 }, { duration: '5s' }, { warmup: 2 }, { commands: ['node one.js', 'node two.js'] }, { rouds: 3 }],
  sweep: [{ rates: { from: 10, to: 50, step: 20 } }, { rates: [10, 20] }, { connections: { from: 1, to: 9 } }, { stopWhen: { errorRate: '5%', p99: '1s' } }, { duration: 3 }, { pause: 1 }],
  capacity: [{ slo: ['p99 < 1s'] }, { slo: { p90: '< 1s' } }, { rates: { to: 900 } }, { of: 'connections', connections: { from: 2, to: 64 } }, { precision: '10%' }, { maxDuration: '5m' }, { duration: 6 }],
  jamming: [{ connections: [5, 10] }, { limit: '200ms' }, { start: 5, step: 10 }, { maxRate: 900 }]
}

const some = (dice, parts, most) => Object.assign({}, ...Array.from({ length: dice.whole(0, most) }, () => dice.one(...parts)))
const drawTarget = (dice) => ({ ...(dice.happens(0.85) && { url: dice.one('http://filed.test', 'ws://filed.test', 'https://filed.test/base') }), ...(dice.happens(0.15) && { connections: 5 }), ...some(dice, OF_RUNS, 2) })

function drawConfig (dice, command) {
  if (dice.happens(0.15)) return { ...drawTarget(dice), ...some(dice, OF_RUNS, 3) }
  const studies = Object.keys(OF_STUDIES).filter((name) => dice.happens(name === command ? 0.8 : 0.2))
  return {
    ...(dice.happens(0.6) && { run: { ...(dice.happens(0.15) && { connections: 6 }), ...(dice.happens(0.7) ? some(dice, OF_RUNS, 4) : drawTarget(dice)) } }),
    ...Object.fromEntries(studies.map((name) => [name, {
      ...some(dice, OF_STUDIES[name], 3),
      ...(dice.happens(0.6) && { targets: dice.happens(0.3) ? drawTarget(dice) : Array.from({ length: dice.one(1, 1, 2, 2, 3) }, () => drawTarget(dice)) })
    }]))
  }
}

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function drawFlag (dice, { name, letter, argument }) {
  const spelling = letter !== undefined && dice.happens(0.3) ? `-${letter}` : dice.happens(0.9) ? `--${kebab(name)}` : dice.one(`--no-${kebab(name)}`, `--${name}`, `--${kebab(name).slice(0, -1)}`)
  if (argument === undefined) return [spelling]
  const value = EXPECTED[name]?.[0] !== undefined && dice.happens(0.6) ? EXPECTED[name][0] : dice.one(...VALUES)
  return dice.happens(0.2) ? [`${spelling}=${value}`] : [spelling, value]
}

/** @returns {{ line: string[], file: ?object }} the words after the name of the program, and what a config file exports */
function drawLine (dice) {
  const [name, words] = dice.one(...NAMES)
  // A study needs a file more often than others, and one that names targets needs no URLs.
  const file = dice.happens(OF_STUDIES[name[0]] === undefined ? 0.3 : 0.6) ? drawConfig(dice, name[0]) : null
  const needed = file?.[name[0]]?.targets !== undefined && dice.happens(0.7) ? words.filter((word) => !OPERANDS.some((operand) => operand === word || word.includes('.test'))) : words
  const { command: { groups } } = chooseCommand(name)
  // Each group as often as others, since that of a study or a schedule matters more than any other.
  const each = groups.map(({ flags }) => flags.filter(({ name }) => !LEFT_OUT.has(name))).filter(({ length }) => length > 0)
  const flags = Array.from({ length: dice.one(0, 1, 1, 2, 2, 3, 4) }, () => drawFlag(dice, dice.one(...dice.one(...each))))
  const given = dice.happens(0.85) ? needed : [...needed.slice(0, -1), ...(dice.happens(0.5) ? [dice.one(...OPERANDS)] : [])]
  const more = dice.happens(0.06) ? [dice.one(...OPERANDS)] : []
  const line = [...name, ...(dice.happens(0.5) ? [...flags.flat(), ...given] : [...given, ...flags.flat()]), ...more, ...(dice.happens(0.08) ? ['--', 'node', 'server.js'] : [])]
  return { line, file }
}

function inWords (key, value) {
  if (typeof value === 'function' || value === Infinity) return String(value)
  if (value?.type === 'Buffer') return Buffer.from(value.data).toString('latin1')
  return typeof value?.write === 'function' ? 'a stream' : value
}

function readLine (argv, file) {
  let { command, words } = chooseCommand(argv)
  try {
    const config = file === null || !takesConfig(command) ? null : new Config(file, 'file.json')
    if (command === benchmark && config?.command !== undefined) command = commandNamed(config.command)
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
    const { line, file } = drawLine(dice)
    return [index, plain({ line, file, ...readLine(line, file) })]
  }))
}

module.exports = { OUTPUTS: { lines: outputsOfLines } }

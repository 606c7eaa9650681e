'use strict'

// `npm run mutate -- --room load`: plants small defects in a room, one at a time, and lists those that no test detects.

const fs = require('node:fs')
const path = require('node:path')
const { performance } = require('node:perf_hooks')
const { parseArgs } = require('node:util')
const Dice = require('../simulation/random/dice')
const equivalents = require('./equivalent')
const { mutantsOf, mutate } = require('./mutants')
const Records = require('./records')
const { MEASURING, OTHERS, ROOMS } = require('./rooms')
const { playMutant } = require('./try')

const LIB = path.join(__dirname, '../../lib')
const TESTS = path.join(__dirname, '..')

// On a machine under heavy load. Endless loops take this long to detect.
const MS_PER_WORLD = 15_000
const FIRST_WORLDS = 100
// Its worlds are played one by one.
const NOT_RUN = ['simulation/random-worlds.test.js']
const limitOf = (ms) => 4 * ms + 10_000

const help = `npm run mutate -- [options]

Plants small defects in lib/, one at a time, and runs the tests of that room and the random worlds that execute the changed code until
one fails. What survives is printed, with a score for each room.

  --room NAME   may be repeated; default: ${Object.keys(MEASURING).join(', ')}.
                Others: ${Object.keys(OTHERS).join(', ')}
  --edits FILE  instead of drawn mutants, defects that somebody has written: a JSON list of { "file": "lib/…", "from", "to" }, where
                \`from\` occurs once in the file. All tests that execute what they change are run
  --file PATH   only files of lib/ with this in their path, such as load/loads.js
  --line N      only this line
  --mutants N   mutants to draw per room (default 40; 0 takes all)
  --seed N      seed of the draw (default 1)
  --worlds N    random worlds (default 2000)
  --quick       only short tests and the first ${FIRST_WORLDS} worlds that execute a mutant: a lower bound of the score
  --list        print the mutants without running anything
  --help

Exits with 1 if a mutant survives.
`

function readArguments (args) {
  const options = {
    room: { type: 'string', multiple: true },
    edits: { type: 'string' },
    file: { type: 'string' },
    line: { type: 'string' },
    mutants: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    worlds: { type: 'string', default: '2000' },
    quick: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false }
  }
  const { values } = parseArgs({ args, options })
  for (const name of ['line', 'mutants', 'seed', 'worlds']) {
    if (values[name] === undefined) continue
    if (!/^\d{1,15}$/.test(values[name])) throw new Error(`--${name} must be a whole number; got ${JSON.stringify(values[name])}`)
    values[name] = Number(values[name])
  }
  const unknown = values.room?.find((room) => !Object.hasOwn(ROOMS, room))
  if (unknown !== undefined) throw new Error(`--room must be one of ${Object.keys(ROOMS).join(', ')}; got ${JSON.stringify(unknown)}`)
  return { ...values, edits: values.edits === undefined ? null : readEdits(values.edits), room: values.room ?? Object.keys(MEASURING) }
}

/** Defects that somebody has written, like mutants. */
function readEdits (list) {
  return JSON.parse(fs.readFileSync(list, 'utf8')).map(({ file, from, to }, index) => {
    const source = fs.readFileSync(path.join(LIB, '..', file), 'utf8')
    const start = source.indexOf(from)
    if (start === -1 || source.includes(from, start + 1)) throw new Error(`--edits: \`from\` of edit ${index + 1} must occur once in ${file}`)
    return { file: file.replace(/^lib\//, ''), source, operator: `edit ${index + 1}`, ...shortest(source, { start, end: start + from.length, text: to }) }
  })
}

// What an edit leaves as it is says nothing about where its code is executed.
function shortest (source, { start, end, text }) {
  while (start < end && text !== '' && source[start] === text[0]) {
    start++
    text = text.slice(1)
  }
  while (start < end && text !== '' && source[end - 1] === text.at(-1)) {
    end--
    text = text.slice(0, -1)
  }
  return { start, end, text, line: source.slice(0, start).split('\n').length }
}

/** The mutants of a room's files: `{ file, source, operator, start, end, text, line }`. */
function mutantsOfRoom (room, { file: part, line }) {
  return filesBelow(LIB)
    .filter((file) => file.startsWith(below(room === 'all' ? '' : room)) && (part === undefined || `lib/${file}`.includes(part)))
    .flatMap((file) => {
      const source = fs.readFileSync(path.join(LIB, file), 'utf8')
      return mutantsOf(source).map((mutant) => ({ file, source, ...mutant }))
    })
    .filter((mutant) => (line === undefined || mutant.line === line) && !isEquivalent(mutant))
}

const below = (folder) => folder === '' ? '' : `${folder}/`
const filesBelow = (folder) => fs.readdirSync(folder, { recursive: true }).map((file) => file.replaceAll(path.sep, '/')).filter((file) => file.endsWith('.js')).sort()

const isEquivalent = (mutant) => {
  const { before, after } = linesOf(mutant)
  return equivalents.some((known) => known.file === mutant.file && known.before === before && known.after === after)
}

/** The lines of a mutant, before and after. */
function linesOf ({ source, start, end, text }) {
  const from = source.lastIndexOf('\n', start - 1) + 1
  const to = source.indexOf('\n', end)
  const inOne = (lines) => lines.trim().replace(/\s*\n\s*/g, ' ')
  return { before: inOne(source.slice(from, to)), after: inOne(source.slice(from, start) + text + source.slice(end, to)) }
}

/** Draws lines first, so that lines with many mutants are not drawn more often than others. */
function draw (mutants, count, seed) {
  if (count === 0) return mutants
  const dice = new Dice(seed)
  const lines = [...groupBy(mutants, lineKey).values()]
  const drawn = []
  while (drawn.length < count && lines.length > 0) {
    const [line] = lines.splice(dice.whole(0, lines.length - 1), 1)
    drawn.push(dice.one(...line))
  }
  return drawn
}

const lineKey = ({ file, line }) => `${file}:${line}`

function groupBy (values, keyOf) {
  const groups = new Map()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return groups
}

/** The tests in some places with their records. A test that fails without a mutant could not detect one. */
async function testsIn (places, records, print) {
  const files = filesBelow(TESTS)
    .filter((file) => file.endsWith('.test.js') && !file.includes('fixtures/') && !NOT_RUN.includes(file))
    .filter((file) => places.some((place) => file === place || file.startsWith(below(place))))
  const tests = []
  for (const file of files) {
    const record = await records.ofTest(file)
    if (record.problem === null) tests.push({ file, record })
    else print(`left out, since it fails without a mutant: ${record.problem}`)
  }
  return tests.sort((a, b) => a.record.ms - b.record.ms)
}

/** @returns {Promise<string|null>} the test that detected it, or null */
async function tryMutant (mutant, tests, worlds, records, isQuick) {
  const covering = tests.filter(({ record }) => records.executes(record, mutant.file, mutant.start))
  const seeds = worlds === null ? [] : records.worldsOf(worlds, mutant.file, mutant.start)
  const steps = inOrder(covering, seeds, isQuick)
  if (steps.length === 0) return null
  const folder = fs.mkdtempSync(path.join(records.folder, 'mutant-'))
  try {
    const MUTANT = path.join(folder, 'mutant.json')
    fs.writeFileSync(MUTANT, JSON.stringify({ file: path.join(LIB, mutant.file), source: mutate(mutant.source, mutant) }))
    const msOf = new Map(covering.map(({ file, record }) => [file, record.ms]))
    return await playMutant(steps, { env: { MUTANT }, mostMs: (what) => msOf.has(what) ? limitOf(msOf.get(what)) : MS_PER_WORLD })
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

// If anything fails, it is usually a fast test.
function inOrder (tests, seeds, isQuick) {
  // A factor rather than seconds: the duration of tests depends on the load of the machine.
  const most = 2 * (tests[Math.floor(tests.length / 2)]?.record.ms ?? 0)
  const [short, long] = [tests.filter(({ record }) => record.ms <= most), tests.filter(({ record }) => record.ms > most)].map((some) => some.map(({ file }) => file))
  const quick = [...short, ...seeds.slice(0, FIRST_WORLDS)]
  return isQuick ? quick : [...quick, ...long, ...seeds.slice(FIRST_WORLDS)]
}

/** The mutants to try, by the name that scores have, with the places of the tests for them. */
function setsOf (settings) {
  if (settings.edits !== null) return [{ name: 'edits', mutants: settings.edits, places: ROOMS.all }]
  return settings.room.map((room) => ({ name: room, mutants: draw(mutantsOfRoom(room, settings), settings.mutants, settings.seed), places: ROOMS[room] }))
}

async function tryAll ({ name, mutants, places }, settings, records, print) {
  const tests = await testsIn(places, records, print)
  const worlds = settings.worlds === 0 ? null : await records.ofWorlds(settings.worlds)
  let killed = 0
  for (const [index, mutant] of mutants.entries()) {
    const begunAt = performance.now()
    const killer = await tryMutant(mutant, tests, worlds, records, settings.quick)
    if (killer !== null) killed++
    const seconds = ((performance.now() - begunAt) / 1000).toFixed(1)
    print(killer === null ? `\nSURVIVED ${inWords(mutant)}\n` : `${name} ${index + 1}/${mutants.length} killed in ${seconds} s: ${lineKey(mutant)} ${mutant.operator} (${killer.slice(0, 90)})`)
  }
  return { drawn: mutants.length, killed }
}

function inWords (mutant) {
  const { before, after } = linesOf(mutant)
  return `lib/${lineKey(mutant)} ${mutant.operator}\n  - ${before}\n  + ${after}`
}

async function main (args, { stdout, stderr }) {
  let settings
  try {
    settings = readArguments(args)
  } catch (error) {
    stderr.write(`${error.message.split('\n', 1)[0]}\n`)
    return 2
  }
  if (settings.help) {
    stdout.write(help)
    return 0
  }
  const print = (line) => stdout.write(`${line}\n`)
  const sets = setsOf(settings).filter(({ mutants }) => mutants.length > 0)
  if (settings.list) {
    for (const mutant of sets.flatMap(({ mutants }) => mutants)) print(inWords(mutant))
    return 0
  }
  const records = new Records()
  const scores = []
  for (const set of sets) scores.push({ name: set.name, ...await tryAll(set, settings, records, print) })
  for (const { name, drawn, killed } of scores) print(`${name}: ${killed} of ${drawn} killed (${(killed / drawn * 100).toFixed(1)}%)`)
  return scores.some(({ drawn, killed }) => killed < drawn) ? 1 : 0
}

if (require.main === module) {
  main(process.argv.slice(2), process).then((code) => { process.exitCode = code })
}

module.exports = { draw, linesOf, main, mutantsOfRoom }

'use strict'

const { execFile } = require('node:child_process')
const path = require('node:path')
const { runCommand } = require('../../cli/command')
const { inherited } = require('../../support/environment')
const { playHere } = require('../../support/play-here')
const play = require('./fixtures/program')

const ROOT = path.join(__dirname, '../../..')
const PROGRAM = path.join(__dirname, 'fixtures/program.js')

/** Both packages, by the names that a program requires, with their commands. This package can require itself by its name. */
const PACKAGES = Object.freeze({
  theirs: { name: 'autocannon', command: path.join(path.dirname(require.resolve('autocannon/package.json')), require('autocannon/package.json').bin.autocannon) },
  ours: { name: 'cannonade', command: path.join(ROOT, 'bin/cannonade.js') }
})

/**
 * Runs a script in a process of its own, without a terminal or the user's environment variables.
 *
 * @returns {Promise<{ code: number|string, stdout: string, stderr: string }>} code 'killed' if it did not end by itself
 */
function runScript (script, args) {
  const options = { cwd: ROOT, env: inherited(), timeout: 90_000, killSignal: 'SIGKILL', maxBuffer: 1e8 }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.killed ? 'killed' : error.code, stdout, stderr })
    })
    child.stdin.end()
  })
}

/** What a part of the program reports with each of the two packages, run concurrently. */
async function runProgram (part, url) {
  const [theirs, ours] = await Promise.all(Object.values(PACKAGES).map(({ name }) => play(require(name), part, url)))
  return JSON.parse(JSON.stringify({ theirs, ours }))
}

/** The same in processes of their own. */
async function runProgramApart (part, url) {
  const [theirs, ours] = await Promise.all(Object.values(PACKAGES).map(async ({ name }) => {
    const { code, stdout, stderr } = await runScript(PROGRAM, [name, part, url])
    if (code !== 0) throw new Error(`${name} ${part}: exit code ${code}\n${stderr}`)
    return JSON.parse(stdout)
  }))
  return { theirs, ours }
}

/**
 * The output of a command line with each of the two, one after the other.
 *
 * @param {object} t
 * @param {string[]} args
 * @param {string[]} [urls] a URL for each of the two, appended to the arguments
 */
async function runCommands (t, args, urls = []) {
  const theirs = await theirCommand(t, [...args, ...urls.slice(0, 1)])
  return { theirs, ours: await runCommand(t, [...args, ...urls.slice(1)]) }
}

/** autocannon's command executed in this process, printing to the current process.stderr. Its threads need a real process. */
function theirCommand (t, args) {
  const autocannon = require('autocannon')
  return playHere(t, async () => {
    try {
      const options = autocannon.parseArguments(args)
      if (options !== undefined) await autocannon(Object.assign(options, { outputStream: process.stderr }))
    } catch (error) {
      console.error(error)
      process.exitCode = 1
    }
  }).ended
}

/** The same in processes of their own, concurrently. Called as autocannon: under its own name, tables go to stdout if it is a pipe. */
async function runCommandsApart (args) {
  const [theirs, ours] = await Promise.all([PACKAGES.theirs.command, path.join(ROOT, 'autocannon.js')].map((script) => runScript(script, args)))
  return { theirs, ours }
}

/**
 * The properties of one shape that the other lacks, or has with another type. A property that is undefined counts as absent.
 *
 * @returns {string[]} the paths
 */
function lacking (theirs, ours, where = '') {
  if (typeof theirs === 'string' || typeof ours === 'string' || Array.isArray(theirs)) {
    return theirs === 'undefined' || JSON.stringify(theirs) === JSON.stringify(ours) ? [] : [`${where}: ${JSON.stringify(ours)} and not ${JSON.stringify(theirs)}`]
  }
  return Object.entries(theirs).flatMap(([key, value]) => lacking(value, ours?.[key] ?? 'undefined', `${where}.${key}`))
}

/**
 * A text as lines without numbers and units: of a table's row the first cell, of its head all cells.
 *
 * @param {string} text
 * @returns {string[]}
 */
function formsOf (text) {
  return text.split('\n').map((line) => {
    const cells = line.split('│').slice(1, -1).map((cell) => cell.trim())
    if (cells.length > 0) return /^(Stat|Percentile|Code)$/.test(cells[0]) ? cells.join(' | ') : `row ${cells[0]}`
    return line.replace(/[┌├└┬┼┴┐┤┘─]+/, '───').replace(/(:|samples: )\d+/g, '$1#').replace(/[\d.,]+k? requests in [\d.]+s/, '# requests in #s').replace(/[\d.]+ [kMG]?B/g, '# B')
  })
}

// The title and the number of responses above the tables, and below them the percentiles that autocannon's tables don't have.
const OWN_WORDS = /^\S+ \(\d{4}-\d\d-\d\d .* UTC\): [\d,]+ of [\d,]+ requests? answered in |^Latency: p90 .*, p95 .*, p99\.9 /

// Warnings that may appear if the machine stalls, for example just before the end. Continuation lines of a warning are indented.
const FURTHER_LINE = /\n {2}(?=\S)/g
const BY_LUCK = /latency excludes|These numbers include delays of the load generator/

/** The lines that only our output has, without sentences outside of the tables. */
function ownLines (theirs, ours) {
  const theirForms = formsOf(theirs)
  return formsOf(ours.replaceAll(FURTHER_LINE, ' ')).filter((line) => !theirForms.includes(line) && !OWN_WORDS.test(line) && !BY_LUCK.test(line))
}

/** Checks that all lines (except empty ones) are in the other list in the same order; returns the first one that is not. */
function firstMissing (lines, among) {
  let from = 0
  for (const line of lines.filter((line) => line !== '')) {
    const index = among.indexOf(line, from)
    if (index === -1) return line
    from = index + 1
  }
  return null
}

/** The lines (except empty ones) that have another position in the other list: programs that count lines would miss them. */
function moved (lines, others) {
  return lines.filter((line, index) => line !== '' && others[index] !== line)
}

module.exports = {
  runProgram, runProgramApart, runCommands, runCommandsApart, theirCommand, runScript, lacking, formsOf, firstMissing, moved, ownLines, PACKAGES
}

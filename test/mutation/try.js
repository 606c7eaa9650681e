'use strict'

// Runs tests in a process, with or without a mutant, until the first of them fails.

const { spawn } = require('node:child_process')
const path = require('node:path')
const { endProcesses, processesOf } = require('../support/processes')

const ROOT = path.join(__dirname, '../..')
const TOO_LONG = 'it takes too long'

/**
 * Starts Node.js, and ends it with all processes that it started.
 *
 * @param {string[]} args
 * @param {object} how
 * @param {object} [how.env]
 * @param {function(string): string|null} [how.heard] called with each line of stdout; a returned text ends the process, and is the outcome
 * @param {function(string): number} how.mostMs time limit until the next line after this line; `''` at first
 * @returns {Promise<{ code: number|null, outcome: string|null, stderr: string }>}
 */
function startNode (args, { env, heard = () => null, mostMs }) {
  return new Promise((resolve) => {
    const { NODE_OPTIONS, TAP, TAP_CHILD_ID, ...inherited } = process.env
    const room = `${process.pid} ${++started}`
    const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...inherited, ...env, TEST_ROOM: room }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(child)
    let outcome = null
    let stderr = ''
    let rest = ''
    let timer
    const end = (why) => {
      outcome ??= why
      killGroup(child)
    }
    const wait = (line) => {
      const ms = mostMs(line)
      clearTimeout(timer)
      timer = setTimeout(() => end(TOO_LONG), ms)
    }
    wait('')
    child.stdout.setEncoding('utf8').on('data', (text) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()
      for (const line of lines) {
        if (line.startsWith('begins ')) wait(line)
        const why = heard(line)
        if (why !== null) end(why)
      }
    })
    child.stderr.setEncoding('utf8').on('data', (text) => { stderr = (stderr + text).slice(-2000) })
    child.once('close', (code) => {
      clearTimeout(timer)
      running.delete(child)
      killGroup(child)
      resolve({ code, outcome, stderr })
    })
    // What it has started may lead groups of its own, and share its output.
    child.once('exit', () => {
      killGroup(child)
      endProcesses(processesOf(room))
    })
  })
}

// They lead process groups of their own, so nobody else would end them.
const running = new Set()
let started = 0
process.once('exit', () => { for (const child of running) killGroup(child) })
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

// The processes that it started belong to its group.
function killGroup ({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch { /* gone */ }
}

/**
 * Runs test files and random worlds until something fails.
 *
 * @param {Array<string|number>} steps files below test/, and seeds of worlds
 * @param {object} how
 * @param {object} [how.env]
 * @param {function(string): number} how.mostMs time limit of a file, or of `world 17`
 * @returns {Promise<string|null>} what failed, or null
 */
async function play (steps, { env, mostMs }) {
  let current = 'loading'
  let isThrough = false
  const { code, outcome, stderr } = await startNode(['--max-old-space-size=1500', path.join(__dirname, 'play.js')], {
    env: { ...env, NODE_OPTIONS: `--require=${path.join(__dirname, 'substitute.js')}`, TRIED: JSON.stringify(steps) },
    mostMs: (line) => mostMs(line.replace('begins ', '')),
    heard (line) {
      if (line.startsWith('begins ')) current = line.slice('begins '.length)
      if (line === 'all is well') isThrough = true
      return !isThrough && /^\s*not ok(?!.*# (TODO|SKIP))/i.test(line) ? `${current}: ${line.trim()}` : null
    }
  })
  if (outcome !== null) return outcome.startsWith(current) ? outcome : `${current}: ${outcome}`
  return isThrough && code === 0 ? null : `${current}: exit ${code}, ${stderr.trim().split('\n').at(-1)}`
}

/**
 * The same with a mutant. A step that takes too long counts only if it does not take a quarter of that time without the mutant: on a machine
 * that is busier than when its usual time was recorded, every step is slow. Then the rest is run again, with more time.
 *
 * @param {Array<string|number>} steps see play
 * @param {object} how see play; `env` has the mutant
 * @param {function} [tried] play, or what stands in for it
 * @returns {Promise<string|null>} what failed, or null
 */
async function playMutant (steps, { env, mostMs }, tried = play) {
  let rest = steps
  for (let patience = 1; ; patience *= 4) {
    const why = await tried(rest, { env, mostMs: (what) => patience * mostMs(what) })
    if (why === null || !why.endsWith(TOO_LONG)) return why
    // While the first step is loaded, it has no name yet.
    rest = rest.slice(Math.max(0, rest.findIndex((step) => why === `${nameOf(step)}: ${TOO_LONG}`)))
    const without = await tried(rest.slice(0, 1), { mostMs: (what) => patience * mostMs(what) / 4 })
    if (without === null || !without.endsWith(TOO_LONG)) return why
  }
}

const nameOf = (step) => typeof step === 'number' ? `world ${step}` : step

module.exports = { play, playMutant, startNode }

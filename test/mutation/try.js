'use strict'

// Runs tests in a process, with or without a mutant, until the first of them fails.

const { spawn } = require('node:child_process')
const path = require('node:path')

const ROOT = path.join(__dirname, '../..')

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
    const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...inherited, ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
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
      timer = setTimeout(() => end('it takes too long'), ms)
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
    child.once('exit', () => killGroup(child))
  })
}

// They lead process groups of their own, so nobody else would end them.
const running = new Set()
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

module.exports = { play, startNode }

'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { executeCommand } = require('../../lib/cli')
const { inherited } = require('../support/environment')
const { playHere } = require('../support/play-here')

const COMMAND = path.join(__dirname, '../../bin/cannonade.js')
const DEADLINE_MS = 60_000

/**
 * Executes the command in this process, at a tenth of the cost of a separate process.
 *
 * @see playHere
 * @param {object} t
 * @param {string[]} args
 * @param {object} [opts] of `playHere`
 */
function startCommand (t, args, opts) {
  return playHere(t, () => executeCommand(args.map(String)), opts)
}

/** Executes the command in this process until it ends. */
function runCommand (t, args, opts) {
  return startCommand(t, args, opts).ended
}

/**
 * Starts the command, or another script, in a process of its own, which is killed at the end of the test, or after a minute.
 *
 * @param {object} t
 * @param {string[]} args
 * @param {object} [opts] for `spawn`, and `script`; `env` is added to the environment
 * @returns {{ child: ChildProcess, kill: function(string), output: { stdout: string, stderr: string }, ended: Promise<object> }}
 *   `output` is what has been printed so far; `ended` resolves with `{ code, signal, stdout, stderr }`
 */
function startProcess (t, args, { script = COMMAND, env, stdio = ['ignore', 'pipe', 'pipe'] } = {}) {
  const child = spawn(process.execPath, [script, ...args], { stdio, env: { ...inherited(), ...env } })
  t.teardown(() => child.kill('SIGKILL'))

  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name]?.setEncoding('utf8').on('data', (text) => { output[name] += text })
  }
  return { child, kill: (signal) => child.kill(signal), output, ended: endOf(child, output) }
}

// A process that it started may hold its output open, so the end of the output is not awaited.
async function endOf (child, output) {
  const deadline = setTimeout(() => {
    child.kill('SIGKILL')
    for (const stream of child.stdio) stream?.destroy()
  }, DEADLINE_MS)
  const [code, signal] = await once(child, 'close')
  clearTimeout(deadline)
  return { code, signal, ...output }
}

/** Runs the command, or another script, in a process of its own until it ends. */
function runProcess (t, args, opts) {
  return startProcess(t, args, opts).ended
}

module.exports = { COMMAND, startCommand, runCommand, startProcess, runProcess }

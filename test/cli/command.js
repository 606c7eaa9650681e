'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')

const COMMAND = path.join(__dirname, '../../bin/cannonade.js')

/**
 * Starts the command, or another script, in a process of its own that does not outlive the test.
 *
 * @param {object} t
 * @param {string[]} args
 * @param {object} [opts] for `spawn`, and `script`; `env` is added to the environment
 * @returns {{ child: ChildProcess, output: { stdout: string, stderr: string }, ended: Promise<object> }} `output` is
 *   what has been printed so far; `ended` resolves with `{ code, signal, stdout, stderr }`
 */
function startCommand (t, args, { script = COMMAND, env, stdio = ['ignore', 'pipe', 'pipe'] } = {}) {
  const { PORT, NO_COLOR, FORCE_COLOR, ...inherited } = process.env
  const child = spawn(process.execPath, [script, ...args], { stdio, env: { ...inherited, ...env } })
  t.teardown(() => child.kill('SIGKILL'))

  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name]?.setEncoding('utf8').on('data', (text) => { output[name] += text })
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...output }))
  return { child, output, ended }
}

/** Runs the command to its end. */
function runCommand (t, args, opts) {
  return startCommand(t, args, opts).ended
}

module.exports = { startCommand, runCommand }

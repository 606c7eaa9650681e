'use strict'

// All processes that the benchmark starts, so that none outlives it.

const { spawn } = require('node:child_process')
const { findProgram } = require('./tools')

const alive = new Set()

/**
 * @param {string[]} command
 * @param {{ cores?: number[], stdio: Array }} options cores: run only there, if taskset exists
 */
function start (command, { cores, stdio }) {
  // taskset becomes the program it starts, so the process id stays correct.
  const pinned = cores && canPin ? ['taskset', '-c', cores.join(','), ...command] : command
  const child = spawn(pinned[0], pinned.slice(1), { stdio })
  alive.add(child)
  child.ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  child.ended.then(() => alive.delete(child))
  return child
}

/**
 * Runs a command to its end.
 *
 * @param {string[]} command
 * @param {number[] | undefined} cores
 * @param {function(Buffer)} [onData] gets each piece of its output as well
 * @returns {Promise<string>} what it wrote to stdout
 */
async function outputOf (command, cores, onData = () => {}) {
  const child = start(command, { cores, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
    onData(chunk)
  })
  const how = await child.ended
  if (how !== 'exit code 0') throw new Error(`the run failed: ${how}`)
  return text
}

/** Ends it; with `patience` (ms) it may first end by itself. Resolves when it is gone. */
async function end (child, patience = 0) {
  if (patience > 0) child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), patience)
  await child.ended
  clearTimeout(timer)
}

function killAll () {
  for (const child of alive) child.kill('SIGKILL')
}

const canPin = findProgram('taskset')

module.exports = { start, outputOf, end, killAll, canPin }

'use strict'

const fs = require('node:fs')
const { promisify } = require('node:util')

const PATIENCE_MS = 1000
// A sample must not cost more than it is worth.
const MOST = 256

/**
 * Finds all processes that some processes have started, directly or indirectly.
 *
 * @param {number[]} pids
 * @returns {Promise<Map<number, number[]>>} by the pid of each: its descendants, without those that are among `pids` themselves and their
 *   descendants. Empty on systems without this information (Windows)
 */
async function descendantsOf (pids) {
  const childrenOf = process.platform === 'linux' ? childrenOnLinux : process.platform === 'win32' ? () => [] : await childrenByPs()
  return new Map(pids.map((pid) => {
    const found = []
    const waiting = [pid]
    while (waiting.length > 0 && found.length < MOST) {
      for (const child of childrenOf(waiting.shift())) {
        if (pids.includes(child) || found.includes(child)) continue
        found.push(child)
        waiting.push(child)
      }
    }
    return [pid, found.slice(0, MOST)]
  }))
}

// Each thread lists the children that it started.
function childrenOnLinux (pid) {
  try {
    return fs.readdirSync(`/proc/${pid}/task`).flatMap((thread) => numbersIn(fs.readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')))
  } catch {
    return [] // it has ended, or the kernel was built without this file
  }
}

async function childrenByPs () {
  const children = new Map()
  try {
    const { stdout } = await promisify(require('node:child_process').execFile)('ps', ['-A', '-o', 'pid=,ppid='], { timeout: PATIENCE_MS })
    for (const line of stdout.trim().split('\n')) {
      const [pid, parent] = numbersIn(line)
      children.set(parent, [...children.get(parent) ?? [], pid])
    }
  } catch { /* as if none had any */ }
  return (pid) => children.get(pid) ?? []
}

const numbersIn = (text) => text.split(/\s+/).filter(Boolean).map(Number)

module.exports = { descendantsOf }

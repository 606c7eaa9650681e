'use strict'

const fs = require('node:fs')

/**
 * Whether a process is still running. A zombie, which has ended but whose parent hasn't noticed (in a container perhaps forever), isn't.
 *
 * @param {number} pid
 */
function isAlive (pid) {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    const afterName = fs.readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)
    return afterName[0] !== 'Z'
  } catch {
    return process.platform !== 'linux' // no /proc elsewhere; on Linux it has just ended
  }
}

/**
 * Returns the other processes that were started by the tests of a folder, however they were started: all of them have the folder's name in
 * their environment. Without /proc, it returns none.
 *
 * @param {string} room TEST_ROOM of their environment
 * @returns {Array<{ pid: number, command: string }>}
 */
function processesOf (room) {
  const read = (pid, what) => fs.readFileSync(`/proc/${pid}/${what}`, 'latin1')
  return pidsNow().filter((pid) => pid !== process.pid).flatMap((pid) => {
    try {
      if (!read(pid, 'environ').split('\0').includes(`TEST_ROOM=${room}`)) return []
      return { pid, command: read(pid, 'cmdline').replaceAll('\0', ' ').trim() }
    } catch {
      return [] // it has ended, or belongs to another user
    }
  })
}

function pidsNow () {
  try {
    return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number)
  } catch {
    return []
  }
}

/** Kills processes from `processesOf`. */
function endProcesses (processes) {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch { /* gone */ }
  }
}

module.exports = { endProcesses, isAlive, processesOf }

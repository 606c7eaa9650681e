'use strict'

const fs = require('node:fs')

/**
 * Whether a process still runs. One that has ended, but whose parent has not noticed yet (a zombie: in a container that
 * may last for ever), does not.
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
 * The other processes that were started in a room, by whomever and however: what the room is called is in the environment
 * of all. Where there is no /proc none are known.
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
      return [] // gone, or somebody else's
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

/** Ends processes of `processesOf`, here and now. */
function endProcesses (processes) {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch { /* gone */ }
  }
}

module.exports = { endProcesses, isAlive, processesOf }

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

module.exports = { isAlive }

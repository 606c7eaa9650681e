'use strict'

const { optionError } = require('../base/errors')
const world = require('../world')
const { kind, wholeNumber } = require('../values/kinds')

const pid = wholeNumber(1)
// Limits the cost of sampling: every process is read once per sample.
const MOST = 64

/** Whether this platform can monitor processes. */
function canMonitor () {
  try {
    world.loadProcessUsage()
    return true
  } catch {
    return false
  }
}

/** The processes on this machine to monitor: an array of PIDs. */
const monitor = kind('the process ID (PID) of a process on this machine, or an array of them', (value, name) => {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',').map((text) => text.trim()) : [value]
  if (list.length === 0 || list.length > MOST) return undefined
  const pids = [...new Set(list.map((each, index) => list.length === 1 ? pid.read(each, name) : pid.read(each, `${name}[${index}]`)))]
  const missing = pids.find((each) => !world.hasProcess(each))
  if (missing !== undefined) throw optionError(name, missing, 'the ID of a running process on this machine')
  return pids
})

module.exports = { monitor, canMonitor }

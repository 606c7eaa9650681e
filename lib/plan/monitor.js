'use strict'

const { optionError } = require('../base/errors')
const world = require('../world')
const { kind, wholeNumber } = require('../values/kinds')

const pid = wholeNumber(1)
// Each is looked at once a sample.
const MOST = 64

/** Whether processes can be watched here at all. */
function canMonitor () {
  try {
    world.loadProcessUsage()
    return true
  } catch {
    return false
  }
}

/** Processes of this machine to watch: an array of their numbers. */
const monitor = kind('the process ID (PID) of a process on this machine, or an array of them', (value, name) => {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',').map((text) => text.trim()) : [value]
  if (list.length === 0 || list.length > MOST) return undefined
  const pids = [...new Set(list.map((each, index) => list.length === 1 ? pid.read(each, name) : pid.read(each, `${name}[${index}]`)))]
  const missing = pids.find((each) => !world.hasProcess(each))
  if (missing !== undefined) throw optionError(name, missing, 'the ID of a running process on this machine')
  return pids
})

module.exports = { monitor, canMonitor }

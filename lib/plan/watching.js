'use strict'

const { either, optionError } = require('../base/errors')
const { timerSecondsOrZero } = require('../values/duration')
const { isObject, kind, ofParts, toNumber, wholeNumber } = require('../values/kinds')
const world = require('../world')

// Reachable only from this machine, unless the user asks for more.
const HOST = '127.0.0.1'
const MOST_BOUNDS = 100
// Histogram bounds in seconds, from the latency of a fast server to one that no client would wait for.
const BOUNDS = Object.freeze([
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60
])

// Labels that the metrics use themselves, or that Prometheus reserves.
const TAKEN = new Set(['le', 'quantile', 'outcome', 'code', 'cause', 'by'])
const LABEL = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/

const port = wholeNumber(0, 65535)
const host = kind('the name or address of a network interface', (value) => typeof value === 'string' && value !== '' ? value : undefined)
const buckets = kind(`an array of 1 to ${MOST_BOUNDS} seconds, each greater than the one before`, (value) => {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_BOUNDS) return undefined
  const bounds = value.map(toNumber)
  return bounds.every((bound, index) => bound > (index === 0 ? 0 : bounds[index - 1])) ? bounds : undefined
})

const labels = kind('an object of names and values', (value, name) => {
  if (!isObject(value)) return undefined
  return Object.fromEntries(Object.entries(value).map(([label, text]) => {
    if (!LABEL.test(label)) throw optionError(`a name in ${name}`, label, 'made of letters, digits and _, and not start with a digit or __')
    if (TAKEN.has(label)) throw optionError(`a name in ${name}`, label, `a name other than ${[...TAKEN].join(', ')}, which the metrics use themselves`)
    if (typeof text !== 'string' && !Number.isFinite(text)) throw optionError(`${name}.${label}`, text, 'a string')
    return [label, String(text)]
  }))
})

/** Where to serve live metrics during the run: `{ port, host, labels, buckets, linger }`, or only a port. */
const prometheus = ofParts({ port, host, labels, buckets, linger: timerSecondsOrZero }, {
  defaults: { host: HOST, labels: {}, buckets: BOUNDS, linger: 0 },
  needs: ['port'],
  shorthand: { part: 'port', accepts: (value) => toNumber(value) !== undefined },
  allowed: either('{ port, host, labels, buckets, linger }, or a port', '[HOST:]PORT')
})

// Reachable only from this machine, unless the user asks for more.
const defaults = { host: '127.0.0.1' }

/** Where to serve the live dashboard: `{ port, host }`, or only a port. */
const dashboard = ofParts({ port, host }, {
  defaults,
  needs: ['port'],
  shorthand: { part: 'port', accepts: (value) => toNumber(value) !== undefined },
  allowed: '{ port, host }, or a port'
})

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

module.exports = { canMonitor, dashboard, host, monitor, port, prometheus }

'use strict'

// Describes the machine, and divides its cores between server and client.

const fs = require('node:fs')
const os = require('node:os')
const { canPin } = require('./processes')

/** The cores this process may use; a container often has fewer than the machine. */
function allowedCores () {
  let list = `0-${os.availableParallelism() - 1}`
  try {
    list = /Cpus_allowed_list:\s*(\S+)/.exec(fs.readFileSync('/proc/self/status', 'latin1'))[1]
  } catch {}
  return list.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
}

/** Server and client never share a core if there are at least two; `undefined`: run anywhere. */
function shareCores ({ workers = 0, serverIsNode = false } = {}) {
  const cores = allowedCores()
  if (!canPin || cores.length < 2) return { server: undefined, client: undefined }
  const forClient = Math.min(Math.max(workers, 1), cores.length - 1)
  const client = cores.slice(-forClient)
  return { server: serverIsNode ? cores.slice(0, -forClient) : [cores[0]], client }
}

function describeMachine () {
  const [{ model }] = os.cpus()
  const count = allowedCores().length
  return `${count} core${count > 1 ? 's' : ''} (${model.trim() || os.arch()}), ${os.platform()} ${os.arch()}, Node ${process.version}`
}

/** How many files one process may open; Infinity if that is unknown. */
function mostOpenFiles () {
  try {
    // Node raises its own limit to the hard one, which child processes inherit.
    return Number(/Max open files\s+(\d+)/.exec(fs.readFileSync('/proc/self/limits', 'latin1'))[1])
  } catch {
    return Infinity
  }
}

module.exports = { shareCores, describeMachine, mostOpenFiles }

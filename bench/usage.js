'use strict'

// The usage of a process and its descendants, read from outside while it runs: this adds nothing to what is measured, and reading twice
// excludes startup and shutdown.

const fs = require('node:fs')
const { execFileSync } = require('node:child_process')

const hasProc = fs.existsSync('/proc/self/stat')
const hasSchedstat = /^[1-9]/.test(readOr('/proc/self/schedstat', ''))
// The kernel reports to programs in these ticks on every Linux, whatever its own clock (man 5 proc, USER_HZ).
const TICKS_PER_SECOND = 100

function readOr (file, otherwise) {
  try {
    return fs.readFileSync(file, 'latin1')
  } catch {
    return otherwise
  }
}

/** @returns {number[]} the process and its descendants */
function processTree (root) {
  const parents = hasProc ? parentsFromProc() : new Map(listProcesses().map(({ pid, parent }) => [pid, parent]))
  const tree = [root]
  for (const above of tree) {
    for (const [pid, parent] of parents) if (parent === above) tree.push(pid)
  }
  return tree
}

function parentsFromProc () {
  const parents = new Map()
  for (const name of fs.readdirSync('/proc')) {
    if (/^\d+$/.test(name)) parents.set(Number(name), Number(statFields(name)?.[1]))
  }
  return parents
}

/** The fields after the name of the program, which may contain spaces and brackets itself. */
function statFields (pid) {
  const text = readOr(`/proc/${pid}/stat`, null)
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/**
 * CPU time (user and system, all threads) and the time spent waiting for a core that another process used. To the nanosecond if the
 * scheduler's statistics are readable, otherwise in ticks of 10 ms and without `waited`. Only differences of `waited` mean something.
 *
 * @param {number[]} pids
 * @returns {{ cpu: number, waited: number }} microseconds
 */
function usageOf (pids) {
  const total = { cpu: 0, waited: 0 }
  if (!hasProc) {
    for (const { pid, cpu } of listProcesses()) if (pids.includes(pid)) total.cpu += cpu
  } else if (hasSchedstat) {
    for (const pid of pids) addThreads(total, `/proc/${pid}/task`)
  } else {
    for (const pid of pids) {
      const fields = statFields(pid)
      if (fields) total.cpu += (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND * 1e6
    }
  }
  return total
}

// The busiest thread of a process does its work. It may also have waited for the others, such as V8's compilers, which share its core; what
// these waited for was mostly that thread.
function addThreads (total, folder) {
  let threads = []
  try {
    threads = fs.readdirSync(folder)
  } catch {} // it ended since the tree was listed
  const usage = threads.map((thread) => {
    const [cpu, waited] = readOr(`${folder}/${thread}/schedstat`, '0 0').split(' ')
    return { cpu: Number(cpu) / 1e3, waited: Number(waited) / 1e3 }
  }).sort((a, b) => b.cpu - a.cpu)
  for (const { cpu } of usage) total.cpu += cpu
  for (const [index, { cpu, waited }] of usage.entries()) total.waited += index === 0 ? waited : -cpu
}

/** @returns {number} KiB: the sum of each process's peak resident memory */
function peakMemoryOf (pids) {
  if (!hasProc) {
    return listProcesses().reduce((sum, { pid, resident }) => pids.includes(pid) ? sum + resident : sum, 0)
  }
  return pids.reduce((sum, pid) => sum + Number(/VmHWM:\s+(\d+)/.exec(readOr(`/proc/${pid}/status`, ''))?.[1] ?? 0), 0)
}

/** Without /proc: coarser, and current memory instead of the peak. */
function listProcesses () {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss=,time='], { encoding: 'latin1' })
  return text.trim().split('\n').map((line) => {
    const [pid, parent, resident, time] = line.trim().split(/\s+/)
    const seconds = time.split(/[:-]/).reverse().reduce((sum, part, place) => sum + part * [1, 60, 3600, 86400][place], 0)
    return { pid: Number(pid), parent: Number(parent), resident: Number(resident), cpu: seconds * 1e6 }
  })
}

module.exports = { processTree, usageOf, peakMemoryOf }

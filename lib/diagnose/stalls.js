'use strict'

const { isUsers, proven } = require('./profile')

const LEAST = 50_000
const MOST = 1000

/**
 * Finds the times in which a thread's event loop was blocked for 50 ms or more: it was late for a timer, and the profile shows
 * it at work without a pause.
 *
 * @param {Beats} beats
 * @param {Profile} profile
 * @returns {Array<{ from: number, to: number, kind: string, stack: object[] }>} microseconds; at most 1,000, the longest ones, in order
 */
function findStalls (beats, profile) {
  return beats.gaps(LEAST)
    .flatMap(([from, to]) => busyRuns(profile, from, to))
    // If samples cover less, it was the system that did not let the process run.
    .filter(({ sampled }) => sampled >= LEAST)
    .sort((a, b) => (b.to - b.from) - (a.to - a.from)).slice(0, MOST).sort((a, b) => a.from - b.from)
    .map(({ from, to }) => ({ from, to, ...causeOf(profile, from, to) }))
}

// A run ends where an idle sample begins, or with the gap.
function busyRuns (profile, from, to) {
  const runs = []
  let run = null
  profile.each(from, to, (node, at, length) => {
    if (!profile.isBusy(node)) {
      if (run !== null) run.to = at
      run = null
      return
    }
    if (run === null) runs.push(run = { from: at, to, sampled: 0 })
    run.sampled += proven(length)
  })
  return runs
}

function causeOf (profile, from, to) {
  const self = profile.selfTimes(from, to)
  let [collecting, all] = [0, 0]
  for (const [node, time] of self) {
    all += time
    if (profile.nodes[node].kind === 'gc') collecting += time
  }
  return { kind: collecting > all / 2 ? 'gc' : 'code', stack: ownPart(profile.stackOf(heaviestOf(profile, self))) }
}

// Follows the heaviest call from the root, as long as calls are heavier than the function itself.
function heaviestOf ({ nodes, frames }, self) {
  const totals = new Map()
  for (const [node, time] of self) {
    // Garbage collection and native code outside of any function are not part of a stack.
    if (frames[nodes[node].frame].file === null && nodes[node].parent <= 0) continue
    for (let index = node; index > 0; index = nodes[index].parent) totals.set(index, (totals.get(index) ?? 0) + time)
  }
  let at = 0
  for (;;) {
    let heaviest = null
    for (const [node, time] of totals) {
      if (nodes[node].parent === at && time > (totals.get(heaviest) ?? 0)) heaviest = node
    }
    if (heaviest === null || totals.get(heaviest) <= (self.get(at) ?? 0)) return at
    at = heaviest
  }
}

// From the outermost function of the program's own code, else of a package.
function ownPart (stack) {
  const own = stack.findIndex((frame) => isUsers(frame) && frame.package === null)
  const first = own === -1 ? stack.findIndex(isUsers) : own
  return stack.slice(Math.max(0, first)).map(({ function: name, file, line }) => ({ function: name, file, line }))
}

module.exports = { findStalls }

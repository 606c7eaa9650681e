'use strict'

const MOST = 20

/**
 * Adds up a profile by function.
 *
 * @param {Profile} profile
 * @param {number} from microseconds
 * @param {number} to
 * @returns {{ busy: number, functions: Array<{ frame: object, self: number, total: number }> }} microseconds; `total` includes functions
 *   that it called, and counts recursive calls once. The greatest self time first
 */
function functionsOf (profile, from, to) {
  const self = new Map()
  const total = new Map()
  let busy = 0
  for (const [node, time] of profile.selfTimes(from, to)) {
    busy += time
    const { frame } = profile.nodes[node]
    self.set(frame, (self.get(frame) ?? 0) + time)
    for (const each of framesAbove(profile, node)) total.set(each, (total.get(each) ?? 0) + time)
  }
  const functions = [...total].map(([frame, time]) => ({ frame: profile.frames[frame], self: self.get(frame) ?? 0, total: time }))
  return { busy, functions: functions.sort((a, b) => b.self - a.self || b.total - a.total) }
}

// The root calls everything, and is not a function.
function framesAbove ({ nodes }, node) {
  const frames = new Set()
  for (let index = node; index > 0; index = nodes[index].parent) frames.add(nodes[index].frame)
  return frames
}

/** `processes[].hot`: the functions with the greatest self time, as shares of the busy time. */
function hotOf ({ busy, functions }) {
  return functions.filter(({ self }) => self > 0).slice(0, MOST)
    .map(({ frame, self, total }) => ({ ...frame, self: share(self / busy), total: share(total / busy) }))
}

const share = (value) => Math.round(value * 10_000) / 10_000

module.exports = { functionsOf, hotOf }

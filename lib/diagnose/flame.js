'use strict'

const LEAST_SHARE = 0.001
const MOST_NODES = 5000

/**
 * Folds the profiles of several threads into one tree. Calls that took less than 0.1% of the busy time are counted for their caller.
 *
 * @param {Array<{ name: string, profile: Profile, from: number, to: number }>} threads
 * @returns {?{ frames: object[], nodes: Array<[number, number, number]> }} `nodes`: `[parent, frame, ms]` with the time of calls
 *   included; parents are indexes, -1 for a thread, whose frame has its name. Parents before their children; null without any samples
 */
function flameOf (threads) {
  const tree = threads.flatMap(treeOf)
  const busy = tree.reduce((sum, { parent, time }) => parent === null ? sum + time : sum, 0)
  if (busy === 0) return null
  // A parent has at least the time of its child, and stood before it.
  const kept = tree.filter(({ parent, time }) => parent === null || time >= busy * LEAST_SHARE)
    .sort((a, b) => b.time - a.time || a.depth - b.depth).slice(0, MOST_NODES)
  const [indexes, frames, frameIndexes] = [new Map(), [], new Map()]
  const nodes = kept.map((node, index) => {
    indexes.set(node, index)
    const key = JSON.stringify(node.frame)
    if (!frameIndexes.has(key)) frameIndexes.set(key, frames.push(node.frame) - 1)
    return [node.parent === null ? -1 : indexes.get(node.parent), frameIndexes.get(key), Math.round(node.time) / 1000]
  })
  return { frames, nodes }
}

function treeOf ({ name, profile, from, to }) {
  const root = { parent: null, frame: { function: name, file: null, line: null, package: null }, time: 0, depth: 0 }
  const byIndex = new Map()
  const nodeOf = (index) => {
    if (index <= 0) return root
    if (!byIndex.has(index)) {
      const { parent, frame } = profile.nodes[index]
      const above = nodeOf(parent)
      byIndex.set(index, { parent: above, frame: profile.frames[frame], time: 0, depth: above.depth + 1 })
    }
    return byIndex.get(index)
  }
  for (const [index, time] of profile.selfTimes(from, to)) {
    for (let node = nodeOf(index); node !== null; node = node.parent) node.time += time
  }
  return [root, ...byIndex.values()]
}

module.exports = { flameOf }

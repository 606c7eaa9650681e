'use strict'

const { mean } = require('../statistics/summaries')

const MOST = 20
// Smaller differences are random: a profile has one sample per millisecond.
const LEAST_SHARE = 0.01
const MAIN = '/'

/**
 * Compares where two diagnosed servers spent their time: the self time of each function per completed request.
 *
 * @param {object[]} first results of a side
 * @param {object[]} second those of another
 * @returns {?object[]} `{ function, file, line, package, a, b }`, ms per request on average over the runs, the largest difference first;
 *   null if a side was not diagnosed
 */
function hotOf (first, second) {
  const [a, b] = [first, second].map((results) => results.filter(isDiagnosed).map(timesOf))
  if (a.length === 0 || b.length === 0) return null
  const least = LEAST_SHARE * Math.max(...[a, b].map((runs) => mean(runs.map(busyOf))))
  const frames = new Map([...b, ...a].flatMap((run) => [...run].map(([key, { frame }]) => [key, frame])))
  return [...frames].map(([key, { function: name, file, line, package: of }]) => {
    const [inA, inB] = [a, b].map((runs) => mean(runs.map((run) => run.get(key)?.time ?? 0)))
    return { function: name, file, line, package: of, a: rounded(inA), b: rounded(inB) }
  }).filter((each) => differenceIn(each) >= least).sort((one, other) => differenceIn(other) - differenceIn(one)).slice(0, MOST)
}

const isDiagnosed = ({ diagnosis, accounting }) => Array.isArray(diagnosis?.flame?.nodes) && Array.isArray(diagnosis.flame.frames) && accounting?.completed > 0

/** The time of each function in a run, ms per request. @returns {Map<string, { frame: object, time: number }>} */
function timesOf ({ diagnosis: { processes, flame: { frames, nodes } }, accounting: { completed } }) {
  const main = processes?.[0]?.script ?? undefined
  const self = nodes.map(([, , time]) => time)
  for (const [parent, , time] of nodes) if (parent >= 0) self[parent] -= time
  const times = new Map()
  nodes.forEach(([parent, index], node) => {
    const frame = frames[index]
    // Each root is a thread.
    if (parent < 0 || frame === undefined) return
    const key = keyOf(frame, main)
    const known = times.get(key) ?? { frame, time: 0 }
    times.set(key, { frame, time: known.time + Math.max(0, self[node]) / completed })
  })
  return times
}

// Versions of a program are in different folders, or their main files have different names, and functions are on different lines.
function keyOf ({ function: name, file, package: of }, main) {
  return JSON.stringify([name, of, file === main ? MAIN : file?.split(/[\\/]/).at(-1)])
}

const busyOf = (run) => [...run.values()].reduce((sum, { time }) => sum + time, 0)
const differenceIn = ({ a, b }) => Math.abs(b - a)
const rounded = (ms) => Math.round(ms * 1e6) / 1e6

module.exports = { hotOf }

'use strict'

const { findingsOf, overlap } = require('./findings')
const Thread = require('./thread')

const MOST_SLOWEST = 10
// The share of its service time that a stall covers of a request which waited for it.
const LEAST_SHARE = 0.1
// The flame graph leaves out calls with less than this share of the busy time, and the shortest ones if there are more than this.
const LEAST_DRAWN = 0.001
const MOST_NODES = 5000

/**
 * Makes the diagnosis of a run from the recordings of the server's threads.
 *
 * @param {object} run
 * @param {object[]} run.recordings see agent.js; times in microseconds of the system's monotonic clock
 * @param {boolean} run.isComplete whether no thread is missing
 * @param {boolean} [run.isDirect=true] whether the requests were sent to its port
 * @param {number} run.port where the server listens
 * @param {number} run.startedAt the start of the run by that clock
 * @param {number} run.seconds the length of its window
 * @param {object} run.flights see metrics/parts/flights.js
 * @param {object[]} run.slowest ten requests, or more, in the form of metrics/parts/slowest.js
 * @param {object} run.result
 * @returns {{ diagnosis: object, servers: Array<?object>, stallOf: function(object): ?number, threads: Thread[] }} `result.diagnosis`; `server`
 *   of each sample of the timeline; `stall` of an entry of `result.slowest`; the threads, in the order of `diagnosis.processes`
 */
function diagnosisOf ({ recordings, isComplete, isDirect = true, port, startedAt, seconds, flights, slowest, result }) {
  const endedAt = startedAt + seconds * 1e6
  const all = recordings.map((recording) => new Thread(recording, startedAt, endedAt))
  const serving = servingOf(all, port)
  const first = serving.reduce((one, other) => one === null || other.utilization > one.utilization ? other : one, null)
  const threads = [...all].sort((a, b) => (b === first) - (a === first) || serving.includes(b) - serving.includes(a) || b.busy - a.busy)
  const stalls = threads.flatMap((thread) => stallsOf(thread, startedAt, endedAt, flights)).sort((a, b) => a.at - b.at)
  const ofServer = stalls.filter((stall) => serving.some(({ recording: { pid, thread } }) => stall.pid === pid && stall.thread === thread))
  return {
    threads,
    diagnosis: {
      processes: threads.map((thread) => thread.toResult()),
      stalls,
      findings: !isDirect ? [] : findingsOf({ threads, serving, isComplete, stalls: ofServer, slowest: slowest.slice(0, MOST_SLOWEST).map(inMilliseconds), result }),
      flame: flameOf(threads)
    },
    // With several processes, nobody knows which of them a request went to.
    stallOf: (request) => isDirect && serving.length === 1 ? stallDuring(request, stalls, ofServer) : null,
    servers: result.timeline.map(({ time, seconds }) => first?.sampleIn(startedAt + (time - seconds) * 1e6, startedAt + time * 1e6) ?? null)
  }
}

const inMilliseconds = ({ sentAt, endedAt }) => ({ sentAt: sentAt / 1000, endedAt: endedAt / 1000 })

// The index of the one that covers most of the service time, if it covers enough of it; of several, the first.
function stallDuring ({ sentAt, endedAt }, stalls, ofServer) {
  const request = { sentAt: sentAt * 1000, endedAt: endedAt * 1000 }
  const longest = ofServer.reduce((one, other) => one !== null && overlap(request, one) >= overlap(request, other) ? one : other, null)
  return longest !== null && overlap(request, longest) >= (request.endedAt - request.sentAt) * LEAST_SHARE && overlap(request, longest) > 0 ? stalls.indexOf(longest) : null
}

// The primary process of a cluster only passes connections on.
function servingOf (threads, port) {
  const listening = threads.filter((thread) => thread.listensOn(port))
  const parents = new Set(listening.map(({ recording }) => recording.parent))
  const workers = listening.filter(({ recording: { pid } }) => !parents.has(pid))
  return workers.length > 0 ? workers : listening
}

// As far as they are within the run, until the last of its requests has ended.
function stallsOf ({ recording: { pid, thread }, stalls }, startedAt, endedAt, { sent, ended }) {
  const end = Math.max(endedAt, startedAt + ended.length * 1000)
  return stalls.filter(({ from, to }) => to > startedAt && from < end).map(({ from, to, kind, stack }) => ({
    pid,
    thread,
    at: Math.max(0, Math.round(from - startedAt)) / 1e6,
    duration: Math.round(to - Math.max(from, startedAt)) / 1000,
    kind,
    stack,
    waiting: inFlight(sent, ended, Math.max(0, from - startedAt), to - startedAt)
  }))
}

// All that were sent before its end, without those that had ended before it began. They are counted by the millisecond: those of the
// milliseconds in which it began and ended do not count, because the next request of a connection may be among them.
function inFlight (sent, ended, from, to) {
  const sumUntil = (counts, end) => {
    let sum = 0
    for (let index = 0; index < Math.min(end, counts.length); index++) sum += counts[index]
    return sum
  }
  return Math.max(0, sumUntil(sent, Math.floor(to / 1000)) - sumUntil(ended, Math.ceil(from / 1000)))
}

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
  const kept = tree.filter(({ parent, time }) => parent === null || time >= busy * LEAST_DRAWN)
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

module.exports = { diagnosisOf }

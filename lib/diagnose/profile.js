'use strict'

const path = require('node:path')
const { fileURLToPath } = require('node:url')
const { firstFrom } = require('./first-from')

// Samples are 1 ms apart. If one is missing for longer, the process did not run, and the time between does not belong to its code.
const LONGEST_SAMPLE = 10_000
// A sample is certain to stand for this much. If the next one is later, the system may have suspended the process, which happens more often in
// some functions than in others: those that wait for another thread or yield the processor.
const PROVEN_SAMPLE = 2_000
const IDLE = '(idle)'
const COLLECTOR = '(garbage collector)'
const AGENT = path.join(__dirname, 'agent.js')
const PRELOAD = path.join(__dirname, '..', 'launch', 'preload.js')
const PACKAGE = /[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)(?=[\\/])/g

/**
 * A CPU profile as V8 returns it, read as a tree of calls with samples over time. Times are in microseconds of the system's monotonic
 * clock.
 */
class Profile {
  /**
   * @param {object} data `nodes`, `samples`, `timeDeltas`, `startTime`, as in a .cpuprofile file
   * @param {number} [shift] to add to its times
   */
  constructor ({ nodes, samples, timeDeltas, startTime }, shift = 0) {
    /** Functions: `{ function, file, line, package }`, each once. */
    this.frames = []
    /** Calls: `{ parent, frame, kind }`; `kind` is 'idle', 'gc', 'own' (our agent's) or 'code'. Parents are indexes, before their children. */
    this.nodes = []
    const indexOf = this.readNodes(nodes)
    this.samples = samples.map((id) => indexOf.get(id))
    let time = startTime + shift
    this.times = timeDeltas.map((delta) => { time += delta; return time })
  }

  readNodes (nodes) {
    const byId = new Map(nodes.map((node) => [node.id, node]))
    const [indexOf, frameIndexes] = [new Map(), new Map()]
    const waiting = nodes.length === 0 ? [] : [[nodes[0], -1]]
    while (waiting.length > 0) {
      const [{ id, callFrame, children = [] }, parent] = waiting.pop()
      const frame = frameOf(callFrame)
      const key = `${frame.function}\n${frame.file}\n${frame.line}`
      if (!frameIndexes.has(key)) frameIndexes.set(key, this.frames.push(frame) - 1)
      const isOwn = frame.file === AGENT || this.nodes[parent]?.kind === 'own'
      const kind = isOwn ? 'own' : frame.function === IDLE ? 'idle' : frame.function === COLLECTOR ? 'gc' : 'code'
      const index = this.nodes.push({ parent, frame: frameIndexes.get(key), kind }) - 1
      indexOf.set(id, index)
      for (const child of children) waiting.push([byId.get(child), index])
    }
    return indexOf
  }

  /** Whether the thread worked for the program at a node. */
  isBusy (index) {
    const { kind } = this.nodes[index]
    return kind === 'code' || kind === 'gc'
  }

  /** Calls back with each sample that was taken within a time: its node, when it began, and how long it lasts. */
  each (from, to, callback) {
    const { samples, times } = this
    for (let index = firstFrom(times, from); index < samples.length && times[index] < to; index++) {
      const end = Math.min(times[index + 1] ?? times[index], to, times[index] + LONGEST_SAMPLE)
      callback(samples[index], times[index], end - times[index])
    }
  }

  /** Busy time by node within a time. @returns {Map<number, number>} */
  selfTimes (from, to) {
    const self = new Map()
    this.each(from, to, (node, at, length) => {
      if (this.isBusy(node)) self.set(node, (self.get(node) ?? 0) + length)
    })
    return self
  }

  /**
   * What is certain even if the system often suspended the process.
   *
   * @returns {{ self: Map<number, number>, busy: number, collecting: number, all: number }} busy time by node, and its sum; of it, garbage
   *   collection; all time
   */
  provenTimes (from, to) {
    const self = new Map()
    let [busy, collecting, all] = [0, 0, 0]
    this.each(from, to, (node, at, length) => {
      const time = proven(length)
      all += time
      if (!this.isBusy(node)) return
      busy += time
      if (this.nodes[node].kind === 'gc') collecting += time
      self.set(node, (self.get(node) ?? 0) + time)
    })
    return { self, busy, collecting, all }
  }

  /**
   * The share of a time in which the thread was at work, 0 to 1. Node.js measures this as well, but not correctly while a profiler
   * interrupts its waits.
   */
  utilization (from, to) {
    let [busy, all] = [0, 0]
    this.each(from, to, (node, at, length) => {
      all += length
      if (this.isBusy(node)) busy += length
    })
    return all === 0 ? 0 : busy / all
  }

  /** The function of a node; if it is native code, the function that called it. */
  callerOfNative (node) {
    const { parent, frame } = this.nodes[node]
    return this.frames[this.frames[frame].file === null && parent > 0 ? this.nodes[parent].frame : frame]
  }

  /** The frames that lead to a node, from the outermost, without the root and without our own. */
  stackOf (node) {
    const stack = []
    for (let index = node; index > 0; index = this.nodes[index].parent) {
      const frame = this.frames[this.nodes[index].frame]
      if (frame.file !== PRELOAD) stack.push(frame)
    }
    return stack.reverse()
  }
}

/** How much of the length of a sample is certain. */
const proven = (length) => Math.min(length, PROVEN_SAMPLE)

function frameOf ({ functionName, url, lineNumber }) {
  const file = fileOf(url)
  return { function: functionName || '(anonymous)', file, line: file === null || !(lineNumber >= 0) ? null : lineNumber + 1, package: packageOf(file) }
}

function fileOf (url) {
  if (!url) return null
  if (!url.startsWith('file:')) return url
  try {
    return fileURLToPath(url)
  } catch {
    return url
  }
}

/** The npm package of a file; `node:` for Node's own code; null for the program's, and without a file. */
function packageOf (file) {
  if (file === null) return null
  if (file.startsWith('node:')) return 'node:'
  const names = [...file.matchAll(PACKAGE)]
  return names.length === 0 ? null : names.at(-1)[1].replaceAll('\\', '/')
}

/** Whether a frame is code of the program or of a package, as opposed to that of Node.js, native code and garbage collection. */
const isUsers = (frame) => frame.file !== null && frame.package !== 'node:'

module.exports = { Profile, isUsers, proven }

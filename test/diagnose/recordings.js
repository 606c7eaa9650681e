'use strict'

// Artificial recordings of threads: profiles and beats with known results. Times in ms.

const AGENT = require.resolve('../../lib/diagnose/agent')
const PRELOAD = require.resolve('../../lib/launch/preload')

const START = 5_000_000 // µs of the system's monotonic clock at which the run starts

const SUSPENDED = 9000

const FRAMES = {
  root: { functionName: '(root)', url: '', lineNumber: -1 },
  idle: { functionName: '(idle)', url: '', lineNumber: -1 },
  gc: { functionName: '(garbage collector)', url: '', lineNumber: -1 },
  program: { functionName: '(program)', url: '', lineNumber: -1 },
  agent: { functionName: 'beat', url: `file://${AGENT}`, lineNumber: 80 },
  preload: { functionName: 'load', url: `file://${PRELOAD}`, lineNumber: 10 },
  handle: { functionName: 'handle', url: 'file:///app/server.js', lineNumber: 9 },
  work: { functionName: 'work', url: 'file:///app/server.js', lineNumber: 19 },
  // Another function with a name that occurs twice in its file.
  again: { functionName: 'handle', url: 'file:///app/server.js', lineNumber: 29 },
  parse: { functionName: 'parse', url: 'file:///app/node_modules/outer/node_modules/@scope/fast/index.js', lineNumber: 2 },
  ticks: { functionName: 'processTicks', url: 'node:internal/process/task_queues', lineNumber: 70 },
  emit: { functionName: 'emit', url: 'node:events', lineNumber: 470 },
  readFileSync: { functionName: 'readFileSync', url: 'node:fs', lineNumber: 439 },
  writeFileSync: { functionName: 'writeFileSync', url: 'node:fs', lineNumber: 2300 },
  log: { functionName: 'log', url: 'node:internal/console/constructor', lineNumber: 379 },
  pbkdf2Sync: { functionName: 'pbkdf2Sync', url: 'node:internal/crypto/pbkdf2', lineNumber: 60 },
  gzip: { functionName: 'syncBufferWrapper', url: 'node:zlib', lineNumber: 764 },
  require: { functionName: 'require', url: 'node:internal/modules/helpers', lineNumber: 1 },
  native: { functionName: 'run', url: '', lineNumber: -1 }
}

/**
 * @param {Array<[string, number]>} script what the thread executed and for how long: a call stack from the outermost function, such as
 *   'handle work', and ms
 * @param {object} [more] parts of the recording that differ
 * @param {number} [more.cpu] percent of a core; default as much as it is at work
 * @param {Array<[number, number]>} [more.collections] start and length of garbage collections
 * @param {number} [more.ahead] ms before the start at which the recording begins
 */
function recording (script, { cpu = busyPercent(script), collections = [], ahead = 0, ...rest } = {}) {
  const nodes = [{ id: 1, callFrame: FRAMES.root, children: [] }]
  const nodeOf = (stack) => stack.reduce((parent, name) => {
    const found = parent.children.map((id) => nodes[id - 1]).find(({ callFrame }) => callFrame === FRAMES[name])
    if (found) return found
    const node = { id: nodes.length + 1, callFrame: FRAMES[name], children: [] }
    nodes.push(node)
    parent.children.push(node.id)
    return node
  }, nodes[0])
  const length = script.reduce((sum, [, ms]) => sum + ms, 0)
  const samples = script.flatMap(([stack, ms]) => Array(ms).fill(nodeOf(stack.split(' ')).id))
  // A last sample, which ends the one before it.
  samples.push(nodeOf(['idle']).id)
  const begin = START - ahead * 1000
  return {
    pid: 100,
    parent: 1,
    thread: 0,
    node: 'v20.0.0',
    script: '/app/server.js',
    ports: [80],
    shift: 0,
    hasLeft: false,
    profile: { nodes, samples, startTime: begin, endTime: begin + length * 1000, timeDeltas: samples.map((id, index) => index === 0 ? 0 : 1000) },
    beats: beatsOf(script, begin, length, cpu),
    collections: collections.map(([at, ms]) => [START + at * 1000, ms * 1000]),
    ...rest
  }
}

function busyPercent (script) {
  const sum = (parts) => parts.reduce((total, [, ms]) => total + ms, 0)
  return 100 * sum(script.filter(([stack]) => stack !== 'idle')) / sum(script)
}

// A beat every 10 ms, unless the thread is busy; then as soon as it is idle again.
function beatsOf (script, begin, length, cpu) {
  const busyAt = []
  for (const [stack, ms] of script) for (let each = 0; each < ms; each++) busyAt.push(stack !== 'idle')
  const time = []
  for (let due = 0; due <= length; due += 10) {
    let at = due
    while (busyAt[at]) at++
    if (time.at(-1) !== at) time.push(at)
  }
  if (time.at(-1) < length) time.push(length)
  return {
    time: time.map((ms) => begin + ms * 1000),
    user: time.map((ms) => ms * 10 * cpu),
    system: time.map(() => 0),
    heap: time.map((ms) => 1_000_000 + ms)
  }
}

/**
 * The same thread on a machine that suspends it for 9 ms after each sample of a function.
 *
 * @param {object} recorded see `recording`
 * @param {string} name of the function, as in FRAMES
 */
function suspendedAfter (recorded, name) {
  const { profile: { nodes, samples, timeDeltas, startTime }, beats, collections } = recorded
  const suspensions = []
  let time = startTime
  const deltas = timeDeltas.map((delta, index) => {
    const isSuspended = index > 0 && nodes[samples[index - 1] - 1].callFrame === FRAMES[name]
    time += delta
    if (isSuspended) suspensions.push(time)
    return delta + (isSuspended ? SUSPENDED : 0)
  })
  const later = (at) => at + suspensions.filter((end) => end <= at).length * SUSPENDED
  return {
    ...recorded,
    profile: { ...recorded.profile, timeDeltas: deltas },
    beats: { ...beats, time: beats.time.map(later) },
    collections: collections.map(([at, length]) => [later(at), later(at + length) - later(at)])
  }
}

module.exports = { FRAMES, START, recording, suspendedAfter }

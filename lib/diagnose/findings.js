'use strict'

const { counted, percent, time } = require('../words/numbers')
const { placeInCode } = require('../words/place')
const { isUsers } = require('./profile')

const BUSY = 0.9
// A busy process that gets less than this share of that time on a CPU is being kept waiting.
const LEAST_RUNNING = 0.5
const IDLE = 0.5
const SLOW_MS = 10
const USUAL = 0.9
const HOT = 0.2
const COLLECTING = 0.1
const SYNCHRONOUS = 0.05
const MOST_STALLED = 3
// With fewer samples, shares are random.
const LEAST_BUSY = 100_000
const LEAST_COLLECTING = 50_000
const SYNCHRONOUS_MODULES = new Map([
  ['node:fs', 'fs'], ['node:internal/fs', 'fs'], ['node:zlib', 'zlib'], ['node:child_process', 'child_process'], ['node:internal/child_process', 'child_process'],
  ['node:crypto', 'crypto'], ['node:internal/crypto', 'crypto']
])

/**
 * What limits the server, as far as the figures prove it.
 *
 * @param {object} diagnosed
 * @param {Thread[]} diagnosed.threads those that were recorded
 * @param {Thread[]} diagnosed.serving those of them that listen on the port of the server
 * @param {boolean} diagnosed.isComplete whether no thread is missing
 * @param {object[]} diagnosed.stalls `diagnosis.stalls`
 * @param {object[]} diagnosed.slowest the ten slowest requests: `{ sentAt, endedAt }`, ms from the start
 * @param {object} diagnosed.result of the run
 * @returns {Array<{ code: string, message: string, share: number }>} the heaviest first; none if the load generator was the limit
 */
function findingsOf (diagnosed) {
  const { serving, result } = diagnosed
  if (serving.length === 0 || result.generator.saturated) return []
  return [busy, idle, hot, collecting, synchronous, stalled].map((find) => find(diagnosed)).filter(Boolean)
    .map(({ share, ...finding }) => ({ ...finding, share: Math.round(share * 10_000) / 10_000 }))
    .sort((a, b) => b.share - a.share)
}

// Of several threads with the same finding, only the heaviest is reported.
function heaviest (findings) {
  const [first, ...others] = findings.sort((a, b) => b.share - a.share)
  if (first === undefined) return null
  const { code, message, share } = first
  return { code, message: others.length === 0 ? message : `${message} (So it is in ${others.length + 1} processes or threads.)`, share }
}

// If the system suspended the process, a part of the time is unknown.
const provenShare = (time, { all }) => all === 0 ? 0 : time / all
const leastUtilization = ({ utilization, proven }) => Math.min(utilization, provenShare(proven.busy, proven))
const greatestUtilization = ({ utilization, proven }) => Math.max(utilization, provenShare(proven.busy, proven))

const of = ({ threads }, thread) => threads.length === 1 ? '' : ` (${thread.name})`

function busy (diagnosed) {
  return heaviest(diagnosed.serving.filter((thread) => leastUtilization(thread) >= BUSY).map((thread) => ({
    code: 'EVENT_LOOP_BUSY',
    message: `The event loop of the server was busy ${percent(leastUtilization(thread))} of the time${of(diagnosed, thread)}${whyBusy(thread)}`,
    share: leastUtilization(thread)
  })))
}

// An event loop counts as busy while it is in the middle of a task, even if other programs use the CPU or the disk is slow.
function whyBusy (thread) {
  const { cpu } = thread.figures
  const processor = (cpu.user + cpu.system) / 100
  if (processor >= leastUtilization(thread) * LEAST_RUNNING) return ': this process is the limit. Make its code faster, or run more processes.'
  return `, but its process had only ${percent(processor)} of a core: it waited for the processor, which other programs were using, or for synchronous calls. Measure on a machine with free cores.`
}

// Work in the thread pool, in other threads and in processes that were not recorded keeps no event loop busy.
function idle ({ threads, serving, isComplete, result }) {
  const utilization = Math.max(...threads.map(greatestUtilization))
  const processor = Math.max(...threads.map(processorTime))
  const times = [result.latency, result.serviceTime, result.timeToFirstByte].filter(({ totalCount }) => totalCount > 0)
  const median = Math.min(...times.map(({ p50 }) => p50))
  if (!isComplete || times.length === 0 || Math.max(utilization, processor) >= IDLE) return null
  // On a machine that is busy with other things, a request waits for the server to run, and the response for the load generator.
  if (median - 2 * Math.max(...serving.map(usualDelay)) <= SLOW_MS) return null
  return {
    code: 'EVENT_LOOP_IDLE',
    message: `The server was waiting for something else, such as a database, another service, a lock or a timer: its event loop was busy at most ${percent(utilization)} of the time, while half of the responses took ${time(median)} or more.`,
    share: 1 - utilization
  }
}

// As a share of the time in which the system let it run: a process that is suspended does not wait for anything else.
function processorTime ({ figures, proven: { all } }) {
  if (figures === null) return 0
  const { cpu: { user, system }, seconds } = figures
  return all === 0 ? Infinity : (user + system) / 100 * seconds * 1e6 / all
}

/** How late the event loop was for most timers, ms. */
function usualDelay ({ figures }) {
  const delays = [...figures?.delays ?? []].sort((a, b) => a - b)
  return delays.length === 0 ? 0 : delays[Math.floor(delays.length * USUAL)] / 1000
}

function hot (diagnosed) {
  const found = diagnosed.threads.filter(isWorking).flatMap((thread) => {
    const { frame, time } = hottest(thread)
    const share = time / thread.proven.busy
    return share < HOT ? [] : { code: 'HOT_FUNCTION', message: `${place(frame)} took ${percent(share)} of the busy time by itself${of(diagnosed, thread)}.`, share }
  })
  return heaviest(found)
}

// Includes native code that it calls, such as a regular expression.
function hottest ({ profile, proven }) {
  const times = new Map()
  for (const [node, time] of proven.self) {
    const caller = profile.callerOfNative(node)
    if (isUsers(caller)) times.set(caller, (times.get(caller) ?? 0) + time)
  }
  return [...times].reduce((most, [frame, time]) => time > most.time ? { frame, time } : most, { frame: null, time: 0 })
}

const isWorking = (thread) => leastUtilization(thread) >= IDLE && thread.proven.busy >= LEAST_BUSY

function collecting (diagnosed) {
  return heaviest(diagnosed.serving.filter(({ figures }) => figures !== null).flatMap((thread) => {
    const { figures: { gc, collections, seconds }, proven } = thread
    // The system may have suspended the process during a collection, which is only visible in the profile.
    const share = Math.min(gc / 1e6 / seconds, provenShare(proven.collecting, proven))
    if (share < COLLECTING || proven.collecting < LEAST_COLLECTING) return []
    const longest = collections.reduce((most, each) => Math.max(most, each), 0)
    return {
      code: 'GARBAGE_COLLECTION',
      message: `Garbage collection took ${percent(share)} of the time${of(diagnosed, thread)}: ${counted(collections.length, 'collection')}, the longest ${time(longest / 1000)}. Allocate less for each request, or keep less.`,
      share
    }
  }))
}

function synchronous (diagnosed) {
  return heaviest(diagnosed.threads.filter(({ proven }) => proven.busy >= LEAST_BUSY).flatMap((thread) => {
    const calls = synchronousCalls(thread)
    const [top] = calls
    if (top === undefined || top.time / thread.busy < SYNCHRONOUS) return []
    const what = top.isConsole ? `console, which writes to a file or terminal synchronously (${top.name} of ${top.module}),` : `${top.name} of ${top.module},`
    const advice = top.isConsole ? 'Log less, or with a logger that writes asynchronously.' : 'Use its asynchronous form.'
    return {
      code: 'SYNCHRONOUS_IO',
      message: `${what} called by ${place(top.caller)}, took ${percent(top.time / thread.busy)} of the busy time${of(diagnosed, thread)}, in which nothing else could run. ${advice}`,
      share: top.time / thread.busy
    }
  }))
}

// By the outermost synchronous call of each stack and its caller, the longest time first.
function synchronousCalls ({ profile, from, to }) {
  const calls = new Map()
  for (const [node, time] of profile.selfTimes(from, to)) {
    const stack = profile.stackOf(node)
    const index = stack.findIndex((frame) => moduleOf(frame) !== null)
    if (index === -1) continue
    const caller = stack.slice(0, index).findLast(isUsers) ?? null
    // Node.js itself loads modules synchronously: without a caller in the program, there is nothing to change.
    if (caller === null) continue
    const frame = stack[index]
    const isConsole = stack.slice(stack.lastIndexOf(caller, index), index).some(({ file }) => file?.startsWith('node:internal/console/'))
    const key = `${frame.function} ${frame.file} ${isConsole} ${caller.file}:${caller.line}`
    const call = calls.get(key) ?? { name: nameOf(frame), module: moduleOf(frame), caller, isConsole, time: 0 }
    call.time += time
    calls.set(key, call)
  }
  return [...calls.values()].sort((a, b) => b.time - a.time)
}

// The module of a function `…Sync` of Node.js. Those of zlib are created by a common function, so they have its name.
function moduleOf ({ function: name, file }) {
  if (file === null || !file.startsWith('node:')) return null
  if (!name.endsWith('Sync') && !(file === 'node:zlib' && name === 'syncBufferWrapper')) return null
  for (const [prefix, module] of SYNCHRONOUS_MODULES) {
    if (file === prefix || file.startsWith(`${prefix}/`)) return module
  }
  return null
}

const nameOf = ({ function: name }) => name === 'syncBufferWrapper' ? 'A synchronous function (…Sync)' : name

// With several processes, it is unknown which of them a request went to.
function stalled ({ serving, stalls, slowest }) {
  if (serving.length !== 1) return null
  const covering = slowest.map((request) => ({ request, stalls: stalls.filter((stall) => overlap(request, stall) > 0) })).filter(({ stalls }) => stalls.length > 0)
  if (covering.length < MOST_STALLED) return null
  const all = slowest.reduce((sum, { sentAt, endedAt }) => sum + endedAt - sentAt, 0)
  const part = covering.reduce((sum, { request, stalls }) => sum + stalls.reduce((own, stall) => own + overlap(request, stall), 0), 0)
  const longest = covering.flatMap(({ stalls }) => stalls).reduce((one, other) => other.duration > one.duration ? other : one)
  const last = longest.stack.findLast(({ file }) => file !== null && !file.startsWith('node:'))
  const where = longest.kind === 'gc' ? ' in garbage collection' : last === undefined ? '' : ` in ${place(last)}`
  return {
    code: 'STALLS',
    message: `${covering.length} of the ${slowest.length} slowest requests were in flight while the event loop of the server was blocked for 50 ms or more; the longest of these stalls lasted ${time(longest.duration)},${where}`.replace(/,$/, '') + '.',
    share: all === 0 ? 0 : Math.min(1, part / all)
  }
}

/** How long a request was in flight during a stall, ms. */
function overlap ({ sentAt, endedAt }, { at, duration }) {
  return Math.max(0, Math.min(endedAt, at * 1000 + duration) - Math.max(sentAt, at * 1000))
}

/** A function in a sentence: `render (views.js:12)`, `parse of the package json5 (node_modules/json5/lib/parse.js:3)`. */
function place (frame) {
  if (frame.file === null) return frame.function
  return `${frame.function}${frame.package ? ` of the package ${frame.package}` : ''} (${placeInCode(frame)})`
}

module.exports = { findingsOf, overlap }

'use strict'

const { isNumber } = require('../../words/numbers')

/**
 * Returns the timeline of a result, with rates.
 *
 * @param {object} result or `{ readSamples }` with samples that were converted before (growing-samples.js)
 * @returns {object[]} `{ time, seconds, requests, bytes, rate, errors, statuses, sessions, stream, messages, monitor, server,
 *   p50, p90, p99, max, connections }`; missing numbers are null, and so are the latencies of a sample without responses
 */
function samplesOf ({ timeline, sampleInt, readSamples }) {
  if (readSamples !== undefined) return readSamples
  let before = 0
  return timeline.filter((row) => isNumber(row.time)).map((row) => {
    const sample = sampleOf(row, before, sampleInt)
    before = row.time
    return sample
  })
}

function sampleOf (row, before, sampleInt) {
  const passed = isNumber(row.seconds) ? row.seconds : row.time - before
  const seconds = passed > 0 ? passed : sampleInt / 1000
  const rate = isNumber(row.requests) && seconds > 0 ? row.requests / seconds : null
  return { ...numbersIn(row), statuses: statusesIn(row), sessions: sessionsIn(row), stream: streamIn(row), messages: messagesIn(row), monitor: monitorIn(row), server: serverIn(row), seconds, rate }
}

const numberOrNull = (value) => isNumber(value) ? value : null

function numbersIn ({ time, requests, bytes, errors, connections, p50, p90, p99, max }) {
  const latency = max > 0 ? numberOrNull : () => null
  return {
    time,
    requests: numberOrNull(requests),
    bytes: numberOrNull(bytes),
    errors: numberOrNull(errors),
    connections: numberOrNull(connections),
    p50: latency(p50),
    p90: latency(p90),
    p99: latency(p99),
    max: latency(max)
  }
}

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx']

function statusesIn ({ statuses }) {
  return Object.fromEntries(CLASSES.filter((name) => isNumber(statuses?.[name])).map((name) => [name, statuses[name]]))
}

const OF_SESSIONS = ['scheduled', 'started', 'completed', 'failed', 'open']

function sessionsIn ({ sessions }) {
  if (sessions === null || typeof sessions !== 'object') return null
  return Object.fromEntries(OF_SESSIONS.map((name) => [name, isNumber(sessions[name]) ? sessions[name] : 0]))
}

const OF_STREAM = ['timeToFirstEvent', 'gap']

function streamIn ({ stream }) {
  if (stream === null || typeof stream !== 'object') return null
  const times = OF_STREAM.map((name) => [name, { p50: numberOrNull(stream[name]?.p50), p99: numberOrNull(stream[name]?.p99) }])
  return { events: isNumber(stream.events) ? stream.events : 0, ...Object.fromEntries(times) }
}

const OF_MESSAGES = ['sent', 'received', 'lastCopy']

function messagesIn ({ messages }) {
  if (messages === null || typeof messages !== 'object') return null
  return Object.fromEntries(OF_MESSAGES.map((name) => [name, numberOrNull(messages[name])]))
}

// Returns a map by PID; null if no process was measured.
function monitorIn ({ monitor }) {
  const seen = (Array.isArray(monitor) ? monitor : []).filter((entry) => isNumber(entry?.cpu) && isNumber(entry.memory))
  return seen.length === 0 ? null : new Map(seen.map(({ pid, cpu, memory }) => [pid, { cpu, memory }]))
}

const OF_SERVER = ['utilization', 'delay', 'gc', 'cpu']

// Shares become percentages.
function serverIn ({ server }) {
  if (server === null || typeof server !== 'object') return null
  const { utilization, ...rest } = server
  return Object.fromEntries(OF_SERVER.map((name) => [name, numberOrNull(name === 'utilization' ? utilization * 100 : rest[name])]))
}

function joinServers (group) {
  const all = group.map(({ server }) => server).filter((server) => server !== null)
  return all.length === 0 ? null : Object.fromEntries(OF_SERVER.map((name) => [name, highest(all.map((server) => server[name]))]))
}

// Keeps the maximum, so that peaks stay visible.
function joinMonitors (group) {
  const all = group.map(({ monitor }) => monitor).filter((monitor) => monitor !== null)
  if (all.length === 0) return null
  const pids = [...new Set(all.flatMap((monitor) => [...monitor.keys()]))]
  return new Map(pids.map((pid) => {
    const seen = all.map((monitor) => monitor.get(pid)).filter((entry) => entry !== undefined)
    return [pid, { cpu: highest(seen.map(({ cpu }) => cpu)), memory: highest(seen.map(({ memory }) => memory)) }]
  }))
}

function joinStreams (group) {
  const all = group.map(({ stream }) => stream).filter((stream) => stream !== null)
  if (all.length === 0) return null
  const times = OF_STREAM.map((name) => [name, Object.fromEntries(['p50', 'p99'].map((key) => [key, highest(all.map((each) => each[name][key]))]))])
  return { events: all.reduce((sum, { events }) => sum + events, 0), ...Object.fromEntries(times) }
}

function joinMessages (group) {
  const all = group.map(({ messages }) => messages).filter((messages) => messages !== null)
  if (all.length === 0) return null
  const sum = (name) => all.reduce((total, each) => each[name] === null ? total : (total ?? 0) + each[name], null)
  return { sent: sum('sent'), received: sum('received'), lastCopy: highest(all.map(({ lastCopy }) => lastCopy)) }
}

function highest (values) {
  return values.reduce((max, value) => value !== null && (max === null || value > max) ? value : max, null)
}

// The number of open sessions is that at the end of the last sample; counts are added.
function joinSessions (group) {
  const all = group.map(({ sessions }) => sessions).filter((sessions) => sessions !== null)
  if (all.length === 0) return null
  return { ...Object.fromEntries(OF_SESSIONS.map((name) => [name, all.reduce((sum, each) => sum + each[name], 0)])), open: all.at(-1).open }
}

/**
 * Reduces samples to at most `most` by merging neighbours. Counts are added. Percentiles cannot be merged, so the highest
 * is used, which preserves peaks.
 *
 * @param {object[]} samples from `samplesOf`
 * @param {number} most
 * @returns {{ samples: object[], joined: number }} `joined`: the number of samples per merged one
 */
function atMost (samples, most) {
  const joined = Math.ceil(samples.length / most) || 1
  if (joined === 1) return { samples, joined }
  const groups = []
  for (let start = 0; start < samples.length; start += joined) groups.push(joinSamples(samples.slice(start, start + joined)))
  return { samples: groups, joined }
}

/**
 * Merges samples into steps of equal width, so that several runs can be compared.
 *
 * @param {object[]} samples from `samplesOf`
 * @param {number} width seconds
 * @returns {Map<number, object>} by step number; merged as in `atMost`
 */
function inSteps (samples, width) {
  const groups = new Map()
  for (const sample of samples) {
    const step = Math.max(1, Math.round(sample.time / width))
    groups.set(step, [...(groups.get(step) ?? []), sample])
  }
  return new Map([...groups].map(([step, group]) => [step, joinSamples(group)]))
}

function joinSamples (group) {
  const sum = (name) => group.reduce((total, sample) => total + (sample[name] ?? 0), 0)
  const highestOf = (name) => highest(group.map((sample) => sample[name]))
  const last = group.at(-1)
  const seconds = sum('seconds')
  return {
    time: last.time,
    seconds,
    requests: sum('requests'),
    bytes: sum('bytes'),
    rate: seconds > 0 ? sum('requests') / seconds : null,
    errors: sum('errors'),
    statuses: Object.fromEntries(CLASSES.map((name) => [name, group.reduce((total, { statuses }) => total + (statuses[name] ?? 0), 0)])),
    p50: highestOf('p50'),
    p90: highestOf('p90'),
    p99: highestOf('p99'),
    max: highestOf('max'),
    connections: last.connections,
    sessions: joinSessions(group),
    stream: joinStreams(group),
    messages: joinMessages(group),
    monitor: joinMonitors(group),
    server: joinServers(group)
  }
}

module.exports = { atMost, inSteps, joinSamples, sampleOf, samplesOf }

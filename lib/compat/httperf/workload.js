'use strict'

const fs = require('node:fs')
const { optionProblem, showPath, whyUnreadable } = require('../../base/errors')
const { readLogFile } = require('../../inputs/session-log')

// httperf's defaults for the connections and pipelined calls of a session.
const CONNECTIONS_OF_SESSION = 4
const PIPED_CALLS = 32
// Effectively unlimited: if the system runs out of descriptors, that is reported as an error.
const MOST_OPEN = 1e6
// Tolerance for rounding: adding 0.1 ten times yields slightly less than 1.
const ROUNDING = 1e-9

/**
 * Returns the options for sessions, their requests and pauses. Without `--wsess` and `--wsesslog`, a session is one
 * connection with its calls.
 *
 * @param {Map<string, *>} given the flags
 * @returns {object} `sessions`, `requests`, `pipelining`, `thinkTime`, …
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function workloadOf (given) {
  const kinds = ['wsess', 'wsesslog'].filter((name) => given.has(name))
  if (kinds.length > 1) throw optionProblem('--wsess', '--wsess and --wsesslog cannot be given together: each defines the sessions')
  if (given.has('wlog') && given.has('wset')) throw optionProblem('--wlog', '--wlog and --wset cannot be given together: each defines the paths to request')
  if (given.has('wsess')) return sessionsOf(given)
  return given.has('wsesslog') ? loggedSessionsOf(given) : connectionsOf(given)
}

function connectionsOf (given) {
  const burst = given.get('burst-length') ?? 1
  const calls = given.get('num-calls') ?? 1
  const paths = pathsOf(given)
  const request = { path: given.get('uri') ?? '/', ...paths.hooks }
  const sessions = { calls, amount: amountOf(given, paths.count / calls), connections: 1, maxOpen: given.get('max-connections') ?? MOST_OPEN }
  const requests = burst === 1 ? [request] : [new Array(burst).fill(request)]
  // If each path is requested once, the last connection may have fewer calls than the others.
  const rest = paths.count % calls
  if (rest === 0 || Number.isNaN(rest) || sessions.amount * calls < paths.count) return { sessions, requests, pipelining: burst }
  const script = (count) => burstsOf(request, count, burst)
  const log = [...new Array(sessions.amount - 1).fill(script(calls)), script(rest)]
  return { sessions: { ...sessions, calls: undefined, log }, pipelining: burst }
}

// If a run time but no number is given, the number of connections is unlimited.
function amountOf (given, most) {
  const asked = given.get('num-conns') ?? (given.has('runtime') ? Infinity : 1)
  const amount = Math.min(asked, Math.ceil(most))
  return amount === Infinity ? undefined : amount
}

function burstsOf (request, count, burst) {
  const bursts = []
  for (let left = count; left > 0; left -= burst) bursts.push(new Array(Math.min(left, burst)).fill(request))
  return bursts
}

// The first call of a burst is sent alone, and the others once its reply has been received.
function sessionsOf (given) {
  const { sessions: amount, calls, think } = given.get('wsess')
  const burst = Math.min(given.get('burst-length') ?? 1, calls)
  const request = { path: given.get('uri') ?? '/', ...pathsOf(given).hooks }
  const first = { ...request, thinkTime: think }
  const requests = burst === 1 ? [first] : [first, atOnce(new Array(burst - 1).fill(request))]
  return { ...withLimits(given, { calls, amount }), requests }
}

// A burst takes its think time from its first request, which is 0 here: the burst follows its predecessor at once.
function atOnce ([first, ...others]) {
  return [{ ...first, thinkTime: 0 }, ...others]
}

function loggedSessionsOf (given) {
  const { sessions: amount, think, file } = given.get('wsesslog')
  const options = withLimits(given, { amount, log: readLogFile(file, '--wsesslog') })
  return think > 0 ? { ...options, thinkTime: think } : options
}

function withLimits (given, sessions) {
  const isOld = given.get('http-version') === '1.0'
  const asked = given.get('max-connections') ?? CONNECTIONS_OF_SESSION
  const hasHooks = ['wlog', 'wset', 'print-request', 'print-reply'].some((name) => given.has(name))
  return {
    // Hooks depend on the order of the calls, so sessions with hooks use one connection.
    sessions: { ...sessions, connections: hasHooks ? 1 : asked, maxOpen: MOST_OPEN, failOn: given.has('failure-status') ? [given.get('failure-status')] : [] },
    pipelining: isOld ? 1 : given.get('max-piped-calls') ?? PIPED_CALLS,
    cookies: given.has('session-cookies')
  }
}

// --- paths that change from call to call, across all connections

function pathsOf (given) {
  if (given.has('wlog')) return loggedPaths(given.get('wlog'))
  if (given.has('wset')) return { count: Infinity, hooks: hooksFor(workingSet(given.get('wset'), given.get('uri') ?? '/', given.get('client'))) }
  return { count: Infinity, hooks: {} }
}

function loggedPaths ({ loops, file }) {
  const paths = readFile('--wlog', file).split('\0').map((path) => path.trim()).filter((path) => path !== '')
  if (paths.length === 0) throw optionProblem('--wlog', `--wlog: ${showPath(file)} contains no paths (each must end in a NUL)`)
  let next = 0
  return { count: loops ? Infinity : paths.length, hooks: hooksFor(() => paths[next++ % paths.length]) }
}

function hooksFor (nextPath) {
  return { setupRequest: (request) => ({ ...request, path: nextPath() }) }
}

/**
 * Generates the paths of a set of files. Each call repeats the previous file or advances to the next: a share of 0.5
 * yields 0 1 1 2 2 3 3 … The digits of the number become folders: the eighth of a thousand files is `/0/0/7.html`.
 *
 * @param {{ files: number, share: number }} set
 * @param {string} prefix
 * @param {{ index: number, of: number }} [client] starts at the file with its index, and advances by the number of
 *   clients
 * @returns {function(): string}
 */
function workingSet ({ files, share }, prefix, { index, of } = { index: 0, of: 1 }) {
  const digits = String(files - 1).length
  const base = prefix.replace(/\/$/, '')
  let file = index % files
  let due = 0
  return () => {
    due += share
    if (due >= 1 - ROUNDING) {
      due -= 1
      file = (file + of) % files
    }
    return `${base}/${[...String(file).padStart(digits, '0')].join('/')}.html`
  }
}

function readFile (flag, path) {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch (cause) {
    throw optionProblem(flag, `${flag}: ${showPath(path)} cannot be read: ${whyUnreadable(cause)}`, { cause })
  }
}

module.exports = { workloadOf }

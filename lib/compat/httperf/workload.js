'use strict'

const fs = require('node:fs')
const { optionProblem, showPath, whyUnreadable } = require('../../base/errors')
const { readLogFile } = require('../../inputs/session-log')

// httperf's own limits of a session.
const CONNECTIONS_OF_SESSION = 4
const PIPED_CALLS = 32
// As many as there are descriptors: what the system refuses is told as an error.
const MOST_OPEN = 1e6
// Ten times a tenth is a little less than one.
const ROUNDING = 1e-9

/**
 * Who comes and what is asked for: the options for sessions, their requests and pauses. Without `--wsess` and `--wsesslog` a
 * session is one connection with its calls.
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
  // Paths that are each asked for once may not fill the last connection.
  const rest = paths.count % calls
  if (rest === 0 || Number.isNaN(rest) || sessions.amount * calls < paths.count) return { sessions, requests, pipelining: burst }
  const script = (count) => burstsOf(request, count, burst)
  const log = [...new Array(sessions.amount - 1).fill(script(calls)), script(rest)]
  return { sessions: { ...sessions, calls: undefined, log }, pipelining: burst }
}

// With a time to end at, and no number, as many as come until then.
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

// The first call of a burst goes alone, and the others when it has been answered.
function sessionsOf (given) {
  const { sessions: amount, calls, think } = given.get('wsess')
  const burst = Math.min(given.get('burst-length') ?? 1, calls)
  const request = { path: given.get('uri') ?? '/', ...pathsOf(given).hooks }
  const first = { ...request, thinkTime: think }
  const requests = burst === 1 ? [first] : [first, atOnce(new Array(burst - 1).fill(request))]
  return { ...withLimits(given, { calls, amount }), requests }
}

// A burst has the think time of its first.
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
    // A hook has to know in which order calls go out.
    sessions: { ...sessions, connections: hasHooks ? 1 : asked, maxOpen: MOST_OPEN, failOn: given.has('failure-status') ? [given.get('failure-status')] : [] },
    pipelining: isOld ? 1 : given.get('max-piped-calls') ?? PIPED_CALLS,
    cookies: given.has('session-cookies')
  }
}

// --- paths that change from call to call, whichever connection they are on

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
 * The paths of a set of files, of which each call asks for the one before or goes on to the next: 0.5 is 0 1 1 2 2 3 3 …
 * The digits of a number are folders: of a thousand files the eighth is `/0/0/7.html`.
 *
 * @param {{ files: number, share: number }} set
 * @param {string} prefix
 * @param {{ index: number, of: number }} [client] begins at its own file, and goes on by as many as there are clients
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

module.exports = { workloadOf, workingSet }

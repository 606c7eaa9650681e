'use strict'

const { contradiction, either, named, optionError, words } = require('../base/errors')
const { kind, ofParts, toNumber, wholeNumber } = require('../values/kinds')
const { nameOfRequest } = require('../values/request-name')

// Connections of one user. Browsers open six per host; with more than this, even a few users would run out of ports.
const MOST_CONNECTIONS = 1024
// The default maximum of concurrent users: about a third of the ports that one address has.
const MOST_OPEN = 10000

const count = wholeNumber(1)
// Limits memory: a list of this length counts sessions by their number of responses.
const calls = wholeNumber(1, 1e6)
const connections = wholeNumber(1, MOST_CONNECTIONS)
const STATUS_CLASS = /^([1-5])xx$/i
const STATUSES = words`a status such as 500, a class such as '5xx', or ${either('an array of them', 'several, such as 404,5xx')}`

/** Response statuses that end a session: an array of numbers. */
const failOn = kind(STATUSES, (value, name) => {
  const list = typeof value === 'string' ? value.split(',').map(text => text.trim()) : [value].flat()
  return [...new Set(list.flatMap(status => readStatus(status, name)))].sort((a, b) => a - b)
})

function readStatus (value, name) {
  const matched = typeof value === 'string' ? STATUS_CLASS.exec(value) : null
  if (matched !== null) return Array.from({ length: 100 }, (_, index) => Number(matched[1]) * 100 + index)
  const number = toNumber(value)
  if (!Number.isSafeInteger(number) || number < 200 || number > 599) throw optionError(name, value, words`${STATUSES} (final ones: 200 to 599)`)
  return [number]
}

const log = kind('the path of a session log, or what parseSessionLog() returns', value => {
  if (typeof value === 'string' && value !== '') return value
  return Array.isArray(value) && value.length > 0 && value.every(Array.isArray) ? value : undefined
})

const PARTS = { calls, amount: count, connections, maxOpen: count, failOn, log }
const defaults = { calls: null, amount: null, connections: 1, maxOpen: MOST_OPEN, failOn: [], log: null }

/**
 * Makes arrivals sessions instead of single requests: `true`, or an object with `calls` (requests per session), `amount`
 * (total sessions), `connections` (concurrent connections per session), `maxOpen` (concurrent sessions), `failOn`
 * (statuses) and `log`.
 */
const sessions = ofParts(PARTS, { defaults, isSwitch: true })

/**
 * Returns the options with the distinct requests of the session log as the sequence.
 *
 * @param {object} options as read
 * @returns {object} options, with `sessionScripts`: the steps of each session in the log, see planSessions
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function withSessionLog (options) {
  // Loaded on demand, since few runs have one.
  const { readSessionLog } = require('../inputs/session-log')
  const { requests, scripts } = readSessionLog(options.sessions.log)
  return { ...options, requests, sessionScripts: scripts }
}

/**
 * Plans the sessions of a run.
 *
 * @param {object} options as read
 * @param {object[]} entries of the sequence, as read: entries with the same `step` form one burst
 * @param {?object} feed of the plan
 * @returns {?object} `{ calls, amount, connections, maxOpen, failOn, scripts }`; a script is an array of steps `{
 *   requests: number[], thinkTime }`; sessions use the scripts in turn
 */
function planSessions (options, entries, feed) {
  const { sessions } = options
  if (sessions === null) return null
  const { log, ...rest } = sessions
  const scripts = options.sessionScripts ?? [stepsOf(entries)]
  const rows = feed !== null && feed.order === 'once' ? feed.rows.length : Infinity
  const amount = Math.min(sessions.amount ?? Infinity, rows)
  return {
    ...rest,
    amount: amount === Infinity ? null : amount,
    scripts: scripts.map(script => script.map(({ requests, thinkTime = null }) => ({ requests, thinkTime: thinkTime ?? options.thinkTime })))
  }
}

// Entries of one burst have the same step number; the think time of the first applies to the burst.
function stepsOf (entries) {
  const steps = []
  entries.forEach(({ step, thinkTime }, index) => {
    const isNext = step === undefined || index === 0 || step !== entries[index - 1].step
    if (isNext) steps.push({ requests: [], thinkTime })
    steps.at(-1).requests.push(index)
  })
  return steps
}

/**
 * Throws if other options conflict with sessions, or need them.
 *
 * @param {object} options as read
 */
function checkSessions (options) {
  const { sessions, requests } = options
  if (options.harTiming && (sessions === null || options.har === null)) throw optionError('harTiming', true, words`used with ${named('har')} and ${named('sessions')}: it turns recorded pages into bursts and recorded pauses into think times`)
  if (sessions === null) {
    const burst = requests.findIndex(({ step }) => step !== undefined)
    if (burst !== -1) throw optionError(`requests[${requests[burst].step}]`, '[…]', words`an object: arrays are bursts of sessions, so set ${named('sessions')} as well`)
    return
  }
  checkOrder(options)
}

// Responses on several connections that are each pipelined arrive in any order, so a hook that depends on an earlier
// response would work only by chance.
function checkOrder ({ sessions, pipelining, requests, setupClient, setupRequest: ofAll }) {
  if (sessions.connections === 1 || pipelining === 1) return
  const withHook = requests.findIndex(({ setupRequest, onResponse, onMessage }) => setupRequest || onResponse || onMessage)
  if (!setupClient && !ofAll && withHook === -1) return
  const hook = setupClient || ofAll ? named(setupClient ? 'setupClient' : 'setupRequest') : `the hooks of ${nameOfRequest(requests[withHook], withHook)}`
  throw contradiction('sessions.connections', 'pipelining', words`${hook} would depend on the order in which the requests of a session are sent`)
}

module.exports = { sessions, stepsOf, withSessionLog, planSessions, checkSessions }

'use strict'

const { LONGEST_TIMER_MS } = require('../world/long-timer')
const { scheduleDuration } = require('../load')
const { kind, toNumber, wholeNumber, rate, truth, text, choice, object, isObject } = require('./kinds')
const { runDuration, timerSeconds, timerSecondsOrZero } = require('./duration')
const { headers } = require('./headers')
const { method } = require('./method')
const { REQUEST_OPTIONS, requests } = require('./requests')
const { body } = require('./body')
const { form } = require('./form')
const { har } = require('./har')
const { feed } = require('./feed')
const { hook } = require('./hooks')
const { workers } = require('./workers')
const { fleet } = require('./fleet')
const { connections } = require('./connections')
const { stages } = require('./stages')
const { seed, bursts } = require('./schedule')
const { sessions } = require('./sessions')
const { stream } = require('./stream')
const { grpc, GRPC_PARTS } = require('./grpc/option')
const { thinkTime } = require('./think-time')
const { thresholds } = require('./thresholds')
const { replay, PARTS: PARTS_OF_REPLAY } = require('./replay')
const { tlsOptions } = require('./tls')
const { proxy } = require('./proxy')
const { localAddress } = require('./local-address')
const { dashboard } = require('./dashboard')
const { monitor } = require('./monitor')
const { prometheus } = require('./prometheus')
const { warmup } = require('./warmup')
const { websocket, WEBSOCKET_PARTS } = require('./websocket')
const { socketio, SOCKETIO_PARTS } = require('./socketio')
const { copyPlain } = require('./freeze')

// Each connection has room for as many.
const MOST_PIPELINED = 65536

const count = wholeNumber(1)
const countOrNever = kind('a whole number, 0 (never) or more', value => {
  const number = toNumber(value)
  return Number.isSafeInteger(number) && number >= 0 ? number || null : undefined
})
const ownObject = kind(object.allowed, value => isObject(value) ? copyPlain(value) : undefined)
const path = kind('the path of a unix socket or the name of a pipe', value => {
  return typeof value === 'string' && value !== '' ? value : undefined
})
const abortSignal = kind('an AbortSignal', value => {
  return typeof value.aborted === 'boolean' && typeof value.addEventListener === 'function' ? value : undefined
})
// Read where the targets are made, since it depends on other options.
const anything = kind('a URL as a text, or an array of them', value => value)

function lengthOfStages ({ stages }) {
  return stages === null ? 10 : scheduleDuration({ kind: 'stages', stages })
}

/**
 * Every option there is, in one table:
 *
 * - `name`
 * - `read(value, name, read)` gives the value in its normal form, or throws; `allowed` says what is allowed in words. Where
 *   that depends on options that stand above, `read` has them
 * - `default`: the value where none (undefined or null) is given. A function is asked, with the options read so far,
 *   so an option stands below those that its default depends on. Without one the default is null
 * - `keys`: the names of the parts of its value, where that is an object (or an array of objects)
 * - `keysWithin`: by the name of a part that may be an object itself, the names of its parts
 * - `scheduleOnly`: the option does something only where a schedule says when requests are due
 */
const OPTIONS = [
  { name: 'url', ...anything },
  { name: 'workers', ...workers },
  { name: 'fleet', ...fleet, keys: ['redis', 'agents', 'key', 'wait', 'tls'] },
  { name: 'socketPath', ...path, default: undefined },
  { name: 'title', ...text, default: undefined },

  { name: 'har', ...har },
  { name: 'harTiming', ...truth, default: false },
  { name: 'form', ...form },
  { name: 'feed', ...feed },
  { name: 'method', ...method, default: read => read.form === null || read.har !== null ? 'GET' : 'POST' },
  { name: 'headers', ...headers, default: {} },
  { name: 'body', ...body },
  { name: 'requests', ...requests, default: [{}], keys: Object.keys(REQUEST_OPTIONS) },
  { name: 'grpc', ...grpc, keys: GRPC_PARTS },
  { name: 'initialContext', ...ownObject },
  { name: 'idReplacement', ...truth, default: false },
  { name: 'setupClient', ...hook },
  { name: 'verifyBody', ...hook },
  { name: 'expectBody', ...text },
  { name: 'stream', ...stream, keys: ['events', 'limit'], keysWithin: { limit: ['events', 'seconds'] } },
  { name: 'onEvent', ...hook },

  { name: 'connections', ...connections, default: 10, keys: ['from', 'to', 'over'] },
  { name: 'pipelining', ...wholeNumber(1, MOST_PIPELINED), default: 1 },
  { name: 'thinkTime', ...thinkTime, keys: ['from', 'to', 'mean'] },
  { name: 'sessions', ...sessions, keys: ['calls', 'amount', 'connections', 'maxOpen', 'failOn', 'log'] },
  { name: 'overallRate', ...rate },
  { name: 'connectionRate', ...rate },
  { name: 'stages', ...stages, keys: ['duration', 'rate'] },
  { name: 'bursts', ...bursts, keys: ['size', 'interval'] },
  { name: 'arrivals', ...choice('uniform', 'poisson'), default: 'uniform', scheduleOnly: true },
  { name: 'seed', ...seed },
  { name: 'pacing', ...choice('precise', 'sleep'), default: 'precise', scheduleOnly: true },
  { name: 'ignoreCoordinatedOmission', ...truth, default: false, scheduleOnly: true },

  { name: 'sampleInt', ...wholeNumber(1, LONGEST_TIMER_MS), default: 1000 },
  { name: 'replay', ...replay, keys: PARTS_OF_REPLAY },
  { name: 'amount', ...count },
  { name: 'duration', ...runDuration, default: lengthOfStages },
  { name: 'timeout', ...timerSeconds, default: 10 },
  { name: 'drain', ...timerSecondsOrZero, default: read => read.timeout, scheduleOnly: true },
  { name: 'maxConnectionRequests', ...count },
  { name: 'maxOverallRequests', ...count },
  { name: 'reconnectRate', ...countOrNever },
  { name: 'bailout', ...count },
  { name: 'forever', ...truth, default: false },
  { name: 'thresholds', ...thresholds },
  { name: 'abortOnFail', ...truth, default: false },
  { name: 'warmup', ...warmup, keys: ['connections', 'duration'] },
  { name: 'signal', ...abortSignal },

  { name: 'servername', ...text },
  { name: 'tlsOptions', ...tlsOptions },
  { name: 'proxy', ...proxy },
  { name: 'localAddress', ...localAddress },
  { name: 'http2', ...truth, default: read => read.grpc !== null },
  { name: 'websocket', ...websocket, keys: WEBSOCKET_PARTS },
  { name: 'socketio', ...socketio, keys: SOCKETIO_PARTS },
  { name: 'keepAlive', ...truth, default: true },
  { name: 'cookies', ...truth, default: false },
  { name: 'followRedirects', ...countOrNever },
  { name: 'dashboard', ...dashboard, keys: ['port', 'host'] },
  { name: 'prometheus', ...prometheus, keys: ['port', 'host', 'labels', 'buckets', 'linger'] },
  { name: 'monitor', ...monitor },
  { name: 'excludeErrorStats', ...truth, default: false },
  { name: 'skipAggregateResult', ...truth, default: false },
  { name: 'debug', ...truth, default: false }
]

function isGiven (value) {
  return value !== undefined && value !== null
}

function defaultOf (option, read) {
  if (!('default' in option)) return null
  return typeof option.default === 'function' ? option.default(read) : option.default
}

function readOption (option, given, read) {
  const value = isGiven(given) ? given : defaultOf(option, read)
  return isGiven(value) ? option.read(value, option.name, read) : value
}

/**
 * Every option in its normal form, with the defaults filled in.
 *
 * @param {object} given what the user wrote
 * @returns {object} by name
 * @throws CANNONADE_BAD_OPTION at the first bad one
 */
function readOptions (given) {
  const read = {}
  for (const option of OPTIONS) read[option.name] = readOption(option, given[option.name], read)
  return read
}

/**
 * The user's own options with the defaults filled in, for showing: durations in seconds and numbers as numbers, all
 * else as it was given. A bad value is left as it is, since `readOptions` is there to complain.
 *
 * @param {object} given what the user wrote
 * @returns {object} by name
 */
function fillDefaults (given) {
  const read = {}
  const filled = { ...given }
  for (const option of OPTIONS) {
    try {
      read[option.name] = readOption(option, given[option.name], read)
    } catch {
      read[option.name] = null
      continue
    }
    const value = read[option.name]
    const isPrimitive = isGiven(value) && Object(value) !== value
    if (isPrimitive) filled[option.name] = value
    else if (!isGiven(given[option.name]) && typeof option.default === 'object') filled[option.name] = copyPlain(option.default)
  }
  return filled
}

/**
 * The options that were given but do nothing, since the connections send as fast as they can.
 *
 * @param {object} given what the user wrote
 * @param {object} read as `readOptions` gives them
 * @returns {string[]} names
 */
function givenForScheduleOnly (given, read) {
  return OPTIONS
    .filter(option => option.scheduleOnly && isGiven(given[option.name]))
    .filter(option => read[option.name] !== defaultOf(option, read))
    .map(option => option.name)
}

module.exports = { OPTIONS, readOptions, fillDefaults, givenForScheduleOnly }

'use strict'

const { LONGEST_TIMER_MS } = require('../world/long-timer')
const { scheduleDuration } = require('../load')
const { kind, toNumber, wholeNumber, rate, truth, text, choice, object, isGiven, isObject } = require('../values/kinds')
const { runDuration, timeout, timerSecondsOrZero } = require('../values/duration')
const { headers } = require('../values/headers')
const { method } = require('../values/method')
const { REQUEST_OPTIONS, requests } = require('../values/requests')
const { body } = require('../values/body')
const { form } = require('./form')
const { har } = require('../inputs/har')
const { feed } = require('../inputs/feed')
const { hook } = require('../values/hooks')
const { workers } = require('./workers')
const { fleet } = require('./fleet')
const { connections } = require('./connections')
const { stages } = require('./stages')
const { seed, bursts } = require('./schedule')
const { sessions } = require('./sessions')
const { stream } = require('./stream')
const { grpc } = require('../values/grpc')
const { thinkTime } = require('../values/think-time')
const { thresholds } = require('./thresholds')
const { replay } = require('../inputs/replay')
const { tlsOptions } = require('./tls')
const { proxy } = require('./proxy')
const { localAddress } = require('./local-address')
const { dashboard } = require('./dashboard')
const { monitor } = require('./monitor')
const { prometheus } = require('./prometheus')
const { warmup } = require('./warmup')
const { websocket } = require('./websocket')
const { socketio } = require('./socketio')
const { copyPlain } = require('../values/freeze')

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
 * Every option, in one table. Checks, defaults, unknown names, layers of config files and flags, and the plan are read from it.
 *
 * - `name`
 * - `read(value, name, read)` returns the value in its normal form, or throws; `allowed` says in words what is allowed. If
 *   that depends on options above, `read` has them
 * - `default`: the value if none (undefined or null) is given. A function is called with the options read so far,
 *   so an option stands below those that its default depends on. Default of the default: null
 * - `keys`: the names of the parts of its value, if that is an object (or an array of objects)
 * - `keysWithin`: by the name of a part that may be an object itself, the names of its parts
 * - `isMerged`: its parts may come from several layers; `shorthand`: the part that a value without parts stands for
 * - `off`: values that stand for "not given": what forms and conditions leave, `condition && value`. For some options an empty
 *   text is not among them, since it is more likely a variable that should have had a value
 * - `group`: options of one group say the same thing in different ways, so one in an upper layer replaces those of the lower one
 * - `inPlan`: the plan has it as it was read
 * - `scheduleOnly`: it has an effect only with a schedule, which says when requests are due
 */
const OPTIONS = [
  { name: 'url', ...anything },
  { name: 'workers', ...workers, off: [false, ''], inPlan: true },
  { name: 'fleet', ...fleet, off: [false, ''] },
  { name: 'socketPath', ...path, default: undefined, off: [false, ''], inPlan: true },
  { name: 'title', ...text, default: undefined, off: [false, ''], inPlan: true },

  { name: 'har', ...har, off: [false, ''] },
  { name: 'harTiming', ...truth, default: false },
  { name: 'form', ...form, off: [false, ''], group: 'body' },
  { name: 'feed', ...feed, off: [false] },
  { name: 'method', ...method, default: read => read.form === null || read.har !== null ? 'GET' : 'POST' },
  { name: 'headers', ...headers, default: {}, off: [false, ''] },
  { name: 'body', ...body, group: 'body' },
  { name: 'requests', ...requests, default: [{}], keys: Object.keys(REQUEST_OPTIONS), off: [false, ''] },
  { name: 'grpc', ...grpc, off: [false, ''] },
  { name: 'initialContext', ...ownObject, off: [false, ''], inPlan: true },
  { name: 'idReplacement', ...truth, default: false, inPlan: true },
  { name: 'setupClient', ...hook, off: [false, ''] },
  { name: 'verifyBody', ...hook, off: [false, ''] },
  { name: 'expectBody', ...text, off: [false, ''], inPlan: true },
  { name: 'stream', ...stream, inPlan: true },
  { name: 'onEvent', ...hook, off: [false, ''] },

  { name: 'connections', ...connections, default: 10, keys: ['from', 'to', 'over'] },
  { name: 'pipelining', ...wholeNumber(1, MOST_PIPELINED), default: 1, inPlan: true },
  { name: 'thinkTime', ...thinkTime, keys: ['from', 'to', 'mean'], off: [false] },
  { name: 'sessions', ...sessions },
  { name: 'overallRate', ...rate, group: 'schedule' },
  { name: 'connectionRate', ...rate, group: 'schedule' },
  { name: 'stages', ...stages, keys: ['duration', 'rate'], off: [false], group: 'schedule' },
  { name: 'bursts', ...bursts, keys: ['size', 'interval'], off: [false], group: 'schedule' },
  { name: 'arrivals', ...choice('uniform', 'poisson'), default: 'uniform', scheduleOnly: true },
  { name: 'seed', ...seed },
  { name: 'pacing', ...choice('precise', 'sleep'), default: 'precise', scheduleOnly: true, inPlan: true },
  { name: 'ignoreCoordinatedOmission', ...truth, default: false, scheduleOnly: true, inPlan: true },

  { name: 'sampleInt', ...wholeNumber(1, LONGEST_TIMER_MS), default: 1000, inPlan: true },
  { name: 'replay', ...replay, off: [false] },
  { name: 'amount', ...count, group: 'length' },
  { name: 'duration', ...runDuration, default: lengthOfStages, group: 'length', inPlan: true },
  { name: 'timeout', ...timeout, default: 10, inPlan: true },
  { name: 'drain', ...timerSecondsOrZero, default: read => read.timeout, scheduleOnly: true, inPlan: true },
  { name: 'maxConnectionRequests', ...count },
  { name: 'maxOverallRequests', ...count },
  { name: 'reconnectRate', ...countOrNever, off: [false, ''], inPlan: true },
  { name: 'bailout', ...count, inPlan: true },
  { name: 'forever', ...truth, default: false, off: [false, ''], inPlan: true },
  { name: 'thresholds', ...thresholds, off: [false] },
  { name: 'abortOnFail', ...truth, default: false },
  { name: 'warmup', ...warmup, off: [false, ''] },
  { name: 'signal', ...abortSignal, off: [false] },

  { name: 'servername', ...text, off: [false, ''], inPlan: true },
  { name: 'tlsOptions', ...tlsOptions, off: [false, ''], isMerged: true, inPlan: true },
  { name: 'proxy', ...proxy, off: [false] },
  { name: 'localAddress', ...localAddress, off: [false], inPlan: true },
  { name: 'http2', ...truth, default: read => read.grpc !== null, inPlan: true },
  { name: 'websocket', ...websocket, off: [false, ''] },
  { name: 'socketio', ...socketio, off: [false, ''] },
  { name: 'keepAlive', ...truth, default: true },
  { name: 'cookies', ...truth, default: false, inPlan: true },
  { name: 'followRedirects', ...countOrNever, inPlan: true },
  { name: 'dashboard', ...dashboard, off: [false], inPlan: true },
  { name: 'prometheus', ...prometheus, off: [false], inPlan: true },
  { name: 'monitor', ...monitor, off: [false], inPlan: true },
  { name: 'excludeErrorStats', ...truth, default: false, inPlan: true },
  { name: 'skipAggregateResult', ...truth, default: false, inPlan: true },
  { name: 'debug', ...truth, default: false, off: [false, ''], inPlan: true }
]

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

/** The options that a plan has as they were read. @param {object} read as `readOptions` gives them */
function simpleParts (read) {
  return Object.fromEntries(OPTIONS.filter(({ inPlan }) => inPlan).map(({ name }) => [name, read[name]]))
}

module.exports = { OPTIONS, simpleParts, readOptions, fillDefaults, givenForScheduleOnly }

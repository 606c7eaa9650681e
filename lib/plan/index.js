'use strict'

const { contradiction, optionError } = require('../base/errors')
const world = require('../world')
const { isGiven, isObject } = require('../values/kinds')
const { askedFor } = require('./given')
const { tryOptions, fillDefaults, givenForScheduleOnly, simpleParts } = require('./options')
const { unknownOptions } = require('./unknown')
const { createTargets } = require('./url')
const { emulationOf, emulated } = require('./emulation')
const { mergeRequests } = require('../values/requests')
const { checkEvents } = require('../values/body')
const { checkConflicts, checkForWebSocket } = require('./conflicts')
const { withInputs } = require('./inputs')
const { planFeed } = require('../inputs/feed')
const { mostConnections } = require('./connections')
const { chooseSeed, createSchedule } = require('./schedule')
const { deepFreeze } = require('../values/freeze')
const { planThresholds, abortWithoutEffect } = require('./thresholds')
const { planCalls, withMessages, partOfPlan } = require('./grpc')
const { planReplay } = require('../inputs/replay')
const { planSessions, checkSessions } = require('./sessions')
const { checkLocalAddress } = require('./local-address')
const { checkStream, eventsWithoutEffect } = require('./stream')
const { withoutTrusted } = require('./tls')
const { checkForWorkers } = require('./workers')
const { checkForFleet } = require('./fleet')
const { socketIoTargets } = require('./socketio')
const { planWebSocket, checkNoMessages, bodiesWithoutId } = require('./websocket')

/**
 * What the user wrote, checked and made into a Plan.
 *
 * `plan` is deep-frozen plain data that structuredClone accepts, so that a thread or another machine can be given
 * exactly what this thread has (functions within `initialContext` or `tlsOptions` are the user's own affair).
 * Durations are in seconds, `sampleInt` in milliseconds, null stands for "none". `hooks` holds what cannot be cloned:
 * functions, or the paths of their modules. `fleet` says where the machines are that do the work, with its secrets; null
 * where this one does. `warnings` names what was given and has no effect.
 *
 * @param {object} opts the options of `run`
 * @returns {{ plan: object, hooks: object, fleet: ?object, warnings: Array<{ code: string, message: string }> }}
 * @throws {CannonadeError} CANNONADE_BAD_OPTION at the first bad option, before anything is opened
 */
function createPlan (opts) {
  return draftPlan(opts).createPlan()
}

/**
 * The user's options, each read once: as an instance shows them, and for the plan.
 *
 * @param {object} [opts] the options of `run`
 * @returns {{ opts: object, createPlan: function(): object }} `opts` is a new object with the defaults filled in, `duration` in
 *   seconds, `connections` a number, `url` with its scheme; what is bad is left as it is. `createPlan()` is as above, and throws
 */
function draftPlan (opts) {
  const given = isObject(opts) ? askedFor(opts) : {}
  const tried = tryOptions(given)
  return {
    opts: shownOptions(given, tried),
    createPlan () {
      if (!isObject(opts ?? {})) throw optionError('the options', opts, 'an object')
      const [first] = tried.errors.values()
      if (first !== undefined) throw first
      return planOf(opts ?? {}, given, { ...tried.read, seed: tried.read.seed ?? chooseSeed() })
    }
  }
}

function shownOptions (given, tried) {
  const filled = fillDefaults(given, tried)
  if (isObject(filled.connections)) filled.connections = mostConnections(filled.connections)
  try {
    filled.url = createTargets(given.url, filled).url
  } catch { /* createPlan names what is wrong with it */ }
  return filled
}

function planOf (opts, given, read) {
  const emulation = emulationOf(opts)
  const { url, targets: bare } = createTargets(read.url, read)
  const targets = bare.map((target) => emulated(target, emulation))
  checkConflicts(given, read)
  const recording = read.replay === null ? null : planReplay(read, targets)
  const options = recording === null ? read : { ...read, duration: recording.schedule.duration }
  const schedule = recording === null ? createSchedule(options) : recording.schedule
  if (options.http2 && options.proxy !== null && targets.some(({ secure }) => !secure)) {
    throw contradiction('http2', 'proxy', 'plain http requests to a proxy use HTTP/1.1; https goes through a tunnel')
  }
  checkLocalAddress(options, targets)
  if (options.monitor !== null) world.loadProcessUsage()
  checkStream(options)
  checkForWebSocket(given, targets)
  const websocket = planWebSocket(options, targets)
  if (websocket === null) checkNoMessages(options, given.url)
  const grpc = planCalls(options, targets)
  const inputs = withInputs(grpc === null ? options : grpc.options, targets, given, recording)
  checkSessions(inputs.options)
  const { base, requests, hooks } = mergeRequests(inputs.options)
  const feed = planFeed(options.feed, requests, targets, given)
  if (websocket?.socketio) checkEvents(inputs.options.requests, requests, feed)
  const sessions = planSessions(inputs.options, inputs.options.requests, feed)

  const plan = {
    ...simpleParts(options),
    ...limits(options, feed, recording),
    ...load(options, schedule),
    url,
    targets: withMessageFormat(targets, websocket),
    base,
    requests: grpc === null ? requests : withMessages(requests, grpc, feed),
    grpc: grpc === null ? null : partOfPlan(grpc),
    feed,
    sessions,
    websocket,
    emulation,
    replay: recording === null ? null : recording.plan
  }
  Object.assign(plan, planThresholds(options, plan))
  const allHooks = { setupClient: options.setupClient, verifyBody: options.verifyBody, onEvent: options.onEvent, match: options.websocket?.match ?? null, ...hooks }
  if (plan.workers !== null) checkForWorkers(plan, allHooks)
  if (options.fleet !== null) checkForFleet(plan, allHooks)
  return {
    // One that is written at once is fast to read: what grows name by name ends as a table, and connections look into the
    // plan several times for each request.
    plan: deepFreeze({ ...plan }),
    hooks: allHooks,
    fleet: options.fleet,
    warnings: [
      ...unknownOptions(opts), ...inputs.warnings, ...withoutEffect(given, options, schedule), ...withoutTrusted(options, targets), ...abortWithoutEffect(options), ...eventsWithoutEffect(inputs.options),
      ...(websocket?.carriesIds ? bodiesWithoutId(requests) : [])
    ]
  }
}

// What the messages for a server have besides their bodies: ids by which copies of a broadcast are recognised, names of events.
function withMessageFormat (targets, websocket) {
  const withIds = websocket?.carriesIds ? targets.map(target => ({ ...target, carriesIds: true })) : targets
  return websocket?.socketio ? socketIoTargets(withIds, websocket.socketio) : withIds
}

// One limit on the number of requests: `amount` goes before the limit of each connection, and that before the overall.
// All of a recording is sent, as long as nothing waits past its deadline.
function limits ({ amount: given, maxConnectionRequests, maxOverallRequests }, feed, recording) {
  const amount = given ?? recording?.plan.count ?? feed?.amount ?? null
  return {
    amount,
    maxConnectionRequests: amount === null ? maxConnectionRequests : null,
    maxOverallRequests: amount === null && maxConnectionRequests === null ? maxOverallRequests : null
  }
}

function load (options, schedule) {
  const connections = mostConnections(options.connections)
  return {
    connections,
    rampUp: isObject(options.connections) ? options.connections : null,
    schedule,
    seed: options.seed,
    thinkTime: options.thinkTime,
    warmup: options.warmup && {
      connections: options.warmup.connections ?? connections,
      duration: options.warmup.duration ?? options.duration
    }
  }
}

const noEffect = (name, why) => ({ code: 'OPTION_WITHOUT_EFFECT', message: `${name} has no effect ${why}` })

function withoutEffect (given, options, schedule) {
  const names = schedule === null ? givenForScheduleOnly(given, options).filter(name => !worksWithoutSchedule(name, options)) : []
  return [
    ...names.map(name => noEffect(name, 'without a schedule: set overallRate, connectionRate, stages or bursts as well')),
    ...usersWithoutEffect(given, options, schedule)
  ]
}

// What a session sends is due at its time, and is waited for, with and without a schedule; so are copies of a broadcast.
function worksWithoutSchedule (name, { sessions, websocket }) {
  if (sessions !== null) return name !== 'arrivals'
  return name === 'drain' && websocket?.expect === 'broadcast'
}

// How many users are there at a time says `connections` without a schedule, and `maxOpen` with one.
function usersWithoutEffect (given, { sessions }, schedule) {
  if (sessions === null) return []
  if (schedule === null) return isGiven(given.sessions.maxOpen) ? [noEffect('sessions.maxOpen', 'without a schedule: connections is the number of concurrent users')] : []
  return isGiven(given.connections) ? [noEffect('connections', 'if sessions arrive by a schedule: sessions.maxOpen limits how many are open at a time')] : []
}

module.exports = { createPlan, draftPlan }

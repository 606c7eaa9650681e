'use strict'

const { optionError } = require('../base/errors')
const world = require('../world')
const { isGiven, isObject } = require('../values/kinds')
const { askedFor } = require('./given')
const { tryOptions, fillDefaults, givenForScheduleOnly, simpleParts } = require('./options')
const { unknownOptions } = require('./unknown')
const { createTargets } = require('./url')
const { emulationOf, emulated } = require('./emulation')
const { nameOfRequest } = require('../values/request-name')
const { mergeRequests } = require('../values/requests')
const { checkEvents } = require('../values/body')
const { checkConflicts, checkForWebSocket, checkNoCalls, overridden } = require('./conflicts')
const { withInputs } = require('./inputs')
const { planFeed, usesRows } = require('../inputs/feed')
const { mostConnections } = require('./connections')
const { chooseSeed, createSchedule } = require('./schedule')
const { deepFreeze } = require('../values/freeze')
const { planMix } = require('./mix')
const { planThresholds, abortWithoutEffect } = require('./thresholds')
const { checkScenarios, isUserCode, planScenarios, withScenarios } = require('./scenarios')
const { planSessions, checkSessions } = require('./sessions')
const { checkProxy } = require('./proxy')
const { checkLocalAddress } = require('./local-address')
const { checkDiagnosed } = require('./diagnose')
const { checkStream, eventsWithoutEffect } = require('./stream')
const { checkHeaders, checkUser, withSessions } = require('./user')
const { withoutTrusted } = require('./tls')
const { checkTraceparent, createTraceKey, traced, withoutRecorded } = require('./traceparent')
const { checkForWorkers } = require('./workers')
const { checkForFleet } = require('./fleet')
const { socketIoTargets } = require('./socketio')
const { createRunId, planWebSocket, checkNoMessages, bodiesWithoutId } = require('./websocket')

// Loaded on demand, like most of what few runs need.
const ofGrpc = () => require('./grpc')

/**
 * Checks the user's options and makes a plan from them.
 *
 * `plan` is deep-frozen plain data that structuredClone accepts, so that threads and other machines get exactly the plan
 * that this thread has (functions within `initialContext` or `tlsOptions` are up to the user). Durations are in seconds,
 * `sampleInt` is in milliseconds, and null means "none". `hooks` holds what cannot be cloned: functions, or the paths of
 * their modules. `fleet` describes the machines that execute the run, including secrets; it is null if this machine does.
 * `warnings` lists options that have no effect.
 *
 * @param {object} opts the options of `run`
 * @returns {{ plan: object, hooks: object, fleet: ?object, diagnose: ?object, warnings: Array<{ code: string, message: string }> }}
 * @throws {CannonadeError} CANNONADE_BAD_OPTION at the first bad option, before anything is opened
 */
function createPlan (opts) {
  return draftPlan(opts).createPlan()
}

/**
 * Reads each of the user's options once, for the `opts` that a run exposes and for the plan.
 *
 * @param {object} [opts] the options of `run`
 * @returns {{ opts: object, createPlan: function(): object }} `opts` is a new object with the defaults filled in,
 *   `duration` in seconds, `connections` a number, `url` with its scheme; invalid values are left unchanged.
 *   `createPlan()` works as above, and throws for invalid values
 */
function draftPlan (opts) {
  const given = isObject(opts) ? askedFor(opts) : {}
  const implied = withSessions(given)
  const tried = tryOptions(implied)
  return {
    opts: shownOptions(implied, tried),
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
  const traceKey = createTraceKey(read)
  const targets = bare.map((target) => traced(emulated(target, emulation), traceKey))
  checkConflicts(given, read)
  checkUser(read)
  checkScenarios(read, given, targets)
  checkTraceparent(read)
  const recording = read.replay === null ? null : require('../inputs/replay/plan-replay').planReplay(read, targets)
  const options = recording === null ? withScenarios(read) : { ...read, duration: recording.schedule.duration }
  const schedule = recording === null ? createSchedule(options) : recording.schedule
  checkProxy(options, targets)
  checkLocalAddress(options, targets)
  checkDiagnosed(options, targets)
  if (options.monitor !== null) world.loadProcessUsage()
  checkStream(options)
  checkForWebSocket(given, targets)
  const websocket = planWebSocket(options, targets)
  if (websocket === null) checkNoMessages(options, given.url)
  const grpc = options.grpc === null ? null : ofGrpc().planCalls(options, targets)
  if (grpc === null) checkNoCalls(options)
  const inputs = withInputs(grpc === null ? options : grpc.options, targets, given, recording)
  checkSessions(inputs.options)
  const { base, requests, hooks } = mergeRequests(withoutRecorded(inputs.options))
  const mix = planMix(options)
  const feed = planFeed(options.feed, requests, targets, given, { isMixed: mix !== null, hasSessions: options.sessions !== null })
  checkHeaders(options, base, feed)
  if (websocket?.socketio) checkEvents(inputs.options.requests, requests, feed)
  const sessions = planSessions(inputs.options, inputs.options.requests, feed)

  const plan = {
    ...simpleParts(options),
    ...limits(options, feed, recording),
    ...load(options, schedule),
    url,
    targets: withMessageFormat(targets, websocket),
    base,
    requests: grpc === null ? requests : ofGrpc().withMessages(requests, grpc, feed),
    grpc: grpc === null ? null : ofGrpc().partOfPlan(grpc),
    feed,
    mix,
    sessions,
    isUserCode: isUserCode(options),
    scenarios: planScenarios(options),
    websocket,
    emulation,
    diagnose: options.diagnose !== null,
    traceKey,
    replay: recording === null ? null : recording.plan
  }
  Object.assign(plan, planThresholds(options, plan))
  const allHooks = { ...hooksOf(options), ...hooks, names: requests.map(nameOfRequest) }
  if (plan.workers !== null) checkForWorkers(plan, allHooks)
  if (options.fleet !== null) checkForFleet(plan, allHooks)
  return {
    // Copied into a literal because that is fast to read: V8 turns an object that grows one property at a time into a
    // hash table, and connections read the plan several times per request.
    plan: deepFreeze({ ...plan }),
    hooks: allHooks,
    fleet: options.fleet,
    diagnose: options.diagnose,
    warnings: [
      ...unknownOptions(opts), ...inputs.warnings, ...withoutEffect(given, options, schedule), ...withoutTrusted(options, targets), ...abortWithoutEffect(options), ...eventsWithoutEffect(inputs.options),
      ...(websocket?.carriesIds ? bodiesWithoutId(requests) : []),
      ...(feed !== null && !usesRows(feed, plan.requests, targets, allHooks) ? [noEffect('feed', 'without {{column}} in a path, a header or a body: every request is the same for all rows')] : [])
    ]
  }
}

// The hooks that do not belong to a single request.
function hooksOf ({ setupClient, verifyBody, onEvent, setupRequest, user, scenarios, websocket }) {
  return { setupClient, verifyBody, onEvent, setupRequest, user, users: scenarios?.map(({ user }) => user) ?? [], match: websocket?.match ?? null }
}

// Adds to the targets what messages carry besides their bodies: the IDs that identify copies of a broadcast, and
// Socket.IO event names.
function withMessageFormat (targets, websocket) {
  const withIds = websocket?.carriesIds ? targets.map(target => ({ ...target, carriesIds: true })) : targets
  return websocket?.socketio ? socketIoTargets(withIds, websocket.socketio) : withIds
}

// Only one limit on the number of requests applies: `amount`, else the limit per connection, else the overall limit. A
// recording is sent in full unless requests miss their deadlines.
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
    ...usersWithoutEffect(given, options, schedule),
    ...overridden(given, options)
  ]
}

// Requests of a session are due at set times, and are awaited at the end, with or without a schedule. Copies of a
// broadcast are awaited as well.
function worksWithoutSchedule (name, { sessions, websocket }) {
  if (sessions !== null) return name !== 'arrivals'
  return name === 'drain' && websocket?.expect === 'broadcast'
}

// The number of concurrent users is `connections` without a schedule, and is limited by `maxOpen` with one.
function usersWithoutEffect (given, { sessions }, schedule) {
  if (sessions === null) return []
  if (schedule === null) return isGiven(given.sessions?.maxOpen) ? [noEffect('sessions.maxOpen', 'without a schedule: connections is the number of concurrent users')] : []
  return isGiven(given.connections) ? [noEffect('connections', 'if sessions arrive by a schedule: sessions.maxOpen limits how many are open at a time')] : []
}

/**
 * Returns the plan of a later round of a `forever` run. It has no warm-up, and a new ID prefix for broadcasts, since
 * copies of messages from the previous round may still arrive. Its trace ids are others as well.
 *
 * @param {object} plan
 * @returns {object}
 */
function planOfNextRound (plan) {
  const { websocket, targets } = plan
  const traceKey = createTraceKey({ traceparent: plan.traceKey !== null })
  return { ...plan, warmup: null, websocket: websocket && { ...websocket, runId: createRunId() }, traceKey, targets: targets.map((target) => traced(target, traceKey)) }
}

module.exports = { createPlan, draftPlan, planOfNextRound }

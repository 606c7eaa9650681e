'use strict'

const { named, optionError, optionProblem, words } = require('../base/errors')
const { createPlan } = require('../plan')
const { askedFor } = require('../plan/given')
const { isGiven, isObject } = require('../values/kinds')
const { warmup } = require('../plan/warmup')
const { loadClient } = require('../watch/prometheus/metrics')
const { OTHER_LENGTH, refusalsOf } = require('./refusals')

// With few connections, these would be the bottleneck.
const CONNECTIONS = 100

const COME_IN_SESSIONS = ['sessions', 'user', 'scenarios']

/** Sets a sufficient default for `connections` in a study of rates. Sessions have their own connections. */
function withConnections (opts) {
  if (!isObject(opts)) return opts
  const asked = askedFor(opts)
  if (isGiven(asked.connections) || COME_IN_SESSIONS.some((name) => isGiven(asked[name]) && asked[name] !== false)) return opts
  return { ...opts, connections: CONNECTIONS }
}

/**
 * Checks the sets of options of a study as `run` would, before anything is sent.
 *
 * @param {object|object[]} given
 * @param {string} study 'compare', 'sweep', 'capacity' or 'jamming'
 * @param {object} [rules]
 * @param {object} [rules.added] options that the study adds, for the check
 * @param {boolean} [rules.setsLength=true] the study sets the length of a run, so options that would end it earlier are rejected
 * @returns {Array<{ name: string, opts: object, plan: object, verifiesBodies: boolean, warnings: object[] }>} names are unique: the title, or host and
 *   path of the URL
 * @throws {CannonadeError} CANNONADE_BAD_OPTION, CANNONADE_BAD_THRESHOLD, CANNONADE_MISSING_PACKAGE; `error.target` is the index of the set
 */
function readTargets (given, study, { added = {}, setsLength = true } = {}) {
  const sets = [given].flat()
  if (sets.length === 0) throw optionError('the options', given, 'an object, or an array of them')
  const targets = sets.map((opts, index) => {
    try {
      return readTarget(opts, refusalsOf(study), { added, setsLength })
    } catch (error) {
      throw Object.assign(error, { target: index })
    }
  })
  return withNames(targets)
}

function readTarget (given, refused, { added, setsLength }) {
  if (!isObject(given)) throw optionError('the options', given, 'an object')
  // A signal must end the whole study, not a single run; and the study prints its own result, not those of its runs.
  const { signal, json, ...opts } = askedFor(given)
  for (const [name, why] of refused) {
    if (isGiven(opts[name]) && opts[name] !== false) throw cannotBeGiven(name, named(name), why)
  }
  const { plan, hooks, warnings } = createPlan({ ...opts, signal, json, ...added })
  if (setsLength) checkLength(plan)
  if (plan.prometheus !== null) loadClient()
  return { opts, plan, verifiesBodies: plan.expectBody !== null || hooks.verifyBody !== null, warnings, signal: signal ?? undefined }
}

function cannotBeGiven (option, name, why) {
  return optionProblem(option, words`${name} cannot be given here: ${why}`)
}

// A run ends early if its feed or its sessions are used up.
function checkLength ({ feed, sessions }) {
  if (feed?.order === 'once') throw cannotBeGiven('feed.order', words`${named('feed.order')} 'once'`, OTHER_LENGTH)
  if (isGiven(sessions?.amount)) throw cannotBeGiven('sessions.amount', named('sessions.amount'), OTHER_LENGTH)
}

function withNames (targets) {
  const names = unique(targets.map(({ plan }) => plan.title || whereTo(plan)))
  return targets.map((target, index) => ({ ...target, name: names[index] }))
}

// Numbers those of these names that are equal, so that each differs from all others.
function unique (names) {
  const isAlone = (name) => names.indexOf(name) === names.lastIndexOf(name)
  const taken = new Set(names.filter(isAlone))
  return names.map((name) => {
    if (isAlone(name)) return name
    for (let number = 1; ; number++) {
      const numbered = `${name} (${number})`
      if (taken.has(numbered)) continue
      taken.add(numbered)
      return numbered
    }
  })
}

function whereTo ({ socketPath, targets }) {
  const path = targets[0].path === '/' ? '' : targets[0].path
  if (socketPath !== undefined) return socketPath + path
  return targets[0].hostHeader + path
}

/**
 * Returns by how much the warm-up in a target's options extends each of its runs.
 *
 * @param {object} opts
 * @param {number} seconds length of the run, which is the default length of the warm-up
 */
function ownWarmup (opts, seconds) {
  const asked = opts.warmup ? warmup.read(opts.warmup, 'warmup') : null
  return asked === null ? 0 : asked.duration ?? seconds
}

/**
 * Returns where to show a study: according to the first of its targets with the option `dashboard`.
 *
 * @param {object[]} targets of readTargets
 * @param {string} what the kind of study
 * @returns {?{ settings: object, title: string, websocket: ?object }} `websocket`: how messages are sent, if all targets use WebSocket
 */
function dashboardOf (targets, what) {
  const settings = targets.map(({ plan }) => plan.dashboard).find((each) => each !== null)
  if (settings === undefined) return null
  const websocket = targets.every(({ plan }) => plan.websocket !== null) ? targets[0].plan.websocket : null
  return { settings, title: `${what} ${targets.map(({ name }) => name).join(' and ')}`, websocket }
}

/**
 * Returns what the rates of a study refer to, for its result and its texts.
 *
 * @param {object[]} targets with their plans
 * @returns {'requests' | 'sessions' | 'messages' | 'arrivals'} the last one if this differs between targets
 */
function ratesOf (targets) {
  const kinds = new Set(targets.map(({ plan }) => kindOf(plan)))
  return kinds.size === 1 ? [...kinds][0] : 'arrivals'
}

function kindOf ({ sessions, websocket }) {
  if (sessions !== null) return 'sessions'
  return websocket === null ? 'requests' : 'messages'
}

const SAMPLES = 10
const LONGEST_SAMPLE_MS = 1000
const SHORTEST_SAMPLE_MS = 10

/** Returns the sample interval, in ms, for a run of this many seconds whose sustained rate comes from its samples. */
function sampleInterval (seconds) {
  return Math.round(Math.min(LONGEST_SAMPLE_MS, Math.max(SHORTEST_SAMPLE_MS, seconds * 1000 / SAMPLES)))
}

module.exports = { dashboardOf, ownWarmup, ratesOf, readTargets, sampleInterval, withConnections }

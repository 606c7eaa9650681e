'use strict'

const { named, optionError, optionProblem, words } = require('../base/errors')
const { createPlan } = require('../plan')
const { askedFor } = require('../plan/given')
const { isGiven, isObject } = require('../values/kinds')
const { warmup } = require('../plan/warmup')
const { loadClient } = require('../watch/prometheus/client')
const { OTHER_LENGTH, refusalsOf } = require('./refusals')

// With few, it is they that are the limit.
const CONNECTIONS = 100

/** The options of a study of rates, with enough connections where they do not say how many. Sessions have their own. */
function withConnections (opts) {
  if (!isObject(opts) || isGiven(opts.connections) || (isGiven(opts.sessions) && opts.sessions !== false)) return opts
  return { ...opts, connections: CONNECTIONS }
}

/**
 * The option sets of a study, each checked as `run` would, before anything is sent.
 *
 * @param {object|object[]} given
 * @param {string} study 'compare', 'sweep', 'capacity' or 'jamming'
 * @param {object} [rules]
 * @param {object} [rules.added] what the study adds to the options, for the check
 * @param {boolean} [rules.setsLength=true] the study says how long a run is: nothing that ends it before can be given
 * @returns {Array<{ name: string, opts: object, plan: object, warnings: object[] }>} names are all different: the title,
 *   or where the URL leads
 * @throws {CannonadeError} CANNONADE_BAD_OPTION, CANNONADE_BAD_THRESHOLD, CANNONADE_MISSING_PACKAGE; `error.target` is the number of the set
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
  // The study has signals of its own: one that ends a single run would only lead to the next. And its answer is what is printed.
  const { signal, json, ...opts } = askedFor(given)
  for (const [name, why] of refused) {
    if (isGiven(opts[name]) && opts[name] !== false) throw cannotBeGiven(name, named(name), why)
  }
  const { plan, warnings } = createPlan({ ...opts, ...added })
  if (setsLength) checkLength(plan)
  if (plan.prometheus !== null) loadClient()
  return { opts, plan, warnings, signal: signal ?? undefined }
}

function cannotBeGiven (option, name, why) {
  return optionProblem(option, words`${name} cannot be given here: ${why}`)
}

// What is used up ends a run.
function checkLength ({ feed, sessions }) {
  if (feed?.order === 'once') throw cannotBeGiven('feed.order', words`${named('feed.order')} 'once'`, OTHER_LENGTH)
  if (isGiven(sessions?.amount)) throw cannotBeGiven('sessions.amount', named('sessions.amount'), OTHER_LENGTH)
}

function withNames (targets) {
  const names = targets.map(({ plan }) => plan.title || whereTo(plan))
  return targets.map((target, index) => {
    const same = names.slice(0, index).filter((name) => name === names[index]).length
    const isAlone = names.filter((name) => name === names[index]).length === 1
    return { ...target, name: isAlone ? names[index] : `${names[index]} (${same + 1})` }
  })
}

function whereTo ({ socketPath, targets }) {
  const path = targets[0].path === '/' ? '' : targets[0].path
  if (socketPath !== undefined) return socketPath + path
  return targets[0].hostHeader + path
}

/**
 * What the warm-up that a target's own options ask for adds to each of its runs.
 *
 * @param {object} opts
 * @param {number} seconds how long the run is: a warm-up without a duration is as long
 */
function ownWarmup (opts, seconds) {
  const asked = opts.warmup ? warmup.read(opts.warmup, 'warmup') : null
  return asked === null ? 0 : asked.duration ?? seconds
}

/**
 * Where a study is shown: as the first of its targets says that wants it.
 *
 * @param {object[]} targets of readTargets
 * @param {string} what the kind of study
 * @returns {?{ settings: object, title: string, websocket: ?object }} `websocket`: how messages are sent, where all targets get messages
 */
function dashboardOf (targets, what) {
  const settings = targets.map(({ plan }) => plan.dashboard).find((each) => each !== null)
  if (settings === undefined) return null
  const websocket = targets.every(({ plan }) => plan.websocket !== null) ? targets[0].plan.websocket : null
  return { settings, title: `${what} ${targets.map(({ name }) => name).join(' and ')}`, websocket }
}

module.exports = { dashboardOf, ownWarmup, readTargets, withConnections }

'use strict'

const { contradiction, named, optionError, optionProblem, show, showPath, words } = require('../base/errors')
const { hook, isGiven, isObject, kind, weight, wholeNumber } = require('../values/kinds')
const { requests } = require('../values/requests')
const { ownThinkTime } = require('../values/duration')
const { stepsOf } = require('./sessions')

// As for sessions.calls.
const calls = wholeNumber(1, 1e6)
const name = kind('a string that is not empty', (value) => typeof value === 'string' && value.trim() !== '' ? value : undefined)

const PARTS = { name, weight, user: hook, requests, thinkTime: ownThinkTime, calls }
const FORM = 'an object with a name, and either user or requests; also with weight, thinkTime, calls'

/**
 * Kinds of users in one run: an array of `{ name, weight, user }`, with users as code, and `{ name, weight, requests, thinkTime, calls }`, a
 * sequence. Sessions are dealt out to them by weight.
 */
const scenarios = kind('an array of at least one scenario', (value, where) => {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const read = value.map((entry, index) => readScenario(entry, `${where}[${index}]`))
  read.forEach((scenario, index) => {
    const first = read.findIndex((other) => other.name === scenario.name)
    const other = read.findIndex(({ user }) => typeof user === 'string' && user === scenario.user)
    if (scenario.user !== null && other !== -1 && other !== index) throw optionProblem(where, words`${named(`${where}[${index}].user`)} is the file of ${named(`${where}[${other}]`)}, too: ${showPath(scenario.user)}; give it once, with the weight of both`)
    if (first !== index) throw optionProblem(where, words`${named(`${where}[${index}].name`)} must differ from the names of the other scenarios; ${show(scenario.name)} is that of ${named(`${where}[${first}]`)}, too`)
  })
  return read
}, { keys: Object.keys(PARTS), keysWithin: { requests: requests.keys } })

function readScenario (entry, where) {
  if (!isObject(entry)) throw optionError(where, entry, FORM)
  if (!isGiven(entry.name)) throw optionError(`${where}.name`, undefined, name.allowed)
  if (!isGiven(entry.user) && !isGiven(entry.requests)) throw optionError(where, entry, FORM)
  if (isGiven(entry.user)) {
    const other = ['requests', 'thinkTime', 'calls'].find((part) => isGiven(entry[part]))
    if (other !== undefined) throw contradiction(`${where}.user`, `${where}.${other}`, 'the function decides what is sent, and when')
  }
  const read = { weight: 1, user: null, requests: null, thinkTime: null, calls: null }
  for (const [part, { read: readPart }] of Object.entries(PARTS)) {
    if (isGiven(entry[part])) read[part] = readPart(entry[part], `${where}.${part}`)
  }
  const weighted = read.requests?.findIndex((request) => request.weight !== undefined) ?? -1
  if (weighted !== -1) throw contradiction(`${where}.requests[${weighted}].weight`, 'scenarios', 'a session sends its requests in order; the weights are those of the scenarios')
  return read
}

/**
 * Throws if parts of other options conflict with scenarios.
 *
 * @param {object} options as read
 * @param {object} given the user's options
 * @param {object[]} targets of the plan
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function checkScenarios (options, given, targets) {
  const { scenarios, sessions, feed } = options
  if (scenarios === null) return
  const user = scenarios.findIndex((scenario) => scenario.user !== null)
  if (user !== -1) checkUsers(`scenarios[${user}].user`, options, given, targets)
  if (sessions.calls !== null) throw contradiction('scenarios', 'sessions.calls', 'each scenario has its own calls')
  if (sessions.log !== null) throw contradiction('scenarios', 'sessions.log', 'both define what sessions send')
  if (feed?.order === 'once') throw contradiction('scenarios', "feed.order: 'once'", 'each scenario uses the rows from the beginning, so they would not end together')
}

// What users as code cannot have; see the option `user`.
function checkUsers (name, options, given, targets) {
  const isAsked = (other) => isGiven(options[other]) && options[other] !== false
  const against = (others, why) => {
    const other = others.find(isAsked)
    if (other !== undefined) throw contradiction(name, other, why)
  }
  against(['expectBody', 'verifyBody'], 'the function checks responses with user.check()')
  against(['stream'], 'a call ends with its whole response')
  against(['websocket', 'socketio', 'grpc'], 'its calls are HTTP requests')
  if (targets.some(({ isWebSocket }) => isWebSocket)) throw contradiction(name, 'url', 'its calls are HTTP requests, and not messages')
  if (!areOnlyUsers(options)) return
  against(['body', 'form', 'setupRequest'], 'the function decides what is sent')
  if (isGiven(given.method)) throw contradiction(name, 'method', 'the function decides what is sent')
  against(['thinkTime'], 'the function pauses with user.think()')
}

/**
 * Returns the options with the requests of all scenarios, if there are any, as the requests of the run.
 *
 * @param {object} options as read
 * @returns {object} options, with `sessionScripts`: the steps of each scenario, see planSessions
 */
function withScenarios (options) {
  if (options.scenarios === null) return options
  const requests = []
  const sessionScripts = options.scenarios.map(({ name, requests: own, thinkTime }) => {
    const first = requests.length
    if (own === null) return []
    requests.push(...own.map((request) => ({ ...request, scenario: name })))
    return stepsOf(own).map((step) => ({ requests: step.requests.map((index) => first + index), thinkTime: step.thinkTime ?? thinkTime }))
  })
  return { ...options, requests, sessionScripts }
}

/** The scenarios of a plan. @param {object} options as read @returns {?Array<{ name: string, weight: number, calls: ?number, isUserCode: boolean }>} */
function planScenarios ({ scenarios }) {
  return scenarios === null ? null : scenarios.map(({ name, weight, calls, user }) => ({ name, weight, calls, isUserCode: user !== null }))
}

/** Whether sessions, or some of them, are functions of the user. @param {object} options as read */
function isUserCode ({ user, scenarios }) {
  return user !== null || (scenarios !== null && scenarios.some((scenario) => scenario.user !== null))
}

/** Whether each scenario is a function of the user. @param {object} options as read */
function areOnlyUsers ({ scenarios }) {
  return scenarios !== null && scenarios.every(({ user }) => user !== null)
}

module.exports = { scenarios, areOnlyUsers, checkScenarios, isUserCode, withScenarios, planScenarios }

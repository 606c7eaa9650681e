'use strict'

const { contradiction, named, optionProblem, words } = require('../base/errors')
const { isGiven, isOff } = require('../values/kinds')
const { nameOfRequest } = require('../values/request-name')
const { OPTIONS } = require('./options')
const { notWithWebSocket } = require('./websocket')

/*
 * Checks that options make against each other, as their descriptors define them. A check that needs more than the set of
 * given options runs where that part is planned.
 */

// An option that is false, or that reads as null (such as 0 redirects), requests nothing, so it cannot conflict.
const isAskedFor = (name, given, read) => isGiven(given[name]) && given[name] !== false && isGiven(read[name])

/**
 * Throws if two mutually exclusive options are given.
 *
 * @param {object} given the user's options
 * @param {object} read the same options, as `readOptions` returns them
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function checkConflicts (given, read) {
  for (const { name, conflicts = [] } of OPTIONS.filter((option) => isAskedFor(option.name, given, read))) {
    for (const [other, why, when = () => true] of conflicts) {
      if (isAskedFor(other, given, read) && when(read)) throw contradiction(name, other, why)
    }
  }
}

/**
 * Throws if an HTTP-only option is given with a ws:// URL.
 *
 * @param {object} given the user's options
 * @param {object[]} targets of the plan
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function checkForWebSocket (given, targets) {
  if (!targets.some(({ isWebSocket }) => isWebSocket)) return
  const found = OPTIONS.find(({ name, notWithWebSocket }) => notWithWebSocket !== undefined && isGiven(given[name]) && given[name] !== false)
  if (found !== undefined) throw notWithWebSocket(found.name, found.notWithWebSocket)
}

/** Throws if a request is a gRPC call, without the option that names the .proto file. */
function checkNoCalls ({ requests }) {
  const index = requests.findIndex((request) => request.grpc !== undefined)
  if (index === -1) return
  const name = `${nameOfRequest(requests[index], index)}.grpc`
  throw optionProblem(name, words`${named(name)} needs the option ${named('grpc')}, which names the .proto file`)
}

/**
 * Returns warnings for options that have no effect because another option defines what is sent.
 *
 * @param {object} given the user's options
 * @param {string} other
 * @returns {Array<{ code: string, message: string }>}
 */
function replacedBy (given, other) {
  return OPTIONS.filter(({ name, yieldsTo = [] }) => yieldsTo.includes(other) && isGiven(given[name])).map(({ name }) => ({
    code: 'OPTION_WITHOUT_EFFECT',
    message: `${name} has no effect with ${other}, which defines what is sent`
  }))
}

// Options that others override, as in autocannon.
const OVERRIDDEN = {
  overallRate: ['connectionRate'],
  maxConnectionRequests: ['amount'],
  maxOverallRequests: ['amount', 'maxConnectionRequests'],
  expectBody: ['verifyBody']
}

/**
 * Returns warnings for options that have no effect because another one overrides them, or because each request has its own connection.
 *
 * @param {object} given the user's options
 * @param {object} options as read
 * @returns {Array<{ code: string, message: string }>}
 */
function overridden (given, { keepAlive, pipelining, reconnectRate }) {
  const isWanted = (name) => isGiven(given[name]) && !isOff(given[name])
  const found = Object.entries(OVERRIDDEN).flatMap(([name, others]) => {
    const other = others.find(isWanted)
    return isWanted(name) && other !== undefined ? [`${name} has no effect with ${other}`] : []
  })
  const perConnection = keepAlive ? [] : [['pipelining', pipelining > 1], ['reconnectRate', reconnectRate > 0]].filter(([, isMore]) => isMore)
  return [...found, ...perConnection.map(([name]) => `${name} has no effect with keepAlive: false, which opens a connection for each request`)]
    .map((message) => ({ code: 'OPTION_WITHOUT_EFFECT', message }))
}

module.exports = { checkConflicts, checkForWebSocket, checkNoCalls, overridden, replacedBy }

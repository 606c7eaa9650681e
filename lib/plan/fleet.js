'use strict'

const path = require('node:path')
const { either, named, optionError, optionProblem, words } = require('../base/errors')
const { timerSecondsOrZero } = require('../values/duration')
const { copyPlain } = require('../values/freeze')
const { kind, isGiven, isObject, ofParts, wholeNumber } = require('../values/kinds')
const { createSecureContext } = require('./tls')

const MOST_AGENTS = 10_000
const WAIT_SECONDS = 10
const TLS_PARTS = ['ca', 'cert', 'key', 'passphrase', 'servername']

const count = wholeNumber(1, MOST_AGENTS)

/**
 * The Redis through which the machines of a fleet coordinate: `redis://…`, `rediss://…`, or the path of a unix socket.
 */
const redisURL = kind('a URL such as redis://host:6379 or rediss://host:6379, or the path of a unix socket', (value) => {
  const given = value instanceof URL ? value.href : value
  if (typeof given !== 'string') return undefined
  if (given.startsWith('/')) return given
  try {
    const { protocol, hostname, username, password } = new URL(given)
    // Throws if the percent-encoding in the credentials is invalid.
    decodeURIComponent(username + password)
    return /^rediss?:$/.test(protocol) && hostname !== '' ? given : undefined
  } catch {
    return undefined
  }
})

/** The secret that all machines of a fleet share. Messages never contain it. */
const secret = {
  read (value, name) {
    if (typeof value === 'string' && value !== '') return value
    throw optionProblem(name, words`${named(name)} must be a secret that all machines of the fleet share: give it, or set the environment variable CANNONADE_FLEET_KEY`)
  }
}

/**
 * TLS options for the connection to Redis: trusted authorities and a client certificate. Verification cannot be turned
 * off.
 */
function readTls (value, name, redis) {
  if (!isObject(value)) throw optionError(name, value, `an object of ${TLS_PARTS.join(', ')}`)
  const unknown = Object.keys(value).find((part) => !TLS_PARTS.includes(part))
  if (unknown !== undefined) throw optionError(name, Object.keys(value), `an object of ${TLS_PARTS.join(', ')}`)
  if (!redis.startsWith('rediss:')) throw optionProblem(name, words`${named(name)} needs a URL that begins with rediss://`)
  try {
    createSecureContext(value)
  } catch (cause) {
    throw optionProblem(name, words`${named(name)} must be PEM texts that belong together: ${cause.message}`, { cause })
  }
  return copyPlain(value)
}

// The key defaults to the environment variable.
const key = { read: (value, name) => secret.read(isGiven(value) ? value : process.env.CANNONADE_FLEET_KEY, name) }
const ofRedis = { read: (value, name, { redis }) => readTls(value, name, redis) }

/** The machines that execute the run: `{ redis, agents, key, wait, tls }`. */
const fleet = ofParts({ redis: redisURL, agents: count, key, wait: timerSecondsOrZero, tls: ofRedis }, {
  defaults: { wait: WAIT_SECONDS, tls: undefined },
  needs: ['redis', 'agents', 'key'],
  allowed: either('{ redis, agents, key, wait, tls }', 'a URL such as redis://host:6379')
})

/**
 * Throws if the run cannot be sent to other machines: it must be plain data, and its hooks must be files that the agents
 * have.
 *
 * @param {object} plan
 * @param {object} hooks of createPlan
 * @throws {CannonadeError} CANNONADE_BAD_OPTION naming the option that cannot be sent
 */
function checkForFleet (plan, hooks) {
  for (const [name, hook] of namedHooks(hooks)) {
    const isName = typeof hook === 'string' && !/^file:/i.test(hook) && !path.isAbsolute(hook)
    if (hook !== null && hook !== undefined && !isName) {
      throw optionError(name, hook, "the name of a file in the agents' --hooks folder, if a fleet is used (functions and paths of this machine mean nothing on another)")
    }
  }
  const { encode } = require('../fleet/codec')
  for (const name of ['initialContext', 'tlsOptions', 'feed']) {
    try {
      encode(plan[name])
    } catch (cause) {
      throw optionError(name, plan[name], `plain data if a fleet is used (${cause.message})`)
    }
  }
}

function namedHooks ({ requests, names, users, match, ...ofRun }) {
  const ofRequests = requests.flatMap((hooks, index) => Object.entries(hooks).map(([name, hook]) => [`${names[index]}.${name}`, hook]))
  return [...Object.entries(ofRun), ['websocket.match', match], ...users.map((user, index) => [`scenarios[${index}].user`, user]), ...ofRequests]
}

module.exports = { fleet, redisURL, secret, readTls, checkForFleet }

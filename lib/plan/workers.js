'use strict'

const os = require('node:os')
const { optionError } = require('../base/errors')
const { kind, wholeNumber } = require('../values/kinds')

const count = wholeNumber(1)

/**
 * The number of worker threads. 'auto' leaves one core for the server or the rest of the machine; 0 and false mean none.
 */
const workers = kind("a whole number, 1 or more, or 'auto'", (value, name) => {
  if (value === 'auto') return Math.max(1, os.availableParallelism() - 1)
  if (value === 0 || value === '0' || value === false) return null
  return count.read(value, name)
})

/**
 * Throws if the plan or the hooks cannot be sent to a thread.
 *
 * @param {object} plan
 * @param {object} hooks of createPlan
 * @throws {CannonadeError} CANNONADE_BAD_OPTION naming the option that cannot be sent
 */
function checkForWorkers (plan, hooks) {
  const named = [['setupClient', hooks.setupClient], ['verifyBody', hooks.verifyBody], ['onEvent', hooks.onEvent], ['setupRequest', hooks.setupRequest], ['user', hooks.user], ...hooks.users.map((user, index) => [`scenarios[${index}].user`, user]), ['websocket.match', hooks.match]]
  const bodies = [['body', hooks.body]]
  hooks.requests.forEach(({ setupRequest, onResponse, onEvent, onMessage, body }, index) => {
    const name = hooks.names[index]
    named.push([`${name}.setupRequest`, setupRequest], [`${name}.onResponse`, onResponse], [`${name}.onEvent`, onEvent], [`${name}.onMessage`, onMessage])
    bodies.push([`${name}.body`, body])
  })
  for (const [name, source] of bodies) {
    if (typeof source === 'function') throw optionError(name, source, 'a string, a buffer, or { stream } with the path of a module that exports the function, if workers are used (a function cannot be sent to a thread)')
  }
  for (const [name, hook] of named) {
    if (typeof hook === 'function') throw optionError(name, hook, 'the path of a module that exports the function, if workers are used (a function cannot be sent to a thread)')
  }
  for (const name of ['initialContext', 'tlsOptions', 'feed']) {
    try {
      structuredClone(plan[name])
    } catch {
      throw optionError(name, plan[name], 'plain data if workers are used (functions and instances of classes cannot be sent to a thread)')
    }
  }
}

module.exports = { workers, checkForWorkers }

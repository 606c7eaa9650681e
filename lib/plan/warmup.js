'use strict'

const { kind, isObject } = require('./kinds')
const { fromOne: count } = require('./connections')
const { duration } = require('./duration')

/**
 * A run before the run, kept out of its numbers: `{ connections, duration }`, a duration alone, or true. A part that is
 * not given is null: it is the same as in the run itself.
 */
const warmup = kind('{ connections, duration }, a duration, or true', (value, name) => {
  if (value === false) return null
  if (value === true) return { connections: null, duration: null }
  if (isObject(value)) {
    return {
      connections: readPart(count, value.connections, `${name}.connections`),
      duration: readPart(duration, value.duration, `${name}.duration`)
    }
  }
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  return { connections: null, duration: duration.read(value, name) }
})

function readPart (part, value, name) {
  return value === undefined || value === null ? null : part.read(value, name)
}

module.exports = { warmup }

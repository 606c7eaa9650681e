'use strict'

const { either } = require('../base/errors')
const { ofParts } = require('../values/kinds')
const { fromOne: connections } = require('./connections')
const { duration } = require('../values/duration')

/**
 * A run before the run, kept out of its numbers: `{ connections, duration }`, a duration alone, or true. A part that is
 * not given is null: it is the same as in the run itself.
 */
const warmup = ofParts({ connections, duration }, {
  defaults: { connections: null, duration: null },
  isSwitch: true,
  shorthand: { part: 'duration', accepts: (value) => typeof value === 'number' || typeof value === 'string', isNamed: false },
  allowed: either('{ connections, duration }, a duration, or true', '[ -c NUM -d SEC ], or a number of seconds')
})

module.exports = { warmup }

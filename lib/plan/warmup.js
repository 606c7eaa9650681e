'use strict'

const { either } = require('../base/errors')
const { ofParts } = require('../values/kinds')
const { fromOne: connections } = require('./connections')
const { duration } = require('../values/duration')

/**
 * A warm-up before the run, not part of its results: `{ connections, duration }`, only a duration, or true. A missing
 * part is null, which means the same as in the run itself.
 */
const warmup = ofParts({ connections, duration }, {
  defaults: { connections: null, duration: null },
  isSwitch: true,
  shorthand: { part: 'duration', accepts: (value) => typeof value === 'number' || typeof value === 'string', isNamed: false },
  allowed: either('{ connections, duration }, a duration, or true', '[ -c NUM -d SEC ], or a number of seconds')
})

module.exports = { warmup }

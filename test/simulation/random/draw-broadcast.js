'use strict'

const { isUnpaced, SCHEDULES } = require('./is-unpaced')

/** The same world with a broadcast: with late joiners, duplicates, hundreds of connections, or turns. */
function speakToAll (dice, drawn) {
  const { opts, server, story } = drawn
  if (dice.happens(0.4)) server.history = dice.whole(1, 40)
  // Connections that stay open don't join.
  while (server.history !== undefined && dice.happens(0.5)) story.push({ after: dice.ms(0, 800), what: dice.one('endAll', 'resetAll') })
  if (dice.happens(0.3)) server.odd.push({ every: dice.whole(1, 8), answer: 'copies twice' })
  if (opts.sessions !== undefined) return
  if (typeof opts.connections === 'number' && dice.happens(0.25)) gatherCrowd(dice, opts, server)
  if (typeof opts.connections === 'number' && dice.happens(0.2)) sendSlowly(opts, server)
  // With a schedule, they take turns to send.
  if (isUnpaced(opts) && dice.happens(0.5)) opts.overallRate = dice.one(40, 100, 250)
  if (!isUnpaced(opts) && server.history === undefined && dice.happens(0.5)) leaveInPeace(drawn)
  else if (!Object.keys(opts).some((name) => SCHEDULES.has(name)) && opts.amount === undefined && dice.happens(0.7)) failAtFirst(dice, drawn)
}

// The clock starts when each connection is open or has failed; failed ones are retried.
function failAtFirst (dice, { opts, server }) {
  server.oddAttempts ??= { every: dice.whole(2, 4), what: dice.one('refuse', 'reset', 'end') }
  opts.thinkTime = dice.whole(5, 50) / 1000
  delete opts.maxConnectionRequests
}

// A few messages, since each has hundreds of copies. Copies are tracked by a bit per connection, in memory that grows with their number.
function gatherCrowd (dice, opts, server) {
  opts.connections = dice.one(dice.whole(60, 256), dice.whole(257, 400), dice.whole(257, 400))
  opts.pipelining = 1
  opts.amount = dice.whole(1, 6)
  for (const name of ['warmup', 'duration', 'maxOverallRequests']) delete opts[name]
  if (dice.happens(0.6)) server.odd.unshift({ every: dice.whole(1, 2), answer: 'copies twice' })
}

// Copies of a message still arrive when the first ones are older than any timeout, and others have been sent.
function sendSlowly (opts, server) {
  for (const name of SCHEDULES) delete opts[name]
  for (const name of ['arrivals', 'thinkTime', 'bailout']) delete opts[name]
  Object.assign(opts, { timeout: 0.1, drain: 0.1, overallRate: 10, amount: 6 })
  server.copyTime = Math.ceil(500_000 / opts.connections) / 1000
}

// No connection closes, and each sends whenever it is its turn.
function leaveInPeace (drawn) {
  const { opts, server, messages } = drawn
  messages.isInPeace = true
  for (const name of ['reconnectRate', 'maxConnectionRequests']) delete opts[name]
  delete server.keepAlive
  server.oddAttempts = null
  server.openings = []
  server.joinings = []
  server.odd = server.odd.filter(({ answer }) => answer === 'copies twice' || answer === 'silence')
  drawn.story = drawn.story.filter(({ what }) => what === 'stall' || what === 'hold')
}

module.exports = speakToAll

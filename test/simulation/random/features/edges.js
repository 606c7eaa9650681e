'use strict'

const Timeline = require('../../../../lib/metrics/timeline')
const OpenLoop = require('../../../../lib/engine/loops/open-loop')
const { ConstantLoad } = require('../../../../lib/load/loads')
const Deadlines = require('../../../../lib/engine/phase/deadlines')
const ResponseParser = require('../../../../lib/protocol/http1/parser')
const { SCHEDULES } = require('../is-unpaced')
const defectIn = require('./plant')

const CR = 13

/*
 * Worlds with boundary cases that chance would rarely produce: packets that end at each byte in turn, responses that arrive at their
 * deadline, windows that end exactly at samples or arrivals, and a thread that is blocked at the end.
 */

/** Draws one of these, or none. */
function draw (dice, drawn) {
  if (!dice.happens(0.2)) return
  const kind = dice.one('packets', 'packets', 'deadline', 'samples', 'samples', 'arrival', 'standstill')
  if (DRAWS[kind](dice, drawn) !== false) drawn.edge = kind
}

const DRAWS = {
  packets (dice, { link }) {
    link.sweep = true
  },
  deadline (dice, { opts, server, link }) {
    for (const name of ['delay', 'jitter']) delete link[name]
    delete server.slots
    server.serviceTime = { constant: opts.timeout * 1000 + dice.one(-0.001, 0, 0, 0.001) }
  },
  samples (dice, drawn) {
    const { opts } = drawn
    if (opts.duration === undefined || opts.sessions !== undefined) return false
    drawn.client = {}
    opts.sampleInt = dice.one(50, 100, 200)
    opts.duration = (opts.sampleInt * (dice.whole(1, 4) + dice.one(0, 0.5)) + dice.one(-1, 0, 0, 1)) / 1000
  },
  // A request due at the very end is not due anymore, and the one before it is.
  arrival (dice, drawn) {
    const { opts } = drawn
    const { overallRate, arrivals } = opts
    if (overallRate === undefined || arrivals !== undefined || opts.duration === undefined) return false
    opts.duration = (Math.round(dice.whole(1, 40) * 1000 / overallRate) + dice.one(0, 0, 0, 1)) / 1000
    if (dice.happens(0.6)) stopBehindArrival(dice, drawn)
    return true
  },
  standstill (dice, drawn) {
    const { opts, story } = drawn
    if (!Object.keys(opts).some((name) => SCHEDULES.has(name))) return false
    if (dice.happens(0.6)) drawn.end ??= { after: dice.ms(50, 500), by: 'stop' }
    const { end } = drawn
    const ends = [...(end === null ? [] : [end.after]), ...(opts.duration === undefined ? [] : [opts.duration * 1000])]
    if (ends.length === 0) return false
    const after = Math.max(0, dice.one(...ends) - dice.one(dice.ms(0, 60), dice.ms(0, 1)))
    story.push({ after, what: 'hold', ms: dice.ms(1, 120) })
  }
}

// The clock is not read between two timers, and then the run is stopped.
function stopBehindArrival (dice, drawn) {
  const { opts, server, link, proxy } = drawn
  for (const name of ['delay', 'jitter']) delete link[name]
  delete server.lookup
  // Data in a tunnel is encrypted.
  if (proxy?.isTunnelled !== true) delete server.handshake
  delete opts.warmup
  opts.pacing = 'sleep'
  const arrival = dice.whole(1, Math.max(1, Math.floor(opts.duration * opts.overallRate) - 1))
  drawn.end = { after: Math.ceil(arrival * 1e6 / opts.overallRate) / 1000 + dice.one(0, 0.001, 0.1, 0.4), by: 'stop' }
}

const defects = {
  'a head whose packet ends between CR and LF': defectIn(ResponseParser, 'execute', (original) => function (buffer, length, ...rest) {
    return original.call(this, buffer, buffer[length - 1] === CR && length > 1 ? length - 1 : length, ...rest)
  }, ({ edge, opts, proxy }) => edge === 'packets' && !opts.http2 && proxy?.isTunnelled !== true),
  'a rest a little longer than half a sample that is joined to the one before': defectIn(Timeline, 'fold', (original) => function (interval, sampleInterval) {
    return original.call(this, interval, sampleInterval + (this.samples.length > 0 ? 5 : 0))
  }),
  'an arrival at the very end of the window that is sent': defectIn(ConstantLoad, 'countBefore', (original) => function (seconds) { return Math.floor(this.expectedBy(seconds)) + 1 }),
  'an arrival that nobody has looked at when the run is stopped': defectIn(OpenLoop, 'end', (original) => function (now) {
    this.nextDue = Infinity
    original.call(this, now)
  }),
  'an arrival in the moment of the end that nobody counts': defectIn(OpenLoop, 'end', (original) => function (now) { original.call(this, now - 0.5) }, ({ edge, opts }) => edge === 'arrival' && opts.pacing === 'sleep' && opts.sessions === undefined),
  'a deadline that is seen a millisecond before it is over': defectIn(Deadlines, 'expireLate', (original) => function (now) { return original.call(this, now + 1) })
}

module.exports = { name: 'edges', draw, isIn: ({ edge }) => edge !== undefined, defects }

'use strict'

const StreamConnection = require('../../../../lib/protocol/http2/stream-connection')
const Dice = require('../dice')
const { isUnpaced, SCHEDULES } = require('../is-unpaced')
const defectIn = require('./plant')

const OF_CONNECTIONS = new Set(['stall', 'partition', 'resetAll', 'endAll', 'goAwayAll', 'changeSettings', 'pingAll', 'sendAll'])

/** Events of one connection, or of some of them, while the others go on; at any time, or soon after a request has arrived. */
function draw (dice, drawn) {
  const { opts, story } = drawn
  for (const event of story) if (OF_CONNECTIONS.has(event.what) && dice.happens(0.5)) event.of = drawWhich(dice)
  if (opts.http2 && dice.happens(0.5)) endByAmount(dice, drawn)
  for (let share = opts.http2 ? 0.5 : 0.3; dice.happens(share); share = 0.4) drawn.story.push({ ...drawTime(dice), ...drawEvent(dice, drawn), of: drawWhich(dice) })
}

// Each request matters to a run that ends with the last one: it must not wait on a connection that never sends it.
function endByAmount (dice, drawn) {
  const { opts, server, mix, edge, story } = drawn
  if (opts.sessions !== undefined || opts.feed !== undefined || mix !== undefined || edge !== undefined) return
  for (const name of [...SCHEDULES, 'arrivals', 'duration', 'maxOverallRequests', 'maxConnectionRequests']) delete opts[name]
  // A warm-up has no amount: with instant responses, there would be a request per microsecond.
  if (server.queue !== undefined && isUnpaced(opts)) delete opts.warmup
  opts.amount = dice.whole(1, 40)
  if (dice.happens(0.7)) drawn.end = null
  // What happens to all connections later would set it free.
  if (dice.happens(0.6)) drawn.story = story.filter(({ what }) => !OF_CONNECTIONS.has(what))
  const event = dice.happens(0.5) ? setStreams(0) : drawHttp2(dice)
  drawn.story.push({ request: dice.whole(0, opts.amount - 1), after: dice.one(0, dice.ms(0, 1), dice.ms(0, 60), dice.ms(0, 60)), ...event, of: drawWhich(dice) })
  endInVain(Dice.of(drawn.seed, 'connections whose last request gets no response'), drawn)
}

function endInVain (dice, { opts, server }) {
  if (!dice.happens(0.4)) return
  opts.reconnectRate = dice.whole(1, 4)
  server.odd.unshift({ every: dice.whole(2, 6), answer: 'silence' })
}

function drawTime (dice) {
  return dice.happens(0.3) ? { after: dice.ms(0, 800) } : { request: dice.whole(0, dice.one(5, 30, 100)), after: dice.ms(0, dice.one(0, 1, 30)) }
}

// One of them, each second or third, or all but one.
function drawWhich (dice) {
  const nth = dice.whole(0, 7)
  return dice.happens(0.7) ? { nth, areOthers: dice.happens(0.3) } : { nth, every: dice.whole(2, 3) }
}

function drawEvent (dice, { opts, messages }) {
  const ms = dice.ms(1, 400)
  if (messages?.isInPeace) return { what: 'stall', ms }
  if (opts.http2 && dice.happens(0.7)) return drawHttp2(dice)
  if (messages !== undefined && dice.happens(0.3)) return { what: 'sendAll', frame: dice.one('ping', 'close', 'close') }
  return dice.one({ what: 'stall', ms }, { what: 'partition', ms }, { what: 'resetAll' }, { what: 'endAll' })
}

function drawHttp2 (dice) {
  if (dice.happens(0.3)) return { what: 'goAwayAll', args: [{ untaken: dice.whole(0, 5), code: dice.one(0, 0, 2, 11) }] }
  return setStreams(dice.one(0, 0, 0, 1, 2))
}

const setStreams = (most) => ({ what: 'changeSettings', args: [[['MAX_CONCURRENT_STREAMS', most]]] })

const isIn = ({ story }) => story.some(({ of }) => of !== undefined)

const defects = {
  'a connection that stays open when its last request has timed out': defectIn(StreamConnection, 'expire', (original) => function (...args) {
    this.retire = () => {}
    original.apply(this, args)
    delete this.retire
  }, ({ opts, server }) => opts.http2 && opts.amount !== undefined && opts.reconnectRate !== undefined && server.odd.some(({ answer }) => answer === 'silence')),
  'a request that stays on a connection whose server accepts none any more': defectIn(StreamConnection, 'returnBarred', () => function () { this.warnOfBar() },
    ({ opts, hooks, story }) => opts.http2 && hooks.setupRequest?.sleep !== undefined && story.some(({ what, of }) => what === 'changeSettings' && of !== undefined))
}

module.exports = { name: 'single connections', draw, isIn, defects }

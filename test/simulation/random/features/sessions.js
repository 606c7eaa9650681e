'use strict'

const SessionLoop = require('../../../../lib/engine/loops/sessions/session-loop')
const Users = require('../../../../lib/engine/loops/sessions/users')
const Visit = require('../../../../lib/engine/loops/sessions/visit')
const Recorder = require('../../../../lib/metrics/recorder')
const WebSocketConnection = require('../../../../lib/protocol/websocket/connection')
const world = require('../../../../lib/world')
const Dice = require('../dice')
const { SCHEDULES } = require('../is-unpaced')
const defectIn = require('./plant')

/*
 * Sessions: the first request of each is due with its session, and a later one when the previous one was answered and the think time is
 * over (session-dues.js); latencies, deadlines and unsent requests follow from that.
 */

/** Latencies that are service times, and more servers that refuse connections, which a user notices at once. */
function draw (dice, { seed, opts, server, proxy }) {
  const { sessions } = opts
  if (sessions !== undefined && Dice.of(seed, 'service times of sessions').happens(0.15)) opts.ignoreCoordinatedOmission = true
  if (sessions === undefined || proxy !== undefined || server.oddAttempts !== null) return
  if (dice.happens(0.2)) server.oddAttempts = { every: dice.whole(2, 3), what: dice.one('refuse', 'refuse', 'reset', 'end') }
}

const isRefusedToUsers = ({ opts, server }) => opts.sessions !== undefined && opts.warmup === undefined && server.oddAttempts !== null && !Object.keys(opts).some((name) => SCHEDULES.has(name))

// For bursts of several requests.
const hasSpareConnections = ({ opts, walk, bursts = walk?.bursts ?? [0] }) => opts.pipelining === 1 && Math.max(...bursts) > 1 && opts.sessions.connections > Math.max(...bursts)

const defects = {
  'a step that is due when it is sent': defectIn(Visit, 'beginStep', (original) => function (dueAt, now) { original.call(this, now, now) }),
  'a think time that counts from the sending': defectIn(Visit, 'answered', (original) => function (status, goesOn, now) { original.call(this, status, goesOn, now - 0.5) }),
  'pauses that are the same for all': defectIn(Visit, 'nextPause', (original) => function () { return original.call(Object.create(this, { number: { value: 0 } })) }),
  'a session that is due a turn late': defectIn(SessionLoop, 'come', (original) => function (dueAt, ...rest) { original.call(this, dueAt + 0.002, ...rest) }),
  'a user who comes back at once after no response': defectIn(Users, 'hold', () => function () { this.loop.come(world.now()) }, isRefusedToUsers),
  'a failed session whose rest is dropped some turns later': defectIn(Visit, 'endFailed', (original) => function (now) {
    if (this.hasBeenAsked) {
      original.call(this, now)
      return
    }
    this.hasBeenAsked = true
    world.setTimeout(() => original.call(this, world.now()), 1).unref()
  }),
  'a session that opens connections for requests that others are opened for': defectIn(Visit, 'openFor', (original) => function (waiting, now) {
    original.call(this, waiting === 0 ? 0 : waiting + this.connections.filter(({ isConnecting }) => isConnecting).length, now)
  }, hasSpareConnections),
  'a session whose request is unsent with no age': defectIn(Recorder, 'unsentRequest', (original) => function (dueAt, now, ...rest) { original.call(this, now, now, ...rest) }),
  'a session that thinks from when it last read something': defectIn(WebSocketConnection, 'handedOver', (original) => function (now) {
    const { now: readAt } = this
    let isOver = false
    Object.defineProperty(this, 'now', { configurable: true, get: () => readAt, set: () => { isOver = true } })
    original.call(this, now)
    Object.defineProperty(this, 'now', { configurable: true, enumerable: true, writable: true, value: isOver ? readAt : now })
  })
}

module.exports = { name: 'sessions', draw, isIn: ({ opts }) => opts.sessions !== undefined, defects }

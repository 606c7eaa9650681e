'use strict'

const Visit = require('../../../../lib/engine/loops/sessions/visit')
const connectionOf = require('../connection-of')
const groups = require('../groups')
const { statusOf } = require('../round')
const defectIn = require('./plant')

/** Sessions with steps of several requests at once, one of which fails the session while others are in flight. */
function draw (dice, drawn) {
  const { opts, messages, calls, walk, mix, server, stream } = drawn
  if (opts.sessions === undefined || messages !== undefined || calls !== undefined || mix !== undefined || stream !== null || walk?.isChained || !dice.happens(0.5)) return
  drawn.walk ??= { steps: Array.from({ length: dice.whole(2, 6) }, () => ({ method: 'GET' })), hasIds: false, isChained: false, hasNumbers: false }
  drawn.walk.bursts = drawBursts(dice, drawn.walk.steps.length)
  opts.sessions.failOn = [dice.one('5xx', '5xx', 404, 503)]
  server.odd.unshift({ every: dice.whole(2, 12), answer: { status: dice.one(500, 503, 404) } })
  delete opts.followRedirects
  delete drawn.chain
}

function drawBursts (dice, steps) {
  const bursts = []
  for (let left = steps; left > 0; left -= bursts.at(-1)) bursts.push(dice.whole(1, Math.min(4, left)))
  return bursts
}

const endsSession = ({ opts: { sessions } }, { answer }) => sessions.failOn.some((which) => which === statusOf(answer) || which === `${Math.floor(statusOf(answer) / 100)}xx`)

/**
 * The response that fails a session is its last, except for those that arrived with it: requests in flight have failed, and nothing is sent
 * afterwards. Each session with such a response has failed.
 */
function check (round) {
  const { must, drawn, log, result: { sessions, accounting } } = round
  if (round.hasRefusals) return
  let failed = 0
  let lost = 0
  for (const sent of groups(log, ({ socket }) => connectionOf(socket).script.visit).values()) {
    const ends = sent.filter((entry) => entry.receivedAt !== null && endsSession(drawn, entry)).map(({ receivedAt }) => receivedAt)
    if (ends.length === 0) continue
    failed++
    const first = Math.min(...ends)
    for (const { sentAt, path } of sent) must(sentAt <= first, `${path} was sent at ${sentAt / 1000}, behind an answer at ${first / 1000} that failed the session`)
    for (const { receivedAt, path, socket } of sent) {
      if (receivedAt !== null) continue
      lost++
      const isLate = !round.canBeLate && socket.closedAt > first
      must(!isLate, `${path} was still under way at ${socket.closedAt / 1000}, when its session had failed at ${first / 1000}`)
    }
  }
  must(sessions.failed >= failed, `${sessions.failed} sessions failed, but ${failed} had an answer that failed them`)
  must(accounting.failed + accounting.timedOut >= lost, `${accounting.failed} requests failed and ${accounting.timedOut} timed out, but ${lost} were under way when their sessions failed`)
}

const defects = {
  'a session that goes on after an answer that fails it': defectIn(Visit, 'answered', (original) => function (status, goesOn, now) {
    const { failOn } = this.loop
    this.loop.failOn = new Set()
    original.call(this, status, goesOn, now)
    this.loop.failOn = failOn
  }),
  'a session that fails when its step is over': defectIn(Visit, 'fail', (original) => function (now) {
    if (this.unanswered <= 1 || this.hasToFail) return original.call(this, now)
    this.hasToFail = true
    require('../../../../lib/world').setTimeout(() => original.call(this, now), 3)
  }),
  'what is under way when its session fails, and is forgotten': defectIn(Visit, 'conclude', (original) => function () {
    for (const connection of this.connections) connection.loseAll = () => { while (connection.flight?.inFlight > 0) connection.flight.take() }
    original.call(this)
  }, ({ opts, walk }) => !opts.http2 && walk?.bursts.some((size) => size > 1))
}

const isIn = ({ opts, walk, mix }) => opts.sessions !== undefined && (walk?.bursts !== undefined || (mix?.[0].bursts !== undefined && opts.sessions.failOn !== undefined))

module.exports = { name: 'failOn', draw, drawBursts, isIn, check, defects }

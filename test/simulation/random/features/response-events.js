'use strict'

const QueuedConnection = require('../../../../lib/protocol/shared/queued-connection')
const Phase = require('../../../../lib/engine/phase/phase')
const { statusOf, us, ROUNDED_TO_MS } = require('../round')
const defectIn = require('./plant')

/** Listeners of `response` get each completed one, with its status and the time that latency counts. */
function draw (dice, { hooks, messages }) {
  // A message that is complete as soon as it is written has no time of its own for listeners.
  if (dice.happens(0.08) && messages?.expect !== 'nothing') hooks.listener ??= {}
}

function check (round) {
  const { must, messages, plan, whole, events, result: { accounting, latency, latencyBounds, warnings, bytes } } = round
  if (events === undefined || warnings.some(({ code }) => code === 'EVENTS_LEFT_OUT')) return
  const { responses } = events
  must(responses.length === accounting.completed, `listeners were told of ${responses.length} responses of ${accounting.completed}`)
  const statuses = (list) => JSON.stringify(list.sort((one, other) => one - other))
  const told = statuses(responses.map(({ status }) => status))
  const seen = statuses(whole.map(({ answer }) => messages === null ? statusOf(answer) : 101))
  must(told === seen, `listeners were told of ${told}, but the answers were ${seen}`)
  const inAll = responses.reduce((sum, response) => sum + response.bytes, 0)
  // Messages count as they are before compression.
  must(inAll <= bytes.read || round.drawn.messages?.compress === true, `listeners were told of ${inAll} bytes, of ${bytes.read}`)
  if (plan.excludeErrorStats) return
  const total = responses.reduce((sum, { milliseconds }) => sum + us(milliseconds), 0) / 1000
  const unseen = unseenIn(round)
  if (unseen === null && latencyBounds.count > 0) return
  const { length } = responses
  must(length + latencyBounds.count === latency.totalCount, `${length} responses and ${latencyBounds.count} bounds are not the ${latency.totalCount} values of the latency`)
  must(Math.abs(total + (unseen ?? 0) - latency.total) <= ROUNDED_TO_MS * (length + 1), `responses took ${total} ms and what was not seen ${unseen} ms, and latency.total is ${latency.total}`)
}

// The part of the latency that comes from values without a measured end: ms. Null: unknown.
function unseenIn (round) {
  if (!round.hasDueTimes) return 0
  if (round.failed === undefined || !round.knowsDueTimes) return null
  if (round.plan.ignoreCoordinatedOmission) return 0
  return [...round.bounds(({ dueAt }) => dueAt), ...round.unsentAges()].reduce((sum, age) => sum + age, 0) / 1000
}

const defects = {
  'listeners are told the service time': defectIn(QueuedConnection, 'millisecondsOf', () => function (slot, now) { return now - this.flight.sentAt[slot] }),
  'listeners do not hear of errors': defectIn(Phase, 'responded', (original) => function (connection, status, ...rest) {
    if (status < 400) original.call(this, connection, status, ...rest)
  }),
  'listeners hear of what they were told before': defectIn(Phase, 'responded', (original) => function (connection, ...rest) {
    if (connection.answeredHere === 3) original.call(this, connection, ...rest)
    original.call(this, connection, ...rest)
  })
}

module.exports = { name: 'response events', draw, isIn: ({ hooks }) => hooks.listener !== undefined, check, defects }

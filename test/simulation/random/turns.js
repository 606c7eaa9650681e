'use strict'

const EPOCH_MS = Date.UTC(2020, 0, 1)
// An id ends with the time at which its message was due: us since 1970, to the base of 36.
const ID = /[0-9a-z]{18}([0-9a-z]{10})"?\]?$/
const RADIX = 36

/**
 * How it is known which connection had to send which message, in the open model of a broadcast:
 *
 * - 'turns': all connections were open until the last message went out, and nothing kept one of them from sending, so that the
 *   message k was that of the connection k mod n
 * - 'ids': turns went on to others, and the messages say themselves when they were due
 * - 'unknown': turns went on to others, and nobody says
 *
 * @returns {?string} null: there are no turns
 */
function turnsOf ({ isOpen, plan, log, world, begunAt, drawn: { messages } }) {
  if (!isOpen || messages?.expect !== 'broadcast' || plan.sessions !== null || plan.schedule.perConnection) return null
  const isLimited = plan.reconnectRate !== null || plan.maxConnectionRequests !== null || plan.feed?.order === 'once'
  const lastSentAt = log.at(-1)?.sentAt ?? 0
  const isThere = ({ usableAt, closedAt }) => usableAt !== null && usableAt / 1000 <= begunAt && (closedAt === null || closedAt > lastSentAt)
  if (!isLimited && world.sockets.filter(isThere).length === plan.connections) return 'turns'
  return messages.hasMatch ? 'unknown' : 'ids'
}

/** Takes out of due times, in order, that of which the message speaks; undefined: it is none of them. */
function takeClaimed (dues, { path }) {
  const claimed = parseInt(ID.exec(path)?.[1], RADIX)
  const place = dues.findIndex((dueAt) => Math.round((EPOCH_MS + dueAt) * 1000) === claimed)
  return place === -1 ? undefined : dues.splice(place, 1)[0]
}

module.exports = { takeClaimed, turnsOf }

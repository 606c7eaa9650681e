'use strict'

const EPOCH_MS = Date.UTC(2020, 0, 1)
// An id ends with the time at which its message was due: µs since 1970, in base 36.
const ID = /[0-9a-z]{18}([0-9a-z]{10})"?\]?$/
const RADIX = 36

/**
 * How it is known which connection had to send which message, in the open model of a broadcast:
 *
 * - 'turns': all connections were open until the last message was sent, and nothing prevented any of them from sending, so
 *   message k was that of connection k mod n
 * - 'ids': some turns were passed on, and messages contain their due times
 * - 'unknown': some turns were passed on, and messages contain nothing
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

/** Removes the due time in a message from the sorted due times; undefined: it is none of them. */
function takeClaimed (dues, { path }) {
  const claimed = parseInt(ID.exec(path)?.[1], RADIX)
  const place = dues.findIndex((dueAt) => Math.round((EPOCH_MS + dueAt) * 1000) === claimed)
  return place === -1 ? undefined : dues.splice(place, 1)[0]
}

module.exports = { takeClaimed, turnsOf }

'use strict'

const { RECEIVE_BUFFER } = require('../../transport/connect')
const { SHORT_HEADER } = require('./constants')

/**
 * Processes the replies that nearly all are: complete, in one short frame, and read by nobody. Those that are equal, to messages that
 * were sent at the same moment, are counted together.
 *
 * @param {WebSocketConnection} connection
 * @param {number} start of what was received
 * @param {number} end
 * @param {number} now
 * @returns {number} where the rest begins, which must be read
 */
function takeEqualReplies (connection, start, end, now) {
  const { owner: { recorder, watchesResponses }, flight, reader } = connection
  if (!connection.mayTakeEqual || connection.script !== null || connection.isLast || watchesResponses) return start
  let position = start
  while (position < end && flight.inFlight > 0) {
    const { head } = flight
    const count = reader.countEqual(RECEIVE_BUFFER, position, end, flight.likeOldest)
    if (count === 0) break
    const bytes = reader.equalLength - SHORT_HEADER
    const sentAt = flight.sentAt[head]
    position += count * reader.equalLength
    flight.takeSeveral(count)
    connection.answeredHere += count
    connection.failuresInRow = 0
    recorder.messages.received += count
    recorder.messages.bytesReceived += count * bytes
    recorder.receivedReply(0, count * bytes, 0)
    recorder.completedMessages(count, flight.endpoint[head], flight.dueAt[head], sentAt, Math.max(now, sentAt), now, bytes, connection, head)
  }
  return position
}

module.exports = takeEqualReplies

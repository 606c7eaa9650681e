'use strict'

const world = require('../../world')
const { TEXT } = require('./constants')
const MessageBook = require('./message-book')

/** The results for a message that is not a reply: unsolicited, or a copy of one that another connection sent. */
const UNASKED = -1
const COPY = -2

/**
 * Matches replies and copies to messages on one connection: by their order, by ids that were put into messages, or by ids that
 * the user's `match` finds in them.
 */
class Recognition {
  /**
   * @param {WebSocketConnection} connection
   * @param {{ carriesIds: boolean }} websocket of the plan
   * @param {?Function} match
   */
  constructor (connection, { carriesIds }, match) {
    this.connection = connection
    this.match = match
    this.flight = connection.flight
    this.isByIds = connection.isByIds
    this.isBroadcast = connection.isBroadcast
    this.carriesIds = carriesIds
  }

  // --- what is sent

  /** Creates the id for the message in a slot, and counts a broadcast as sent. Returns '' if the message needs no id. */
  takeId (message, slot) {
    if (this.carriesIds) return this.connection.owner.ids.next(this.countBroadcast(slot))
    return message.takesId ? world.nextId() : ''
  }

  // Counts the message in a slot as broadcast. @returns {number} when it was due, us since 1970
  countBroadcast (slot) {
    const { recorder, plan } = this.connection.owner
    const { [slot]: start } = recorder.open ? this.flight.dueAt : this.flight.sentAt
    const epoch = world.origin() + start
    recorder.messages.broadcast.sent(epoch + plan.timeout * 1000)
    return Math.round(epoch * 1000)
  }

  /** Remembers the id of the message in a slot, so that its reply can be matched. */
  nameSent (message, slot, id) {
    const { ids } = this.connection.owner
    if (this.carriesIds) {
      this.flight.name(slot, ids.lastNumber)
      return
    }
    const name = this.matchOf(message, id)
    if (name === undefined) return
    if (this.isBroadcast) ids.add(name, this.countBroadcast(slot))
    this.flight.name(slot, this.isBroadcast ? ids.lastNumber : name)
  }

  // Calls `match`, but only once for a message whose content never changes.
  matchOf (message, id) {
    if (message.matched !== undefined) return message.matched
    const { owner } = this.connection
    let name
    try {
      name = this.match(message.contentWith(id)) ?? undefined
    } catch (error) {
      owner.hookFailed('websocket.match', error)
      return undefined
    }
    if (name === undefined) owner.hookFailed('websocket.match', new Error('it found no id in a sent message, so no reply could match it'))
    else if (message.isRepeatable) message.matched = name
    return name
  }

  // --- received messages

  /**
   * Removes the message that this one answers from those in flight.
   *
   * @returns {number} its slot, or UNASKED, or COPY
   */
  slotAnswered (opcode, buffer, start, end) {
    const { flight } = this
    if (!this.isByIds) return flight.inFlight === 0 ? UNASKED : flight.take()
    if (this.isBroadcast) return this.slotOfCopy(opcode, buffer, start, end)
    const id = this.matchOfReceived(opcode, buffer, start, end)
    const slot = id === undefined ? MessageBook.NONE : flight.find(id)
    return slot === MessageBook.NONE ? UNASKED : flight.remove(slot)
  }

  // Copies count on every connection; the sender's own copy completes its message.
  slotOfCopy (opcode, buffer, start, end) {
    const { flight, connection } = this
    const { ids, recorder: { messages: { broadcast } } } = connection.owner
    const isKnown = this.carriesIds ? ids.find(buffer, start, end) : ids.find(this.matchOfReceived(opcode, buffer, start, end))
    if (!isKnown) return UNASKED
    const late = Math.max(0, Math.round((world.origin() + connection.now) * 1000) - ids.foundDueAt)
    const isFirst = broadcast.copied(ids.foundPart, ids.foundNumber, connection.index, late, connection.now)
    if (!isFirst) return UNASKED
    const slot = ids.foundPart === ids.part ? flight.find(ids.foundNumber) : MessageBook.NONE
    return slot === MessageBook.NONE ? COPY : flight.remove(slot)
  }

  matchOfReceived (opcode, buffer, start, end) {
    try {
      return this.match(opcode === TEXT ? buffer.toString('utf8', start, end) : Buffer.from(buffer.subarray(start, end))) ?? undefined
    } catch {
      return undefined
    }
  }
}

module.exports = { Recognition, UNASKED }

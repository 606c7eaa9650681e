'use strict'

// The status of the handshake, which hooks get as the status of each message.
const SWITCHING_PROTOCOLS = 101

/** Hands the messages of a WebSocket connection over to the user's code, as a script does with responses. */
class MessageCalls {
  /** @param {Script} script */
  constructor (script) {
    this.script = script
    this.calls = script.calls
  }

  /**
   * Handles the reply to the message in a slot. It is only valid in `buffer` until this returns. `event` is its Socket.IO event
   * name.
   */
  onReply (slot, buffer, start, end, isText, milliseconds, event) {
    const { calls, script: { connection, entries, owner } } = this
    const entry = entries[slot]
    entries[slot] = undefined
    const message = messageOf(buffer, start, end, isText)
    if (owner.checksBody) calls.checkBody(message.text)
    this.tell(message, event)
    if (message.bytes.length > 0) calls.tell('body', message.bytes)
    calls.onMessage(entry, message.isText ? message.text : message.bytes)
    calls.onResponse(entry, SWITCHING_PROTOCOLS, message.text, connection.fields)
    this.answered(message.bytes.length, milliseconds)
  }

  /** Handles a message that is not a reply to any message of this connection. */
  onPushed (buffer, start, end, isText, event) {
    if (this.calls.isHeard('message')) this.tell(messageOf(buffer, start, end, isText), event)
  }

  /** Handles a message that needs no reply, once it has been written. */
  onHandedOver (slot, milliseconds) {
    this.script.entries[slot] = undefined
    this.answered(0, milliseconds)
  }

  tell ({ bytes, text, isText }, event) {
    this.calls.tell('message', isText ? text : bytes, !isText, event)
  }

  answered (bytes, milliseconds) {
    const { connection, owner, visit } = this.script
    this.calls.tell('response', SWITCHING_PROTOCOLS, bytes, milliseconds)
    if (owner.watchesResponses) owner.responded(connection, SWITCHING_PROTOCOLS, bytes, milliseconds)
    if (visit !== null) visit.answered(SWITCHING_PROTOCOLS, false, connection.now)
  }
}

// A message whose start arrived before anyone wanted it was not kept; it counts as empty.
function messageOf (buffer, start, end, isText) {
  const bytes = buffer === null ? Buffer.alloc(0) : Buffer.from(buffer.subarray(start, end))
  return { bytes, text: bytes.toString(), isText }
}

module.exports = MessageCalls

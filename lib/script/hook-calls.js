'use strict'

const { isThenable } = require('../base/user-code')
const Client = require('./client')
const PendingHooks = require('./pending-hooks')

/**
 * Calls the user's code for one connection: request hooks, verifyBody, and listeners of the client. An error in any of them ends
 * the run and is reported with the hook's name; promises are awaited.
 */
class HookCalls {
  /** @param {Script} script */
  constructor (script) {
    this.script = script
    this.pending = new PendingHooks(script)
  }

  // The connection's owner changes between a warm-up and the run.
  get owner () {
    return this.script.owner
  }

  /** Whether an event of the client has listeners. */
  isHeard (event) {
    return Client.isHeard(this.script.client, event)
  }

  /** Calls the client's listeners of an event. */
  tell (event, ...args) {
    if (!this.isHeard(event)) return
    try {
      this.script.client.emit(event, ...args)
    } catch (error) {
      this.owner.hookFailed(`a listener of a client's ${event} event`, error)
    }
  }

  /** @param {?object} [call] how a gRPC call ended */
  onResponse ({ step, context }, status, text, fields, call = null) {
    const { onResponse } = step.hooks
    if (onResponse === null) return
    try {
      const returned = call === null ? onResponse(status, text, context, fields.toObject()) : onResponse(status, text, context, fields.toObject(), call.toObject())
      if (isThenable(returned)) this.pending.hold(returned, nameOf(step, 'onResponse'))
    } catch (error) {
      this.owner.hookFailed(nameOf(step, 'onResponse'), error)
    }
  }

  /** @param {string|Buffer} message */
  onMessage ({ step, context }, message) {
    if (step.hooks.onMessage === null) return
    try {
      const returned = step.hooks.onMessage(message, context)
      if (isThenable(returned)) this.pending.hold(returned, nameOf(step, 'onMessage'))
    } catch (error) {
      this.owner.hookFailed(nameOf(step, 'onMessage'), error)
    }
  }

  onEvent ({ step, context }, event) {
    try {
      const returned = step.hooks.onEvent(event, context)
      if (isThenable(returned)) this.pending.holdEnd(returned, nameOf(step, 'onEvent'))
    } catch (error) {
      this.owner.hookFailed(nameOf(step, 'onEvent'), error)
    }
  }

  /** Checks whether a body is as expected. */
  checkBody (text) {
    const { owner } = this
    const scenario = owner.scenarioOf(this.script.connection)
    let verdict
    try {
      verdict = owner.isExpectedBody(text)
    } catch (error) {
      owner.hookFailed('verifyBody', error)
      return
    }
    if (isThenable(verdict)) {
      owner.verdictPends(scenario, 1)
      this.pending.hold(verdict, 'verifyBody', (isExpected) => {
        owner.verdictPends(scenario, -1)
        if (!isExpected) owner.mismatched(text, scenario)
      })
    } else if (!verdict) {
      owner.mismatched(text, scenario)
    }
  }
}

const nameOf = ({ where }, hook) => `${where}.${hook}`

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

module.exports = { HookCalls, MessageCalls }

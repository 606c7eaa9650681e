'use strict'

const PendingHooks = require('./pending-hooks')
const isThenable = require('./thenable')

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
    return this.script.client.listenerCount(event) > 0
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

module.exports = HookCalls

'use strict'

const world = require('../world')

/**
 * Hooks that take their time, for one connection. The room that a request took is free again when what was called for it has settled;
 * what is called for an event of a response holds up nothing but the end of the run.
 */
class Holds {
  /** @param {Script} script */
  constructor (script) {
    this.script = script
    /** How many places of the connection are kept. */
    this.places = 0
  }

  /** Keeps a place until a hook has settled, whose value is then given to `onSettled`. */
  hold (promise, name, onSettled) {
    // The run may have gone from its warm-up to its own phase, or be over, when the hook is done: its owner is who called it.
    const { owner, visit } = this.script
    const since = world.now()
    this.places++
    owner.pendingHooks++
    if (visit !== null) visit.pendingHooks++
    promise.then((value) => {
      owner.pendingHooks--
      if (visit !== null) visit.pendingHooks--
      if (!owner.hasEnded) onSettled?.(value)
      this.release(1, since)
    }, (error) => owner.hookFailed(name, error))
  }

  /** Keeps all places until setupClient has done its work. */
  waitForClient (promise) {
    const { owner, connection } = this.script
    const places = connection.depth
    const since = world.now()
    this.places += places
    promise.then(() => this.release(places, since), (error) => owner.hookFailed('setupClient', error))
  }

  release (places, since) {
    const { connection, owner, visit } = this.script
    const now = world.now()
    connection.hookMsSoFar += now - since
    if (connection.room <= 0) connection.becameFree(now)
    this.places -= places
    if (connection.isOpen) {
      owner.ready(connection, now)
      return
    }
    if (visit !== null) visit.proceed(now)
    owner.checkEnd()
  }

  /** Keeps the run from its end until a hook has settled, and no place: the response goes on meanwhile. */
  holdEnd (promise, name) {
    const { owner } = this.script
    owner.pendingHooks++
    promise.then(() => {
      owner.pendingHooks--
      owner.checkEnd()
    }, (error) => owner.hookFailed(name, error))
  }
}

module.exports = Holds

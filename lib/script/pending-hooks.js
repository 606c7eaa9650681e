'use strict'

const world = require('../world')

/**
 * Asynchronous hooks of one connection. A request's place on the connection becomes free only after its hooks have settled. Hooks
 * for the events of a response delay nothing but the end of the run.
 */
class PendingHooks {
  /** @param {Script} script */
  constructor (script) {
    this.script = script
    /** How many places of the connection are held. */
    this.places = 0
  }

  /** Occupies a place until a hook has settled, then passes its value to `onSettled`. */
  hold (promise, name, onSettled) {
    // By the time the hook settles, the run may have gone from its warm-up to the main phase, or be over; it counts for the phase
    // that called it.
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

  /** Occupies all places until setupClient has settled. */
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
    const wasFull = connection.room <= 0
    this.places -= places
    // Another hook of the same response may still hold the place.
    if (wasFull && connection.room > 0) connection.becameFree(now)
    if (connection.isOpen) {
      owner.ready(connection, now)
      return
    }
    if (visit !== null) visit.proceed(now)
    owner.checkEnd()
  }

  /** Delays the end of the run until a hook has settled, but holds no place: the response continues meanwhile. */
  holdEnd (promise, name) {
    const { owner } = this.script
    owner.pendingHooks++
    promise.then(() => {
      owner.pendingHooks--
      owner.checkEnd()
    }, (error) => owner.hookFailed(name, error))
  }
}

module.exports = PendingHooks

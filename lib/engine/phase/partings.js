'use strict'

const world = require('../../world')

const PATIENCE_MS = 150

/**
 * Sockets on which we have said goodbye, until the server has closed them too: at most for a moment. What still comes is read
 * and thrown away.
 */
class Partings {
  constructor () {
    this.count = 0
    this.onGone = null
  }

  /** @param {net.Socket} socket of which nobody else hears any more */
  add (socket) {
    this.count++
    const timer = world.setTimeout(() => socket.destroy(), PATIENCE_MS)
    socket.once('close', () => {
      world.clearTimeout(timer)
      this.count--
      if (this.count === 0) this.onGone?.()
    })
  }

  /** @returns {?Promise} when all of them are gone; null where there are none */
  get gone () {
    return this.count === 0 ? null : new Promise((resolve) => { this.onGone = resolve })
  }
}

module.exports = Partings

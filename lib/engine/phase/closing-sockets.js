'use strict'

const world = require('../../world')

const PATIENCE_MS = 150

/**
 * Sockets on which we have sent our last frame. The server gets a moment to close them; meanwhile, anything they receive is
 * read and discarded.
 */
class ClosingSockets {
  constructor () {
    this.count = 0
    this.onGone = null
  }

  /** @param {net.Socket} socket must have no other listeners */
  add (socket) {
    this.count++
    const timer = world.setTimeout(() => socket.destroy(), PATIENCE_MS)
    socket.once('close', () => {
      world.clearTimeout(timer)
      this.count--
      if (this.count === 0) this.onGone?.()
    })
  }

  /** @returns {?Promise} resolves when all of them are closed; null if there are none */
  get gone () {
    return this.count === 0 ? null : new Promise((resolve) => { this.onGone = resolve })
  }
}

module.exports = ClosingSockets

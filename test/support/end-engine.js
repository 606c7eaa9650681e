'use strict'

const world = require('../../lib/world')

/**
 * Ends an engine that plays in this thread in the place of a thread, or a machine, of its own. Those are ended as they are; here
 * one that waits for the start of a phase has to come to its end by itself.
 *
 * @param {object} engine whose crew is a Player
 */
function endEngine (engine) {
  engine.stop()
  const { crew } = engine
  crew.startTime = async () => undefined
  crew.resolveStart?.(world.origin() + world.now())
}

module.exports = endEngine

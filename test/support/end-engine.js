'use strict'

const world = require('../../lib/world')

/**
 * Ends an engine that runs in this thread instead of a separate thread or machine. Those would simply be terminated; here, an engine that
 * waits for the start of a phase must end by itself.
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

'use strict'

const world = require('../../lib/world')

/**
 * Ends an engine that runs in this thread instead of a separate thread or machine. Those would simply be terminated; here, an engine that
 * waits for the start of a phase must end by itself.
 *
 * @param {object} engine whose coordinator is a Player
 */
function endEngine (engine) {
  engine.stop()
  const { coordinator } = engine
  coordinator.startTime = async () => undefined
  coordinator.resolveStart?.(world.origin() + world.now())
}

module.exports = endEngine

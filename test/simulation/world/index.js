'use strict'

const enterWorld = require('../../../lib/world/enter')
const World = require('./world')

// Something of Node's own may still be under way where nothing is left in the world, such as a module that is being loaded.
const REAL_TURNS = 20

/**
 * Plays something in a world of its own.
 *
 * @param {object} settings of the World
 * @param {function(World): Promise} play sets the world up, and runs what it likes: `run`, `compare`, `findCapacity`. Its
 *   promise is the end
 * @returns {Promise<{ value: *, world: World }>} rejects with what `play` rejects with, and where the world stands still
 *   before the end or has been played for longer than its limit; the error's message prints the world then
 */
async function simulate (settings, play) {
  const world = new World(settings)
  const leave = enterWorld(world.client.methods)
  try {
    const value = await playOut(world, play)
    return { value, world }
  } finally {
    world.scheduler.end()
    leave()
  }
}

function playOut (world, play) {
  return new Promise((resolve, reject) => {
    const { scheduler } = world
    let turns = 0
    const limitAt = world.begunAt + world.limit * 1e6
    const failed = (sentence) => reject(new Error(`${sentence}\n${world}`))
    scheduler.begin({
      failed: reject,
      bound: () => scheduler.heap[0].at > limitAt,
      idle (isDeadlock) {
        if (!isDeadlock) failed(`it was not over after ${world.limit} s`)
        else if (turns++ < REAL_TURNS) setImmediate(scheduler.step)
        else failed('nothing is left to happen, and it is not over')
      }
    })
    Promise.resolve(world).then(play).then(resolve, reject)
  })
}

module.exports = { simulate, World }

'use strict'

const enterWorld = require('../../../lib/world/enter')
const playThreads = require('./threads')
const World = require('./world')

// Something of Node's own may still be under way where nothing is left in the world, such as a module that is being loaded.
const REAL_TURNS = 20
const REAL_TURNS_OF_LOADING = 1e6

/**
 * Plays something in a world of its own.
 *
 * @param {object} settings of the World
 * @param {function(World): Promise} play sets the world up, and runs what it likes: `run`, `compare`, `findCapacity`. Its
 *   promise is the end
 * @returns {Promise<{ value: *, world: World }>} rejects with what `play` rejects with, and where the world stands still
 *   before the end or has been played for longer than its limits; the error's message prints the world then
 */
async function simulate (settings, play) {
  const world = new World(settings)
  const leave = enterWorld(world.client.methods)
  const leaveThreads = playThreads(world)
  try {
    const value = await playOut(world, play)
    return { value, world }
  } finally {
    world.scheduler.end()
    leaveThreads()
    leave()
  }
}

function playOut (world, play) {
  return new Promise((resolve, reject) => {
    const { scheduler } = world
    let turns = 0
    const limitAt = world.begunAt + world.limit * 1e6
    const isLoading = () => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'))
    world.whenViolated = reject
    const failed = (sentence) => reject(new Error(`${sentence}\n${world}`))
    scheduler.begin({
      failed: reject,
      bound (at) {
        if (at <= limitAt && scheduler.events < world.mostEvents) return false
        failed(at > limitAt ? `it was not over after ${world.limit} s` : `it was not over after ${world.mostEvents} events`)
        return true
      },
      idle () {
        turns++
        if (turns < REAL_TURNS || (isLoading() && turns < REAL_TURNS_OF_LOADING)) setImmediate(scheduler.step)
        else failed('nothing is left to happen, and it is not over')
      }
    })
    Promise.resolve(world).then(play).then(resolve, reject)
  })
}

module.exports = { simulate, World }

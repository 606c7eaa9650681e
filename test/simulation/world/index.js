'use strict'

const enterWorld = require('../../../lib/world/enter')
const playThreads = require('./threads')
const World = require('./world')

// When nothing is left to happen in the world, Node itself may still be busy, for example loading a module.
const REAL_TURNS = 20
const REAL_TURNS_OF_LOADING = 1e6

/**
 * Runs something in a simulated world.
 *
 * @param {object} settings see World
 * @param {function(World): Promise} play sets up the world and runs anything: `run`, `compare`, `findCapacity`. The simulation
 *   ends when its promise settles
 * @returns {Promise<{ value: *, world: World }>} rejects if `play` does, and if nothing is left to happen before the end or the
 *   world exceeds its limits; the error message then prints the world
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

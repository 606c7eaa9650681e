'use strict'

const world = require('.')

let isElsewhere = false

/**
 * Moves everything in this thread into another world, including operations that are already in progress.
 *
 * @param {object} other the methods that differ from those of the real world, by their names in index.js
 * @returns {function()} returns to the real world
 * @throws Error if this thread is already in another world, or a name doesn't exist
 */
function enterWorld (other) {
  if (isElsewhere) throw new Error('this thread is in another world already: one must be left before the next is entered')
  for (const name of Object.keys(other)) {
    if (!Object.hasOwn(world.REAL, name)) throw new Error(`the world has no ${name}`)
  }
  isElsewhere = true
  Object.assign(world, other)
  return () => {
    isElsewhere = false
    Object.assign(world, world.REAL)
  }
}

module.exports = enterWorld

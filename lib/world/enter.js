'use strict'

const world = require('.')

let isElsewhere = false

/**
 * From now on all that runs in this thread, this module's users as well as everything that is still under way, is in
 * another world.
 *
 * @param {object} other the methods that differ from those of the world as it is, by their names in index.js
 * @returns {function()} takes it back to the world as it is
 * @throws Error where this thread is in another world already, or a name is none
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

'use strict'

const Member = require('../../../lib/engine/parallel/member')
const Player = require('../../../lib/engine/parallel/player')
const WorkersEngine = require('../../../lib/engine/parallel/workers')
const endEngine = require('../../support/end-engine')

// The time until a thread executes its first line, and the time that a message takes.
const START_US = 30_000
const MESSAGE_US = 50

/**
 * A simulated thread of a run with `workers`: it executes its part independently, and communicates with the others only by messages,
 * which are copied and arrive later. All threads share the client's single processor and its clock.
 */
class SimulatedThread extends Member {
  /**
   * @param {number} number see Member
   * @param {object} task for Player
   * @param {WorkersEngine} owner
   * @param {World} world
   * @param {object} times of messages, us
   */
  constructor (number, task, owner, world, { start, message, apart }) {
    super(number, owner)
    this.world = world
    this.isGone = false
    this.messageUs = message
    this.player = new Player(structuredClone(task), {
      tell: (type, ...args) => this.post(() => this.hear(type, structuredClone(args))),
      sendEvents: (batch) => this.post(() => owner.heardEvents(this, structuredClone(batch))),
      countFailure: () => ++task.failures[0],
      close: () => {}
    })
    world.client.tell(world.client.now + start + number * apart, () => this.player.start())
  }

  // Messages arrive in order, or not at all.
  post (hear) {
    const { client } = this.world
    client.tell(client.now + this.messageUs, () => { if (!this.isGone) hear() })
  }

  tell (type, value) {
    if (!this.isOver) this.post(() => this.player.hear(type, structuredClone(value)))
  }

  heardEvents (count) {
    if (!this.isOver) this.post(() => this.player.heardEvents(count))
  }

  async terminate () {
    this.isGone = true
    if (!this.player.isOver) endEngine(this.player.engine)
  }
}

/**
 * Makes all threads simulated from now on.
 *
 * @param {World} world its setting `threads`: `start` (ms until a thread begins; default 30), `message` (ms that a message
 *   takes; default 0.05), `apart` (ms by which each begins later than the previous one; default 0)
 * @returns {function()} restores real threads
 */
function playThreads (world) {
  const { start = START_US / 1000, message = MESSAGE_US / 1000, apart = 0, ...rest } = world.settings.threads
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new TypeError(`simulated threads have no ${unknown}`)
  const times = { start: Math.round(start * 1000), message: Math.round(message * 1000), apart: Math.round(apart * 1000) }
  const { createThread } = WorkersEngine.prototype
  WorkersEngine.prototype.createThread = function (number, task) {
    return new SimulatedThread(number, task, this, world, times)
  }
  return () => { WorkersEngine.prototype.createThread = createThread }
}

module.exports = playThreads

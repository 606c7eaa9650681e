'use strict'

const { run } = require('../../..')
const { simulate } = require('../../simulation/world')
const { balances } = require('./helpers')

/**
 * A run against one server of a simulated world, whose accounts have to balance and which has to leave nothing behind.
 *
 * @param {object} t
 * @param {object} settings of the server
 * @param {object|function(World, Server): object} opts of the run; a function may let things happen in the world as well
 * @param {function(Run, World)} [use] does something with the instance
 * @param {object} [ofWorld] settings of the world
 * @param {{ isClosed?: boolean }} [kind] whether it is a run in the closed model, whose accounts are others
 * @returns {Promise<{ result: object, world: World, server: Server, sent: number[] }>} `sent`: when requests were sent, ms from
 *   the first
 */
async function play (t, settings, opts, use = () => {}, ofWorld = {}, { isClosed = false } = {}) {
  const { value: result, world } = await simulate(ofWorld, (world) => {
    const server = world.server(settings)
    const instance = run({ url: server.url, ...(typeof opts === 'function' ? opts(world, server) : opts) })
    use(instance, world)
    return instance
  })
  if (!isClosed) balances(t, result)
  t.same(world.leftovers, [])
  return { result, world, server: world.servers[0], sent: world.log.map(({ sentAt }) => (sentAt - world.log[0].sentAt) / 1000) }
}

/** So many times, every so many ms. */
function every (ms, count, from = 0) {
  return Array.from({ length: count }, (_, index) => from + index * ms)
}

/** Whether each was sent at its time, but for some turns of the event loop. */
function areAt (t, sent, expected, within = 0.02) {
  t.equal(sent.length, expected.length)
  const worst = expected.reduce((most, at, index) => Math.max(most, Math.abs(sent[index] - at)), 0)
  t.ok(worst <= within, `${worst} ms from the schedule at most`)
}

module.exports = { areAt, every, play }

'use strict'

const run = require('../../..')
const { simulate } = require('../../simulation/world')
const { ended } = require('../../support/ended')
const { checkResult } = require('./benchmark')

/**
 * A benchmark against a server of a simulated world, all of whose result has to add up, and which has to leave nothing behind.
 *
 * @param {{ same: function }} t
 * @param {object} settings of the server
 * @param {object|function(World, Server): object} opts of the run; a function may let things happen in the world as well
 * @param {function(object, World, Server)} [during] gets the instance
 * @param {object} [ofWorld] settings of the world
 * @returns {Promise<{ result: object, world: World, server: Server }>}
 */
async function play (t, settings, opts, during = () => {}, ofWorld = {}) {
  let options
  const { value: result, world } = await simulate(ofWorld, (world) => {
    const server = world.server(settings)
    options = { url: server.url, ...(typeof opts === 'function' ? opts(world, server) : opts) }
    const instance = run(options)
    during(instance, world, server)
    return ended(instance)
  })
  checkResult(t, result, options)
  t.same(world.leftovers, [])
  const { warmup, accounting } = result
  t.equal(accounting.sent + (warmup?.accounting.sent ?? 0), world.log.length, 'sent is what was written')
  return { result, world, server: world.servers[0] }
}

module.exports = { play }

'use strict'

const run = require('../..')
const { simulate } = require('../simulation/world')
const { addsUp } = require('./accounts')
const { ended } = require('./ended')

/**
 * Executes a run with a server of a simulated world. Its whole result must add up, and it must leave nothing open.
 *
 * @param {{ strictSame: function }} t
 * @param {object|object[]} settings of the server, or of each server
 * @param {object|function(World, Server, Server[]): object} opts of the run, which uses all of the servers; a function may also schedule
 *   events in the world
 * @param {?function(Run, World, Server)} [story] does something with the instance
 * @param {object} [ofWorld] settings of the world, and `lasting`: for how many ms it continues after the run, default 0
 * @returns {Promise<{ result: object, world: World, server: Server, servers: Server[], sent: number[] }>} `sent`: when requests were sent,
 *   ms from the first
 */
async function playInWorld (t, settings, opts, story, { lasting = 0, ...ofWorld } = {}) {
  let options
  const { value: result, world } = await simulate(ofWorld, async (world) => {
    const servers = [settings].flat().map((each, index) => world.server({ host: `10.0.0.${index + 1}`, ...each }))
    const url = Array.isArray(settings) ? servers.map(({ url }) => url) : servers[0].url
    options = { url, ...(typeof opts === 'function' ? opts(world, servers[0], servers) : opts) }
    const instance = run(options)
    story?.(instance, world, servers[0])
    const result = await ended(instance)
    if (lasting > 0) await world.sleep(lasting)
    return result
  })
  addsUp(t, result, options)
  t.strictSame(world.leftovers, [], 'nothing remains open')
  const { servers } = world
  // What a proxy is asked for a tunnel is no request of the run.
  const log = world.log.filter(({ method }) => method !== 'CONNECT')
  // Requests that an HTTP/2 server did not process are sent again, and count once.
  const refused = log.filter((entry) => entry.socket.peer?.isRefused?.(entry)).length
  const sent = result.accounting.sent + (result.warmup?.accounting.sent ?? 0)
  if (!result.messages && !options.forever) t.ok(sent <= log.length && sent >= log.length - refused, `sent ${sent}, but ${log.length} were written, and ${refused} of them refused`)
  return { result, world, server: servers[0], servers, sent: log.map(({ sentAt }) => (sentAt - log[0].sentAt) / 1000) }
}

module.exports = { playInWorld }

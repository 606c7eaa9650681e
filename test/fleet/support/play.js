'use strict'

const { createRandom } = require('../../../lib/load/random')
const { violations } = require('../../support/accounts')
const { simulate } = require('../../simulation/world')
const { Hub, runOn } = require('./hub')

const sum = (numbers) => numbers.reduce((all, each) => all + each, 0)
const codesOf = ({ warnings }) => warnings.map(({ code }) => code)
const agentsNamed = (count, own = () => ({})) => Array.from({ length: count }, (_, index) => ({ name: `agent ${index}`, ...own(index) }))

/**
 * Plays one run on a fleet in simulated time, and checks that all accounts add up.
 *
 * @param {object} t
 * @param {object} fleet `inherited`: how many connections a warm-up hands over to the run; `agents`: see Hub.addAgent; `options` of the
 *   run; `hub`: settings of
 *   the Hub; `serviceTime` (ms) and further settings of the `server`; `story({ world, hub, server, result, engine, instance })`; `limit` of
 *   the world, seconds
 * @returns {Promise<{ result: object, world: World, hub: Hub }>}
 */
async function play (t, { agents, options, hub: settings, serviceTime = 1, server: ofServer, story = () => {}, inherited = 0, limit = 120 }) {
  const random = createRandom(7)
  let hub
  const { value: result, world } = await simulate({ seed: 7, limit }, async (world) => {
    const server = world.server({ serviceTime, ...ofServer })
    hub = new Hub({ random: () => random.next(), ...settings })
    for (const agent of agents) hub.addAgent(agent)
    const run = runOn(hub, { url: server.url, ...options })
    story({ world, hub, server, ...run })
    const result = await run.result
    await hub.isQuiet()
    return result
  })
  const { mergeable, ...told } = result
  t.same(violations(told, { inherited }), [])
  t.same(world.leftovers, [])
  for (const box of Object.keys(result.accounting)) {
    t.equal(sum(result.fleet.agents.map(({ accounting }) => accounting[box])), result.accounting[box], `${box} of all agents`)
  }
  return { result, world, hub }
}

module.exports = { agentsNamed, codesOf, play, sum }

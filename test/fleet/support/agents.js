'use strict'

const Agent = require('../../../lib/agent')
const LocalEngine = require('../../../lib/engine/local')
const WorkersEngine = require('../../../lib/engine/parallel/workers')
const endEngine = require('../../support/end-engine')

const KEY = 'known to the fleet'

/** Does an agent's work in this thread: starting a thread for each run would take most of a test's time. */
const HERE = {
  create: (plan, hooks, player) => new LocalEngine(plan, hooks, player, player),
  end: endEngine
}

/** The same for simulated agents, whose threads are simulated. */
const IN_PLACE = {
  ...HERE,
  create: (plan, hooks, player, cores) => cores === 1 ? HERE.create(plan, hooks, player) : new WorkersEngine({ ...plan, workers: cores }, hooks, player, player)
}

/**
 * Agents in this process.
 *
 * @param {object} t
 * @param {{ path: string }} redis
 * @param {object[]} settings of each, besides the address of Redis; with `cores` it uses this many threads, else this one
 * @returns {Promise<Agent[]>} each with `told`, the messages for its operator
 */
async function startAgents (t, redis, settings) {
  const agents = settings.map((own) => {
    const told = []
    const tell = (kind, sentence) => told.push(`${kind}: ${sentence}`)
    const agent = new Agent({ redis: redis.path, key: KEY, cores: 1, ...own }, tell, own.cores ? undefined : HERE)
    return Object.assign(agent, { told })
  })
  t.teardown(() => Promise.all(agents.map((agent) => agent.stop())))
  await Promise.all(agents.map((agent) => agent.start()))
  return agents
}

module.exports = { HERE, IN_PLACE, KEY, startAgents }

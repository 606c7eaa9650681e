'use strict'

const { createRandom } = require('../../../lib/load/random')
const { simulate } = require('../../simulation/world')
const { KEY } = require('./agents')
const { Hub } = require('./hub')

/**
 * Plays a study on a fleet in simulated time.
 *
 * @param {object} fleet
 * @param {object[]} fleet.agents see Hub.addAgent; those beyond `count` are spare
 * @param {number} [fleet.count=2] how many a run requests
 * @param {number} [fleet.wait=10] seconds
 * @param {object|object[]} [fleet.server] settings of the simulated server, or of each
 * @param {function({ study, world, hub, servers })} [fleet.story]
 * @param {function(object, object[]): Study} begin receives the `fleet` option and the servers; returns the study, or a promise of its
 *   answer
 * @returns {Promise<{ answer: object, world: World, runs: object[], endedAt: number }>} `runs`: for each run that was started `about`, and
 *   the time `at` (s);
 *   `endedAt`: when the answer was available (s)
 */
async function playStudy ({ agents, count = 2, wait = 10, server = {}, story = () => {}, seed = 3 }, begin) {
  const random = createRandom(seed)
  const runs = []
  let endedAt
  let takeBack = () => {}
  try {
    const { value: answer, world } = await simulate({ seed, limit: 7200 }, async (world) => {
      const servers = [server].flat().map((settings, index) => world.server({ host: `10.0.0.${index + 1}`, ...settings }))
      const hub = new Hub({ random: () => random.next() })
      for (const agent of agents) hub.addAgent(agent)
      takeBack = hub.takesThePlaceOfRedis()
      const study = begin({ redis: 'redis://127.0.0.1', key: KEY, agents: count, wait }, servers)
      study.on?.('begin', (instance, about) => runs.push({ about, at: world.elapsed / 1000 }))
      story({ study, world, hub, servers })
      // A failed study has ended as well.
      const outcome = await study.then((answer) => ({ answer }), (error) => ({ error }))
      endedAt = world.elapsed / 1000
      await hub.isQuiet()
      if (outcome.error) throw outcome.error
      return outcome.answer
    })
    return { answer, world, runs, endedAt }
  } finally {
    takeBack()
  }
}

const LOST_AFTER_MS = 700

/** For a story: cuts off an agent that executes a run; runs are numbered in the order in which they begin. */
function lose (...numbers) {
  return ({ study, world, hub }) => {
    let begun = 0
    study.on('begin', () => {
      if (numbers.includes(begun++)) world.after(LOST_AFTER_MS, () => hub.cut(hub.agents.find(({ currentRun, isCut }) => currentRun !== null && !isCut)))
    })
  }
}

module.exports = { lose, playStudy }

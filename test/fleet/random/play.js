'use strict'

const { compare, findCapacity, run, sweep } = require('../../..')
const { createRandom } = require('../../../lib/load/random')
const { simulate } = require('../../simulation/world')
const { KEY } = require('../support/agents')
const { Hub } = require('../support/hub')

/**
 * Plays a random fleet.
 *
 * @param {object} drawn see draw.js
 * @returns {Promise<object>} `answer` or `error`, and `endedAt` (s); of each run of a study `runs`: `{ instance, begunAt, endedAt, result
 *   }`, the last two
 *   if it was reported as measured; `cuts`: which agents were cut off when (s); `world`
 */
async function playFleet (drawn) {
  const random = createRandom(drawn.seed)
  const played = { answer: null, error: null, runs: [], cuts: [] }
  let takeBack = () => {}
  try {
    const { world } = await simulate({ seed: drawn.seed, limit: 7200, mostEvents: 5e6 }, async (world) => {
      const servers = ['10.0.0.1', '10.0.0.2'].map((host) => world.server({ host, ...settingsOf(drawn.server) }))
      const hub = new Hub({ random: () => random.next(), ...drawn.hub })
      for (const agent of drawn.agents) hub.addAgent(agent)
      takeBack = hub.takesThePlaceOfRedis()
      const begun = begin(drawn, servers.map(({ url }) => url))
      follow(begun, drawn, played, world)
      for (const event of drawn.story) tell(event, { begun, hub, world, played, random })
      await begun.then((answer) => { played.answer = answer }, (error) => { played.error = error })
      played.endedAt = world.elapsed / 1000
      await hub.isQuiet()
    })
    return { ...played, world }
  } finally {
    takeBack()
  }
}

function settingsOf ({ everyNth, answer, ...settings }) {
  return everyNth === undefined ? settings : { ...settings, answer: ({ number }) => number % everyNth === everyNth - 1 ? answer : 200 }
}

function begin ({ kind, count, options, load, settings }, [url, other]) {
  const fleet = { redis: 'redis://127.0.0.1', key: KEY, agents: count, wait: 10 }
  switch (kind) {
    case 'run': return run({ url, ...options, fleet })
    case 'sweep': return sweep({ url, ...load, fleet }, settings)
    case 'capacity': return findCapacity({ url, ...load, fleet }, settings)
    default: return compare([url, other].map((url) => ({ url, ...load, fleet })), settings)
  }
}

function follow (begun, { kind }, { runs }, world) {
  if (kind === 'run') return
  begun.on('begin', (instance) => runs.push({ instance, begunAt: world.elapsed / 1000, result: null }))
  begun.on('run', (result) => Object.assign(runs.at(-1), { result, endedAt: world.elapsed / 1000 }))
}

// The affected agents are drawn when the event occurs.
function tell ({ at, what, mendedAfter, backAfter }, { begun, hub, world, played, random }) {
  world.afterForClient(at, () => {
    const busy = hub.agents.filter(({ currentRun, isCut }) => currentRun !== null && !isCut)
    const agent = busy[Math.floor(random.next() * busy.length)]
    switch (what) {
      case 'cut': {
        if (agent === undefined) return
        hub.cut(agent)
        played.cuts.push({ name: agent.about.name, at: world.elapsed / 1000 })
        if (mendedAfter !== undefined) world.afterForClient(mendedAfter, () => hub.mend(agent))
        break
      }
      case 'leave':
        agent?.currentRun.leave()
        break
      case 'goAway':
        hub.goAway()
        if (backAfter !== undefined) world.afterForClient(backAfter, () => hub.comeBack())
        break
      case 'stopRun':
        (played.runs.at(-1)?.instance ?? begun).stop()
        break
      default:
        begun.stop()
    }
  })
}

module.exports = playFleet

'use strict'

// `node test/fleet/random --seed 4711` plays one random fleet again, `--worlds 1000` a thousand of them.

const { inspect, parseArgs } = require('node:util')
const checkFleet = require('./check')
const drawFleet = require('./draw')
const playFleet = require('./play')

/**
 * Plays random fleets and checks each.
 *
 * @param {object} which
 * @param {number} which.seed of the first; the others have the following ones
 * @param {number} which.worlds maximum number
 * @param {number} [which.most=10] ends after this many failures
 * @param {function(object)} [onPlayed] called with each that was played
 * @returns {Promise<{ seen: Map<string, number>, failures: string[] }>} `seen`: how often each event occurred
 */
async function playFleets ({ seed, worlds, most = 10 }, onPlayed = () => {}) {
  const seen = new Map()
  const note = (what) => seen.set(what, (seen.get(what) ?? 0) + 1)
  const failures = []
  for (let index = 0; index < worlds && failures.length < most; index++) {
    const drawn = drawFleet(seed + index)
    let problems
    try {
      const played = await playFleet(drawn)
      onPlayed(played)
      for (const what of whatHappened(drawn, played)) note(what)
      problems = checkFleet(drawn, played)
    } catch (error) {
      problems = [error.stack]
    }
    if (problems.length > 0) failures.push(failureOf(drawn, problems))
  }
  return { seen, failures }
}

function whatHappened ({ kind, agents, story, options = {} }, { answer, error }) {
  const codes = answer?.warnings.map(({ code }) => `${kind} ${code}`) ?? []
  const names = ['scenarios', 'feed', 'thresholds', 'warmup', 'http2', 'sessions'].filter((name) => options[name] !== undefined).map((name) => `option ${name}`)
  return [kind, ...names, ...new Set(codes), ...(error ? [`${kind} ${error.code}`] : []), ...story.map(({ what }) => what), ...(new Set(agents.map(({ cores }) => cores)).size > 1 ? ['unequal threads'] : [])]
}

function failureOf (drawn, problems) {
  return [
    `The fleet of seed ${drawn.seed} is not as it must be. To play it again: node test/fleet/random --seed ${drawn.seed}`,
    ...problems.slice(0, 20).map((problem) => `  - ${problem}`),
    inspect(drawn, { depth: 6, breakLength: 120 })
  ].join('\n')
}

async function main () {
  const { values } = parseArgs({ options: { seed: { type: 'string' }, worlds: { type: 'string' } } })
  const { seen, failures } = await playFleets({ seed: Number(values.seed ?? 0), worlds: Number(values.worlds ?? 1) })
  console.log([...failures, [...seen].map(([what, count]) => `${what}: ${count}`).sort().join('\n')].join('\n\n'))
  process.exitCode = failures.length > 0 ? 1 : 0
}

if (require.main === module) main()

module.exports = playFleets

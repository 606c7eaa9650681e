'use strict'

const { inspect } = require('node:util')
const checkWorld = require('./check')
const Coverage = require('./coverage')
const drawWorld = require('./draw')
const playWorld = require('./play')

const MOST_FAILURES = 10
// So many are drawn in a row before somebody says that there are none of the kind.
const MOST_OTHERS = 20_000

/**
 * Plays random worlds and checks each.
 *
 * @param {object} which
 * @param {number} which.seed of the first; those of the others follow
 * @param {number} which.worlds how many
 * @param {object} [which.feature] only worlds that have it count and are played, and only problems that it finds are failures
 * @param {function(object): boolean} [which.only] whether one that was drawn is played; the others do not count
 * @param {number} [which.mostFailures=10] with how many it ends
 * @param {function(number)} [onPlayed] told after each how many it were
 * @returns {Promise<{ coverage: Coverage, failures: object[] }>} a failure is `{ seed, problems, text }`
 */
async function playWorlds ({ seed, worlds, feature = null, mostFailures = MOST_FAILURES, only = () => true }, onPlayed = () => {}) {
  const coverage = new Coverage()
  const failures = []
  for (let played = 0, others = 0; played < worlds && failures.length < mostFailures; seed++) {
    if (others > MOST_OTHERS) throw new Error(`of ${others} worlds in a row none was to be played`)
    const drawn = drawWorld(seed)
    others++
    if ((feature !== null && !(feature.isRich ?? feature.isIn)(drawn)) || !only(drawn)) continue
    others = 0
    const failure = await playOne(drawn, coverage)
    if (failure !== null && (feature === null || isFoundBy(feature, failure))) failures.push(failure)
    onPlayed(++played)
  }
  return { coverage, failures }
}

// What has no check of its own is seen by those that all worlds have.
function isFoundBy ({ name, check, checkWorld }, { problems }) {
  return (check === undefined && checkWorld === undefined) || problems.some((problem) => problem.startsWith(`${name}: `))
}

async function playOne (drawn, coverage) {
  try {
    const played = await playWorld(drawn)
    coverage.add(drawn, played)
    const problems = checkWorld(drawn, played)
    return problems.length === 0 ? null : failureOf(drawn, problems, played.world)
  } catch (error) {
    return failureOf(drawn, [error.stack])
  }
}

function failureOf (drawn, problems, world = '') {
  const { seed } = drawn
  const text = [
    `The world of seed ${seed} is not as it must be. To play it again: npm run simulate -- --seed ${seed}`,
    ...problems.slice(0, 20).map((problem) => `  - ${problem}`),
    inspect(drawn, { depth: 6, maxStringLength: 60, breakLength: 120 }),
    String(world)
  ].join('\n')
  return { seed, problems, text }
}

module.exports = playWorlds

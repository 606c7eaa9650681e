'use strict'

const { inspect } = require('node:util')
const checkWorld = require('./check')
const Coverage = require('./coverage')
const drawWorld = require('./draw')
const playWorld = require('./play')

const MOST_FAILURES = 10
// After this many draws without a match, there are no worlds of this kind.
const MOST_OTHERS = 20_000

/**
 * Plays random worlds and checks each.
 *
 * @param {object} which
 * @param {number} which.seed of the first; the others have the following ones
 * @param {number} which.worlds how many
 * @param {object} [which.feature] only worlds that have it are played and counted, and only violations that it finds are failures
 * @param {function(object): boolean} [which.only] which drawn worlds are played; the others do not count
 * @param {number} [which.mostFailures=10] stops after this many
 * @param {function(number, object, ?object)} [onPlayed] called after each, before it is checked, with their number, what was drawn and
 *   what was played, null if that failed
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
    const failure = await playOne(drawn, coverage, (outcome) => onPlayed(++played, drawn, outcome))
    if (failure !== null && (feature === null || isFoundBy(feature, failure))) failures.push(failure)
  }
  return { coverage, failures }
}

// Features without a check of their own are covered by the checks of all worlds.
function isFoundBy ({ name, check, checkWorld }, { problems }) {
  return (check === undefined && checkWorld === undefined) || problems.some((problem) => problem.startsWith(`${name}: `))
}

async function playOne (drawn, coverage, onPlayed) {
  let played = null
  try {
    played = await playWorld(drawn)
    // Checks may sort what they look at.
    onPlayed(played)
    coverage.add(drawn, played)
    const problems = checkWorld(drawn, played)
    return problems.length === 0 ? null : failureOf(drawn, problems, played.world)
  } catch (error) {
    if (played === null) onPlayed(null)
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

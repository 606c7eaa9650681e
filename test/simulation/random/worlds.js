'use strict'

const { inspect } = require('node:util')
const checkWorld = require('./check')
const Coverage = require('./coverage')
const drawWorld = require('./draw')
const playWorld = require('./play')

/**
 * Plays random worlds and checks each.
 *
 * @param {object} which
 * @param {number} which.seed of the first; those of the others follow
 * @param {number} which.worlds how many
 * @param {number} [which.mostFailures=10] with so many it ends
 * @param {function(object): boolean} [which.only] whether one that was drawn is played; the others do not count
 * @param {function(number)} [onPlayed] told after each how many it were
 * @returns {Promise<{ coverage: Coverage, failures: object[] }>} a failure is `{ seed, problems, text }`
 */
async function playWorlds ({ seed, worlds, mostFailures = 10, only = () => true }, onPlayed = () => {}) {
  const coverage = new Coverage()
  const failures = []
  for (let index = 0, played = 0; played < worlds && failures.length < mostFailures; index++) {
    const drawn = drawWorld(seed + index)
    if (!only(drawn)) continue
    const failure = await playOne(drawn, coverage)
    if (failure !== null) failures.push(failure)
    onPlayed(++played)
  }
  return { coverage, failures }
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

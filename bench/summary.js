'use strict'

// Many rounds of many tools -> one row for each tool.

const { median } = require('../lib/study/statistics/summaries')

const measures = ['cpuPerRequest', 'requestsPerSecond', 'serverBusy', 'serverWaited', 'clientBusy', 'clientWaited',
  'peakMemory', 'sendDelayP50', 'startup']

/**
 * @param {object} scenario
 * @param {Record<string, object[]>} rounds for each tool the values from `measure`, the rounds in the same order
 * @returns {object[]} rows: the medians of all measures; `spread`, half the distance between the extremes of
 *   cpuPerRequest as a share of its median, if there were several rounds; `ratios` to the reference tools, medians
 *   over the rounds of the ratio within a round, so that a slow phase of the machine affects both sides
 */
function summarize (scenario, rounds) {
  return Object.keys(rounds).filter((tool) => rounds[tool].length > 0).map((tool) => {
    const row = { scenario: scenario.name, tool, rounds: rounds[tool].length, ratios: {} }
    for (const measure of measures) {
      const values = valuesOf(rounds[tool], measure)
      if (values.length > 0) row[measure] = median(values)
    }
    const costs = valuesOf(rounds[tool], 'cpuPerRequest')
    if (costs.length > 1) row.spread = (Math.max(...costs) - Math.min(...costs)) / 2 / row.cpuPerRequest
    for (const reference of ['wrk', 'ab', 'autocannon', 'h2load', 'node-http2', 'ws', 'sequence']) row.ratios[reference] = ratio(rounds[tool], rounds[reference])
    row.errors = Math.max(0, ...rounds[tool].map((round) => (round.errors ?? 0) + (round.non2xx ?? 0) + (round.mismatches ?? 0)))
    return row
  })
}

function valuesOf (rounds, measure) {
  return rounds.map((round) => round[measure]).filter(Number.isFinite)
}

function ratio (rounds, references) {
  if (!references || references.length !== rounds.length) return undefined
  const ratios = rounds.map((round, i) => round.cpuPerRequest / references[i].cpuPerRequest).filter(Number.isFinite)
  return ratios.length > 0 ? median(ratios) : undefined
}

module.exports = { summarize }

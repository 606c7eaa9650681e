'use strict'

const numbers = require('../../words/numbers')
const { inFigures, inTexts, long } = require('../document')
const { REQUESTS, outcomesOfSeveral } = require('./outcomes')

/** The machines of a fleet, what happened to each, and its accounting. */
function fleet (runs) {
  const isOne = runs.length === 1
  return runs.filter(({ result }) => result.fleet).flatMap(({ name, result: { fleet: { agents } } }) => [
    { table: agentTable(agents, isOne ? 'Agents' : `Agents of ${name}`) },
    {
      table: {
        isCaptionSeen: true,
        ...outcomesOfSeveral(`Outcomes of the requests of each agent${isOne ? '' : ` of ${name}`}`, 'Agent', REQUESTS, agents.map(({ name, accounting }) => [name, accounting]))
      }
    }
  ])
}

function agentTable (agents, what) {
  const first = Math.min(...agents.map(({ startedAt }) => startedAt).filter(numbers.isNumber))
  const show = (value, inWords) => numbers.isNumber(value) ? inWords(value) : numbers.NOTHING
  return {
    caption: `${what}. Began: milliseconds after the first agent. Clock: milliseconds ahead of the clock of Redis, ± uncertainty`,
    isCaptionSeen: true,
    columns: [...inTexts(['Agent', 'Host', 'Outcome']), ...inFigures(['Part', 'Cores', 'Clock (ms)', 'Began (ms)'])],
    rows: agents.map(({ name, host, outcome, share, cores, clockOffset, uncertainty, startedAt }) => [
      long(name),
      long(host ?? ''),
      { value: outcome, isBad: outcome === 'lost' },
      show(share, numbers.count),
      numbers.count(cores),
      show(clockOffset, () => `${clockOffset} ± ${uncertainty}`),
      show(startedAt, () => String(Math.round((startedAt - first) * 10) / 10))
    ])
  }
}

module.exports = fleet

'use strict'

const { html } = require('./markup')
const numbers = require('../../words/numbers')
const table = require('./table')

const BOXES = [
  ['Came due', 'scheduled'], ['Never sent', 'unsent', true], ['Sent', 'sent'], ['Completed', 'completed'],
  ['Failed', 'failed', true], ['Timed out', 'timedOut', true], ['Unfinished', 'unfinished']
]

/** Shows the machines of a fleet, what happened to each, and its accounting. */
function fleet (runs) {
  const some = runs.filter(({ result }) => result.fleet)
  const isOne = runs.length === 1
  return some.length === 0 ? null : [{ markup: html`${some.flatMap((run) => [agentsOf(run, isOne), accountsOf(run, isOne)])}` }]
}

function agentsOf ({ name, result: { fleet: { agents } } }, isOne) {
  const began = agents.map(({ startedAt }) => startedAt).filter(numbers.isNumber)
  const first = Math.min(...began)
  return table({
    caption: `${isOne ? 'Agents' : `Agents of ${name}`}. Began: milliseconds after the first agent. Clock: milliseconds ahead of the clock of Redis, ± uncertainty`,
    isCaptionSeen: true,
    isStacked: true,
    head: ['Agent', 'Host', 'Outcome', 'Part', 'Cores', 'Clock (ms)', 'Began (ms)'],
    kinds: ['text', 'text', 'text'],
    rows: agents.map((agent) => [
      { content: agent.name, className: 'long' },
      { content: agent.host ?? '', className: 'long' },
      { content: agent.outcome, className: agent.outcome === 'lost' ? 'fail' : '' },
      numbers.isNumber(agent.share) ? numbers.count(agent.share) : numbers.NOTHING,
      numbers.count(agent.cores),
      numbers.isNumber(agent.clockOffset) ? `${agent.clockOffset} ± ${agent.uncertainty}` : numbers.NOTHING,
      numbers.isNumber(agent.startedAt) ? String(Math.round((agent.startedAt - first) * 10) / 10) : numbers.NOTHING
    ])
  })
}

function accountsOf ({ name, result: { fleet: { agents } } }, isOne) {
  return table({
    caption: `Outcomes of the requests of each agent${isOne ? '' : ` of ${name}`}`,
    isCaptionSeen: true,
    isStacked: true,
    head: ['Agent', ...BOXES.map(([title]) => title)],
    rows: agents.map((agent) => [
      { content: agent.name, className: 'long' },
      ...BOXES.map(([, key, isBad]) => ({ content: numbers.count(agent.accounting?.[key]), className: isBad && agent.accounting?.[key] > 0 ? 'fail' : '' }))
    ])
  })
}

module.exports = fleet

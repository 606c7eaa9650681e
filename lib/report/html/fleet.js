'use strict'

const { html } = require('./markup')
const numbers = require('./numbers')
const table = require('./table')

const BOXES = [
  ['Scheduled', 'scheduled'], ['Never sent', 'unsent'], ['Sent', 'sent'], ['Completed', 'completed'], ['Failed', 'failed'], ['Timed out', 'timedOut'], ['Unfinished', 'unfinished']
]

/** Which machines did it, what became of each, and its own accounts. */
function fleet (runs) {
  const some = runs.filter(({ result }) => Array.isArray(result.fleet?.agents) && result.fleet.agents.length > 0)
  return some.length === 0 ? null : [{ markup: html`${some.map((run) => agentsOf(run, runs.length === 1))}` }]
}

function agentsOf ({ name, result: { fleet: { agents } } }, isOne) {
  const began = agents.map(({ startedAt }) => startedAt).filter(numbers.isNumber)
  const first = Math.min(...began)
  return table({
    caption: `${isOne ? 'The agents' : `The agents of ${name}`}, and their accounts. Began: milliseconds after the first of them. Clock: ahead of Redis'`,
    isCaptionSeen: true,
    head: ['Agent', 'Part', 'Cores', 'Outcome', 'Clock (ms)', 'Began (ms)', ...BOXES.map(([title]) => title)],
    kinds: ['text', 'number', 'number', 'text'],
    rows: agents.map((agent) => [
      { content: html`${agent.name}<span class="note below">${agent.host ?? ''}</span>`, className: 'long' },
      numbers.isNumber(agent.share) ? numbers.count(agent.share) : numbers.NONE,
      numbers.count(agent.cores),
      { content: agent.outcome, className: agent.outcome === 'lost' ? 'fail' : '' },
      numbers.isNumber(agent.clockOffset) ? `${agent.clockOffset} ± ${agent.uncertainty}` : numbers.NONE,
      numbers.isNumber(agent.startedAt) ? String(Math.round((agent.startedAt - first) * 10) / 10) : numbers.NONE,
      ...BOXES.map(([, key]) => numbers.count(agent.accounting?.[key]))
    ])
  })
}

module.exports = fleet

'use strict'

const { counter } = require('../series')
const { definePart } = require('./part')
const { sessions } = require('./sessions')

/**
 * What each scenario counted: a summary of its own.
 *
 * @param {Array<{ name: string, weight: number, recorder: Recorder }>} scenarios see mixed-recorder.js
 */
function toData (scenarios, dataOf, { isInterim, recorder: { endpoints } }) {
  // Endpoints of calls that only other scenarios have made.
  for (const { recorder } of scenarios) for (const index of endpoints.keys()) recorder.endpoints[index] ??= null
  return scenarios.map(({ name, weight, recorder }) => ({ name, weight, summary: balanced(recorder.summary(dataOf, isInterim)) }))
}

// What was sent in a scenario, and came due, is known by what became of it.
function balanced (summary) {
  const { completed, failed, timedOut, unfinished, unsent } = summary.counters
  const sent = completed + failed + timedOut + unfinished
  return { ...summary, counters: { ...summary.counters, sent, scheduled: sent + unsent } }
}

function mergeScenarios (parts, Kind, merge) {
  return parts[0].map(({ name, weight }, index) => ({ name, weight, summary: merge(parts.map((part) => part[index].summary), Kind) }))
}

// Each scenario has its own interval already, see mixed-recorder.js.
function takeInterval (scenarios) {
  return scenarios.map(({ name, interval: { completed, errors, sessions } }) => ({ name, requests: completed, errors, sessions }))
}

function join (intervals, latest) {
  const sum = (index, name) => intervals.reduce((total, scenarios) => total + scenarios[index][name], 0)
  const ofSessions = (all, index) => all.map((scenarios) => scenarios[index].sessions)
  return intervals[0].map(({ name }, index) => ({
    name, requests: sum(index, 'requests'), errors: sum(index, 'errors'), sessions: sessions.join(ofSessions(intervals, index), ofSessions(latest, index))
  }))
}

const COLUMNS = [
  ['requests', ({ requests }) => requests],
  ['errors', ({ errors }) => errors],
  ['sessionsStarted', ({ sessions }) => sessions?.started],
  ['sessionsCompleted', ({ sessions }) => sessions?.completed],
  ['sessionsFailed', ({ sessions }) => sessions?.failed]
]

function columns ({ timeline }) {
  const names = [...new Set(timeline.flatMap((sample) => sample?.scenarios ?? []).map(({ name }) => name))]
  return names.flatMap((name) => COLUMNS.map(([column, read]) => [`${column} ${name}`, (sample) => {
    const found = sample.scenarios?.find((scenario) => scenario.name === name)
    return found === undefined ? null : read(found)
  }]))
}

// Counts by scenario and outcome: totals are numbers by name.
function byOutcome (counted, outcomesOf) {
  return Object.fromEntries(counted.flatMap(({ name, summary }) =>
    Object.entries(outcomesOf(summary)).map(([outcome, count]) => [JSON.stringify([name, outcome]), count])))
}

const labelled = (counts) => Object.entries(counts).map(([key, value]) => {
  const [scenario, outcome] = JSON.parse(key)
  return { labels: { scenario, outcome }, value }
})

/** Each scenario of a mix: its requests and its sessions. */
const scenarios = definePart({
  name: 'scenarios',
  isIn: (plan) => plan.scenarios !== null && plan.scenarios !== undefined,
  condition: 'with scenarios',
  contrast: 'whether they have scenarios',
  create: () => null,
  toData,
  merge: mergeScenarios,
  takeInterval,
  join,
  columns,
  result: (counted, run) => ({ scenarios: counted.map((scenario) => run.scenarioResult(scenario, run)) }),
  interim: (counted, summary, interimScenario) => ({ scenarios: counted.map((scenario) => interimScenario(scenario, summary)) }),
  totals: (counted) => ({
    scenarioRequests: byOutcome(counted, ({ counters: { completed, failed, timedOut, unfinished, unsent } }) => ({ completed, failed, timed_out: timedOut, unfinished, unsent })),
    scenarioSessions: byOutcome(counted, ({ sessions: { counters: { completed, failed, unfinished, unstarted } } }) => ({ completed, failed, unfinished, unstarted }))
  }),
  series: [
    counter('cannonade_scenario_requests_total', 'Requests by scenario and outcome.', ({ scenarioRequests = {} }) => labelled(scenarioRequests)),
    counter('cannonade_scenario_sessions_total', 'Sessions by scenario and outcome.', ({ scenarioSessions = {} }) => labelled(scenarioSessions))
  ]
})

module.exports = { scenarios }

'use strict'

const { headOf, nounOf } = require('../words/noun')
const { NOTHING, count, counted, isNumber, percent, size } = require('../words/numbers')
const { isMarked } = require('../thresholds/marked')
const { bad } = require('./document')
const { failuresOfEndpoint, isFailure } = require('./failures')
const { clean, cleanName, cleanUrl } = require('./text')

/*
 * Tables of results (from `readResult`) as parts of a document, for the terminal and for pages. Each takes one or more
 * runs, `{ name, result }`; if there are several, a column names them.
 */

const LONGEST_NAME = 40
// Enough for what a call was answered with.
const LONGEST_REASON = 50

/** Lists each request of the sequence, if there is more than one. */
function endpointTable (runs) {
  const several = runs.map(({ name, result }) => ({ name, result, endpoints: result.endpoints })).filter(({ endpoints }) => endpoints.length > 1)
  const noun = nounOf(...several.map(({ result }) => result))
  const hasScenarios = several.some(({ endpoints }) => endpoints.some(({ scenario }) => scenario))
  return {
    caption: hasScenarios ? `Endpoints: the ${noun}s of the scenarios` : `Endpoints: the ${noun}s of the sequence`,
    isCaptionSeen: true,
    others: noun,
    columns: [
      { name: headOf(noun).slice(0, -1) },
      ...(runs.length > 1 ? [{ name: 'Run' }] : []),
      ...(hasScenarios ? [{ name: 'Scenario' }] : []),
      { name: 'Completed', of: 'count' },
      { name: 'Failed', of: 'count', gives: 2 },
      ...TIMES.map(([name, , gives]) => ({ name, of: 'time', gives })),
      { name: 'Status codes' }
    ],
    rows: several.flatMap(({ name, result, endpoints }) => byScenario(endpoints, result.scenarios).map(([index, endpoint]) => [
      whatIs(endpoint, nounOf(result), index),
      ...(runs.length > 1 ? [name] : []),
      ...(hasScenarios ? [scenarioName(endpoint.scenario)] : []),
      endpoint.completed,
      bad(failuresOfEndpoint(endpoint)),
      ...TIMES.map(([, key]) => timeOf(endpoint, key)),
      { value: statusesOf(endpoint), className: 'short', isBad: hasFailures(endpoint) }
    ]))
  }
}

// Calls of users as code stand behind all sequences in a result, and in the order of their first use.
function byScenario (endpoints, scenarios) {
  const placeOf = ([, { scenario }]) => scenarios.findIndex(({ name }) => name === scenario)
  return [...endpoints.entries()].sort((one, other) => placeOf(one) - placeOf(other))
}

/** Lists each scenario: its sessions and its requests. */
function scenarioTable (runs) {
  const rows = runs.flatMap(({ name, result }) => result.scenarios.map((scenario) => [
    scenarioName(scenario.name),
    ...(runs.length > 1 ? [name] : []),
    { value: share(scenario.weight, result.scenarios), className: '' },
    scenario.sessions?.completed,
    bad(scenario.sessions?.failed),
    scenario.accounting?.completed,
    bad(scenario.errors),
    ...TIMES.map(([, key]) => timeOf(scenario, key)),
    { value: statusesOf(scenario), className: 'short' }
  ]))
  return {
    caption: 'Scenarios: kinds of users, and their shares of the sessions',
    isCaptionSeen: true,
    columns: [
      { name: 'Scenario' },
      ...(runs.length > 1 ? [{ name: 'Run' }] : []),
      { name: 'Share' },
      { name: 'Sessions', of: 'count' },
      { name: 'Failed', of: 'count', gives: 4 },
      { name: 'Requests', of: 'count', gives: 5 },
      { name: 'Errors', of: 'count', gives: 2 },
      ...TIMES.map(([name, , gives]) => ({ name, of: 'time', gives })),
      { name: 'Status codes' }
    ],
    rows
  }
}

function scenarioName (name) {
  const text = cleanName(typeof name === 'string' ? name : '')
  return { value: text, brief: shortened(text), className: 'long' }
}

function share (weight, scenarios) {
  const whole = scenarios.reduce((sum, scenario) => sum + (isNumber(scenario.weight) ? scenario.weight : 0), 0)
  return isNumber(weight) && whole > 0 ? percent(weight / whole) : NOTHING
}

const TIMES = [['p50', 'p50', 1], ['p99', 'p99'], ['Max', 'max', 3]]

// Messages have neither method nor path, so they are numbered.
function whatIs ({ title, method, path }, noun, index) {
  const request = noun === 'message' ? `Message ${index + 1}` : `${clean(method ?? '')} ${cleanUrl(path ?? '')}`.trim()
  const name = title ? cleanName(title) : request
  return { value: name, brief: shortened(name), detail: title ? request : '', className: 'long' }
}

function shortened (name, longest = LONGEST_NAME) {
  return name.length > longest ? `${name.slice(0, longest - 1)}…` : name
}

// Requests without a response took at least as long as they had waited, so a value from there on is a lower bound; after Ctrl-C, if it counts.
function timeOf (part, key) {
  const { latency, latencyBounds, interrupted } = part
  if (!(latency?.totalCount > 0)) return null
  const isBound = latencyBounds?.count > 0 && latency[key] >= latencyBounds.smallest
  return { value: latency[key], isBound: isBound && (interrupted === undefined || isMarked({ ...part, missing: {} }, key)) }
}

const statusesOf = ({ statusCodeStats }) => Object.entries(statusCodeStats ?? {}).filter(([code]) => /^\d{3}$/.test(code))
  .map(([code, stats]) => `${code}: ${count(stats?.count)}`).join(', ')

// Whether responses had a status that counts as a failure.
const hasFailures = ({ statusCodeStats, grpcStatus }) => Object.keys(grpcStatus ?? statusCodeStats ?? {}).some(isFailure)

/** Lists the checks of user code. */
function checkTable (runs) {
  const all = runs.flatMap(({ name, result }) => result.checks.map((check) => ({ run: name, ...check })))
  const hasScenarios = all.some(({ scenario }) => scenario)
  return {
    caption: 'Checks of the user function',
    isCaptionSeen: true,
    columns: [
      { name: 'Check' },
      ...(hasScenarios ? [{ name: 'Scenario' }] : []),
      ...(runs.length > 1 ? [{ name: 'Run' }] : []),
      { name: 'Passed', of: 'count' },
      { name: 'Failed', of: 'count' },
      { name: 'Share', of: 'figure' }
    ],
    rows: all.map(({ run, name, scenario, passed, failed }) => [
      nameCell(name),
      ...(hasScenarios ? [nameCell(scenario)] : []),
      ...(runs.length > 1 ? [run] : []),
      passed,
      bad(failed),
      passed + failed > 0 ? percent(passed / (passed + failed)) : NOTHING
    ])
  }
}

const nameCell = (name) => longCell(cleanName(name ?? ''), LONGEST_NAME)
const longCell = (text, longest) => ({ value: text, brief: shortened(text, longest), className: 'long' })

/** Lists why sessions of user code failed. */
function failureTable (runs) {
  const all = runs.flatMap(({ name, result }) => (result.sessions?.failures ?? []).map((failure) => ({ run: name, ...failure })))
  const hasScenarios = all.some(({ scenario }) => scenario)
  return {
    caption: 'Failed sessions by reason',
    isCaptionSeen: true,
    columns: [
      { name: 'Reason' },
      ...(hasScenarios ? [{ name: 'Scenario', gives: 2 }] : []),
      ...(runs.length > 1 ? [{ name: 'Run' }] : []),
      { name: 'Code', gives: 1 },
      { name: 'Sessions', of: 'count' }
    ],
    rows: all.map(({ run, message, code, scenario, count }) => [
      longCell(clean(message ?? ''), LONGEST_REASON),
      ...(hasScenarios ? [nameCell(scenario)] : []),
      ...(runs.length > 1 ? [run] : []),
      { value: clean(code ?? ''), className: 'short' },
      bad(count)
    ])
  }
}

/** Lists CPU and memory of monitored processes, usually the server. */
function processTable (runs) {
  const watched = runs.flatMap(({ name, result }) => watchedIn(result).map((entry) => ({ name, ...entry })))
  return {
    caption: 'CPU (percent of one core) and memory of the monitored processes',
    isCaptionSeen: true,
    columns: [
      { name: 'Process' },
      ...FIGURES.map(([name, , gives]) => ({ name: `CPU ${name}`, of: 'figure', gives })),
      ...FIGURES.map(([name, , gives]) => ({ name: `Memory ${name}`, of: 'figure', gives }))
    ],
    rows: watched.map(({ name, pid, processes, cpu, memory }) => [
      { value: `${runs.length > 1 ? `${name}, ` : ''}${pid}${processes > 1 ? ` and ${counted(processes - 1, 'child process', 'child processes')}` : ''}`, className: 'long' },
      ...FIGURES.map(([, key]) => Number.isFinite(cpu[key]) ? percent(cpu[key] / 100) : NOTHING),
      ...FIGURES.map(([, key]) => size(memory?.[key]))
    ])
  }
}

const FIGURES = [['50%', 'p50', 1], ['Avg', 'mean'], ['Max', 'max']]

/** Returns the monitored processes, without entries of a file that are not valid. */
function watchedIn ({ monitor }) {
  return monitor.filter((entry) => Number.isSafeInteger(entry.pid) && entry.cpu?.totalCount > 0)
}

/*
 * The tables that every report of a run shows unless they are empty, in the order in which texts show them. `section`: the title of the
 * section that they are in on pages. `option`: the print option that shows them on the terminal (see shown.js), if not the one
 * for all tables.
 */
const TABLES = [
  { table: scenarioTable, section: 'Sessions' },
  { table: endpointTable, section: 'Endpoints' },
  { table: checkTable, section: 'Sessions' },
  { table: failureTable, section: 'Sessions' }
]

module.exports = { TABLES, checkTable, endpointTable, failureTable, processTable, scenarioTable, watchedIn }

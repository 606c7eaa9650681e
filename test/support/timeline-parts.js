'use strict'

const CLASSES = ['2xx', '3xx', '4xx', '5xx']
const SESSIONS = ['scheduled', 'started', 'completed', 'failed']

const total = (numbers) => numbers.reduce((sum, each) => sum + each, 0)

/**
 * Checks that the samples of a run add up to its result, part by part: a part counts in each sample what happened in it, and nothing is in
 * no sample, or in two. What happened after the window is only in the result.
 *
 * @param {object} result of a run
 * @param {{ equal: function, true: function }} check see accounts.js
 * @param {boolean} hasDrained whether the run may have gone on after its window
 */
function checkTimelineParts (result, check, hasDrained) {
  // How an agent that was lost left its sessions is in no sample.
  const isWhole = result.incomplete === undefined
  const sums = { ...check, sum: (parts, whole, what) => hasDrained ? check.true(parts <= whole, `${what}: ${parts} of ${whole}`) : check.equal(parts, whole, what) }
  sums.sum(total(result.timeline.map(({ errors }) => errors)), result.errors, 'errors of the samples')
  checkStatuses(result, check)
  if (result.sessions && isWhole) checkSessions(result.timeline.map(({ sessions }) => sessions), result.sessions, sums, 'sessions')
  if (result.stream) sums.sum(total(result.timeline.map(({ stream }) => stream.events)), result.stream.events, 'events of the samples')
  if (result.scenarios && isWhole) checkScenarios(result, sums)
  if (result.checks) checkChecks(result, sums)
}

// Messages have no status.
function checkStatuses (result, { equal }) {
  if (result.messages) return
  for (const { time, statuses, requests } of result.timeline) equal(total(Object.values(statuses)), requests, `responses by status, at ${time} s`)
  if (result.drain.completed > 0) return
  for (const name of CLASSES) equal(total(result.timeline.map(({ statuses: { [name]: count = 0 } }) => count)), result[name], `${name} of the samples`)
}

function checkSessions (samples, sessions, { equal, sum }, what) {
  for (const name of SESSIONS) sum(total(samples.map(({ [name]: count }) => count)), sessions[name], `${what}: ${name} of the samples`)
  let open = 0
  for (const sample of samples) {
    open += sample.started - sample.completed - sample.failed
    equal(sample.open, open, `${what}: how many are open after a sample`)
  }
}

function checkScenarios ({ timeline, scenarios }, check) {
  const { equal, sum } = check
  scenarios.forEach(({ name, accounting, errors, sessions }, index) => {
    const samples = timeline.map(({ scenarios }) => scenarios[index])
    sum(total(samples.map(({ requests }) => requests)), accounting.completed, `${name}: responses of the samples`)
    sum(total(samples.map(({ errors }) => errors)), errors, `${name}: errors of the samples`)
    checkSessions(samples.map(({ sessions }) => sessions), sessions, check, name)
  })
  for (const sample of timeline) {
    const all = (pick) => total(sample.scenarios.map(pick))
    equal(all(({ requests }) => requests), sample.requests, `responses by scenario, at ${sample.time} s`)
    for (const name of [...SESSIONS, 'open']) equal(all(({ sessions }) => sessions[name]), sample.sessions[name], `sessions by scenario: ${name}, at ${sample.time} s`)
  }
}

function checkChecks ({ timeline, checks }, { sum }) {
  const made = timeline.flatMap((sample) => sample.checks)
  for (const { name, scenario, passed, failed } of checks) {
    const own = made.filter((check) => check.name === name && check.scenario === scenario)
    sum(total(own.map(({ passed }) => passed)), passed, `${name}: passed in the samples`)
    sum(total(own.map(({ failed }) => failed)), failed, `${name}: failed in the samples`)
  }
}

module.exports = checkTimelineParts

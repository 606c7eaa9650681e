'use strict'

const { evaluateThresholds } = require('../../..')
const { quota } = require('../../simulation/random/features/mixes')
const { unbalanced, violations } = require('../../support/accounts')

const ENDS = ['unsent', 'completed', 'failed', 'timedOut', 'unfinished']
// The column of a record.
const OUTCOME = 5
const BOXES = ['scheduled', 'unsent', 'sent', 'completed', 'failed', 'timedOut', 'unfinished']
// An agent ends its load within ten seconds of the last message it received, and the log's sample is written some turns later.
const LOAD_ENDS_WITHIN_S = 10.5
// Errors of a fleet that was absent, or incomplete, before anything was measured.
const OF_FLEET = new Set(['CANNONADE_AGENTS_MISSING', 'CANNONADE_AGENT_LOST', 'CANNONADE_REDIS_FAILED'])

const sum = (list, pick) => list.reduce((all, each) => all + pick(each), 0)
const codesOf = ({ warnings }) => warnings.map(({ code }) => code)

/**
 * Finds violations.
 *
 * @param {object} drawn see draw.js
 * @param {object} played see play.js
 * @returns {string[]} sentences; empty if everything is right
 */
function checkFleet (drawn, played) {
  const problems = []
  const must = (truth, what) => { if (!truth) problems.push(what) }
  const { answer, error, world } = played
  if (error !== null) must(OF_FLEET.has(error.code), `it failed: ${error.stack}`)
  checkLoad(played, must)
  must(world.leftovers.length === 0, `left over: ${world.leftovers.join(', ')}`)
  if (answer === null) return problems
  if (drawn.kind === 'run') checkRun(drawn, played, must)
  else checkStudy(drawn, played, must)
  return problems
}

// Agents that are cut off must end their load.
function checkLoad ({ world, endedAt, cuts }, must) {
  const last = Math.max(0, ...world.log.map(({ sentAt }) => (sentAt - world.begunAt) / 1e6))
  must(last <= Math.max(endedAt, ...cuts.map(({ at }) => at)) + LOAD_ENDS_WITHIN_S, `load goes on until ${last} s`)
}

// --- a run

function checkRun (drawn, { answer: result, world }, must) {
  const { options } = drawn
  // The number of connections that a warm-up hands over is unknown if agents were lost in it.
  for (const each of options.warmup === undefined ? violations(result) : unbalanced(result)) must(false, each)
  const { agents } = result.fleet
  for (const box of BOXES) must(sum(agents, ({ accounting }) => accounting[box]) === result.accounting[box], `${box} of all agents`)
  const lost = agents.filter(({ outcome }) => outcome === 'lost').length
  must((result.incomplete?.parts ?? 0) === lost, `${lost} agents were lost, and ${JSON.stringify(result.incomplete)} is told of`)
  must(codesOf(result).filter((code) => code === 'AGENT_LOST').length === lost, 'a warning for each of them')
  const sent = result.accounting.sent + (result.warmup?.accounting.sent ?? 0)
  if (lost === 0) must(world.log.length === sent, `the server saw ${world.log.length} requests, and ${sent} were sent`)
  else must(world.log.length >= sent, `the server saw ${world.log.length} requests, and ${sent} are told of`)
  if (lost === 0 && !hasEndedEarly(result)) checkWhole(drawn, result, must)
  checkOffered(drawn, result, must)
  checkVerdicts(result, lost, must)
  checkThresholds(options, result, lost, must)
  if (options.scenarios !== undefined) checkScenarios(drawn, result, world, lost, must)
  if (options.feed !== undefined) checkRows(options, world, must)
  if (options.record !== undefined) checkRecord(result, world.client.disk, options.record, lost, must)
}

// As many lines as requests of the result, without those that it says are missing.
function checkRecord ({ accounting, warnings }, disk, file, lost, must) {
  const outcomes = disk.read(file).split('\n').slice(1, -1).map((line) => line.split(',')[OUTCOME])
  const warning = warnings.find(({ code }) => code === 'RECORD_INCOMPLETE')
  const missing = warning === undefined ? 0 : parseInt(warning.message.replaceAll(',', ''))
  must(outcomes.length === accounting.scheduled - missing, `${outcomes.length} lines of ${accounting.scheduled} requests, and ${missing} are missing`)
  must(lost > 0 || missing === 0, `${missing} lines are missing, though no agent was lost`)
  for (const box of ENDS) {
    const count = outcomes.filter((outcome) => outcome === box).length
    must(lost > 0 ? count <= accounting[box] : count === accounting[box], `${count} lines are ${box}, and ${accounting[box]} requests`)
  }
}

const SUMS = { errors: ({ errors }) => errors, timeouts: ({ timeouts }) => timeouts, latencies: ({ latency }) => latency.totalCount, lifetimes: ({ sessions }) => sessions.lifetime.totalCount }
const SESSIONS = ['scheduled', 'unstarted', 'started', 'completed', 'failed', 'unfinished']

// The scenarios add up to the run, each has what the server saw of it, and sessions follow the mix over all agents and their threads.
function checkScenarios ({ options: { scenarios: mix, warmup, ...options } }, result, { log }, lost, must) {
  const { scenarios, sessions, timeline } = result
  const names = scenarios.map(({ name, weight }) => `${name} ${weight}`).join()
  must(names === mix.map(({ name, weight }) => `${name} ${weight}`).join(), `the scenarios are ${names}`)
  const isSum = (name, pick) => must(sum(scenarios, pick) === pick(result), `the scenarios have ${sum(scenarios, pick)} ${name}, and all together ${pick(result)}`)
  for (const [name, pick] of Object.entries(SUMS)) isSum(name, pick)
  for (const box of BOXES) isSum(box, ({ accounting }) => accounting[box])
  for (const box of SESSIONS) isSum(`sessions ${box}`, (each) => each.sessions[box])
  for (const sample of timeline) must(sum(sample.scenarios, ({ requests }) => requests) === sample.requests, `the scenarios of the sample at ${sample.time} s have not its ${sample.requests} requests`)
  for (const [index, { name, accounting }] of scenarios.entries()) {
    const seen = log.filter(({ path }) => path.startsWith(`/${index}/`))
    const read = seen.filter(({ receivedAt }) => receivedAt !== null)
    const isWhole = lost === 0 && warmup === undefined
    must(isWhole ? accounting.sent === seen.length : accounting.sent <= seen.length, `${name} has sent ${accounting.sent} of ${seen.length} that the server saw`)
    must(isWhole ? accounting.completed === read.length : accounting.completed <= read.length, `${name} has ${accounting.completed} of ${read.length} answers that were read`)
  }
  // In the closed model, each thread has a mix of its own.
  const isOpen = ['overallRate', 'stages', 'bursts'].some((name) => options[name] !== undefined)
  if (!isOpen || lost > 0 || hasEndedEarly(result)) return
  const kinds = quota(mix.map(({ weight }) => weight), sessions.scheduled)
  for (const [index, each] of scenarios.entries()) {
    const expected = kinds.filter((kind) => kind === index).length
    must(each.sessions.scheduled === expected, `${each.name} had ${each.sessions.scheduled} sessions of ${sessions.scheduled}, and not ${expected}`)
  }
}

// No row is used twice.
function checkRows ({ feed: { order, rows } }, { log }, must) {
  if (order !== 'once') return
  const paths = log.map(({ path }) => path)
  must(new Set(paths).size === paths.length && paths.length <= rows.length, `${paths.length} requests with ${new Set(paths).size} of ${rows.length} rows`)
}

function checkThresholds ({ thresholds = [], abortOnFail = false }, result, lost, must) {
  const isAborted = codesOf(result).includes('ABORTED_ON_FAIL')
  for (const { threshold, passed } of result.thresholds ?? []) {
    const most = threshold.endsWith('<= 3') ? 3 : 0
    const { errors } = threshold.startsWith('scenarios') ? result.scenarios[0] : result
    must(passed === (errors <= most && lost === 0), `${threshold} ${passed ? 'passed' : 'failed'} with ${errors} errors`)
    must(!isAborted || errors > most, `${threshold} has ended the run with ${errors} errors`)
  }
  must((result.thresholds?.length ?? 0) === thresholds.length, `${thresholds.length} thresholds`)
  must(!isAborted || abortOnFail, 'it ended early, although no threshold may end it')
}

const hasEndedEarly = (result) => ['STOPPED', 'ABORTED_ON_FAIL', 'AGENT_STOPPED', 'NO_USABLE_CONNECTION', 'REDIS_LOST'].some((code) => codesOf(result).includes(code))

// Nothing happened to the fleet, so it did what one machine would have, each agent its part.
function checkWhole ({ options }, result, must) {
  const { agents } = result.fleet
  const { amount, duration, connections, overallRate, arrivals, sessions, feed } = options
  // What is unsent has used no row.
  const rows = feed?.order === 'once' ? feed.rows.length + result.accounting.unsent : Infinity
  const most = Math.min(amount ?? Infinity, rows)
  if (amount !== undefined && options.bursts === undefined) must(result.accounting.sent + result.accounting.unsent === most, `${result.accounting.sent} of the ${most} were sent`)
  if (overallRate === undefined || arrivals === 'poisson' || sessions !== undefined) return
  // Requests are dealt to the connections in turn, and connections to the agents.
  const total = Math.min(most, duration === undefined ? Infinity : Math.ceil(overallRate * duration - 1e-9))
  const used = agents.filter(({ share }) => share !== null)
  const shares = used.map(() => 0)
  for (let number = 0; number < total; number++) shares[(number % connections) % used.length]++
  for (const { share, name, accounting } of used) must(accounting.scheduled === shares[share], `${name} had ${accounting.scheduled} requests of ${shares[share]}`)
}

function checkOffered ({ options }, result, must) {
  const { overallRate, sessions, feed } = options
  // A thread notices that there are no more rows when a request of its own would be due, later than others.
  const endsWithRows = feed?.order === 'once'
  if (overallRate === undefined || result.duration === 0 || endsWithRows || ['STOPPED', 'ABORTED_ON_FAIL'].some((code) => codesOf(result).includes(code))) return
  const { offered } = sessions === undefined ? result.rate : result.sessions.rate
  const tolerance = options.arrivals === 'poisson' ? 6 * Math.sqrt(overallRate / result.duration) + 2 : 1.5 / result.duration
  must(Math.abs(offered - overallRate) <= tolerance, `${offered} of ${overallRate} per second were offered`)
}

const UNKNOWN_IF_LOST = ['errors == 0', 'non2xx == 0', 'accounting.completed == 100%', 'p50 < 1h', 'p99 < 1h', 'latency.max < 1h', 'latency.mean < 1h', 'errorRate < 100%', 'generator.saturated == false']

function checkVerdicts (result, lost, must) {
  for (const { threshold, passed, certain } of evaluateThresholds(result, UNKNOWN_IF_LOST)) {
    if (lost > 0) must(!passed, `${threshold} has passed, though agents were lost`)
    else if (threshold === 'errors == 0') must(certain && passed === (result.errors === 0), `${threshold}: ${passed}`)
  }
  const [atLeast, moreThan] = evaluateThresholds(result, [`requests.total >= ${result.requests.total}`, `requests.total > ${result.requests.total}`])
  must(atLeast.passed, 'what was told of has happened')
  must(!moreThan.passed && moreThan.certain === (lost === 0), 'there may be more')
}

// --- a study

function checkStudy (drawn, played, must) {
  const { answer, runs } = played
  for (const run of runs.filter(({ result }) => result !== null)) checkMeasured(run, drawn, played, must)
  const codes = codesOf(answer)
  const isWhole = !['STOPPED', 'AGENT_LOST', 'OUT_OF_TIME'].some((code) => codes.includes(code)) && !['stop', 'agent lost'].includes(answer.stoppedBy)
  if (drawn.story.length === 0) must(isWhole && !codes.includes('RUN_REPEATED'), 'nothing happened, and it is not whole')
  if (drawn.kind === 'sweep') checkSweep(drawn, answer, isWhole, must)
  else if (drawn.kind === 'capacity') checkCapacity(drawn, answer, isWhole, must)
  else checkComparison(drawn, answer, isWhole, must)
}

// A measured run got the whole load, and nothing else.
function checkMeasured ({ result, begunAt, endedAt }, drawn, { world }, must) {
  const at = `the run from ${begunAt} s`
  must(result.incomplete === undefined && result.fleet.agents.every(({ outcome }) => outcome !== 'lost'), `${at} lost an agent, and counts`)
  must(!codesOf(result).some((code) => code === 'AGENT_STOPPED'), `an agent of ${at} left, and it counts`)
  const sent = world.log.filter(({ sentAt }) => (sentAt - world.begunAt) / 1e6 >= begunAt && (sentAt - world.begunAt) / 1e6 <= endedAt).length
  must(sent === result.accounting.sent, `${at} has sent ${result.accounting.sent} requests, and the server saw ${sent}`)
}

function checkSweep ({ capacity, settings }, { rows, stoppedBy }, isWhole, must) {
  for (const { demanded, targets: [{ keepsUp }] } of rows) must(keepsUp === (demanded < capacity), `${demanded} of ${capacity}: ${keepsUp ? '' : 'not '}kept up with`)
  must(rows.length === settings.rates.length || !isWhole, `${rows.length} rows`)
  must((stoppedBy === null) === isWhole, `ended by ${stoppedBy}`)
}

function checkCapacity ({ capacity, settings }, answer, isWhole, must) {
  for (const { rate, passed, limitedBy } of answer.steps) {
    if (rate <= 0.95 * capacity) must(passed, `${rate} of ${capacity} did not pass`)
    if (rate >= 1.05 * capacity) must(!passed, `${rate} of ${capacity} passed`)
    // Sleeping timers are up to a millisecond late.
    must(passed || ['server', 'both'].includes(limitedBy) || rate < 1.05 * capacity, `${rate} of ${capacity} was limited by ${limitedBy}`)
  }
  must(answer.capacity <= 1.05 * capacity, `a capacity of ${answer.capacity} of ${capacity}`)
  if (isWhole) must(answer.capacity >= capacity / (1 + settings.precision) - 1, `a capacity of only ${answer.capacity} of ${capacity}`)
}

function checkComparison ({ settings, load }, answer, isWhole, must) {
  const [first, second] = answer.sides
  must(first.runs === second.runs, `${first.runs} and ${second.runs} runs`)
  must(isWhole ? first.runs === settings.rounds : first.runs < settings.rounds || answer.runs.length === 2 * settings.rounds, `${first.runs} of ${settings.rounds} rounds`)
  must(!codesOf(answer).includes('AGENT_LOST') || answer.regressionVerdict === 'inconclusive', `${answer.regressionVerdict}, though it lost its fleet`)
  must(answer.verdict === 'no difference shown', `servers that are alike: ${answer.verdict}`)
  for (const { throughput } of answer.runs) must(throughput > 0.9 * load.overallRate, `${throughput} of ${load.overallRate} per second`)
}

module.exports = checkFleet

'use strict'

const { THOUSANDFOLD, counted, percent } = require('../../words/numbers')
const { silenceWarning } = require('../silence')
const { differingUsers } = require('./users')

// If the statuses of this share of responses differ, the servers may do different work.
const OTHER_WORK = 0.01
// If a comparison can't detect smaller differences than this, it warns.
const BLUNT = 0.2

/**
 * Returns the warnings of a comparison.
 *
 * @param {object[]} sides `{ name, isSaved, results, all }`: `all` includes invalid results, if there are any
 * @param {object} outcome `{ metrics, rounds, isStopped }`
 * @returns {{ code: string, message: string }[]}
 */
function warningsOf (sides, outcome) {
  return [stopped, incomplete, cutShort, silent, singleRuns, notInterleaved, saturated, otherWork, otherUsers, blunt, diagnosed, notDiagnosed].map((check) => check(sides, outcome)).filter(Boolean)
}

function stopped (sides, { isStopped, rounds }) {
  if (!isStopped) return null
  const done = Math.min(...sides.filter(({ isSaved }) => !isSaved).map(({ results }) => results.length))
  return { code: 'STOPPED', message: `The comparison was stopped after ${done} of ${rounds} rounds.` }
}

function diagnosed (sides) {
  const isDiagnosed = ({ results }) => results.some(({ diagnosis }) => Boolean(diagnosis))
  const profiled = sides.filter(isDiagnosed)
  if (profiled.length === 0) return null
  const others = sides.filter((side) => !isDiagnosed(side))
  const message = others.length === 0
    ? 'The servers ran under a profiler, which makes them slower: compare them without diagnose to know which of them is faster.'
    : `${namesOf(profiled)} ran under a profiler, which makes a server slower, and ${namesOf(others)} did not: the differences prove nothing.`
  return { code: 'DIAGNOSED', message }
}

function notDiagnosed (sides) {
  const missing = sides.flatMap(({ name, results }) => results.flatMap(({ warnings }) => (warnings ?? []).filter(({ code }) => code === 'NOT_DIAGNOSED').map(({ message }) => ({ name, message }))))
  if (missing.length === 0) return null
  const [{ name, message }] = missing
  return { code: 'NOT_DIAGNOSED', message: `${name}: ${message}` }
}

const namesOf = (sides) => sides.map(({ name }) => name).join(' and ')

function incomplete (sides) {
  const some = sides.map(({ name, results, all = results }) => ({ name, runs: all.length, count: all.filter((result) => !isWhole(result)).length })).filter(({ count }) => count > 0)
  if (some.length === 0) return null
  return { code: 'AGENT_LOST', message: `${some.map(ofRuns).join(', ')} lost agents of a fleet: they are excluded, and no regression check passes.` }
}

function cutShort (sides) {
  const some = sides.map(({ name, results }) => ({ name, runs: results.length, count: results.filter(wasCutShort).length })).filter(({ count }) => count > 0)
  if (some.length === 0) return null
  return { code: 'RUN_CUT_SHORT', message: `${some.map(ofRuns).join(', ')} ended early, as their warnings explain, so no regression check passes.` }
}

const ofRuns = ({ name, runs, count }) => `${count} of ${counted(runs, 'run')} of ${name}`

function silent (sides) {
  const nothing = sides.filter(({ results }) => isWithoutAnswer(results))
  if (nothing.length === 0) return null
  const words = nothing.map(({ name, results }) => silenceWarning(name, results[0], null).message)
  return { code: 'NO_ANSWER', message: `${words.join(' ')} There is nothing to compare.` }
}

/** Whether a side didn't respond in any run. @param {object[]} results */
function isWithoutAnswer (results) {
  return results.length > 0 && results.every(({ requests, stream }) => requests.total === 0 && !(stream?.events > 0))
}

function singleRuns (sides) {
  const single = sides.filter(({ results }) => results.length === 1)
  if (single.length === 0) return null
  const names = single.map(({ name }) => name).join(' and ')
  const isShort = single.some(({ results: [{ timeline }] }) => (timeline?.length ?? 0) < 2)
  const known = isShort
    ? 'which is too short to show even how much it varied within itself, so no difference can be shown'
    : 'so the intervals reflect only variation within that run'
  return {
    code: 'SINGLE_RUN',
    message: `There is one run of ${names}, ${known}. Two runs of the same server often differ by more than that, and by how much is unknown here, so no false alarm rate can be given. Compare several runs of each, taken in rounds.`
  }
}

function notInterleaved (sides) {
  if (sides.every(({ isSaved }) => !isSaved)) return null
  return {
    code: 'NOT_INTERLEAVED',
    message: 'The runs were not taken in turns, so any other difference between them (the machine, its other work, its temperature) counts as a difference between the servers.'
  }
}

function saturated (sides) {
  const runs = sides.flatMap(({ results }) => results)
  const count = runs.filter(({ generator }) => generator?.saturated).length
  if (count === 0) return null
  return {
    code: 'GENERATOR_SATURATED',
    message: `In ${count} of ${runs.length} runs the load generator was saturated. If it is slower than both servers, it hides the difference between them: use workers, or a fixed rate (overallRate).`
  }
}

function otherWork (sides) {
  const shares = sides.map(({ results }) => {
    const total = results.reduce((sum, { requests }) => sum + requests.total, 0)
    return total === 0 ? 0 : results.reduce((sum, { non2xx }) => sum + (non2xx ?? 0), 0) / total
  })
  const index = shares.findIndex((share) => Math.abs(share - shares[0]) > OTHER_WORK)
  if (index === -1) return null
  return {
    code: 'STATUS_DIFFERS',
    message: `${sides[index].name} answered ${percent(shares[index])} of its requests with a status other than 2xx, ${sides[0].name} ${percent(shares[0])}, so they may not have done the same work.`
  }
}

function otherUsers ([first, ...others]) {
  const sentences = others.flatMap(({ name, results }) => differingUsers(first.results, results).map(({ what, shares: [a, b] }) => {
    const so = b > a ? 'so no regression check passes' : 'so they may not have done the same work'
    return `${percent(b)} of the ${what} of ${name} failed, and ${percent(a)} of those of ${first.name}, ${so}.`
  }))
  return sentences.length === 0 ? null : { code: 'USERS_DIFFER', message: sentences.join(' ') }
}

// If a side didn't respond at all, more rounds wouldn't help.
function blunt (sides, { metrics: { throughput, p50 } }) {
  if (sides.some(({ results }) => isWithoutAnswer(results))) return null
  const smallest = Math.min(throughput.smallestDifference ?? Infinity, p50.smallestDifference ?? Infinity)
  if (smallest <= BLUNT || smallest === Infinity) return null
  const unseen = smallest < THOUSANDFOLD
    ? `Differences below ${percent(smallest)} were too small to detect in this comparison, in throughput and in p50.`
    : 'Even a 1,000-fold difference would have been too small to detect in this comparison, in throughput and in p50.'
  return { code: 'BLUNT', message: `${unseen} More or longer rounds, or a quieter machine, can detect smaller ones.` }
}

// Warnings which say that a run ended early, whatever its window.
const CUT_SHORT = new Set(['ABORTED_ON_FAIL', 'NO_USABLE_CONNECTION', 'AGENT_STOPPED'])
const AMOUNTS = ['amount', 'maxOverallRequests', 'maxConnectionRequests']

/**
 * Whether a result is a valid measurement: in a run that lost an agent of its fleet, the server had only a part of the load to bear,
 * for an unknown time.
 */
function isWhole ({ incomplete }) {
  return !incomplete
}

/**
 * Whether a run ended early. It measured the server, but only for a part of its time, and perhaps because the rest would have been
 * worse.
 *
 * @param {object} result of any version, or of another program
 */
function wasCutShort ({ warnings, options, duration }) {
  const codes = (Array.isArray(warnings) ? warnings : []).map((warning) => warning?.code)
  if (codes.some((code) => CUT_SHORT.has(code))) return true
  return codes.includes('STOPPED') && !isWholeWindow(options ?? {}, duration)
}

// If its window was complete, a run missed only its last responses, which are then lower bounds.
function isWholeWindow (options, duration) {
  const isOfTime = AMOUNTS.every((name) => !options[name]) && !options.sessions?.amount
  return isOfTime && duration >= options.duration
}

module.exports = { isWithoutAnswer, warningsOf, isWhole, wasCutShort }

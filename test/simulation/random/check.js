'use strict'

const { checkAccounts, checkBytes, checkEnd, checkLimits, checkStart } = require('./accounts')
const { awaitsHops, checkMismatches, checkTold } = require('./bodies')
const { checkCalls } = require('./calls')
const { checkConnections, checkPipelining, checkProxy } = require('./connections')
const checkEvents = require('./events')
const { checkHeaders, checkReplySizes, checkStreams, checkUploads } = require('./http2')
const { checkDeadlines, findDueTimes, sortOut, sortOutStreams } = require('./outcomes')
const checkLacking = require('./lacking')
const { Round } = require('./round')
const features = require('./features')
const { findSessionDues } = require('./session-dues')
const checkSessions = require('./sessions')
const { checkAddedUp, checkWays } = require('./ways')
const { checkEndpoints, checkWalk } = require('./walks')
const { checkServiceTimes, checkTimes } = require('./times')

/**
 * Checks the invariants of every world: computes the expected results from the world's log alone, and compares them with the run's.
 *
 * @param {object} drawn
 * @param {object} played see `playWorld`
 * @returns {string[]} violations
 */
function checkWorld (drawn, played) {
  const { world, rounds, warmups, told, error } = played
  const problems = []
  const must = (isTrue, sentence) => { if (!isTrue) problems.push(sentence) }
  if (error) problems.push(`it ended with an error: ${error.stack}`)
  must(world.leftovers.length === 0, `something is left: ${world.leftovers.join(', ')}`)
  if (drawn.opts.http2) {
    checkStreams(drawn, world, must)
    checkUploads(drawn, world, must)
    checkHeaders(drawn, world, told, must)
  } else if (drawn.messages === undefined) {
    checkPipelining(drawn, world, must)
  }
  if (drawn.proxy !== undefined) checkProxy(drawn, world, must)
  for (const warmup of warmups) {
    const round = new Round(asWarmup(drawn), world, warmup, must)
    if (warmup.result === undefined) round.messages?.hear()
    else check(warmup.seen = round)
  }
  for (const round of rounds) {
    if (round.result === undefined) must(error, 'a round has no result')
    else check(round.seen = new Round(drawn, world, round, must))
  }
  if (drawn.walk !== undefined) checkWalk(drawn, world, must)
  checkWays(drawn, world, [...warmups, ...rounds], must)
  if (!awaitsHops(drawn)) checkTold(drawn, world, told, must)
  checkFeatures(drawn, played, problems)
  return problems
}

// Each check names what is wrong.
function checkFeatures (drawn, played, problems) {
  const { error, rounds, warmups } = played
  const complete = [...warmups, ...rounds].map(({ seen }) => seen).filter((round) => round !== undefined)
  for (const feature of features) {
    if (error || !feature.isIn(drawn)) continue
    const must = (isTrue, sentence) => { if (!isTrue) problems.push(`${feature.name}: ${sentence}`) }
    for (const round of feature.check === undefined ? [] : complete) {
      round.must = must
      feature.check(round)
    }
    feature.checkWorld?.(drawn, { ...played, complete }, must)
  }
}

// The load of a warm-up; the run's limits don't apply to it.
function asWarmup (drawn) {
  const { amount, maxOverallRequests, maxConnectionRequests, bailout, drain, ...opts } = drawn.opts
  const sessions = opts.sessions && { ...opts.sessions, amount: undefined }
  return { ...drawn, opts: { ...opts, ...opts.warmup, sessions } }
}

function check (round) {
  checkRound(round)
  checkLacking(round)
  checkBytes(round)
  checkAddedUp(round)
  if (round.drawn.opts.http2) checkReplySizes(round)
  // By now the outcome of each request is known.
  if (round.drawn.walk !== undefined) checkEndpoints(round)
}

// The expected results, computed step by step.
function checkRound (round) {
  const { sessions } = round.plan
  // First, since a message's deadline counts from its due time.
  if (round.knowsDueTimes && sessions === null && !round.hasRefusals) findDueTimes(round)
  round.messages?.hear()
  checkAccounts(round)
  checkStart(round)
  if (round.plan.stream !== null) checkEvents(round)
  round.messages?.check()
  if (!awaitsHops(round.drawn)) checkMismatches(round)
  if (round.drawn.calls !== undefined) checkCalls(round)
  if (sessions === null) checkEnd(round)
  else checkSessions(round)
  if (round.hasRefusals) {
    checkServiceTimes(round)
    checkConnections(round)
    return
  }
  if (round.knowsDueTimes && sessions !== null) findSessionDues(round)
  const isKnown = round.knowsDueTimes || !round.hasDueTimes
  if (isKnown) {
    if (round.drawn.opts.http2) sortOutStreams(round)
    else sortOut(round)
    checkDeadlines(round)
  }
  checkTimes(round)
  checkConnections(round)
  if (sessions === null) checkLimits(round)
  if (round.messages !== null && isKnown) round.messages.checkLastCopies()
}

module.exports = checkWorld

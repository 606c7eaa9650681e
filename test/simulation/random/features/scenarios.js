'use strict'

const { evaluateThresholds } = require('../../../..')
const Feed = require('../../../../lib/engine/deal/feed')
const SessionLoop = require('../../../../lib/engine/loops/sessions/session-loop')
const Visit = require('../../../../lib/engine/loops/sessions/visit')
const MixedRecorder = require('../../../../lib/metrics/mixed-recorder')
const Arrivals = require('../arrivals')
const connectionOf = require('../connection-of')
const { awaitsHops, isWrong, mayEndInHook } = require('../bodies')
const groups = require('../groups')
const { statusOf, us } = require('../round')
const { checkKinds, checkPrefixes, WEIGHTS } = require('./mixes')
const { inBursts } = require('../walks')
const { drawBursts } = require('./fail-on')
const { drawChain } = require('./redirects')
const defectIn = require('./plant')

const ROUNDED_MS = 1e-6

/** Sessions of several kinds, each with its own requests. */
function draw (dice, drawn) {
  const { opts, messages, calls, bodies, walk, mix, stream } = drawn
  const isTaken = [messages, calls, bodies, walk, mix, opts.feed, opts.followRedirects].some((each) => each !== undefined) || stream !== null
  if (opts.sessions !== undefined && !isTaken && dice.happens(0.6)) drawMix(dice, drawn)
}

function drawMix (dice, drawn) {
  const { opts } = drawn
  // The product refuses both: each scenario has its own calls, and their rows would not end together.
  delete opts.sessions.calls
  delete opts.feed
  drawn.mix = Array.from({ length: dice.whole(1, 4) }, () => ({
    weight: dice.one(...WEIGHTS),
    steps: dice.whole(1, 3),
    ...(dice.happens(0.3) && { calls: dice.whole(1, 5) })
  }))
  for (const scenario of drawn.mix) if (dice.happens(0.3)) scenario.thinkTime = dice.one(0, dice.whole(1, 50) / 1000, [0.001, 0.05], { mean: 0.02 })
  if (dice.happens(0.5)) for (const scenario of drawn.mix) scenario.titles = Array.from({ length: scenario.steps }, () => dice.one('first', 'second', undefined))
  if (dice.happens(0.3)) {
    opts.followRedirects = dice.whole(1, 3)
    drawn.chain = { ...drawChain(dice, opts), isMixed: true }
  } else if (dice.happens(0.4)) {
    for (const scenario of drawn.mix) scenario.bursts = drawBursts(dice, scenario.steps)
  }
  if (dice.happens(0.3)) opts.feed = { rows: dice.whole(1, 40), order: dice.one('sequential', 'sequential', 'random') }
}

const nameOf = (index) => index % 2 === 0 ? `scenario${index}` : `scenario ${index}`

/** The first part of a path is the number of its scenario. */
const scenarioIn = ({ path }) => Number(path.replace(/^http:\/\/[^/]+/, '').split('/')[1])

function optionsOfScenarios (mix, hasRows, hooks) {
  return {
    scenarios: mix.map(({ weight, steps, calls, titles, thinkTime, bursts }, index) => ({
      name: nameOf(index),
      weight,
      calls,
      thinkTime,
      requests: inBursts(Array.from({ length: steps }, (_, step) => ({ path: `/${index}/${step}${hasRows ? '/{{id}}' : ''}`, ...(titles?.[step] !== undefined && { title: titles[step] }), ...hooks })), bursts)
    }))
  }
}

/** Each scenario has its own requests and outcomes, their sums are the totals, and sessions follow the mix. */
function check (round) {
  const { drawn: { mix }, log, whole, must, result } = round
  const { scenarios } = result
  must(scenarios.length === mix.length && scenarios.every(({ name, weight }, index) => name === nameOf(index) && weight === mix[index].weight), 'the scenarios are others')
  if (!round.hasRefusals) {
    for (const [index, { name, accounting }] of scenarios.entries()) {
      const isMine = (entry) => scenarioIn(entry) === index
      must(accounting.sent === log.filter(isMine).length, `${name} has sent ${accounting.sent}, but ${log.filter(isMine).length} were seen`)
      must(accounting.completed === whole.filter(isMine).length, `${name} has ${accounting.completed} answers, but ${whole.filter(isMine).length} were read`)
    }
  }
  if (!round.hasRefusals && mix[0].titles !== undefined && round.drawn.chain === undefined) checkEndpoints(round)
  checkSums(round)
  checkSamples(round)
  if (!round.hasRefusals) checkOutcomes(round)
  if (!round.hasRefusals && round.knowsDueTimes) checkMix(round)
  if (!round.hasRefusals && round.drawn.opts.feed !== undefined) checkRows(round)
}

// Requests of one title are one endpoint of their scenario, and a threshold is on all endpoints of its title.
function checkEndpoints ({ drawn: { mix }, whole, must, result }) {
  const stepIn = ({ path }) => path.split(`/${scenarioIn({ path })}/`)[1].split('/')[0]
  const answered = groups(whole, (entry) => `${scenarioIn(entry)} ${stepIn(entry)}`)
  const expected = mix.flatMap(({ steps, titles }, scenario) => {
    const each = Array.from({ length: steps }, (_, step) => ({ scenario: nameOf(scenario), title: titles[step], completed: answered.get(`${scenario} ${step}`)?.length ?? 0 }))
    return [...groups(each, ({ title }) => title ?? {}).values()].map((those) => ({ ...those[0], completed: those.reduce((sum, { completed }) => sum + completed, 0) }))
  })
  const said = result.endpoints.map(({ scenario, title, completed }) => ({ scenario, title, completed }))
  must(JSON.stringify(said) === JSON.stringify(expected), `the endpoints are ${JSON.stringify(said)}, and not ${JSON.stringify(expected)}`)
  const counts = expected.filter(({ title }) => title === 'first').map(({ completed }) => completed)
  if (counts.length === 0) return
  const least = Math.min(...counts)
  const verdicts = evaluateThresholds(result, [`endpoints.first.completed >= ${least}`, `endpoints.first.completed > ${least}`]).map(({ passed }) => passed)
  must(verdicts[0] && !verdicts[1], `with ${counts} answers to requests of one title, at least ${least} has ${verdicts[0] ? '' : 'not '}passed, and more ${verdicts[1] ? '' : 'not '}passed`)
}

// Each scenario walks through the rows on its own, and the run continues where the warm-up was.
function checkRows ({ drawn: { opts, mix, threads }, sockets, log, must, result }) {
  const { rows, order } = opts.feed
  const rowOf = ({ path }) => Number(path.split('/').at(-1))
  const visits = [...groups(sockets, (socket) => connectionOf(socket).script.visit).keys()].sort((one, other) => one.number - other.number)
  const sent = groups(log.filter(({ path }) => !path.includes('/hop/')), ({ socket }) => connectionOf(socket).script.visit)
  const begun = mix.map(() => [])
  for (const visit of visits) {
    const [first, ...others] = sent.get(visit) ?? []
    if (first === undefined) continue
    begun[scenarioIn(first)].push(rowOf(first))
    must(rowOf(first) < rows && others.every((entry) => rowOf(entry) === rowOf(first)), `a session had other rows than ${rowOf(first)} of ${rows}`)
  }
  // A session that sent nothing may be of any scenario, and may not even have had a connection. Threads have rows of their own.
  if (order !== 'sequential' || sent.size < result.sessions.started || opts.warmup !== undefined || threads !== undefined) return
  for (const [index, said] of begun.entries()) must(said.every((row, place) => row === place % rows), `${nameOf(index)} had the rows ${said} of ${rows}`)
}

function checkSums ({ must, result }) {
  const { scenarios } = result
  const isSum = (name, pick) => {
    const sum = scenarios.reduce((total, scenario) => total + (pick(scenario) ?? 0), 0)
    must(Math.abs(sum - pick(result)) < ROUNDED_MS, `the scenarios have ${sum} ${name}, and all together ${pick(result)}`)
  }
  for (const box of Object.keys(result.accounting)) isSum(box, ({ accounting }) => accounting[box])
  for (const box of ['scheduled', 'unstarted', 'started', 'completed', 'failed', 'unfinished']) isSum(`sessions ${box}`, ({ sessions }) => sessions[box])
  isSum('errors', ({ errors }) => errors)
  for (const code of Object.keys(result.statusCodeStats)) isSum(`answers of ${code}`, ({ statusCodeStats }) => statusCodeStats[code]?.count)
  for (const figure of ['latency', 'serviceTime']) {
    isSum(`values of ${figure}`, ({ [figure]: { totalCount } }) => totalCount)
    isSum(`ms of ${figure}`, ({ [figure]: { total } }) => total)
  }
  isSum('bounds', ({ latencyBounds: { count } }) => count)
  isSum('missing latencies', ({ missing: { latency } }) => latency?.count ?? 0)
  isSum('lifetimes', ({ sessions: { lifetime } }) => lifetime.totalCount)
}

// Of each sample.
function checkSamples ({ must, result: { timeline } }) {
  for (const sample of timeline) {
    const isSum = (name, pick) => {
      const sum = sample.scenarios.reduce((total, scenario) => total + pick(scenario), 0)
      must(sum === pick(sample), `the scenarios have ${sum} ${name} in the sample until ${sample.time} s, and all together ${pick(sample)}`)
    }
    for (const name of ['requests', 'errors']) isSum(name, ({ [name]: count }) => count)
    for (const name of Object.keys(sample.sessions)) isSum(`sessions ${name}`, ({ sessions }) => sessions[name])
  }
}

// What became of the requests and sessions of each scenario, and how long they took.
function checkOutcomes (round) {
  const { must, whole, counted, failed, timedOut, unfinished, unsent, visits, drawn: { bodies, hooks, opts }, result: { scenarios } } = round
  const timeOf = (dueAt) => ({ receivedAt }) => us(receivedAt / 1000 - dueAt)
  for (const [index, scenario] of scenarios.entries()) {
    const { name, accounting, sessions } = scenario
    const isMine = (entry) => scenarioIn(entry) === index
    const statuses = Object.fromEntries([...groups(whole.filter(isMine), ({ answer }) => statusOf(answer))].map(([status, { length }]) => [status, length]))
    const said = Object.fromEntries(Object.entries(scenario.statusCodeStats).map(([status, { count }]) => [status, count]))
    must(JSON.stringify(said) === JSON.stringify(statuses), `${name} has the statuses ${JSON.stringify(said)}, and not ${JSON.stringify(statuses)}`)
    round.same(`serviceTime of ${name}`, scenario.serviceTime, counted.filter(isMine).map((entry) => timeOf(entry.sentAt / 1000)(entry)))
    if (bodies !== undefined && !awaitsHops(round.drawn) && opts.bailout === undefined && hooks.verifyBody?.sleep === undefined) {
      const wrong = whole.filter((entry) => isMine(entry) && isWrong(entry, bodies)).length
      must(scenario.mismatches === wrong, `${name} has ${scenario.mismatches} mismatches, and not ${wrong}`)
    }
    if (failed === undefined) continue
    const boxes = { failed, timedOut, unfinished }
    for (const [box, entries] of Object.entries(boxes)) {
      const mine = entries.filter(isMine).length
      must(accounting[box] === mine, `of ${name} were ${accounting[box]} ${box}, but the world saw ${mine}`)
    }
    // Of sessions that gave up while the thread was blocked, it is unknown which they were.
    if (!round.knowsDueTimes || unsent.some(({ scenario: which }) => which === undefined)) continue
    const waited = unsent.filter((each) => each.scenario === index)
    must(accounting.unsent === waited.length, `of ${name} were ${accounting.unsent} unsent, and not ${waited.length}`)
    const bounds = [...timedOut.filter(isMine).map(() => us(round.timeout)), ...[...unfinished.filter(isMine), ...waited].map(({ dueAt, until, part }) => us(Math.min((until ?? part.finishedAt) - dueAt, round.timeout)))]
    const services = counted.filter(isMine).map((entry) => timeOf(entry.sentAt / 1000)(entry))
    round.same(`latency of ${name}`, scenario.latency, round.plan.ignoreCoordinatedOmission ? services : [...counted.filter(isMine).map((entry) => timeOf(entry.dueAt)(entry)), ...bounds])
    // If a run ends with the last response of a session, its end may not count any more.
    if (mayEndInHook(round) || visits.some(({ isDone, leftAt, part }) => isDone && leftAt >= part.finishedAt - ROUNDED_MS)) continue
    const done = visits.filter((visit) => visit.isDone && visit.scenario === index)
    must(sessions.completed === done.length, `${name} has ${sessions.completed} completed sessions, and not ${done.length}`)
    round.same(`lifetime of ${name}`, sessions.lifetime, done.map(({ leftAt, dueAt }) => us(leftAt - dueAt)))
  }
}

// The scenario of sessions that sent nothing is unknown.
function checkMix (round) {
  const { drawn: { mix, opts, seed }, log, must, parts, plan, result } = round
  const weights = mix.map(({ weight }) => weight)
  const kinds = [...groups(log, ({ socket }) => connectionOf(socket).script.visit)].map(([visit, [entry]]) => ({ visit, kind: scenarioIn(entry), part: entry.part }))
  if (plan.schedule === null) {
    for (const part of parts) {
      const list = Array.from({ length: part.phase.loop.begun }, () => [null])
      const { share, of } = part.phase.pool.part
      for (const { visit, kind } of kinds.filter((each) => each.part === part)) list[(visit.number - share) / of] = [kind]
      checkKinds(weights, list, must)
    }
    return
  }
  const arrivals = new Arrivals({ ...opts, amount: plan.sessions.amount ?? undefined }, seed)
  const together = []
  for (let number = 0; number < result.sessions.scheduled; number++) {
    const at = arrivals.at(number)
    if (together.length > 0 && at - together.at(-1).at < ROUNDED_MS) together.at(-1).those.push(null)
    else together.push({ at, those: [null] })
  }
  for (const { visit, kind, part } of kinds) {
    const group = together.find(({ at }) => Math.abs(part.begunAt + at - visit.dueAt) < ROUNDED_MS)
    const place = group?.those.indexOf(null) ?? -1
    if (place !== -1) group.those[place] = kind
  }
  const known = together.map(({ those }) => those)
  // Threads may have ended at different times, so some of the last arrivals may be missing.
  if (parts.length === 1) checkPrefixes(weights, known, must)
  if (parts.length === 1) checkKinds(weights, known, must)
}

const defects = {
  'a session that never began, of the first scenario whichever it was': defectIn(SessionLoop, 'takeScenario', (original) => function () {
    original.call(this)
    return this.mix === null ? null : 0
  }),
  'a failure that its scenario does not hear of': defectIn(MixedRecorder, 'failedRequest', () => function (...args) {
    Object.getPrototypeOf(MixedRecorder.prototype).failedRequest.apply(this, args)
  }),
  'scenarios that share their rows': defectIn(Feed, 'next', (original) => function () { return original.call(this, 0) },
    ({ mix, opts }) => mix?.length > 1 && opts.feed?.order === 'sequential'),
  'a body that is not as expected, counted for the scenario behind its own': defectIn(MixedRecorder, 'mismatchedOf', (original) => function (scenario) {
    original.call(this, (scenario + 1) % this.scenarios.length)
  }, ({ mix, bodies }) => mix?.length > 1 && bodies !== undefined),
  'a request that timed out, counted for the first scenario': defectIn(MixedRecorder, 'timedOutRequest', () => function (endpoint, ...rest) {
    Object.getPrototypeOf(MixedRecorder.prototype).timedOutRequest.call(this, endpoint, ...rest)
    this.ofScenario(0).timedOutRequest(endpoint, ...rest)
  }, ({ mix }) => mix?.length > 1),
  'an unsent request of another scenario': defectIn(MixedRecorder, 'unsentOf', (original) => function (scenario, ...rest) {
    original.call(this, (scenario + 1) % this.scenarios.length, ...rest)
  }, ({ mix }) => mix?.length > 1),
  'a session that lasts until the hooks of its last response are done': defectIn(Visit, 'complete', (original) => function (now) {
    this.answeredAt = now
    original.call(this, now)
  }, ({ mix, hooks }) => mix !== undefined && hooks.onResponse?.hold !== undefined),
  'an answer that is counted for the scenario behind its own': defectIn(MixedRecorder, 'ofEndpoint', () => function (endpoint) {
    return this.ofScenario((this.scenarioOf[endpoint] + 1) % this.scenarios.length)
  }, ({ mix }) => mix?.length > 1)
}

module.exports = { name: 'scenarios', draw, isIn: ({ mix }) => mix !== undefined, drawMix, optionsOfScenarios, scenarioIn, check, defects }

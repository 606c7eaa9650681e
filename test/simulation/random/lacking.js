'use strict'

const { evaluateThresholds } = require('../../..')
const { isInterrupted, possiblyCutOff } = require('./interruption')
const { us } = require('./round')

const PERCENTILES = { p10: 10, p50: 50, p90: 90, p99: 99 }
const SELDOM = 10
// An hour is longer than any world.
const NEVER = '1h'

/**
 * The missing values of times: of each request that had not reached a point when its deadline passed, or the open model ended; in the
 * closed model of requests in flight at the end that were older than the slowest response.
 *
 * @param {Round} round whose outcomes may be known
 */
function checkLacking (round) {
  const { accounting, missing = {}, sendDelay, latency, latencyBounds } = round.result
  const { timedOut, failed, unfinished, unsent } = accounting
  const countOf = (name) => missing[name]?.count ?? 0
  round.must(countOf('sendDelay') === unsent && countOf('clientDelay') === unsent && countOf('waitDelay') === unsent, `${countOf('sendDelay')} send delays are missing of ${unsent} that were never sent`)
  checkInterrupted(round)
  if (unsent > 0) verdicts(round, 'sendDelay', sendDelay.totalCount, unsent)
  verdicts(round, 'latency', latency.totalCount - latencyBounds.count, latencyBounds.count + countOf('latency'))
  const isOpen = round.isOpen || round.plan.sessions !== null
  const least = timedOut + (isOpen ? unfinished : 0)
  const most = timedOut + failed + unfinished
  for (const name of ['serviceTime', 'transferTime']) {
    round.must(countOf(name) >= least && countOf(name) <= most, `${countOf(name)} of ${name} are missing, and not from ${least} to ${most}`)
    verdicts(round, name, round.result[name].totalCount, countOf(name))
  }
  if (round.plan.stream !== null) {
    round.must(countOf('eventGap') >= least, `${countOf('eventGap')} gaps are missing, and not ${least}`)
    verdicts(round, 'stream.gap', round.result.stream.gap.totalCount, countOf('eventGap'))
  }
  verdicts(round, 'timeToFirstByte', round.result.timeToFirstByte.totalCount, countOf('timeToFirstByte'))
  if (round.timedOut !== undefined) checkEach(round, missing, isOpen)
}

// In the open model, what a person cut off is what was in flight or waiting when the run was stopped.
function checkInterrupted (round) {
  const { result, drawn, plan, parts, isOpen, unfinished, must } = round
  const { accounting, interrupted, warnings, environment } = result
  // A warm-up does not warn.
  const isStopped = environment === undefined
    ? interrupted !== undefined && drawn.end !== null
    : warnings.some(({ code, message }) => code === 'STOPPED' && message.startsWith('The run was stopped'))
  must(!isStopped || environment === undefined || !isWhole({ result, drawn, plan }), 'the run was stopped, it says, and nothing was cut off')
  const { serviceTime, sendDelay, latency } = Object.fromEntries(['serviceTime', 'sendDelay', 'latency'].map((name) => [name, interrupted?.[name]?.count ?? 0]))
  // Without the outcome of each request, it is unknown whose thread it was.
  const ways = new Set(parts.map((part) => isInterrupted(round, part)))
  const all = accounting.unfinished
  const possible = unfinished !== undefined ? possiblyCutOff(round, unfinished).map(({ length }) => length) : [...(ways.has(true) && ways.size === 1 ? [] : [0]), ...(ways.has(false) && ways.size === 1 ? [] : [all])]
  const isAny = isStopped && (isOpen || plan.sessions !== null)
  const [least, most] = isAny ? [Math.min(...possible), Math.max(...possible)] : [0, 0]
  must(serviceTime >= least && serviceTime <= most, `${serviceTime} requests were cut off by a person, and not ${least} to ${most}`)
  must(sendDelay <= (isStopped ? accounting.unsent : 0), `${sendDelay} requests were waiting when a person stopped the run, of ${accounting.unsent} that were never sent`)
  must(latency === serviceTime + (plan.ignoreCoordinatedOmission ? 0 : sendDelay), `${latency} latencies were cut off by a person`)
}

// Everything was sent and answered. Sessions may be thinking, and copies on their way.
function isWhole ({ result: { accounting: { sent, unsent, unfinished }, duration }, drawn: { messages }, plan }) {
  if (unsent + unfinished > 0 || plan.sessions !== null || messages?.expect === 'broadcast') return false
  return plan.amount === null ? duration > plan.duration : sent >= plan.amount
}

// The outcome of each request is known, and so is the minimum time of each.
function checkEach (round, missing, isOpen) {
  const { must, counted } = round
  const late = [
    ...round.timedOut.map((entry) => [entry, Math.min(entry.endedAt, round.startOf(entry) + round.timeout)]),
    ...round.failed.filter(({ isOfUnknownTime }) => isOfUnknownTime).map((entry) => [entry, entry.endedAt]),
    ...(isOpen ? round.unfinished.map((entry) => [entry, entry.part.finishedAt]) : [])
  ]
  const longest = counted.reduce((most, { receivedAt, sentAt }) => Math.max(most, us(receivedAt / 1000 - sentAt / 1000)), -1)
  const ageOf = ({ sentAt, part }) => us(part.finishedAt - sentAt / 1000)
  const old = isOpen ? [] : round.unfinished.filter((entry) => ageOf(entry) > longest)
  same(must, 'serviceTime', missing.serviceTime, [...late.map(([{ sentAt }, until]) => us(until - sentAt / 1000)), ...old.map(ageOf)])
  if (round.result.interrupted?.serviceTime !== undefined) checkAges(round, counted.map(({ receivedAt, sentAt }) => us(receivedAt / 1000 - sentAt / 1000)), possiblyCutOff(round, round.unfinished).map((entries) => entries.map(ageOf)))
  const transfers = missing.transferTime?.count ?? 0
  must(transfers >= late.length + old.length, `${transfers} of transferTime are missing, and not ${late.length + old.length}`)
  // A part of a response may not have been the beginning of a status line. For messages, the world only records complete ones.
  const silent = round.messages !== null ? 0 : late.filter(([{ firstByteAt }]) => firstByteAt === null).length
  const begun = late.length - silent + (isOpen ? 0 : round.unfinished.length)
  const firstBytes = missing.timeToFirstByte?.count ?? 0
  must(firstBytes >= silent && firstBytes <= silent + begun, `${firstBytes} first bytes are missing, and not ${silent}, or up to ${begun} more`)
  const came = round.result.timeToFirstByte.totalCount - counted.length
  const all = late.length + (isOpen ? 0 : round.unfinished.length)
  must(firstBytes + came <= all && (round.plan.excludeErrorStats || firstBytes + came >= late.length), `of ${late.length} requests that were given up, ${firstBytes} first bytes are missing and ${came} are known`)
  if (round.plan.stream === null) return
  const without = late.filter(([{ eventsAt = [] }]) => eventsAt.length === 0).length
  const firstEvents = missing.timeToFirstEvent?.count ?? 0
  must(firstEvents >= without && firstEvents <= without + (isOpen ? 0 : round.unfinished.length), `${firstEvents} first events are missing, and not ${without}`)
}

function same (must, name, told, values) {
  const expected = numbersOf(values)
  const said = toldIn(told)
  must(JSON.stringify(said) === JSON.stringify(expected), `of ${name} ${JSON.stringify(said)} are missing, and not ${JSON.stringify(expected)}`)
}

const numbersOf = (values) => values.length === 0 ? undefined : { count: values.length, smallest: values.reduce((a, b) => Math.min(a, b)), largest: values.reduce((a, b) => Math.max(a, b)), total: values.reduce((sum, value) => sum + value, 0) }

const toldIn = (told) => told && { count: told.count, ...Object.fromEntries(['smallest', 'largest', 'total'].map((key) => [key, Math.round(told[key] * 1000)])) }

// Of requests that a person cut off, a percentile counts those that are older than it is without any of them; the greatest time and the
// mean are unknown if one is older.
function checkAges (round, values, possible) {
  const { result } = round
  const isTold = (ages) => JSON.stringify(toldIn(result.interrupted.serviceTime)) === JSON.stringify(numbersOf(ages))
  const ages = possible.find(isTold) ?? possible[0]
  same(round.must, 'serviceTime (cut off)', result.interrupted.serviceTime, ages)
  const lacking = result.missing.serviceTime.count - ages.length
  const sorted = values.toSorted((a, b) => a - b)
  const countOlder = (value) => ages.filter((age) => age > value).length
  const isKnown = (value, percent) => rankIn(percent, values.length + lacking + countOlder(value)) <= values.length
  // Values of one bucket of a histogram cannot be told apart.
  const expected = Object.entries(PERCENTILES).flatMap(([name, percent]) => {
    const value = sorted[rankIn(percent, values.length + lacking) - 1] ?? Infinity
    const verdicts = [0.998, 1.002].map((blur) => isKnown(value * blur, percent))
    return verdicts[0] === verdicts[1] ? [[name, verdicts[0]]] : []
  })
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  expected.push(['max', lacking === 0 && ages.every((age) => age < sorted.at(-1))], ['mean', lacking === 0 && ages.every((age) => age < mean)])
  if (values.length === 0) return
  evaluateThresholds(result, expected.map(([name]) => `serviceTime.${name} < ${NEVER}`)).forEach(({ threshold, passed }, index) => {
    round.must(passed === expected[index][1], `${threshold} has ${passed ? '' : 'not '}passed, with ${values.length} values, ${lacking} that are missing and ${ages.length} that were cut off`)
  })
}

const rankIn = (percent, count) => Math.max(1, Math.ceil(percent / 100 * count - 1e-9))

// A threshold passes if it would with each missing value infinite, and only if it would with those infinite that no person cut off.
function verdicts (round, place, known, lacking) {
  // If nothing is missing there is little to check, and each verdict decodes a histogram.
  if (known === 0 || (lacking === 0 && round.drawn.seed % SELDOM !== 0)) return
  const isNothing = round.result.accounting.completed === 0
  const cutOff = round.result.interrupted?.[place === 'stream.gap' ? 'eventGap' : place]?.count ?? 0
  // Each verdict on a percentile decodes a histogram, so a world has half of them.
  const percentiles = Object.entries(PERCENTILES).filter((_, index) => index % 2 === Math.floor(round.drawn.seed / SELDOM) % 2)
  const passesWith = (count) => ({
    ...Object.fromEntries(percentiles.map(([name, percent]) => [name, rankIn(percent, known + count) <= known])),
    ...Object.fromEntries(['max', 'mean', 'stddev'].map((name) => [name, count === 0]))
  })
  const [surely, atBest] = [passesWith(lacking), passesWith(lacking - cutOff)]
  const names = Object.keys(surely)
  evaluateThresholds(round.result, names.map((name) => `${place}.${name} < ${NEVER}`)).forEach(({ threshold, passed }, index) => {
    const name = names[index]
    round.must(passed ? atBest[name] && !isNothing : !surely[name] || isNothing, `${threshold} has ${passed ? '' : 'not '}passed, with ${known} values, and ${lacking} that are missing, of which ${cutOff} were cut off`)
  })
}

module.exports = checkLacking

'use strict'

const { evaluateThresholds } = require('../../..')
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
  const { accounting, missing = {}, sendDelay } = round.result
  const { timedOut, failed, unfinished, unsent } = accounting
  const countOf = (name) => missing[name]?.count ?? 0
  round.must(countOf('sendDelay') === unsent && countOf('clientDelay') === unsent && countOf('waitDelay') === unsent, `${countOf('sendDelay')} send delays are missing of ${unsent} that were never sent`)
  if (unsent > 0) verdicts(round, 'sendDelay', sendDelay.totalCount, unsent)
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
  const transfers = missing.transferTime?.count ?? 0
  must(transfers >= late.length + old.length, `${transfers} of transferTime are missing, and not ${late.length + old.length}`)
  // A part of a response may not have been the beginning of a status line. For messages, the world only records complete ones.
  const silent = round.messages !== null ? 0 : late.filter(([{ firstByteAt }]) => firstByteAt === null).length
  const begun = late.length - silent + (isOpen ? 0 : round.unfinished.length)
  const firstBytes = missing.timeToFirstByte?.count ?? 0
  must(firstBytes >= silent && firstBytes <= silent + begun, `${firstBytes} first bytes are missing, and not ${silent}, or up to ${begun} more`)
  if (round.plan.stream === null) return
  const without = late.filter(([{ eventsAt = [] }]) => eventsAt.length === 0).length
  const firstEvents = missing.timeToFirstEvent?.count ?? 0
  must(firstEvents >= without && firstEvents <= without + (isOpen ? 0 : round.unfinished.length), `${firstEvents} first events are missing, and not ${without}`)
}

function same (must, name, told, values) {
  const expected = values.length === 0 ? undefined : { count: values.length, smallest: values.reduce((a, b) => Math.min(a, b)), largest: values.reduce((a, b) => Math.max(a, b)), total: values.reduce((sum, value) => sum + value, 0) }
  const said = told && { count: told.count, ...Object.fromEntries(['smallest', 'largest', 'total'].map((key) => [key, Math.round(told[key] * 1000)])) }
  must(JSON.stringify(said) === JSON.stringify(expected), `of ${name} ${JSON.stringify(said)} are missing, and not ${JSON.stringify(expected)}`)
}

// A threshold passes only if it would with each missing value infinite.
function verdicts (round, place, known, lacking) {
  // If nothing is missing there is little to check, and each verdict decodes a histogram.
  if (known === 0 || (lacking === 0 && round.drawn.seed % SELDOM !== 0)) return
  const isNothing = round.result.accounting.completed === 0
  const rankOf = (percent) => Math.max(1, Math.ceil(percent / 100 * (known + lacking) - 1e-9))
  const expected = {
    ...Object.fromEntries(Object.entries(PERCENTILES).map(([name, percent]) => [name, rankOf(percent) <= known])),
    ...Object.fromEntries(['max', 'mean', 'stddev'].map((name) => [name, lacking === 0]))
  }
  const names = Object.keys(expected)
  evaluateThresholds(round.result, names.map((name) => `${place}.${name} < ${NEVER}`)).forEach(({ threshold, passed }, index) => {
    round.must(passed === (expected[names[index]] && !isNothing), `${threshold} has ${passed ? '' : 'not '}passed, with ${known} values and ${lacking} that are missing`)
  })
}

module.exports = checkLacking

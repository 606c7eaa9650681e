'use strict'

const { ROUNDED_TO_MS, us } = require('./round')

/**
 * Times that do not depend on when a request was due.
 *
 * @returns {number[]} the service time of each that counts, µs
 */
function checkServiceTimes (round) {
  const { counted, result } = round
  const service = counted.map(({ receivedAt, sentAt }) => us(receivedAt / 1000 - sentAt / 1000))
  round.same('serviceTime', result.serviceTime, service)
  checkFirstBytes(round)
  return service
}

// First bytes of all that completed, and of those that were given up: of these, a part of a status line does not count, nor does the status of an
// error if errors are left out.
function checkFirstBytes (round) {
  const { log, counted, messages, result: { accounting: { sent, completed }, timeToFirstByte }, must } = round
  const timesOf = (entries) => entries.map(({ firstByteAt, sentAt }) => us(firstByteAt / 1000 - sentAt / 1000))
  const values = timesOf(counted)
  const extra = timeToFirstByte.totalCount - values.length
  must(extra >= 0 && extra <= sent - completed, `${extra} first bytes of requests that did not complete`)
  if (extra === 0) return round.same('timeToFirstByte', timeToFirstByte, values)
  // Of messages, the world only records complete ones.
  if (messages !== null) return
  const others = timesOf(log.filter(({ receivedAt, firstByteAt }) => receivedAt === null && firstByteAt !== null)).sort((a, b) => a - b)
  must(extra <= others.length, `${extra} first bytes of requests that did not complete, and the server began ${others.length} of their responses`)
  if (extra === others.length) return round.same('timeToFirstByte', timeToFirstByte, [...values, ...others])
  const sum = (numbers) => numbers.reduce((all, number) => all + number, 0) / 1000
  const beyond = timeToFirstByte.total - sum(values)
  must(beyond >= sum(others.slice(0, extra)) - ROUNDED_TO_MS && beyond <= sum(others.slice(-extra)) + ROUNDED_TO_MS, `the first bytes of ${extra} requests that did not complete took ${beyond} ms`)
}

/** Every time, to the microsecond. */
function checkTimes (round) {
  const { plan, counted, result } = round
  const service = checkServiceTimes(round)
  const { timeToFirstByte, timeToStatusLine, transferTime } = result
  round.must(timeToStatusLine.total >= timeToFirstByte.total - ROUNDED_TO_MS, 'a status line came before its first byte')
  const difference = timeToStatusLine.total + transferTime.total - result.serviceTime.total
  round.must(timeToStatusLine.totalCount === timeToFirstByte.totalCount, `${timeToStatusLine.totalCount} status lines and ${timeToFirstByte.totalCount} first bytes`)
  round.must(timeToFirstByte.totalCount > counted.length || Math.abs(difference) <= counted.length / 1000 + ROUNDED_TO_MS, `the status lines and what came after differ from the service times by ${difference} ms`)
  round.must(result.sendDelay.totalCount === (round.hasDueTimes ? result.accounting.sent : 0), `${result.sendDelay.totalCount} send delays of ${result.accounting.sent} requests`)
  if (!round.hasDueTimes) {
    round.same('latency', result.latency, service)
    round.same('latencyWithUnfinished', result.latencyWithUnfinished, [...service, ...round.bounds((entry) => entry.sentAt / 1000), ...round.failedAges()])
  } else if (round.knowsDueTimes) {
    const response = counted.map(({ receivedAt, dueAt }) => us(receivedAt / 1000 - dueAt))
    const bounds = [...round.bounds(({ dueAt }) => dueAt), ...round.unsentAges()]
    round.same('latency', result.latency, plan.ignoreCoordinatedOmission ? service : [...response, ...bounds])
    round.same('latencyWithUnfinished', result.latencyWithUnfinished, [...response, ...bounds, ...round.failedAges()])
    round.same('sendDelay', result.sendDelay, round.log.map(({ sentAt, dueAt }) => us(sentAt / 1000 - dueAt)))
  }
}

module.exports = { checkServiceTimes, checkTimes }

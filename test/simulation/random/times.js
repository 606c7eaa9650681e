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
  round.same('timeToFirstByte', result.timeToFirstByte, counted.map(({ firstByteAt, sentAt }) => us(firstByteAt / 1000 - sentAt / 1000)))
  round.same('serviceTime', result.serviceTime, service)
  return service
}

/** Every time, to the microsecond. */
function checkTimes (round) {
  const { plan, counted, result } = round
  const service = checkServiceTimes(round)
  const { timeToFirstByte, timeToStatusLine, transferTime } = result
  round.must(timeToStatusLine.total >= timeToFirstByte.total - ROUNDED_TO_MS, 'a status line came before its first byte')
  const difference = timeToStatusLine.total + transferTime.total - result.serviceTime.total
  round.must(Math.abs(difference) <= counted.length / 1000 + ROUNDED_TO_MS, `the status lines and what came after differ from the service times by ${difference} ms`)
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

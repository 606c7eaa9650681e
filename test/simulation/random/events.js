'use strict'

const { us } = require('./round')

/** Events of streams: each is recorded with its last byte. */
function checkEvents (round) {
  const { must, log, counted, result: { stream } } = round
  const seen = log.map(({ sentAt, eventsAt = [] }) => ({ sentAt, eventsAt }))
  const times = seen.flatMap(({ sentAt, eventsAt }) => eventsAt.slice(0, 1).map((at) => us(at / 1000 - sentAt / 1000)))
  const gaps = seen.flatMap(({ eventsAt }) => eventsAt.slice(1).map((at, index) => us(at / 1000 - eventsAt[index] / 1000)))
  must(stream.events === times.length + gaps.length, `${stream.events} events, but ${times.length + gaps.length} were read`)
  round.same('stream.timeToFirstEvent', stream.timeToFirstEvent, times)
  round.same('stream.gap', stream.gap, gaps)
  const inWhole = counted.reduce((sum, { eventsAt = [] }) => sum + eventsAt.length, 0)
  must(stream.eventsPerResponse.totalCount === counted.length && stream.eventsPerResponse.total === inWhole,
    `${stream.eventsPerResponse.total} events in ${stream.eventsPerResponse.totalCount} responses, but it were ${inWhole} in ${counted.length}`)
}

module.exports = checkEvents

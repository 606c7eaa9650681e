'use strict'

const { isDeepStrictEqual } = require('node:util')
const Recorder = require('../../../../lib/metrics/recorder')
const RunRound = require('../../../../lib/run/round')
const defectIn = require('./plant')

// Times are reported in whole milliseconds.
const ROUNDED_MS = 0.5 + 1e-4

/** The event `tick` agrees with the samples of the result, and with the live totals. */
function check (round) {
  const { must, events, result: { timeline } } = round
  if (events === undefined) return
  const { ticks } = events
  const sums = { requests: 0, errors: 0 }
  const counts = countsSoFar(timeline)
  for (const [index, tick] of ticks.entries()) {
    const { counter, bytes, time, requests, errors, connections, p50, p99 } = tick
    sums.requests += counter
    must(requests === sums.requests, `at ${time} s ${requests} requests, but ticks had ${sums.requests}`)
    must(tick.sent >= tick.settled && tick.settled >= requests + tick.timeouts, `at ${time} s ${tick.sent} sent, ${tick.settled} settled, of these ${requests} completed and ${tick.timeouts} timed out`)
    must(errors >= tick.timeouts && (index === 0 || (errors >= ticks[index - 1].errors && time >= ticks[index - 1].time)), `at ${time} s ${errors} errors and ${tick.timeouts} timeouts, which do not go on from the tick before`)
    checkStanding(round, tick)
    // A rest may have become part of the last one.
    if (index >= timeline.length - 1) continue
    const sample = timeline[index]
    sums.errors += sample.errors
    const same = { time: [time, sample.time], counter: [counter, sample.requests], bytes: [bytes, sample.bytes], errors: [errors, sums.errors], connections: [connections, sample.connections], p50: [p50, sample.p50], p99: [p99, sample.p99] }
    must(isDeepStrictEqual(countsIn(tick), counts[index]), `at ${time} s a tick has ${JSON.stringify(countsIn(tick))}, and the samples until then ${JSON.stringify(counts[index])}`)
    for (const [name, [told, said]] of Object.entries(same)) must(told === said, `${name} ${told} in the tick ${index}, and ${said} in its sample`)
  }
  const inSamples = timeline.reduce((sum, sample) => sum + sample.requests, 0)
  must(sums.requests === inSamples, `ticks had ${sums.requests} requests, and samples ${inSamples}`)
}

// What a tick counts since the start of the run, which does not include its warm-up.
function countsIn ({ statuses, sessions = null, events = null }) {
  return { statuses: inOrder(statuses), sessions: sessions && inOrder(sessions), events }
}

// The same after each sample.
function countsSoFar (timeline) {
  let last = { statuses: {}, sessions: null, events: null }
  return timeline.map(({ statuses, sessions = null, stream = null }) => {
    last = {
      statuses: inOrder(added(last.statuses, statuses)),
      sessions: sessions && inOrder({ ...added(last.sessions ?? {}, sessions), open: sessions.open }),
      events: stream && (last.events ?? 0) + stream.events
    }
    return last
  })
}

const inOrder = (counts) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0).sort(([one], [other]) => one < other ? -1 : 1))

function added (before, counts) {
  const sums = { ...before }
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

function checkStanding ({ must, parts, log, begunAt, failed, timedOut, hasRefusals, canBeLate }, { time, sent, settled, timeouts, toldAt }) {
  if (parts.length > 1 || hasRefusals) return
  // A thread that was held learns late that its window is over: it has sent more since.
  const [early, late] = [time * 1000 - ROUNDED_MS, canBeLate ? toldAt - begunAt : time * 1000 + ROUNDED_MS]
  const by = (list, timeOf) => [early, late].map((end) => list.filter((entry) => timeOf(entry) - begunAt <= end).length)
  const compare = (name, said, [least, most]) => must(said >= least && said <= most, `at ${time} s ${said} ${name}, but it were ${least} to ${most}`)
  compare('sent', sent, by(log, ({ sentAt }) => sentAt / 1000))
  if (failed === undefined) return
  const ended = (entry) => entry.receivedAt === null ? entry.endedAt : entry.receivedAt / 1000
  compare('timed out', timeouts, by(timedOut, ended))
  compare('settled', settled, by([...log.filter(({ receivedAt }) => receivedAt !== null), ...failed, ...timedOut], ended))
}

const defects = {
  'a tick that tells what came since the start': defectIn(RunRound, 'tick', (original) => function (interval, sample) {
    original.call(this, { ...interval, completed: this.totals.requests }, sample)
  }),
  'a tick whose percentiles are those of another sample': defectIn(RunRound, 'tick', (original) => function (interval, sample) {
    original.call(this, interval, this.timeline.samples[0])
  }),
  'a tick that counts the sessions and events of the warm-up as well': defectIn(RunRound, 'begin', (original) => function () {
    const { parts } = this
    original.call(this)
    this.parts = parts ?? this.parts
  }),
  'what has failed and is not settled': defectIn(Recorder, 'settled', () => function () { return this.completed + this.timedOut })
}

module.exports = { name: 'ticks', isIn: () => true, check, defects }

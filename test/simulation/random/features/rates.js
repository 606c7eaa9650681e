'use strict'

const { ConstantLoad } = require('../../../../lib/load/loads')
const Timeline = require('../../../../lib/metrics/timeline')
const Phase = require('../../../../lib/engine/phase/phase')
const Arrivals = require('../arrivals')
const defectIn = require('./plant')
const Samples = require('./samples')

// Rates are rounded to a thousandth.
const ROUNDED = 0.0005 + 1e-9
const PERCENTILES = { p1: 1, p2_5: 2.5, p10: 10, p50: 50, p75: 75, p90: 90, p97_5: 97.5, p99: 99, p99_999: 99.999 }

/** `requests`, `throughput` and `replyRate`: of samples and of the window; `rate`: offered and achieved. */
function check (round) {
  const { must, result, log, endedAt, finishedAt, parts } = round
  const { timeline, requests, throughput, accounting: { completed, sent }, drain } = result
  if (timeline.length === 0) return
  // The run ends with its last thread.
  const seconds = Math.max(...parts.map((part) => part.endedAt - part.begunAt)) / 1000
  must(requests.total === completed && requests.sent === sent, `requests.total ${requests.total} and .sent ${requests.sent}, but it were ${completed} and ${sent}`)
  checkStatistics(round, 'requests', requests, (sample) => sample.requests, completed - drain.completed, seconds)
  checkStatistics(round, 'throughput', throughput, (sample) => sample.bytes, throughput.total, seconds)
  if (parts.length === 1) {
    must(Math.abs(drain.seconds * 1000 - (finishedAt - endedAt)) <= 0.5 + 1e-6, `the drain took ${drain.seconds} s, but it were ${finishedAt - endedAt} ms`)
    const after = (isIn) => log.filter(({ receivedAt }) => receivedAt !== null && isIn(receivedAt / 1000)).length
    const [least, most] = [after((at) => at > endedAt), after((at) => at >= endedAt)]
    must(drain.completed >= least && drain.completed <= most, `${drain.completed} completed in the drain, but it were ${least} to ${most}`)
  }
  if (round.plan.schedule !== null) checkOffered(round, seconds)
}

// If the ends of samples are known, to the thousandth; otherwise as exactly as whole milliseconds permit.
function checkStatistics (round, name, said, countOf, inWindow, seconds) {
  const { must, result: { timeline } } = round
  const ends = round.parts.length > 1 ? null : new Samples(round).ends
  const isKnown = ends !== null && ends.length === timeline.length
  const lengths = isKnown ? ends.map((end, index) => (end - (index === 0 ? 0 : ends[index - 1])) / 1000) : timeline.map((sample) => sample.seconds)
  const rates = timeline.map((sample, index) => countOf(sample) / lengths[index])
  const average = seconds > 0 ? inWindow / seconds : 0
  must(close(said.average, average, seconds, true), `${name}.average is ${said.average}, but ${inWindow} in ${seconds} s are ${average}`)
  must(said.mean === said.average, `${name}.mean is ${said.mean}, and .average ${said.average}`)
  // A sample of zero length has no rate.
  if (lengths.some((length) => length < 0.01)) return
  must(said.totalCount === timeline.length, `${name}.totalCount is ${said.totalCount}, of ${timeline.length} samples`)
  const shortest = Math.min(...lengths)
  const compare = (key, expected) => must(close(said[key], expected, shortest, isKnown), `${name}.${key} is ${said[key]}, but of the samples ${expected}`)
  rates.sort((one, other) => one - other)
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
  compare('min', rates[0])
  compare('max', rates.at(-1))
  if (isKnown) compare('stddev', Math.sqrt(rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0) / rates.length))
  for (const [key, percent] of Object.entries(PERCENTILES)) compare(key, rates[Math.max(0, Math.ceil(rates.length * percent * 1000 / 100_000) - 1)])
}

function close (said, expected, seconds, isExact) {
  const off = isExact || expected === 0 ? 0 : expected * 0.001 / seconds
  return Math.abs(said - expected) <= off + ROUNDED
}

// By arithmetic: the number of arrivals, divided by the length of the schedule that they belong to.
function checkOffered (round, seconds) {
  const { must, plan, drawn, result: { rate, accounting, drain, sessions } } = round
  const isOfSessions = plan.sessions !== null
  const scheduled = isOfSessions ? sessions.scheduled : accounting.scheduled
  const completed = accounting.completed - drain.completed
  const arrivals = new Arrivals(isOfSessions ? { ...drawn.opts, amount: drawn.opts.sessions.amount } : drawn.opts, drawn.seed)
  const spans = spansOf(round, arrivals, scheduled, seconds)
  const isOffered = ({ offered }) => spans.some((span) => span <= 0 ? offered === 0 : close(offered, scheduled / span, span, true))
  const isAchieved = ({ achieved }) => spans.some((span) => span <= 0 ? achieved === 0 : close(achieved, completed / Math.max(seconds, span), span, true))
  if (spans.length === 0) return
  const said = isOfSessions ? sessions.rate : rate
  must(isOffered(said), `offered ${said.offered} per second, but ${scheduled} came due in ${spans} s`)
  must(isOfSessions || isAchieved(rate), `achieved ${rate.achieved} per second, but ${completed} were completed in ${seconds} s of ${spans}`)
}

// In seconds. Unknown if rows may have run out, and also if threads were stopped, since some may have been at their end and others not.
function spansOf ({ parts, plan, drawn }, arrivals, scheduled, seconds) {
  const amount = plan.sessions === null ? plan.amount : plan.sessions.amount
  const total = totalOf(plan, amount)
  if (plan.feed?.order === 'once') return []
  const longest = amount === null ? plan.duration : Infinity
  const isAll = total !== Infinity && (scheduled >= total || arrivals.at(scheduled) === Infinity)
  const window = Math.min(seconds, longest)
  if (!isAll && (parts.length === 1 || total === Infinity)) return [window]
  // By amount: until the next would have come due; a burst takes its whole interval, even if it is cut short.
  const { bursts, stages } = drawn.opts
  const last = isAll ? Math.min(total, scheduled) : total
  const next = bursts === undefined ? arrivals.at(last) / 1000 : Math.ceil(last / bursts.size) * bursts.interval
  const whole = stages === undefined ? Infinity : stages.reduce((sum, stage) => sum + stage.duration, 0)
  const span = Math.min(next, longest, whole)
  return isAll ? [span] : [window, span]
}

function totalOf ({ maxOverallRequests, maxConnectionRequests, connections, sessions }, amount) {
  if (sessions !== null) return amount ?? Infinity
  return amount ?? maxOverallRequests ?? (maxConnectionRequests === null ? Infinity : maxConnectionRequests * connections)
}

const defects = {
  'a window that is rounded to whole samples': defectIn(Phase, 'outcome', (original) => function (now) {
    const outcome = original.call(this, now)
    return { ...outcome, seconds: Math.ceil(outcome.seconds * 10) / 10 }
  }),
  'rates per sample and not per second': defectIn(Timeline, 'rates', (original) => function (name) {
    return this.samples.filter(({ start, end }) => end > start).map((sample) => sample[name])
  }),
  'a schedule that is as long as its window': defectIn(Phase, 'outcome', (original) => function (now) {
    const outcome = original.call(this, now)
    return { ...outcome, scheduleSeconds: outcome.seconds }
  }),
  'what completed in the drain, counted in the window': defectIn(Phase, 'closeWindow', (original) => function (now) {
    original.call(this, now)
    this.completedInWindow = this.recorder.completed + this.recorder.sent - this.recorder.settled
  }),
  'a load that is a hundredth too slow': defectIn(ConstantLoad, 'timeOf', (original) => function (position) { return original.call(this, position) * 1.01 })
}

module.exports = { name: 'rates', isIn: () => true, check, defects }

'use strict'

const { ROUNDED_TO_MS, us } = require('../round')
const Recorder = require('../../../../lib/metrics/recorder')
const { SessionRecorder } = require('../../../../lib/metrics/parts/sessions')
const Timeline = require('../../../../lib/metrics/timeline')
const { mayEndInHook } = require('../bodies')
const defectIn = require('./plant')
const Samples = require('./samples')

const HISTOGRAM_ERROR = 0.001
const PERCENTILES = { p50: 50, p90: 90, p99: 99, max: 100 }
const COUNTED = ['scheduled', 'started', 'completed', 'failed']

const sum = (list, pick) => list.reduce((total, item) => total + pick(item), 0)

/** `timeline`: each sample counted what the world's log has in it, and the samples together are the whole window. */
function check (round) {
  checkSums(round)
  if (round.drawn.opts.sessions !== undefined) checkSessions(round)
  if (round.parts.length > 1 || round.result.timeline.length === 0 || mayEndInHook(round)) return
  const samples = new Samples(round)
  checkTimes(round, samples)
  checkCounts(round, samples)
  checkConnections(round, samples)
  checkLatencies(round, samples)
}

function checkSums ({ must, plan, messages, result }) {
  const { timeline, samples, duration, drain, accounting, statusCodeStats, throughput, connectionStats: { peak }, latencyBounds, errors, stream } = result
  must(samples === timeline.length, `${samples} samples, but ${timeline.length} in the timeline`)
  // If a person stops the run between the starts of two threads, only some of them warm up, for no time at all.
  const lastAt = timeline.at(-1)?.time ?? 0
  must(lastAt === duration, `the last sample ended at ${lastAt} s, and the window at ${duration} s`)
  const inWindow = accounting.completed - drain.completed
  must(sum(timeline, ({ requests }) => requests) === inWindow, `samples have ${sum(timeline, ({ requests }) => requests)} requests, but ${inWindow} were completed in the window`)
  must(sum(timeline, ({ bytes }) => bytes) === throughput.total, `samples have ${sum(timeline, ({ bytes }) => bytes)} bytes, and throughput.total is ${throughput.total}`)
  must(sum(timeline, (sample) => sample.errors) <= errors, `samples have ${sum(timeline, (sample) => sample.errors)} errors of ${errors}`)
  must(sum(timeline, (sample) => sample.latencyBounds?.count ?? 0) <= latencyBounds.count, `samples have more bounds than the ${latencyBounds.count} of the run`)
  if (stream !== undefined) must(sum(timeline, (sample) => sample.stream.events) <= stream.events, 'samples have more events than the run')
  for (const [index, { time, seconds, requests, connections, statuses }] of timeline.entries()) {
    const before = index === 0 ? 0 : timeline[index - 1].time
    must(time >= before && Math.abs(time - before - seconds) <= 0.001 + 1e-9, `the sample from ${before} s to ${time} s is ${seconds} s long`)
    must(connections >= 0 && connections <= peak, `${connections} connections at ${time} s, of at most ${peak}`)
    if (messages === null) must(sum(Object.values(statuses), (count) => count) === requests, `statuses ${JSON.stringify(statuses)} of ${requests} requests at ${time} s`)
  }
  for (const digit of messages === null && plan.stream === null ? [1, 2, 3, 4, 5] : []) {
    const inSamples = sum(timeline, ({ statuses }) => statuses[`${digit}xx`] ?? 0)
    const inAll = sum(Object.entries(statusCodeStats), ([status, { count }]) => Math.floor(status / 100) === digit ? count : 0)
    must(inSamples <= inAll && inAll - inSamples <= drain.completed, `samples have ${inSamples} answers of ${digit}xx, and the run ${inAll}`)
  }
}

// 0 <= open <= peak, and every session that has begun and not ended is open.
function checkSessions ({ must, plan, result: { timeline, sessions, drain } }) {
  let open = 0
  for (const { time, sessions: sample } of timeline) {
    open += sample.started - sample.completed - sample.failed
    must(sample.open === open && open >= 0 && open <= sessions.peak, `${sample.open} sessions open at ${time} s, but ${open} have begun and not left, of at most ${sessions.peak}`)
    must(COUNTED.every((name) => sample[name] >= 0), `sessions of the sample at ${time} s: ${JSON.stringify(sample)}`)
  }
  for (const name of COUNTED) {
    const inSamples = sum(timeline, ({ sessions: sample }) => sample[name])
    // Without a drain, the end of the window is that of the run. What has failed by then may be noticed while the run is being closed.
    const isWhole = drain.seconds === 0 && drain.completed === 0 && plan.drain === 0 && name !== 'failed'
    must(isWhole ? inSamples === sessions[name] : inSamples <= sessions[name], `samples have ${inSamples} sessions ${name}, and the run ${sessions[name]}`)
  }
  const scheduled = sum(timeline, ({ sessions: sample }) => sample.scheduled)
  must(scheduled === sessions.scheduled, `samples have ${scheduled} sessions scheduled, and the run ${sessions.scheduled}`)
}

function checkTimes ({ must, result: { timeline, duration } }, { ends, window }) {
  must(Math.abs(duration * 1000 - window) <= 0.5 + ROUNDED_TO_MS, `duration ${duration} s, but the window was ${window} ms long`)
  if (ends === null) return
  const times = timeline.map(({ time }) => time * 1000)
  const isOnGrid = times.length === ends.length && times.every((time, index) => Math.abs(time - ends[index]) <= 0.5 + ROUNDED_TO_MS)
  must(isOnGrid, `samples ended at ${times} ms, and not at ${ends}`)
}

function checkCounts (round, samples) {
  const { must, plan, whole, world, bytesBefore, result: { timeline } } = round
  const compare = (name, said, counts) => {
    for (const [index, [least, most]] of counts.entries()) {
      const isRight = said(timeline[index]) >= least && said(timeline[index]) <= most
      must(isRight, `${name} ${said(timeline[index])} in the sample ${index}, but the world saw ${least === most ? least : `${least} to ${most}`}`)
    }
  }
  compare('requests', ({ requests }) => requests, samples.counts(whole.map(({ receivedAt }) => receivedAt / 1000)))
  if (!plan.excludeErrorStats) compare('bytes', ({ bytes }) => bytes, bytesIn(samples, world, bytesBefore.read))
  if (plan.stream !== null) compare('events', ({ stream }) => stream.events, samples.counts(round.log.flatMap(({ eventsAt = [] }) => eventsAt.map((at) => at / 1000))))
  if (round.failed === undefined) return
  const failures = [...round.failed, ...round.timedOut].map(({ endedAt }) => endedAt)
  if (plan.sessions !== null) return
  const attempts = round.failedAttempts.map(({ closedAt }) => closedAt / 1000)
  compare('errors', ({ errors }) => errors, samples.counts([...failures, ...attempts]))
  if (round.hasDueTimes && !plan.ignoreCoordinatedOmission) compare('bounds', ({ latencyBounds }) => latencyBounds?.count ?? 0, samples.counts(round.timedOut.map(({ endedAt }) => endedAt)))
}

// The first sample also has what was read before the window began.
function bytesIn ({ edges }, { reads }, before) {
  const readBy = (isIn) => {
    let index = reads.at.length - 1
    while (index >= 0 && !isIn(reads.at[index] / 1000)) index--
    return Math.max(before, index < 0 ? 0 : reads.upTo[index])
  }
  const upTo = edges.map(([early, late]) => [readBy((time) => time < early), readBy((time) => time <= late)])
  return upTo.map(([least, most], index) => {
    const [leastBefore, mostBefore] = index === 0 ? [before, before] : upTo[index - 1]
    return [Math.max(0, least - mostBefore), most - leastBefore]
  })
}

function checkConnections (round, { edges }) {
  const { must, world, finishedAt, canBeLate, result: { timeline } } = round
  const lives = world.sockets.filter(({ usableAt }) => usableAt !== null).map(({ usableAt, closedAt, closedBy }) => ({ from: usableAt / 1000, to: closedAt === null ? Infinity : closedAt / 1000, closedBy }))
  // A listener may hold the thread between the response that ends the run and the end of its connection.
  const isHeld = ({ to, closedBy }) => canBeLate && closedBy === 'client after response' && to > finishedAt
  for (const [index, [early, late]] of edges.entries()) {
    const { connections } = timeline[index]
    const least = lives.filter((life) => life.from < early && life.to > late && !isHeld(life)).length
    const most = lives.filter(({ from, to }) => from <= late && to >= early).length
    must(connections >= least && connections <= most, `${connections} connections at the end of the sample ${index}, but it were ${least} to ${most}`)
  }
}

// When it is certain which responses, and which timeouts, are in a sample.
function checkLatencies (round, samples) {
  const { must, plan, counted, hasDueTimes, knowsDueTimes, result: { timeline } } = round
  if (round.failed === undefined || (hasDueTimes && !knowsDueTimes)) return
  const fromDueTime = hasDueTimes && !plan.ignoreCoordinatedOmission
  const ended = [
    ...counted.map((entry) => [entry.receivedAt / 1000, us(entry.receivedAt / 1000 - (fromDueTime ? entry.dueAt : entry.sentAt / 1000))]),
    ...(fromDueTime ? round.timedOut.map(({ endedAt }) => [endedAt, us(round.timeout)]) : [])
  ]
  const isUnsure = samples.counts(ended.map(([at]) => at)).map(([least, most]) => least !== most)
  for (const [index, sample] of timeline.entries()) {
    if (isUnsure[index]) continue
    const from = index === 0 ? -Infinity : samples.edges[index - 1][1]
    const values = ended.filter(([at]) => at > from && at <= samples.edges[index][0]).map(([, value]) => value).sort((one, other) => one - other)
    for (const [name, percent] of Object.entries(PERCENTILES)) {
      const exact = (values[Math.max(0, Math.ceil(values.length * percent / 100) - 1)] ?? 0) / 1000
      must(Math.abs(sample[name] - exact) <= exact * HISTOGRAM_ERROR + ROUNDED_TO_MS, `${name} ${sample[name]} in the sample ${index}, but of the sorted log ${exact}`)
    }
  }
}

const defects = {
  'a rest at the end that takes the place of the sample before it': defectIn(Timeline, 'fold', (original) => function (interval, sampleInterval) {
    if (this.samples.length > 0 && interval.end - interval.start < sampleInterval / 2) this.samples.pop()
    return this.add(interval)
  }),
  'a sample that ends early by one answer': defectIn(Recorder, 'takeInterval', (original) => function (now) {
    const interval = original.call(this, now)
    const isOne = this.intervals.last.completed > 20 && interval.completed > 0
    if (isOne) this.intervals.last.completed--
    return isOne ? { ...interval, completed: interval.completed - 1 } : interval
  }),
  'connections of the peak and not of the moment': defectIn(Recorder, 'takeInterval', (original) => function (now) {
    return { ...original.call(this, now), connections: this.peak }
  }),
  'errors that are counted in no sample': defectIn(Recorder, 'takeInterval', (original) => function (now) {
    return { ...original.call(this, now), errors: 0 }
  }),
  'sessions that never leave': defectIn(SessionRecorder, 'hasFailed', (original) => function (...args) {
    this.open++
    original.apply(this, args)
  }),
  'latencies of a sample that are those of the run': defectIn(Recorder, 'takeInterval', (original) => function (now) {
    const interval = original.call(this, now)
    this.all = interval.latency.add(this.all ?? { count: 0 })
    return interval
  })
}

module.exports = { name: 'timeline', isIn: () => true, check, defects }

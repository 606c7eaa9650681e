'use strict'

const Ending = require('../../../../lib/engine/phase/ending')
const Phase = require('../../../../lib/engine/phase/phase')
const IntervalMerger = require('../../../../lib/metrics/interval-merger')
const { SharedPacer } = require('../../../../lib/load/share')
const Recorder = require('../../../../lib/metrics/recorder')
const { isUnpaced } = require('../is-unpaced')
const defectIn = require('./plant')

/*
 * Runs with `workers`: each thread has its share of the due times, its own end and its own deadlines, and together they are the whole to
 * the microsecond (outcomes.js, times.js).
 */

/** More threads: of streams; and threads that warm up, each as long as it takes, before they begin the run together. */
function draw (dice, drawn) {
  const { opts, server, messages, edge, stream, walk } = drawn
  if (stream !== null && drawn.threads === undefined && walk?.isChained !== true && dice.happens(0.2)) shareStreams(dice, drawn)
  if (drawn.threads === undefined || !dice.happens(0.4) || edge === 'samples') return
  if ((server.queue !== undefined || messages?.expect === 'nothing') && isUnpaced(opts)) return
  const most = typeof opts.connections === 'number' ? opts.connections : opts.connections.to
  opts.warmup = { connections: dice.one(most, most, dice.whole(1, 8)), duration: dice.whole(1, 3) / 10 }
}

// Functions cannot be sent to threads.
function shareStreams (dice, drawn) {
  const { opts, hooks, stream } = drawn
  drawn.hooks = hooks.listener === undefined ? {} : { listener: hooks.listener }
  stream.hasHook = false
  opts.workers = dice.whole(1, 4)
  drawn.threads = { start: dice.ms(0, 60), message: dice.ms(0, 30), apart: dice.ms(0, 20) }
  for (const name of ['warmup', 'forever']) delete opts[name]
}

// Rows end the run, and the warm-up has no connection for some threads.
const hasIdleThreads = ({ threads, opts: { warmup, workers, feed, sessions, timeout } }) =>
  threads !== undefined && feed?.order === 'once' && sessions === undefined && warmup?.connections < workers && warmup.duration > timeout

const defects = {
  'a thread without connections that waits for one while it warms up': defectIn(Ending, 'begin', () => function () {
    if (this.extent.endsWithRows) this.watchForConnections()
  }, hasIdleThreads),
  'a thread that sends what is due for another': defectIn(SharedPacer, 'next', (original) => function () {
    if (this.index === -1 && this.of > 1) this.share = (this.share + 1) % this.of
    return original.call(this)
  }),
  'a thread whose clock starts when it does': defectIn(Phase, 'begin', (original) => function () { original.call(this) }),
  'a last interval that is lost': defectIn(IntervalMerger, 'give', (original) => function (members, end, isLast) {
    original.call(this, isLast ? members.slice(0, 1) : members, end, isLast)
  }),
  'what a thread has left in flight, counted as if it had failed': defectIn(Recorder, 'unfinishedRequest', () => function (endpoint, dueAt, sentAt, now) {
    this.failedRequest(endpoint, dueAt, sentAt, now, { code: 'CANNONADE_CLOSED_BY_SERVER', phase: 'receive', message: 'it was there at the end' })
  })
}

module.exports = { name: 'threads', draw, isIn: ({ threads }) => threads !== undefined, defects }

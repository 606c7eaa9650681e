'use strict'

const Phase = require('../../../../lib/engine/phase/phase')
const IntervalMerger = require('../../../../lib/metrics/interval-merger')
const { SharedPacer } = require('../../../../lib/load/share')
const Recorder = require('../../../../lib/metrics/recorder')
const defectIn = require('./plant')

/*
 * Runs with `workers`: each thread has its share of the due times, its own end and its own deadlines, and together they are the whole to
 * the microsecond (outcomes.js, times.js).
 */

const defects = {
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

module.exports = { name: 'threads', isIn: ({ threads }) => threads !== undefined, defects }

'use strict'

const Connection = require('../../../../lib/protocol/shared/connection')
const Deadlines = require('../../../../lib/engine/phase/deadlines')
const DueQueue = require('../../../../lib/engine/loops/due-queue')
const OpenLoop = require('../../../../lib/engine/loops/open-loop')
const { PoissonPacer, UniformPacer } = require('../../../../lib/load/arrivals')
const { BurstLoad, StagedLoad } = require('../../../../lib/load/loads')
const { SCHEDULES } = require('../is-unpaced')
const defectIn = require('./plant')

/*
 * The open model: the due time of each request is known by arithmetic (arrivals.js), and so are each latency, send delay and deadline, and
 * the unsent requests (outcomes.js, times.js).
 */

const isIn = ({ opts }) => opts.sessions === undefined && Object.keys(opts).some((name) => SCHEDULES.has(name))

const defects = {
  'all requests due half a gap late': defectIn(UniformPacer, 'next', () => function () {
    if (this.index >= this.last) return Infinity
    this.index += 1
    return this.load.timeOf(this.index + 0.5)
  }),
  'bursts that begin an interval late': defectIn(BurstLoad, 'timeOf', (original) => function (position) { return original.call(this, position) + this.interval }),
  'a ramp that is as steep as its end': defectIn(StagedLoad, 'timeOf', (original) => function (position) {
    const stage = this.stages[this.current]
    return stage === undefined || stage.slope === 0 ? original.call(this, position) : Math.max(original.call(this, position), stage.start + (position - stage.before) / stage.to)
  }),
  'a random arrival that is lost': defectIn(PoissonPacer, 'next', (original) => function () {
    return this.index === 5 && !this.hasLost ? (this.hasLost = true) && (original.call(this), original.call(this)) : original.call(this)
  }),
  'a request that goes out before one that has waited longer': defectIn(DueQueue, 'shift', (original) => function () {
    if (this.length < 3) return original.call(this)
    const first = original.call(this)
    const second = original.call(this)
    this.putBack(first)
    return second
  }),
  'a deadline that counts from the sending': defectIn(Connection, 'waitsSince', (original) => function () { return original.call(this, false) }),
  'what waits longer than it may and is sent all the same': defectIn(OpenLoop, 'dropLate', () => () => {}),
  'a deadline a thousandth early': defectIn(Deadlines, 'expireLate', (original) => function (now) { return original.call(this, now + this.timeout / 1000) })
}

module.exports = { name: 'due times', isIn, defects }

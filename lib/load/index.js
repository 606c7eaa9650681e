'use strict'

const { CannonadeError, CODES, show } = require('../base/errors')

// Two small classes determine when a request is due. A load (loads.js) says how many arrivals are expected by a time, and provides the
// inverse: timeOf(position) is the time, in seconds, by which `position` arrivals are expected. An arrival process (arrivals.js) places
// the arrivals along the load: evenly, or at random. They are loaded on demand, since many runs have no schedule.

/**
 * What the plan says about an open-model run, as plain data. Rates are in arrivals per second, for the whole run.
 *
 * @typedef {object} Schedule
 * @property {'constant'|'stages'|'bursts'|'recorded'} kind
 * @property {number} [rate] constant: more than 0
 * @property {{ duration: number, from: number, to: number }[]} [stages] stages: seconds, and the rates at start and end
 * @property {number} [size] bursts: arrivals in each
 * @property {number} [interval] bursts: seconds from one to the next
 * @property {Float64Array} [times] recorded: due times in seconds, in ascending order
 * @property {number} [duration] recorded: seconds
 * @property {'uniform'|'poisson'} [arrivals='uniform']
 * @property {number} [seed=0] poisson: an integer; the same seed gives the same arrivals on every machine
 */

/**
 * Creates an object that returns the due times of a schedule, or of one worker's share of it, in order.
 *
 * next() returns the due time of the next arrival, in seconds from the start of the schedule. It is never less than the
 * previous one, and `Infinity` once the schedule has ended. `index` is the number of the arrival that was returned
 * last, counted from 0 in the whole schedule and not in the share; -1 before the first.
 *
 * The arrivals of `duration` seconds are those with due times in [0, duration), as many as expectedArrivals says. Leave
 * this to the pacer: comparing due times with the duration elsewhere is off by one when rounding makes 3 / 0.1 differ
 * from 30.
 *
 * @param {Schedule} schedule
 * @param {object} [options]
 * @param {number} [options.share=0] which share, from 0 to of - 1: arrivals share, share + of, share + 2 × of, …
 * @param {number} [options.of=1] into how many shares the schedule is split
 * @param {number} [options.cycle=of] number of arrivals after which the distribution repeats, see share.js
 * @param {number} [options.limit=Infinity] number of arrivals of the whole schedule to distribute; the one after these
 *   ends every share
 * @param {number} [options.duration=Infinity] seconds after which nothing is due
 * @returns {{ next: function(): number, index: number }}
 * @throws {CannonadeError} CANNONADE_BAD_ARGUMENT for a schedule or share that does not exist
 */
function createPacer (schedule, { share = 0, of = 1, cycle, limit, duration = Infinity } = {}) {
  if (!(share >= 0 && share < of)) {
    throw new CannonadeError(CODES.BAD_ARGUMENT, `There is no share ${show(share)} of ${show(of)}`)
  }
  const load = createLoad(schedule)
  const pacer = createProcess(schedule, load, duration)
  return of === 1 ? pacer : new (require('./share').SharedPacer)(pacer, { share, of, cycle, limit })
}

/**
 * Returns the number of arrivals in [0, seconds): the exact number for uniform arrivals (3 s at 100 per second are 300;
 * an arrival due at exactly 3 s belongs to the next second), and the expected number for poisson.
 *
 * @param {Schedule} schedule
 * @param {number} seconds 0 or more, Infinity for the whole schedule
 * @returns {number}
 * @throws {CannonadeError} CANNONADE_BAD_ARGUMENT for a schedule that does not exist
 */
function expectedArrivals (schedule, seconds) {
  const load = createLoad(schedule)
  return isPoisson(schedule) ? load.expectedBy(seconds) : load.countBefore(seconds)
}

/**
 * Returns the length of a schedule.
 *
 * @param {Schedule} schedule
 * @returns {number} seconds: the sum of the stages; Infinity for schedules without an end
 * @throws {CannonadeError} CANNONADE_BAD_ARGUMENT for a schedule that does not exist
 */
function scheduleDuration (schedule) {
  return createLoad(schedule).duration
}

/**
 * Returns when the first `count` arrivals are over: when the next one is due. If they end in the middle of a burst, one
 * more interval is added.
 *
 * @param {Schedule} schedule
 * @param {number} count
 * @param {number} next when the arrival after them is due, seconds
 * @returns {number} seconds
 */
function endOfArrivals (schedule, count, next) {
  return schedule.kind === 'bursts' && count % schedule.size > 0 ? next + schedule.interval : next
}

/**
 * Returns the average number of arrivals per second between two times.
 *
 * @param {Schedule} schedule
 * @param {number} from seconds
 * @param {number} to seconds, more than `from`
 * @returns {number}
 * @throws {CannonadeError} CANNONADE_BAD_ARGUMENT for a schedule that does not exist
 */
function averageRate (schedule, from, to) {
  const load = createLoad(schedule)
  return (load.expectedBy(to) - load.expectedBy(from)) / (to - from)
}

function createLoad (schedule) {
  const { BurstLoad, ConstantLoad, RecordedLoad, StagedLoad } = require('./loads')
  switch (schedule.kind) {
    case 'constant': return new ConstantLoad(schedule)
    case 'stages': return new StagedLoad(schedule)
    case 'bursts': return new BurstLoad(schedule)
    case 'recorded': return new RecordedLoad(schedule)
    default: throw new CannonadeError(CODES.BAD_ARGUMENT, `There is no schedule of kind ${show(schedule.kind)}`)
  }
}

function createProcess (schedule, load, duration) {
  const { PoissonPacer, UniformPacer } = require('./arrivals')
  return isPoisson(schedule) ? new PoissonPacer(load, duration, schedule.seed) : new UniformPacer(load, duration)
}

function isPoisson ({ arrivals = 'uniform' }) {
  if (arrivals !== 'uniform' && arrivals !== 'poisson') {
    throw new CannonadeError(CODES.BAD_ARGUMENT, `There are no ${show(arrivals)} arrivals`)
  }
  return arrivals === 'poisson'
}

module.exports = { createPacer, expectedArrivals, endOfArrivals, averageRate, scheduleDuration }

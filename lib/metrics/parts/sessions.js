'use strict'

const { microseconds, perSecond, thousandth } = require('../../base/rounding')
const { count, counted, seconds: inSeconds } = require('../../words/numbers')
const Distribution = require('../distribution')
const { durations, each, from, group, leaf, rising } = require('../fields')
const { byLabel, counter, gauge, histogram, one } = require('../series')
const { durationStatistics, interimStatistics } = require('../statistics')
const { columnsOf, definePart } = require('./part')

// Only users as code have them.
const ofFailures = () => require('../failures')

const COUNTERS = ['scheduled', 'unstarted', 'started', 'completed', 'failed', 'unfinished', 'peak']
// Counters that are not in the result but needed to compute it: events after the window, and connections of all completed sessions.
const HELPERS = ['scheduledInDrain', 'completedInDrain', 'connections', 'waited']
// Merged over threads by taking the maximum.
const MOST = ['burst']
/** Counters that every sample contains. */
const FOLLOWED = ['scheduled', 'started', 'completed', 'failed']

/**
 * Counts the sessions of a run (docs/measurement.md, "Sessions"): `scheduled = unstarted + started`,
 * `started = completed + failed + unfinished`. Times in milliseconds of one clock.
 */
class SessionRecorder {
  /** @param {boolean} [user] whether sessions are functions of the user, which fail in more ways */
  constructor (user) {
    for (const name of [...COUNTERS, ...HELPERS, ...MOST]) this[name] = 0
    /** Sessions that have begun and not ended. */
    this.open = 0
    /** Number of sessions, by the number of responses they received. */
    this.lengths = []
    this.lifetime = new Distribution()
    this.failTime = new Distribution()
    /** Minimum lifetimes of sessions that did not reach their end, because of a deadline or the end of the run. */
    this.lifetimeMissing = new Distribution()
    this.failures = user ? new (ofFailures().Failures)() : null
    this.last = Object.fromEntries(FOLLOWED.map((name) => [name, 0]))
  }

  /** A session is due. @param {boolean} inWindow whether it counts for rates */
  cameDue (inWindow) {
    this.scheduled++
    if (!inWindow) this.scheduledInDrain++
  }

  /** @param {boolean} hasWaited whether it had to wait for another session to end */
  began (hasWaited) {
    if (hasWaited) this.waited++
    this.started++
    this.open++
    if (this.open > this.peak) this.peak = this.open
  }

  /** @param {number} count how many sessions began in one iteration of the event loop */
  beganTogether (count) {
    if (count > this.burst) this.burst = count
  }

  /** A session has made all its calls. @param {boolean} inWindow */
  wasCompleted (dueAt, now, responses, connections, inWindow) {
    this.completed++
    if (!inWindow) this.completedInDrain++
    this.connections += connections
    this.lifetime.record(microseconds(now - dueAt))
    this.ended(responses)
  }

  /** A session has failed. @param {boolean} isLate whether the reason was a deadline */
  hasFailed (dueAt, now, responses, isLate = false) {
    this.failed++
    this.failTime.record(microseconds(now - dueAt))
    if (isLate) this.lifetimeMissing.record(microseconds(now - dueAt))
    this.ended(responses)
  }

  /** A session failed because the number of open sessions stayed at its limit for too long. */
  gaveUp (dueAt, now) {
    this.waited++
    this.started++
    this.open++
    this.hasFailed(dueAt, now, 0, true)
  }

  /** The run ended before the session did. */
  wasCutOff (responses, dueAt, now) {
    this.unfinished++
    this.lifetimeMissing.record(microseconds(now - dueAt))
    this.ended(responses)
  }

  /** The run ended before the session began. */
  neverBegan (dueAt, now) {
    this.unstarted++
    this.lifetimeMissing.record(microseconds(now - dueAt))
  }

  ended (responses) {
    this.open--
    this.lengths[responses] = (this.lengths[responses] ?? 0) + 1
  }

  /** Counts since the last call; `open` as it is now. */
  takeInterval () {
    const { last } = this
    this.last = Object.fromEntries(FOLLOWED.map((name) => [name, this[name]]))
    return { ...Object.fromEntries(FOLLOWED.map((name) => [name, this[name] - last[name]])), open: this.open }
  }

  /** @param {function(Distribution): object} dataOf */
  toData (dataOf) {
    return {
      counters: Object.fromEntries([...COUNTERS, ...HELPERS].map((name) => [name, this[name]])),
      most: Object.fromEntries(MOST.map((name) => [name, this[name]])),
      lengths: Array.from(this.lengths, (count = 0) => count),
      lifetime: dataOf(this.lifetime),
      failTime: dataOf(this.failTime),
      lifetimeMissing: dataOf(this.lifetimeMissing),
      ...(this.failures !== null && { failures: this.failures.toData() })
    }
  }
}

/** Counts a session for the run as a whole, and for its scenario. */
class SessionsOfScenario {
  /** @param {SessionRecorder} whole @param {SessionRecorder} own */
  constructor (whole, own) {
    this.both = [whole, own]
    /** Why sessions of user code failed. */
    this.failures = { count: (...args) => { for (const { failures } of this.both) failures.count(...args) } }
  }
}

for (const name of ['cameDue', 'began', 'wasCompleted', 'hasFailed', 'gaveUp', 'wasCutOff', 'neverBegan']) {
  SessionsOfScenario.prototype[name] = function (...args) {
    for (const sessions of this.both) sessions[name](...args)
  }
}

/**
 * Adds up the data of several recorders. The peaks of threads may have occurred at different times, so their sum is an upper
 * bound.
 *
 * @param {object[]} parts from SessionRecorder.toData
 * @param {Function} Kind the class of the merged distributions
 */
function mergeSessions (parts, Kind) {
  const sum = (pick) => parts.reduce((total, part) => total + pick(part), 0)
  const longest = Math.max(...parts.map(({ lengths }) => lengths.length))
  const distribution = (name) => parts.reduce((all, part) => all.add(Kind.from(part[name])), new Kind())
  return {
    counters: Object.fromEntries(Object.keys(parts[0].counters).map((name) => [name, sum(({ counters }) => counters[name])])),
    most: Object.fromEntries(MOST.map((name) => [name, Math.max(...parts.map(({ most }) => most[name]))])),
    lengths: Array.from({ length: longest }, (_, index) => sum(({ lengths }) => lengths[index] ?? 0)),
    lifetime: distribution('lifetime'),
    failTime: distribution('failTime'),
    lifetimeMissing: distribution('lifetimeMissing'),
    ...(parts[0].failures !== undefined && { failures: ofFailures().mergeFailures(parts.map(({ failures }) => failures)) })
  }
}

/**
 * `result.sessions`.
 *
 * @param {object} sessions merged
 * @param {number} seconds length of the window
 * @param {number} scheduleSeconds length of the schedule
 * @param {number} [unscheduled] how many sessions of the schedule were not reported by anyone
 */
function sessionsResult ({ counters, most, lengths, lifetime, failTime, failures }, seconds, scheduleSeconds, unscheduled = 0) {
  const { scheduledInDrain, completedInDrain, waited, connections, peak, ...counts } = counters
  return {
    ...counts,
    rate: {
      offered: perSecond(counts.scheduled - scheduledInDrain + unscheduled, scheduleSeconds),
      achieved: perSecond(counts.completed - completedInDrain, Math.max(seconds, scheduleSeconds))
    },
    lifetime: durationStatistics(lifetime),
    failTime: durationStatistics(failTime),
    connections: { average: counts.completed === 0 ? 0 : thousandth(connections / counts.completed) },
    lengths,
    peak,
    ...most,
    ...(failures !== undefined && { failures: ofFailures().failuresResult(failures) })
  }
}

/** Joins several intervals: counts are summed, and `open` is the current number of open sessions in all threads. */
function joinIntervals (intervals, latest) {
  const sum = (name, all) => all.reduce((total, each) => total + each[name], 0)
  return { ...Object.fromEntries(FOLLOWED.map((name) => [name, sum(name, intervals)])), open: sum('open', latest) }
}

// Sessions that have not ended may still fail, at any time.
function missing ({ counters: { unfinished, unstarted }, lifetimeMissing }, Kind) {
  const sessionFailTime = new Kind()
  if (unfinished + unstarted > 0) sessionFailTime.record(0, unfinished + unstarted)
  return { sessionLifetime: lifetimeMissing, sessionFailTime }
}

function interim ({ counters: { scheduled, started, completed, failed, peak }, most, lifetime, failTime }) {
  return { scheduled, started, completed, failed, peak, ...most, lifetime: interimStatistics(lifetime), failTime: interimStatistics(failTime) }
}

function totals ({ counters: { scheduled, unstarted, started, completed, failed, unfinished } }) {
  return {
    counters: {
      sessionsScheduled: scheduled, sessionsUnstarted: unstarted, sessionsStarted: started, sessionsCompleted: completed, sessionsFailed: failed, sessionsUnfinished: unfinished
    }
  }
}

function sessionsWaited ({ sessions }, { sessions: planned }, summary) {
  if (!sessions) return null
  const { waited } = summary.sessions.counters
  if (waited === 0) return null
  const inVain = sessions.unstarted === 0 ? '' : `, and ${count(sessions.unstarted)} more until the run ended`
  return {
    code: 'MAX_OPEN_REACHED',
    message: `${counted(waited, 'session')} of ${count(sessions.scheduled)} had to wait for others to end${inVain}, because ${count(planned.maxOpen)} were already open: that time is part of latency and lifetimes. Raise sessions.maxOpen, unless the server is what makes sessions slow.`
  }
}

// Sessions that were cut off lasted longer than most, so lifetimes exclude them. A stopped run has a warning of its own.
function sessionsUnfinished ({ sessions, warnings = [] }, { drain }) {
  if (!sessions || sessions.unfinished === 0 || warnings.some(({ code }) => code === 'STOPPED' || code === 'NO_USABLE_CONNECTION')) return null
  return {
    code: 'SESSIONS_UNFINISHED',
    message: `${counted(sessions.unfinished, 'session')} of ${count(sessions.started)} had not made all calls when the drain of ${inSeconds(drain)} seconds ended: lifetimes cover only the ${count(sessions.completed)} completed sessions, and thresholds on them cannot pass. A longer drain lets sessions finish, including their think times.`
  }
}

function howFar ({ sessions: { amount } }, summaries) {
  if (!(amount > 0)) return null
  const ended = summaries.reduce((sum, { sessions: { counters: { completed, failed } } }) => sum + completed + failed, 0)
  return `${count(ended)} of its ${counted(amount, 'session')}`
}

const sessions = definePart({
  name: 'sessions',
  isIn: (plan) => plan.sessions !== null,
  condition: 'with sessions',
  contrast: 'whether they have sessions',
  create: ({ sessions, user }) => sessions ? new SessionRecorder(user) : null,
  merge: mergeSessions,
  takeInterval: (counted) => counted.takeInterval(),
  join: joinIntervals,
  soFar: (before, interval) => before === undefined ? interval : joinIntervals([before, interval], [interval]),
  tick: (told) => ({ sessions: told }),
  columns: columnsOf((sample) => sample?.sessions, [
    ['sessionsScheduled', ({ scheduled }) => scheduled],
    ['sessionsStarted', ({ started }) => started],
    ['sessionsCompleted', ({ completed }) => completed],
    ['sessionsFailed', ({ failed }) => failed],
    ['sessionsOpen', ({ open }) => open]
  ]),
  times: ({ lifetime }) => ({ sessionLifetime: lifetime }),
  timesIfMissing: ({ failTime }) => ({ sessionFailTime: failTime }),
  figures: { sessionLifetime: 'sessions.lifetime', sessionFailTime: 'sessions.failTime' },
  missing,
  result: (counted, { seconds, scheduleSeconds, unscheduled }) => ({ sessions: sessionsResult(counted, seconds, scheduleSeconds, unscheduled) }),
  interim: (counted) => ({ sessions: interim(counted) }),
  fields: {
    sessions: group('failed', {
      ...each(['scheduled', 'started', 'completed', 'failed'], rising('count', 'sessions')),
      // Known only at the end.
      ...each(['unstarted', 'unfinished'], leaf('count', 'sessions')),
      rate: group('achieved', { offered: leaf('rate'), achieved: leaf('rate', 'offered') }),
      lifetime: durations('sessionLifetime'),
      failTime: durations(),
      connections: group('average', { average: from('completedSessions', leaf('count')) }),
      peak: rising('count'),
      burst: rising('count')
    })
  },
  warnings: [sessionsWaited, sessionsUnfinished, ({ sessions }, plan, { sessions: counted }) => sessions && counted.failures ? ofFailures().failureWarnings(counted.failures) : null],
  whyNoAnswer: ({ accounting, sessions }) => sessions?.started > 0 && accounting.scheduled === 0 ? `the user function made no call in ${counted(sessions.started, 'session')}` : null,
  // Sessions continue after the window.
  drains: (plan) => plan.sessions !== null,
  howFar,
  totals,
  series: [
    counter('cannonade_sessions_scheduled_total', 'Sessions that came due.',
      ({ counters: { sessionsScheduled = 0 } }) => one(sessionsScheduled)),
    counter('cannonade_sessions_started_total', 'Sessions started.',
      ({ counters: { sessionsStarted = 0 } }) => one(sessionsStarted)),
    counter('cannonade_sessions_total', 'Sessions by outcome; at the end of a run these add up to the sessions that came due.',
      ({ counters: { sessionsCompleted = 0, sessionsFailed = 0, sessionsUnfinished = 0, sessionsUnstarted = 0 } }) =>
        byLabel('outcome', { completed: sessionsCompleted, failed: sessionsFailed, unfinished: sessionsUnfinished, unstarted: sessionsUnstarted })),
    histogram('cannonade_session_lifetime_seconds', 'Time from when a session was due to its last response, for completed sessions.',
      [['sessionLifetime', {}]]),
    gauge('cannonade_sessions_open', 'Sessions in progress.',
      ({ parts }) => parts.sessions?.open ?? 0)
  ]
})

module.exports = { sessions, sessionsResult, interimSessions: interim, SessionRecorder, SessionsOfScenario }

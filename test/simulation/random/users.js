'use strict'

const { run } = require('../../..')
const UserVisit = require('../../../lib/engine/loops/sessions/user-visit')
const clock = require('../../../lib/world')
const { simulate } = require('../world')
const Dice = require('./dice')
const MixedRecorder = require('../../../lib/metrics/mixed-recorder')
const { quota } = require('./features/mixes')
const defectIn = require('./features/plant')

const SESSIONS_APART = 1e4
const ROUNDED_MS = 2e-3

/*
 * Random worlds with users as code. Each session does random things, and records for each call what it followed: the session's due time, a
 * response, a think time, or its own timer. Once the world's log has the outcome of each request, arithmetic determines when each call was
 * due and how long it took.
 */

/** @param {number} seed @returns {object} plain data */
function drawUsers (seed) {
  const dice = new Dice(seed)
  // Later additions use separate dice, so that the worlds of other seeds stay the same.
  const mixed = Dice.of(seed, 'scenarios of users')
  const leaving = Dice.of(seed, 'departures of servers of users')
  const odd = dice.happens(0.7) ? [{ every: dice.whole(2, 9), answer: dice.one('reset', 'silence', 500, 500, 'end') }] : []
  const drawn = {
    seed,
    link: dice.happens(0.6) ? { delay: dice.ms(0, 3), jitter: dice.happens(0.5) ? dice.ms(0, 2) : 0, split: dice.happens(0.3) ? 0.5 : 0 } : {},
    server: { times: Array.from({ length: 7 }, () => dice.ms(0, 40)), slots: dice.happens(0.3) ? dice.whole(1, 3) : undefined, odd, http2: dice.happens(0.25) },
    refusals: dice.happens(0.2) ? dice.whole(2, 6) : null,
    opts: {
      overallRate: dice.one(5, 20, 50, 100),
      duration: dice.whole(2, 9) / 10,
      timeout: dice.whole(1, 4) / 10,
      drain: dice.whole(0, 6) / 10,
      pipelining: dice.happens(0.4) ? dice.whole(2, 4) : 1,
      sessions: { connections: dice.whole(1, 3), maxOpen: dice.happens(0.3) ? dice.whole(1, 4) : 1000, ...(dice.happens(0.4) && { failOn: 500 }) }
    },
    stop: dice.happens(0.15) ? dice.ms(50, 900) : null,
    refusesBy: dice.one('refuse', 'refuse', 'silence'),
    rows: dice.happens(0.4) ? dice.whole(1, 9) : null,
    thresholds: dice.happens(0.4) ? ['checks == 100%', 'checks.made >= 1%', 'sessions.failed == 0'] : [],
    weights: mixed.happens(0.35) ? Array.from({ length: mixed.whole(1, 4) }, () => mixed.one(1, 1, 2, 3, 0.5, 20)) : null
  }
  return { ...drawn, departures: drawn.server.http2 && leaving.happens(0.6) ? Array.from({ length: leaving.whole(1, 6) }, () => [leaving.ms(10, 900), leaving.whole(0, 3)]) : [] }
}

// What a session does, as a list: the same for the same world and session.
function drawScript (seed, index) {
  const dice = new Dice(seed * SESSIONS_APART + index)
  const script = Array.from({ length: dice.whole(0, 6) }, () => dice.one(
    ['call', dice.happens(0.15) ? dice.whole(1, 8) / 10 : undefined], ['call'], ['together', dice.whole(2, 5)], ['think', dice.whole(0, 60)], ['sleep', dice.whole(1, 30)], ['compute', dice.whole(1, 15)], ['aside', dice.happens(0.5) ? dice.whole(1, 4) / 20 : undefined], ['check', dice.happens(0.5)]
  ))
  if (dice.happens(0.15)) script.push(['throw'])
  return { script, isCareless: dice.happens(0.3), isHasty: dice.happens(0.5) }
}

/** One session: executes its script, and keeps a journal. */
class Actor {
  constructor (world, user, drawn, now) {
    Object.assign(this, { world, user, now, ...drawScript(drawn.seed, user.index) })
    this.calls = []
    this.checks = { passed: 0, failed: 0 }
    this.outcome = null
    this.begunAt = now()
    this.after = { kind: 'start' }
  }

  async play () {
    try {
      for (const [what, more] of this.script) await this[what](more)
      this.after = this.since
      this.outcome = 'completed'
    } catch (error) {
      this.outcome = 'failed'
      throw error
    }
  }

  // What its next action follows. After a timer of its own, that is the current time.
  get since () {
    return this.after.kind === 'clock' ? { kind: 'clock', at: this.now() } : this.after
  }

  async make (timeout) {
    const call = { path: `/${this.user.index}-${this.calls.length}`, after: this.since, timeout, response: null, error: null }
    this.calls.push(call)
    try {
      call.response = await this.user.get(call.path, { timeout, title: 'call' })
    } catch (error) {
      Object.assign(call, { error, rejectedAt: this.now() })
    }
    this.settled = call
    return call
  }

  async call (timeout) {
    const call = await this.make(timeout)
    if (call.error === null) this.after = { kind: 'responses', calls: [call] }
    else await this.recover(call)
  }

  async together (count) {
    const calls = await Promise.all(Array.from({ length: count }, () => this.make()))
    const failed = calls.find(({ error }) => error !== null)
    if (failed === undefined) this.after = { kind: 'responses', calls }
    else await this.recover(failed)
  }

  // A careful user pauses after a failure, and a hasty one does not; a careless one does not notice it.
  async recover ({ error }) {
    if (this.isCareless) throw error
    if (this.isHasty && error.code !== 'CANNONADE_SESSION_ENDED') this.after = { kind: 'failure', call: this.settled }
    else await this.sleep(3)
  }

  async think (ms) {
    const after = this.since
    await this.user.think(ms / 1000)
    this.after = { kind: 'pause', after, ms }
  }

  async sleep (ms) {
    await this.world.sleep(ms)
    this.after = { kind: 'clock', at: this.now() }
  }

  compute (ms) {
    this.world.hold(ms)
  }

  // Nobody awaits this call.
  aside (timeout) {
    this.make(timeout)
  }

  check (ok) {
    this.checks[ok ? 'passed' : 'failed']++
    this.user.check('made', ok)
  }

  throw () {
    throw new Error('by design')
  }
}

const nameOf = (kind) => `kind ${kind}`

/** @returns {Promise<object>} the outcome of a drawn world */
async function playUsers (drawn) {
  const actors = []
  const { seed, link, server: { times, slots, odd, http2 }, refusals, refusesBy, rows, thresholds, weights, opts, stop, departures } = drawn
  const { value: result, world } = await simulate({ seed, link, limit: 60 }, (world) => {
    const now = () => world.client.now / 1000
    const answer = ({ number }) => odd.find(({ every }) => number % every === every - 1)?.answer ?? 200
    const server = world.server({ serviceTime: ({ number }) => times[number % times.length], ...(slots && { slots }), answer: odd.length > 0 ? answer : 200, http2, ...(refusals && { attempt: (number) => number % refusals === 1 ? refusesBy : 'accept' }) })
    for (const [after, untaken] of departures) world.after(after, () => server.goAwayAll({ untaken }))
    const user = (user) => {
      const actor = new Actor(world, user, drawn, now)
      actors.push(actor)
      return actor.play()
    }
    const instance = run({
      url: server.url,
      ...opts,
      http2,
      thresholds,
      ...(rows !== null && { feed: { rows: Array.from({ length: rows }, (_, id) => ({ id })) } }),
      ...(weights === null ? { user } : { scenarios: weights.map((weight, kind) => ({ name: nameOf(kind), weight, user })) })
    })
    if (stop !== null) world.afterForClient(stop, () => instance.stop())
    return instance
  })
  return { drawn, result, world, actors }
}

/** @returns {string[]} violations */
function checkUsers ({ drawn: { opts, rows, weights }, result, world, actors }) {
  const problems = []
  const must = (isRight, problem) => { if (!isRight) problems.push(problem) }
  // What the server refused was sent again, or not at all.
  const isRefused = (entry) => entry.socket.peer?.isRefused?.(entry)
  const log = world.log.filter((entry) => !isRefused(entry))
  // Unless its deadline passed before that was heard.
  const late = new Map(actors.flatMap(({ calls }) => calls.filter(({ error }) => error?.code === 'CANNONADE_RESPONSE_TIMEOUT').map(({ path, rejectedAt }) => [path, rejectedAt])))
  const open = world.log.filter((entry) => isRefused(entry) && late.get(entry.path) <= entry.socket.closedAt / 1000).length
  const entries = new Map(log.map((entry) => [entry.path, entry]))
  const calls = actors.flatMap((actor) => actor.calls.map((call) => Object.assign(call, { actor, entry: entries.get(call.path) })))
  const startAt = actors.length === 0 ? 0 : actors[0].begunAt - actors[0].user.index * 1000 / opts.overallRate

  // Rejected because the session was over, or still to be rejected for that.
  const isLeft = (call) => isEnded(call) || !isSettled(call)
  const isSettled = ({ response, error }) => response !== null || error !== null
  const isEnded = ({ error }) => error?.code === 'CANNONADE_SESSION_ENDED'
  const dueOf = (after, { user: { index } }) => {
    switch (after.kind) {
      case 'start': return startAt + index * 1000 / opts.overallRate
      case 'clock': return after.at
      case 'failure': return settledAt(after.call)
      case 'pause': return dueOf(after.after, { user: { index } }) + after.ms
      default: return Math.max(...after.calls.map(({ entry }) => entry.receivedAt / 1000))
    }
  }
  // A deadline may be noticed late, but what follows is due with it. When an attempt to connect was over is not known from outside, but
  // not after that was told.
  const settledAt = ({ response, error, rejectedAt, entry, after, actor, timeout }) => {
    // A response that fails its call may be noticed late, too: others may compute in the same turn.
    if (response !== null || error.code === 'CANNONADE_FAIL_ON') return entry.receivedAt / 1000
    if (error.code === 'CANNONADE_RESPONSE_TIMEOUT') return dueOf(after, actor) + (timeout ?? opts.timeout) * 1000
    // The same for a call that was lost with its connection.
    if (error.code === 'CANNONADE_LOST_IN_PIPELINE') return entry.socket.closedAt / 1000
    return error.code === 'CANNONADE_CONNECT_TIMEOUT' ? NaN : rejectedAt
  }
  const leastOf = ({ entry, after: { call } }) => call === undefined ? 0 : entry.receivedAt / 1000 - call.rejectedAt - ROUNDED_MS
  const isNear = (one, other) => Math.abs(one - other) <= ROUNDED_MS

  // Every request belongs to one call, and every response reached its call.
  must(entries.size === log.length, 'a call was sent twice')
  for (const call of calls) {
    const { path, response, entry, after, actor } = call
    must(isSettled(call) || entry === undefined, `${path} was sent, and nobody heard what became of it`)
    if (response === null) continue
    must(entry?.receivedAt, `${path} had a response that nobody sent`)
    const expected = entry.receivedAt / 1000 - dueOf(after, actor)
    must(Number.isNaN(expected) ? response.latency >= leastOf(call) : isNear(response.latency, expected), `${path} took ${expected} ms from when it was due, and not ${response.latency}`)
    must(response.status === (Number(entry.answer) || 200), `${path} was answered with another status`)
  }
  const { accounting, sessions, checks, latency } = result
  const responses = calls.filter(({ response, error }) => response !== null || error?.code === 'CANNONADE_FAIL_ON')
  const timedOut = calls.filter(({ error, entry }) => error?.code === 'CANNONADE_RESPONSE_TIMEOUT' && entry !== undefined)
  // Of those whose deadline passed before the end, nobody heard if the run ended in that turn; with pipelining, others on their connection
  // had no deadline of their own.
  const isLate = (call) => call.entry?.receivedAt === null && isLeft(call) && dueOf(call.after, call.actor) + (call.timeout ?? opts.timeout) * 1000 <= call.entry.socket.closedAt / 1000
  const unheard = calls.filter(isLate).length
  must(accounting.sent >= log.length && accounting.sent <= log.length + open, `${log.length} were sent, of ${open} nobody knows, and not ${accounting.sent}`)
  must(accounting.completed === responses.length, `${responses.length} were answered, and not ${accounting.completed}`)
  must(accounting.timedOut >= timedOut.length && accounting.timedOut <= timedOut.length + unheard + open, `${timedOut.length} timed out, of ${unheard} nobody heard, and not ${accounting.timedOut}`)
  must(accounting.scheduled === accounting.unsent + accounting.sent, 'scheduled is not unsent + sent')
  must(accounting.sent === accounting.completed + accounting.failed + accounting.timedOut + accounting.unfinished, 'sent is not what became of it')
  // Of a session that had not begun, or waited too long for its place, one request is scheduled. Calls after the end are not.
  const withoutCalls = sessions.scheduled - actors.length
  const due = calls.filter((call) => call.entry !== undefined || !isLeft(call)).length
  must(accounting.scheduled >= due + withoutCalls && accounting.scheduled <= calls.length + withoutCalls, `${accounting.scheduled} were scheduled, when ${due} to ${calls.length} calls and ${withoutCalls} sessions without any were due`)
  must(latency.totalCount === accounting.completed + accounting.timedOut + accounting.unfinished + accounting.unsent, 'latency has each of them once')

  const ended = (outcome) => actors.filter((actor) => actor.outcome === outcome)
  // Sessions that end after the run, because their calls were rejected, are unfinished.
  const cutOff = actors.filter(({ outcome, calls }) => outcome === null || calls.some(isEnded)).length
  must(sessions.scheduled === sessions.unstarted + sessions.started, 'scheduled sessions are unstarted or started')
  must(sessions.started === sessions.completed + sessions.failed + sessions.unfinished, 'started sessions are completed, failed or unfinished')
  must(sessions.completed <= ended('completed').length && sessions.completed >= ended('completed').length - cutOff - 1, `${ended('completed').length} functions returned, ${sessions.completed} sessions were completed`)
  must((sessions.failures ?? []).reduce((sum, { count }) => sum + count, 0) <= sessions.failed, 'more failures than failed sessions')
  const sum = (name) => actors.reduce((total, actor) => total + actor.checks[name], 0)
  // Each scenario has checks of its own.
  const [passed, failed] = ['passed', 'failed'].map((box) => checks.reduce((total, { [box]: count }) => total + count, 0))
  must(passed <= sum('passed') && failed <= sum('failed') && (cutOff > 0 || (passed === sum('passed') && failed === sum('failed'))), `checks: ${passed} and ${failed}, and not ${sum('passed')} and ${sum('failed')}`)
  // No check at all is no pass.
  const isRight = { 'checks == 100%': passed > 0 && failed === 0, 'checks.made >= 1%': passed > 0 && passed >= (passed + failed) / 100, 'sessions.failed == 0': sessions.failed === 0 }
  for (const { threshold, passed: isPassed } of result.thresholds ?? []) must(isPassed === isRight[threshold], `${threshold} ${isPassed ? 'passed' : 'failed'} with ${passed} and ${failed} checks, and ${sessions.failed} sessions failed`)
  const kinds = weights === null ? null : quota(weights, sessions.scheduled)
  if (kinds !== null) checkScenarios({ must, result, log, actors, rows, kinds, isCutOff: cutOff > 0 })
  for (const [index, { user: { row } }] of kinds === null ? actors.entries() : []) must(rows === null || row.id === index % rows, `the user ${index} had the row ${row?.id} of ${rows}`)
  if (cutOff === 0) checkLifetimes({ must, isNear, dueOf, settledAt, result, actors })
  must(world.leftovers.length === 0, `left over: ${world.leftovers}`)
  return problems
}

// Sessions follow the mix, each scenario walks through the rows on its own, and has what its own sessions did.
function checkScenarios ({ must, result: { scenarios, accounting, sessions, errors }, log, actors, rows, kinds, isCutOff }) {
  for (const { user } of actors) must(user.scenario === nameOf(kinds[user.index]), `the session ${user.index} was of ${user.scenario}, and not of ${nameOf(kinds[user.index])}`)
  for (const [kind, { name, accounting: { sent, completed }, ...scenario }] of scenarios.entries()) {
    const mine = actors.filter(({ user: { index } }) => kinds[index] === kind)
    const ours = new Set(mine.flatMap(({ calls }) => calls.map(({ path }) => path)))
    const own = log.filter(({ path }) => ours.has(path))
    must(name === nameOf(kind), `${name} is in the place of ${nameOf(kind)}`)
    must(sent === own.length, `${name} has sent ${sent}, but ${own.length} were seen`)
    const responses = mine.flatMap(({ calls }) => calls).filter(({ response, error }) => response !== null || error?.code === 'CANNONADE_FAIL_ON').length
    must(completed === responses, `${name} has ${completed} answers, and not ${responses}`)
    const scheduled = kinds.filter((each) => each === kind).length
    must(scenario.sessions.scheduled === scheduled, `${name} had ${scenario.sessions.scheduled} sessions, and not ${scheduled}`)
    const [{ passed, failed } = { passed: 0, failed: 0 }] = scenario.checks
    const sum = (outcome) => mine.reduce((total, { checks }) => total + checks[outcome], 0)
    must(isCutOff || (passed === sum('passed') && failed === sum('failed')), `${name} has the checks ${passed} and ${failed}, and not ${sum('passed')} and ${sum('failed')}`)
    for (const [place, { user: { row } }] of mine.entries()) must(rows === null || row.id === place % rows, `the session ${place} of ${name} had the row ${row?.id} of ${rows}`)
  }
  const isSum = (name, whole, pick) => must(scenarios.reduce((total, each) => total + pick(each), 0) === whole, `the scenarios do not add up to ${whole} ${name}`)
  for (const [box, count] of Object.entries(accounting)) isSum(box, count, (each) => each.accounting[box])
  for (const box of ['scheduled', 'unstarted', 'started', 'completed', 'failed', 'unfinished']) isSum(`sessions ${box}`, sessions[box], (each) => each.sessions[box])
  isSum('errors', errors, (each) => each.errors)
}

// A session ends with the last thing that its function awaited, or with its last call. When a call failed is known if its deadline passed.
function checkLifetimes ({ must, isNear, dueOf, settledAt, result: { sessions }, actors }) {
  const isKnown = ({ response, error }) => response !== null || error.code === 'CANNONADE_RESPONSE_TIMEOUT'
  const completed = actors.filter(({ outcome }) => outcome === 'completed')
  if (completed.length !== sessions.completed || completed.length === 0 || !completed.every(({ calls }) => calls.every(isKnown))) return
  const lifetimes = completed.map((actor) => Math.max(dueOf(actor.after, actor), ...actor.calls.map(settledAt)) - dueOf({ kind: 'start' }, actor))
  const expected = { min: Math.min(...lifetimes), mean: lifetimes.reduce((sum, each) => sum + each, 0) / lifetimes.length, max: Math.max(...lifetimes) }
  for (const [name, time] of Object.entries(expected)) must(isNear(sessions.lifetime[name], time), `the ${name} of the sessions' lifetimes is ${time} ms, and not ${sessions.lifetime[name]}`)
}

const defects = {
  'a call of a scenario that is counted for the first one': defectIn(MixedRecorder, 'completedRequest', () => function (...args) {
    Object.getPrototypeOf(MixedRecorder.prototype).completedRequest.apply(this, args)
    this.ofScenario(0).completedRequest(...args)
  }),
  'calls that are due when they are made': defectIn(UserVisit, 'now', () => () => clock.now()),
  'think times that are over when that is noticed': defectIn(UserVisit, 'paused', (paused) => function (pause) {
    pause.until = clock.now()
    paused.call(this, pause)
  }),
  'a call behind a failed one that is due when that was noticed': defectIn(UserVisit, 'settle', (settle) => function (pending, at, value, error) {
    settle.call(this, pending, error === null ? at : clock.now(), value, error)
  }),
  'a session that fails with each of its calls': defectIn(UserVisit, 'requestLost', (requestLost) => function (...args) {
    requestLost.apply(this, args)
    this.hasFailed = true
  }),
  'a session that is over when its function is': defectIn(UserVisit, 'returned', (returned) => function () {
    this.openCalls = 0
    returned.call(this)
  }),
  'two things that come to be in one turn, as if at one time': defectIn(UserVisit, 'settle', (settle) => function (pending, at, ...rest) {
    settle.call(this, pending, this.settledIn === this.loop.turn.number ? this.settledAt : at, ...rest)
  })
}

module.exports = { checkUsers, defects, drawUsers, playUsers }

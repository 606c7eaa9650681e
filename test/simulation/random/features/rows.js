'use strict'

const Pool = require('../../../../lib/engine/phase/pool')
const Feed = require('../../../../lib/engine/deal/feed')
const RequestSequence = require('../../../../lib/script/sequence')
const Arrivals = require('../arrivals')
const Chance = require('../chance')
const connectionOf = require('../connection-of')
const groups = require('../groups')
const { SCHEDULES } = require('../is-unpaced')
const { ROUNDED_TO_MS, hasRefusals } = require('../round')
const defectIn = require('./plant')

// Rows are drawn from another stream of random numbers than arrivals.
const OTHER_STREAM = 2 ** 32

/** More feeds, whose rows end the run after a warm-up that has used some of them. */
function draw (dice, drawn) {
  const { opts, messages, calls, stream, threads, proxy, bodies } = drawn
  const isTaken = [messages, calls, threads, proxy, opts.feed, opts.sessions, opts.followRedirects, opts.forever].some((each) => each !== undefined)
  if (!dice.happens(0.08) || isTaken || stream !== null) return
  opts.feed = { rows: dice.whole(1, 40), order: dice.one('once', 'once', 'sequential', 'random') }
  if (opts.feed.order !== 'once') return
  // Neither a duration nor an amount should end it.
  for (const name of ['amount', 'maxOverallRequests', 'maxConnectionRequests', 'bailout', 'stages', 'abortOnFail', 'thresholds', 'thinkTime']) delete opts[name]
  if (typeof opts.connections === 'object') opts.connections = opts.connections.to
  if (!Object.keys(opts).some((name) => SCHEDULES.has(name))) opts.overallRate = dice.one(40, 100, 125)
  opts.duration = 3
  if (dice.happens(0.8)) opts.warmup = { connections: dice.one(opts.connections, opts.connections, dice.whole(1, 4)), duration: dice.whole(1, 3) / 10 }
  if (dice.happens(0.8)) drawn.end = null
  if (drawn.walk !== undefined || bodies !== undefined || !dice.happens(0.6)) return
  drawn.walk = { steps: Array.from({ length: dice.whole(2, 4) }, () => ({ method: 'GET' })), hasIds: false, isChained: false, hasNumbers: false }
  opts.feed.rows = dice.whole(1, 20)
}

const isIn = ({ opts, messages, calls, mix }) => opts.feed !== undefined && [messages, calls, mix].every((each) => each === undefined)

/** Rounds of sequences, and sessions, get the rows of the feed in order, through warm-up and run; with threads each its share. */
function checkWorld (drawn, { world, rounds, warmups, complete }, must) {
  const { opts } = drawn
  if (hasRefusals(world.log)) return
  for (const [index, round] of rounds.entries()) {
    const phases = [...(warmups[index] === undefined ? [] : [warmups[index]]), round]
    const log = phases.flatMap((phase) => phase.log).filter(({ method }) => method !== 'CONNECT')
    const seen = complete.filter((each) => phases.some(({ phase }) => phase === each.phase))
    if (seen.length < phases.length) continue
    const begun = opts.sessions === undefined ? begunInRounds(drawn, log, must) : begunInSessions(drawn, log, world.sockets, warmups[index], must)
    checkRows(drawn, begun, seen.at(-1), must)
    if (opts.sessions === undefined) checkLast(drawn, seen, log, must)
  }
}

const numbersIn = (path) => path.replace(/^http:\/\/[^/]+/, '').split('/').slice(1)

function rowOf ({ walk }, { path }) {
  const parts = numbersIn(path)
  return Number(walk === undefined ? parts[0] : parts.at(walk.hasIds ? -2 : -1))
}

// The target of a redirect belongs to the same round.
const isRedirected = ({ path }) => path.endsWith('/elsewhere') || path.includes('/hop/')

// How many requests a row is for: with weights, each request is a round.
const stepsOf = ({ walk }) => walk === undefined || walk.weights !== undefined ? 1 : walk.steps.length

// The first request of each round, in the order in which they were sent, by thread.
function begunInRounds (drawn, log, must) {
  const begun = new Map()
  const steps = stepsOf(drawn)
  for (const sent of groups(log.filter((entry) => !isRedirected(entry)), ({ socket }) => connectionOf(socket)).values()) {
    sent.forEach((entry, index) => {
      const first = sent[index - index % steps]
      must(rowOf(drawn, entry) === rowOf(drawn, first), `a round began with the row ${rowOf(drawn, first)}, and went on with ${rowOf(drawn, entry)}`)
      if (entry === first) begun.set(entry, connectionOf(entry.socket).owner.pool.part.share)
    })
  }
  const rows = new Map()
  for (const entry of log.filter((each) => begun.has(each))) {
    const share = drawn.threads === undefined ? 0 : begun.get(entry)
    if (!rows.has(share)) rows.set(share, [])
    rows.get(share).push({ draw: rows.get(share).length, row: rowOf(drawn, entry) })
  }
  return rows
}

// A session has one row, determined by its position among the sessions that began, each with its own connection. Others failed while
// waiting.
function begunInSessions (drawn, log, sockets, warmup, must) {
  const rows = new Map()
  const visits = [...new Set(sockets.map((socket) => connectionOf(socket).script.visit))].sort((one, other) => one.number - other.number)
  const places = groups(visits, ({ loop }) => loop)
  for (const [visit, sent] of groups(log.filter((entry) => !isRedirected(entry)), ({ socket }) => connectionOf(socket).script.visit)) {
    const row = rowOf(drawn, sent[0])
    must(sent.every((entry) => rowOf(drawn, entry) === row), `a session had more rows than ${row}`)
    if (!rows.has(visit.loop)) rows.set(visit.loop, [])
    rows.get(visit.loop).push({ draw: places.get(visit.loop).indexOf(visit), row })
  }
  // The run continues after the warm-up, whose sessions may all have failed before they sent anything.
  const lists = new Map()
  const { phases: warmups = [warmup] } = warmup ?? { phases: [] }
  for (const [loop, list] of rows) {
    const { share } = loop.part
    const warmUp = warmups.map(({ phase }) => phase.loop).find(({ part }) => part.share === share)
    const before = warmUp === undefined || loop === warmUp ? 0 : warmUp.begun
    lists.set(share, [...(lists.get(share) ?? []), ...list.map(({ draw, row }) => ({ draw: before + draw, row }))])
  }
  return lists
}

function checkRows ({ opts: { feed, sessions }, seed, hooks }, begun, { plan, parts }, must) {
  const chance = new Chance(seed + OTHER_STREAM)
  const numbers = []
  const rowOfDraw = (draw) => {
    if (feed.order !== 'random') return feed.order === 'once' ? draw : draw % feed.rows
    while (numbers.length <= draw) numbers.push(Math.floor(feed.rows * chance.uniform()))
    return numbers[draw]
  }
  const of = parts.length
  const cycle = sessions === undefined ? plan.connections : of
  for (const [share, rows] of begun) {
    const draws = drawsOf(share, of, of === 1 ? 1 : cycle)
    const expected = rows.map(({ draw }) => rowOfDraw(draws(draw)))
    const said = rows.map(({ row }) => row)
    // An asynchronous hook may have a row that is never sent.
    const isInOrder = hooks.setupRequest?.sleep === undefined && hooks.setupClient?.sleep === undefined
    must(!isInOrder || JSON.stringify(said) === JSON.stringify(expected), `rows ${said} went out, and not ${expected}`)
    must(feed.order !== 'once' || new Set(said).size === said.length, `of ${said} a row was there twice`)
    must(feed.order !== 'once' || said.every((row) => row < feed.rows), `a row that is not there, of ${feed.rows}: ${said}`)
  }
}

// The global number of a share's draws: draw i has place i modulo the cycle, and place p belongs to share p modulo n.
function drawsOf (share, of, cycle) {
  const places = Array.from({ length: cycle }, (_, place) => place).filter((place) => place % of === share)
  return (draw) => Math.floor(draw / places.length) * cycle + places[draw % places.length]
}

/** If the rows end the run, each of them was used, to the last request of its round. */
function checkLast (drawn, rounds, log, must) {
  const { opts: { feed, followRedirects, amount, maxOverallRequests, maxConnectionRequests }, end, hooks } = drawn
  const run = rounds.at(-1)
  const steps = stepsOf(drawn)
  const byNumber = [amount, maxOverallRequests, maxConnectionRequests].some((number) => number !== undefined)
  const isOverEarly = run.result.warnings.some(({ code }) => ['STOPPED', 'ABORTED_ON_FAIL', 'NO_USABLE_CONNECTION'].includes(code))
  if (feed.order !== 'once' || byNumber || end !== null || isOverEarly || followRedirects !== undefined || drawn.threads !== undefined) return
  // A request that comes due and waits too long uses no row, and still counts.
  if (run.result.accounting.unsent > 0) return
  const hasNothingDue = run.isOpen && new Arrivals(drawn.opts, drawn.seed).at(run.result.accounting.scheduled) === Infinity
  if (hasNothingDue || run.endedAt - run.begunAt >= run.plan.duration * 1000 - ROUNDED_TO_MS) return
  const others = rounds.slice(0, -1).filter(({ phase }) => phase.pool !== run.phase.pool)
  const leftBehind = others.reduce((sum, { log: sent }) => sum + restsOf(sent, steps), 0)
  const expected = feed.rows * steps - leftBehind
  // A round that a hook was still setting up at the end of the warm-up was lost with its connection.
  const mostUnseen = hooks.setupRequest?.sleep === undefined ? 0 : others.reduce((sum, { phase }) => sum + phase.pool.connections.length * steps, 0)
  const isRight = log.length <= expected && log.length >= expected - mostUnseen
  must(isRight, `${log.length} requests were sent of the ${expected} that ${feed.rows} rows were good for`)
}

// The unfinished rounds of closed connections.
function restsOf (sent, steps) {
  return [...groups(sent, ({ socket }) => connectionOf(socket)).values()].reduce((sum, { length }) => sum + (steps - length % steps) % steps, 0)
}

const defects = {
  'a row that is given to two rounds': defectIn(Feed, 'next', (original) => function () {
    this.count = (this.count ?? 0) + 1
    if (this.count === 4) return this.last
    this.last = original.call(this)
    return this.last
  }),
  'rows that a warm-up has begun, of which nobody sends the rest': defectIn(Pool, 'supply', () => function () {
    if (this.feed === null || this.feed.left === Infinity || this.plan.sessions !== null) return Infinity
    return this.feed.left * this.plan.feed.steps
  }),
  'a round that goes on with the next row': defectIn(RequestSequence, 'take', (original) => function (...args) {
    if (this.feed !== null && !this.order.beginsRound) this.row = this.feed.next() ?? this.row
    return original.apply(this, args)
  })
}

module.exports = { name: 'rows', draw, isIn, checkWorld, defects }

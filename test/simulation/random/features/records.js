'use strict'

const os = require('node:os')
const path = require('node:path')
const { Lines } = require('../../../../lib/metrics/record/lines')
const RecordFile = require('../../../../lib/engine/record-file')
const TraceIds = require('../../../../lib/world/trace-ids')
const connectionOf = require('../connection-of')
const groups = require('../groups')
const { statusOf, us } = require('../round')
const defectIn = require('./plant')

const LONGEST_PATH = 200

/** A line for each request in a file, and a trace context with each. */
function draw (dice, { opts }) {
  if (opts.forever || !dice.happens(0.5)) return
  opts.record = path.join(os.tmpdir(), dice.happens(0.5) ? 'all.csv' : 'all.jsonl')
  if (dice.happens(0.5)) opts.traceparent = true
}

/** As many lines as requests, and each says what the world saw. */
function checkWorld ({ opts: { record } }, { world, rounds }, must) {
  const round = rounds.at(-1)?.seen
  if (round === undefined) return
  const lines = linesOf(world.client.disk.read(record), record.endsWith('.csv'))
  const { accounting } = round.result
  must(lines.length === accounting.scheduled, `${lines.length} lines of ${accounting.scheduled} requests`)
  for (const outcome of ['unsent', 'completed', 'failed', 'timedOut', 'unfinished']) {
    const count = lines.filter((line) => line.outcome === outcome).length
    must(count === accounting[outcome], `${count} lines are ${outcome}, but ${accounting[outcome]} requests`)
  }
  // Where hooks of sessions take their time, what became of each request is not known.
  if (!round.hasRefusals && round.failed !== undefined) checkLines(round, lines, must)
}

function checkLines (round, lines, must) {
  const sent = lines.filter(({ outcome }) => outcome !== 'unsent')
  const counted = new Set(round.counted)
  const all = round.log.map((entry) => seen(round, entry, counted.has(entry)))
  same('what was sent', sent.map((line) => written(line, all[0])), all.map(({ text }) => text), must)
  const timesBy = (list, key, time) => [...groups(list, key).values()].map((group) => group.map(time).sort().join()).sort()
  same('connections', timesBy(sent, ({ connection }) => connection, ({ sent: at }) => at), timesBy(round.log, ({ socket }) => socket, (entry) => secondsOf(round, entry, entry.sentAt / 1000)), must)
  // Of sessions that gave up while the thread was blocked, it is unknown when they were due.
  if (!round.knowsDueTimes || round.unsent === undefined || round.unsent.some(({ dueAt }) => dueAt === -Infinity)) return
  const isLatency = !round.plan.ignoreCoordinatedOmission
  const unsent = round.unsent.map(({ dueAt, until, part = round.parts[0] }) => `${seconds(dueAt - part.begunAt)} ${isLatency ? ms(us(Math.min(until - dueAt, round.timeout))) : ''}`)
  same('what was never sent', lines.filter(({ outcome }) => outcome === 'unsent').map(({ due, latency }) => `${due} ${latency}`), unsent, must)
}

function same (what, said, expected, must) {
  said.sort()
  expected.sort()
  const place = expected.findIndex((line, index) => line !== said[index])
  must(said.length === expected.length && place === -1, `${what}: ${said.length} and ${expected.length}; ${said[place]}, but the world saw ${expected[place]}`)
}

// --- what the world saw

function seen (round, entry, isCounted) {
  const { plan, hasDueTimes, knowsDueTimes, messages } = round
  const outcome = ['timedOut', 'failed', 'unfinished'].find((name) => round[name].includes(entry)) ?? 'completed'
  const visit = plan.sessions === null ? null : connectionOf(entry.socket).script.visit
  const isKnown = !hasDueTimes || knowsDueTimes
  const at = (time) => secondsOf(round, entry, time)
  const due = hasDueTimes ? entry.dueAt : entry.sentAt / 1000
  const isWhole = outcome === 'completed'
  const end = { completed: () => entry.receivedAt / 1000, failed: () => entry.endedAt, timedOut: () => round.startOf(entry) + round.timeout, unfinished: () => null }[outcome]()
  const fields = {
    due: isKnown ? at(due) : null,
    sent: at(entry.sentAt / 1000),
    firstByte: isWhole ? at(entry.firstByteAt / 1000) : null,
    end: isKnown || isWhole ? end === null ? '' : at(end) : null,
    latency: isKnown ? latencyOf(round, entry, outcome, due, isCounted) : null,
    outcome,
    status: isWhole ? messages === null ? String(statusOf(entry.answer)) : '' : null,
    method: messages === null ? entry.method : null,
    path: messages === null ? entry.path.slice(0, LONGEST_PATH) : null,
    session: visit === null ? '' : String(visit.number),
    scenario: visit?.scenarioName ?? '',
    traceId: messages === null ? entry.traceparents[0]?.slice(3, 35) ?? '' : null
  }
  return { text: Object.values(fields).join(' '), isKnown, hasHead: messages === null }
}

function latencyOf (round, entry, outcome, due, isCounted) {
  const { plan: { ignoreCoordinatedOmission }, hasDueTimes, timeout } = round
  const isFromDue = hasDueTimes && !ignoreCoordinatedOmission
  if (outcome === 'completed') return isCounted ? ms(us(entry.receivedAt / 1000 - (isFromDue ? due : entry.sentAt / 1000))) : ''
  if (!isFromDue || outcome === 'failed') return ''
  return ms(us(outcome === 'timedOut' ? timeout : Math.min(entry.part.finishedAt - due, timeout)))
}

const secondsOf = (round, entry, time) => seconds(time - (entry.part ?? round.parts[0]).begunAt)
const seconds = (value) => (Math.round(value * 1000) / 1e6).toFixed(6)
const ms = (value) => (value / 1000).toFixed(3)

// --- what was written

const COLUMNS = 'due sent firstByte end latency outcome status bytes error method path endpoint session scenario connection traceId'.split(' ')

function linesOf (text, isCSV) {
  const lines = text.split('\n').slice(isCSV ? 1 : 0, -1)
  const values = lines.map((line) => isCSV ? line.split(',') : [...line.matchAll(/[{,]"\w+":("(?:[^"\\]|\\.)*"|[^",}]+)/g)].map(([, value]) => value === 'null' ? '' : value.replace(/^"|"$/g, '')))
  return values.map((each) => Object.fromEntries(COLUMNS.map((name, index) => [name, each[index]])))
}

// The same fields, of which some are not known of all.
function written (line, { isKnown, hasHead }) {
  const isWhole = line.outcome === 'completed'
  const fields = {
    due: isKnown ? line.due : null,
    sent: line.sent,
    firstByte: isWhole ? line.firstByte : null,
    end: isKnown || isWhole ? line.end : null,
    latency: isKnown ? line.latency : null,
    outcome: line.outcome,
    status: isWhole ? line.status : null,
    method: hasHead ? line.method : null,
    path: hasHead ? line.path : null,
    session: line.session,
    scenario: line.scenario,
    traceId: hasHead ? line.traceId : null
  }
  return Object.values(fields).join(' ')
}

const isTraced = ({ opts }) => opts.traceparent === true

const defects = {
  'a time that is a microsecond late': defectIn(Lines, 'time', (original) => function (column, time) { original.call(this, column, column === 3 ? time + 0.001 : time) }),
  'a line that is lost between two blocks': defectIn(RecordFile, 'take', (original) => function (block, length, lines) {
    if (this.isNotFirst !== true) length = block.lastIndexOf(10, length - 2) + 1
    this.isNotFirst = true
    original.call(this, block, length, lines)
  }),
  'a trace id of the request before': defectIn(TraceIds, 'writeTraceId', (original) => function (view, at, serial) { original.call(this, view, at, serial - 1) }, isTraced)
}

module.exports = { name: 'records', draw, isIn: ({ opts }) => opts.record !== undefined, checkWorld, defects }

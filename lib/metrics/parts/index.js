'use strict'

const { broadcast } = require('./broadcast')
const { calls } = require('./calls')
const { checks } = require('./checks')
const { flights } = require('./flights')
const { heat } = require('./heat')
const { messages } = require('./messages')
const { monitor } = require('./monitor')
const { replies } = require('./replies')
const { scenarios } = require('./scenarios')
const { schedule } = require('./schedule')
const { sessions } = require('./sessions')
const { sizes } = require('./sizes')
const { slowest } = require('./slowest')
const { stream } = require('./stream')
const { targets } = require('./targets')

/** Everything that is measured besides requests and connections, one module each. part.js documents what each may define. */
const PARTS = [sizes, replies, schedule, sessions, scenarios, checks, stream, messages, broadcast, calls, targets, monitor, slowest, heat, flights]

/** Parts that keep state in a recorder. */
const COUNTED = PARTS.filter(({ create }) => create !== null)
const SAMPLED = PARTS.filter(({ takeInterval }) => takeInterval !== null)

const byName = (parts, pick) => Object.fromEntries(parts.map((part) => [part.name, pick(part)]))
const withValue = (entries) => Object.fromEntries(entries.filter(([, value]) => value !== undefined))

/** The counts of a recorder's parts as plain data. @param {boolean} isInterim only what is available quickly */
function dataOfParts (recorder, dataOf, isInterim) {
  return byName(COUNTED, (part) => recorder[part.name] === null ? null : part.toData(recorder[part.name], dataOf, { isInterim, recorder }))
}

/** Like merged data, but of this recorder alone and with its own distributions: read it immediately and do not change it. */
const liveParts = (recorder) => dataOfParts(recorder, (distribution) => distribution, true)

/** Adds up the data of several recorders. @param {function} merge adds up their summaries */
function mergeParts (summaries, Kind, merge) {
  return byName(COUNTED, (part) => summaries[0][part.name] == null ? null : part.merge(summaries.map(({ [part.name]: data }) => data), Kind, merge))
}

/** Calls `pick` with each part of a merged summary and what it counted, in the order of the parts. @param {function(object, object): *} pick */
function ofEach (summary, pick) {
  return PARTS.flatMap((part) => {
    const counted = part.of(summary)
    return counted === null ? [] : [pick(part, counted)]
  })
}

/** Like `ofEach`, but `pick` returns objects, which are merged into one. */
const joined = (summary, pick) => Object.assign({}, ...ofEach(summary, pick))

/** What a recorder's parts counted since the last call. */
function takePartIntervals (recorder) {
  return Object.fromEntries(SAMPLED.filter(({ name }) => recorder[name] !== null).map((part) => [part.name, part.takeInterval(recorder[part.name], recorder)]))
}

/** Adds an interval to `soFar`, the parts since the start of the run. */
function addPartIntervals (soFar, interval) {
  for (const part of SAMPLED) {
    if (part.soFar !== null && interval[part.name] !== undefined) soFar[part.name] = part.soFar(soFar[part.name], interval[part.name])
  }
}

/** The fields of a `tick`. @param {object} soFar from `addPartIntervals` */
const tickOfParts = (soFar, sample) => Object.assign({}, ...SAMPLED.map((part) => soFar[part.name] === undefined ? {} : part.tick(soFar[part.name], sample)))

/** The parts that an interval, or a sample, has. */
const partsIn = (interval) => withValue(SAMPLED.map(({ name }) => [name, interval[name]]))

/**
 * Joins the parts of several intervals.
 *
 * @param {object[]} intervals
 * @param {object[]} latest the last interval of each thread
 */
function joinPartIntervals (intervals, latest) {
  const all = (list, name) => list.map((interval) => interval[name]).filter((each) => each !== undefined)
  return withValue(SAMPLED.map((part) => {
    const parts = all(intervals, part.name)
    return [part.name, parts.length === 0 ? undefined : part.join(parts, all(latest, part.name))]
  }))
}

const convertIn = (interval, convert) => withValue(SAMPLED.map((part) => [part.name, interval[part.name] && convert(part, interval[part.name])]))

/** The parts of an interval as plain data. */
const partIntervalsToData = (interval) => convertIn(interval, (part, own) => part.intervalToData(own))

/** The parts of an interval in the form that samples have. */
const samplesOfParts = (interval) => convertIn(interval, (part, own) => part.sample(own))

/** The fields of a sample in a result. */
const rowsOfParts = (sample) => withValue(SAMPLED.map(({ name, row }) => [name, row(sample[name])]))

/** The distributions of the parts, by the names of their histograms. */
const timesOfParts = (summary) => joined(summary, (part, counted) => part.times(counted))

module.exports = {
  COUNTED,
  PARTS,
  addPartIntervals,
  dataOfParts,
  joinPartIntervals,
  joined,
  liveParts,
  mergeParts,
  ofEach,
  partIntervalsToData,
  partsIn,
  rowsOfParts,
  samplesOfParts,
  takePartIntervals,
  tickOfParts,
  timesOfParts
}

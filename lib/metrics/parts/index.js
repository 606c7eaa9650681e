'use strict'

const { broadcast } = require('./broadcast')
const { calls } = require('./calls')
const { messages } = require('./messages')
const { monitor } = require('./monitor')
const { replies } = require('./replies')
const { schedule } = require('./schedule')
const { sessions } = require('./sessions')
const { sizes } = require('./sizes')
const { stream } = require('./stream')
const { targets } = require('./targets')

/** Everything that is measured besides requests and connections, a module each: part.js says what each may have. */
const PARTS = [sizes, replies, schedule, sessions, stream, messages, broadcast, calls, targets, monitor]

/** Those that a recorder counts with something of their own. */
const COUNTED = PARTS.filter(({ create }) => create !== null)
const SAMPLED = PARTS.filter(({ takeInterval }) => takeInterval !== null)

const byName = (parts, pick) => Object.fromEntries(parts.map((part) => [part.name, pick(part)]))
const withValue = (entries) => Object.fromEntries(entries.filter(([, value]) => value !== undefined))

/** What the parts of a recorder have counted, as data. @param {boolean} isStanding only what can be told at once */
function dataOfParts (recorder, dataOf, isStanding) {
  return byName(COUNTED, (part) => recorder[part.name] === null ? null : part.toData(recorder[part.name], dataOf, { isStanding, recorder }))
}

/** The same as merged data of this recorder alone, with its own distributions: to be read at once, and not to be changed. */
const liveParts = (recorder) => dataOfParts(recorder, (distribution) => distribution, true)

/** Adds up the data of several recorders. */
function mergeParts (summaries, Kind) {
  return byName(COUNTED, (part) => summaries[0][part.name] == null ? null : part.merge(summaries.map(({ [part.name]: data }) => data), Kind))
}

/** What every part of a merged summary has to say, in the order of the parts. @param {function(object, object): *} pick gets the part, and what was counted */
function ofEach (summary, pick) {
  return PARTS.flatMap((part) => {
    const counted = part.of(summary)
    return counted === null ? [] : [pick(part, counted)]
  })
}

/** The same where each gives an object, as one object. */
const joined = (summary, pick) => Object.assign({}, ...ofEach(summary, pick))

/** What a recorder's parts have counted since the last call. */
function takePartIntervals (recorder) {
  return Object.fromEntries(SAMPLED.filter(({ name }) => recorder[name] !== null).map((part) => [part.name, part.takeInterval(recorder[part.name], recorder)]))
}

/** The parts of one interval, or of one sample: nothing for those that it does not have. */
const partsIn = (interval) => withValue(SAMPLED.map(({ name }) => [name, interval[name]]))

/**
 * The parts of several intervals as one.
 *
 * @param {object[]} intervals
 * @param {object[]} latest the last interval of each thread
 */
function joinPartIntervals (intervals, latest) {
  const all = (list, name) => list.map((interval) => interval[name]).filter((each) => each !== undefined)
  return withValue(SAMPLED.map((part) => {
    const told = all(intervals, part.name)
    return [part.name, told.length === 0 ? undefined : part.join(told, all(latest, part.name))]
  }))
}

const convertIn = (interval, convert) => withValue(SAMPLED.map((part) => [part.name, interval[part.name] && convert(part, interval[part.name])]))

/** The parts of an interval as plain data. */
const partIntervalsToData = (interval) => convertIn(interval, (part, own) => part.intervalToData(own))

/** The parts of an interval as a sample has them. */
const samplesOfParts = (interval) => convertIn(interval, (part, own) => part.sample(own))

/** Distributions of the parts, by the names of their histograms. */
const timesOfParts = (summary) => joined(summary, (part, counted) => part.times(counted))

module.exports = {
  COUNTED,
  PARTS,
  dataOfParts,
  joinPartIntervals,
  joined,
  liveParts,
  mergeParts,
  ofEach,
  partIntervalsToData,
  partsIn,
  samplesOfParts,
  takePartIntervals,
  timesOfParts
}

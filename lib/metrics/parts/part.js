'use strict'

/**
 * A measured feature. Everything about it is in one module, and code that counts, merges, reports or exports works through
 * the list in index.js. A module defines any of the following; these are the defaults.
 *
 * Merged data has the form that `toData` returns, except that distributions are live (or Spans): see merge.js.
 */
const NOTHING = {
  /** Its property name in a recorder, a summary and an interval. */
  name: '',
  /** Whether a run with this plan has this part. */
  isIn: (plan) => true,
  /** The end of the sentence "FIELD exists only …", for a threshold on a field that the run does not have: a string or a Sentence. */
  condition: '',
  /** Anything else that is wrong with a threshold on one of its fields. @returns {?string} a sentence */
  complaint: (path, plan) => null,
  /** What differs between results that cannot be added up because only some of them have this part; null if they can be. */
  contrast: null,

  // --- counting, in a recorder

  /** Names of plain counters of the recorder that belong to it: each is a property of the recorder, and summed in `summary.counters`. */
  counters: [],
  /** @returns {?object} the object with which a recorder counts, called from the hot path; null if the run does not have this part */
  create: null,
  /**
   * @param {object} counted what `create` returned
   * @param {function(Distribution): object} dataOf converts a distribution to data
   * @param {{ isInterim: boolean, recorder: object }} more `isInterim`: only what is available quickly
   * @returns {object} plain data, for other threads and machines
   */
  toData: (counted, dataOf, more) => counted.toData(dataOf),
  /** @param {object[]} parts from `toData` @param {Function} Kind the class of the merged distributions @param {Function} merge see merge.js */
  merge: null,

  // --- the samples of a run

  /** Everything since the start of a run, after another interval. @param {*} before undefined for the first one */
  soFar: null,
  /** Fields of a `tick`. @param {*} told from `soFar` @param {object} sample */
  tick: (told, sample) => ({}),
  /** What happened since the last call. */
  takeInterval: null,
  /** Joins several intervals. @param {object[]} intervals at least one @param {object[]} latest the last interval of each thread */
  join: null,
  /** An interval as plain data. */
  intervalToData: (interval) => interval,
  /** What is kept of an interval, and becomes `result.timeline[].NAME`. */
  sample: (interval) => interval,
  /** The same for readers of the result, if it is not what is kept of a sample; undefined if it has another place in the result, or if there is none. */
  row: (sample) => sample,
  /** Columns of a table of samples, as `[name, (sample) => value]`. Values that are not numbers become empty cells. */
  columns: (result) => [],

  // --- the result

  /** What this part counted, in a merged summary; null if the run does not have it. */
  of (summary) { return summary[this.name] ?? null },
  /** Its distributions, by the names of their histograms in a result. */
  times: (counted) => ({}),
  /** Distributions whose histograms are in a result only if some of their values are missing. */
  timesIfMissing: (counted) => ({}),
  /** Paths in a result of times that may have missing values, by the names of their histograms. */
  figures: {},
  /** Minimum durations of the values missing from those times, by the names of `figures`. */
  missing: (counted, Kind) => ({}),
  /** Fields of a result. @param {object} run the argument of buildResult, with `scenarioResult` for the part of a scenario */
  result: (counted, run) => ({}),
  /** Fields of an endpoint in a result. */
  ofEndpoint: (endpoint) => ({}),
  /** Fields of a result that are known during the run and can change in one direction only. @param {Function} interimScenario see scenario-result.js */
  interim: (counted, summary, interimScenario) => ({}),
  /** Its fields by name, for thresholds: see ../fields.js. */
  fields: {},
  endpointFields: {},

  // --- in words

  /** What readers of a result must know, as functions `(result, plan, summary)` that return `{ code, message }` or null. */
  warnings: [],
  /** Why there were no responses, if this part knows. @returns {?string} the end of a sentence */
  whyNoAnswer: (result) => null,
  /** Whether a run waits for something at its end: see cut-short.js. */
  drains: (plan) => false,
  /** How far a stopped run came, if this part has the amount that ends it. @returns {?string} such as '3 of its 10 sessions' */
  howFar: (plan, summaries) => null,

  // --- for monitoring the run

  /** Responses by status, as `[status, count]`, that replace those of the endpoints; null: use those of the endpoints. */
  statuses: (counted) => null,
  /** Counts that can be added up, by name and in groups: `{ counters: { sessionsScheduled: 5 } }`. */
  totals: (counted) => ({}),
  /** For Prometheus: see ../series.js. */
  series: []
}

const definePart = (part) => ({ ...NOTHING, ...part })

/** Columns that exist if any sample of a result has this part. @param {Array<[string, function(object, object)]>} columns name and value */
function columnsOf (partOf, columns) {
  return ({ timeline }) => timeline.some((sample) => partOf(sample))
    ? columns.map(([name, read]) => [name, (sample) => partOf(sample) ? read(partOf(sample), sample) : null])
    : []
}

module.exports = { columnsOf, definePart }

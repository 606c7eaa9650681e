'use strict'

/**
 * A measured feature: all that is known about it is in one module, and whatever counts, adds up, reports or exports goes through
 * the list in index.js. A module gives what it has of the following; the rest stays as it is here.
 *
 * Merged data is what `toData` gives, except that distributions are live (or Spans), see merge.js.
 */
const NOTHING = {
  /** Where it is in a recorder, in a summary and in an interval. */
  name: '',
  /** Whether a run with this plan has it. */
  isIn: (plan) => true,
  /** The end of the sentence "FIELD exists only …", for a threshold on a field of a run that does not have it: a text or a Sentence. */
  condition: '',
  /** What else may be wrong with a threshold on it. @returns {?string} a sentence */
  complaint: (path, plan) => null,
  /** "results[1] has … than results[0]": why results cannot be added up if only some of them have it; null if they can. */
  contrast: null,

  // --- counting, in a recorder

  /** Plain counters of the recorder that belong to it, by name: each is a field of its own there, and a sum in `summary.counters`. */
  counters: [],
  /** @returns {?object} what a recorder counts with, for calls from the hot path; null if this run has none of it */
  create: null,
  /**
   * @param {object} counted what `create` returned
   * @param {function(Distribution): object} dataOf how a distribution becomes data
   * @param {{ isStanding: boolean, recorder: object }} more `isStanding`: only what can be told at once
   * @returns {object} plain data, for other threads and machines
   */
  toData: (counted, dataOf, more) => counted.toData(dataOf),
  /** @param {object[]} parts as `toData` gives them @param {Function} Kind what a distribution is to become */
  merge: null,

  // --- the samples of a run

  /** What happened since the last call. */
  takeInterval: null,
  /** Several intervals as one. @param {object[]} told at least one @param {object[]} latest what each thread told last */
  join: null,
  /** An interval as plain data. */
  intervalToData: (interval) => interval,
  /** `result.timeline[].NAME`. */
  sample: (interval) => interval,
  /** Columns of a table of samples, as `[name, (sample) => value]`: what is not a number is an empty cell. */
  columns: (result) => [],

  // --- the result

  /** What was counted, in a merged summary; null if there is none of it. */
  of (summary) { return summary[this.name] ?? null },
  /** Its distributions by the names of their histograms in a result. */
  times: (counted) => ({}),
  /** The same for those whose histograms are in a result only if some of their values are missing. */
  timesIfMissing: (counted) => ({}),
  /** Where times that may have missing values are in a result, by the names of their histograms. */
  figures: {},
  /** At least how long those took that are not among the times, by the names of `figures`. */
  missing: (counted, Kind) => ({}),
  /** Fields of a result. @param {object} run what buildResult got */
  result: (counted, run) => ({}),
  /** The same of each endpoint. */
  ofEndpoint: (endpoint) => ({}),
  /** Those fields of a result that can be known while the run goes on and then only go one way. */
  standing: (counted, summary) => ({}),
  /** Its fields by name, for thresholds: see ../fields.js. */
  fields: {},
  endpointFields: {},

  // --- for who watches the run

  /** Responses by status that count instead of those of endpoints, as `[status, count]`; null: those of endpoints count. */
  statuses: (counted) => null,
  /** What adds up, as counts by name in groups: `{ counters: { sessionsScheduled: 5 } }`. */
  totals: (counted) => ({}),
  /** For Prometheus: see ../series.js. */
  series: []
}

const definePart = (part) => ({ ...NOTHING, ...part })

/** Columns that are there if any sample of a result has this part. @param {Array<[string, function(object, object)]>} columns name, and value of part and sample */
function columnsOf (partOf, columns) {
  return ({ timeline }) => timeline.some((sample) => partOf(sample))
    ? columns.map(([name, read]) => [name, (sample) => partOf(sample) ? read(partOf(sample), sample) : null])
    : []
}

module.exports = { columnsOf, definePart }

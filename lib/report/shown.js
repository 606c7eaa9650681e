'use strict'

/*
 * What can be shown of a run, each by an option of its own. `printResult`, `track`, the command and its flags read this table;
 * `types/report.d.ts` and `lib/plan/unknown.js` have the names as well, and a test compares them.
 *
 * - `isShown`: also where nothing is said
 * - `table`: loaded when it is printed, since the command reads this table whatever it does; gives a table of the result that stands by itself, '' where there is nothing in it; `place`: 'under' the tables of
 *   latency and rates at once, or 'below' the lines about the samples
 * - `flag`: of the command
 */
const SHOWN = Object.freeze([
  { name: 'renderProgressBar', isShown: true },
  // Latency, rates, processes and machines, and the lines that belong to them.
  { name: 'renderResultsTable', isShown: true, isOfResult: true },
  {
    name: 'renderLatencyTable',
    isOfResult: true,
    table: (...args) => require('./tables').percentileTable(...args),
    place: 'below',
    flag: { letter: 'l', name: 'latency', names: ['renderLatencyTable'], option: 'renderLatencyTable', isCommon: true, help: 'also print all latency percentiles' }
  },
  {
    name: 'renderStatusCodes',
    isOfResult: true,
    table: (...args) => require('./tables').statusCodeTable(...args),
    place: 'under',
    flag: { name: 'renderStatusCodes', names: ['statusCodes'], help: 'also print the status codes' }
  }
])

const nothing = Object.freeze(Object.fromEntries(SHOWN.map(({ name }) => [name, false])))
const flags = SHOWN.flatMap(({ flag }) => flag ?? [])

/** Which of these are shown. @param {object} options what was said of them */
function shownBy (options) {
  return Object.fromEntries(SHOWN.map(({ name, isShown = false }) => [name, options[name] ?? isShown]))
}

/** Whether anything of the result is printed. @param {object} options */
function showsResult (options) {
  const shown = shownBy(options)
  return SHOWN.some(({ name, isOfResult }) => isOfResult && shown[name])
}

/** The tables of a result that stand at a place and are shown. @param {object} style see tables.js */
function tablesAt (place, result, options, style) {
  const shown = shownBy(options)
  return SHOWN.filter((one) => one.place === place && shown[one.name]).map(({ table }) => table(result, style))
}

module.exports = { SHOWN, flags, nothing, shownBy, showsResult, tablesAt }

'use strict'

/*
 * The parts of a run's output, each controlled by its own option. `printResult`, `track`, the command and its flags read
 * this table; `types/report.d.ts` and `lib/plan/unknown.js` list the names too, and a test compares them.
 *
 * - `isShown`: shown by default
 * - `table`: returns a separate table of the result, '' if it is empty; its module is loaded only when printing, since
 *   every command reads this list. `place`: 'under' (directly below the tables of latency and rates) or 'below' (below
 *   the lines about the samples)
 * - `flag`: the flag of the command
 *
 * Tables that all reports show, and a terminal on request, are in result-tables.js (`TABLES`), with the name of their option.
 */
const SHOWN = Object.freeze([
  { name: 'renderProgressBar', isShown: true },
  // Tables of latency, rates, processes and machines, and the lines that belong to them.
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
  },
  // Its flag is that of the option `slowest`.
  {
    name: 'renderSlowestTable',
    isOfResult: true,
    table: (...args) => require('./slowest').slowestText(...args),
    place: 'below'
  }
])

const nothing = Object.freeze(Object.fromEntries(SHOWN.map(({ name }) => [name, false])))
const flags = SHOWN.flatMap(({ flag }) => flag ?? [])

/** Returns which parts are shown, by name. @param {object} options the user's options */
function shownBy (options) {
  return Object.fromEntries(SHOWN.map(({ name, isShown = false }) => [name, options[name] ?? isShown]))
}

/** Whether anything of the result is printed. @param {object} options */
function showsResult (options) {
  const shown = shownBy(options)
  return SHOWN.some(({ name, isOfResult }) => isOfResult && shown[name])
}

/** Returns the shown tables of a result at a place. @param {object} style see tables.js */
function tablesAt (place, result, options, style) {
  const shown = shownBy(options)
  return SHOWN.filter((one) => one.place === place && shown[one.name]).map(({ table }) => table(result, style))
}

module.exports = { SHOWN, flags, nothing, shownBy, showsResult, tablesAt }

'use strict'

const { percent, size, time } = require('../words/numbers')
const { placeInCode } = require('../words/place')

/*
 * Tables and sentences of the diagnosis of a server, of one result from `readResult`. The tables are parts of a document
 * (document.js).
 */

// In a narrow terminal, together with a share.
const LONGEST_NAME = 28
const LONGEST_PLACE = 36
const MOST_STALLS = 10

/** What limits the server, as paragraphs; see `sentences`. */
function findingSentences ({ diagnosis, generator }) {
  if (generator?.saturated) return [{ severity: 'note', text: 'No findings: the load generator was the bottleneck, so the figures prove nothing about the server.' }]
  return diagnosis.findings.map(({ message }) => ({ severity: 'warning', text: `Finding: ${message}` }))
}

/** The functions in which the server spent its busy time. @param {object} result @param {number} [most] */
function hotTable ({ diagnosis }, most = Infinity) {
  const [server] = diagnosis?.processes ?? []
  return {
    caption: 'Functions in which the server spent its time, as shares of the time in which it was busy',
    isCaptionSeen: true,
    others: 'function',
    columns: [
      { name: 'Function' },
      { name: 'Place', gives: 3 },
      { name: 'Package', gives: 1 },
      { name: 'Self', of: 'percent' },
      { name: 'Total', of: 'percent', gives: 2 }
    ],
    rows: (server?.hot ?? []).slice(0, most).map((entry) => [...functionCells(entry), entry.self, entry.total])
  }
}

/** The name, place and package of a function. @param {{ function: string, file: ?string, line: ?number, package: ?string }} entry */
function functionCells (entry) {
  const name = entry.function
  const place = placeInCode(entry)
  return [
    { value: name, brief: name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name, className: 'long' },
    // The end of a path says more than its beginning.
    { value: place, brief: place.length > LONGEST_PLACE ? `…${place.slice(1 - LONGEST_PLACE)}` : place, className: 'long' },
    { value: entry.package ?? '' }
  ]
}

/** The processes and threads of the server. */
function serverTable ({ diagnosis }) {
  return {
    caption: 'Processes of the server during the run',
    isCaptionSeen: true,
    columns: [
      { name: 'Process' },
      { name: 'Event loop busy', of: 'percent' },
      { name: 'Delay p99', of: 'time' },
      { name: 'Longest delay', of: 'time' },
      { name: 'CPU, user' },
      { name: 'CPU, system' },
      { name: 'Garbage collection', of: 'percent' },
      { name: 'Collections', of: 'count' },
      { name: 'Largest heap' }
    ],
    rows: (diagnosis?.processes ?? []).map(({ pid, thread, script, eventLoop, cpu, gc, heap }) => [
      { value: `${pid}${thread > 0 ? `, thread ${thread}` : ''}`, detail: placeInCode({ file: script }), className: 'long' },
      eventLoop?.utilization,
      eventLoop?.delay?.p99,
      eventLoop?.delay?.max,
      percent((cpu?.user ?? NaN) / 100),
      percent((cpu?.system ?? NaN) / 100),
      gc?.share,
      gc?.count,
      size(heap?.peak)
    ])
  }
}

/** The longest stalls of the server's event loops. */
function stallTable ({ diagnosis }) {
  const longest = [...diagnosis?.stalls ?? []].sort((a, b) => b.duration - a.duration).slice(0, MOST_STALLS)
  return {
    caption: longest.length < MOST_STALLS ? 'Stalls: times in which an event loop was blocked for 50 ms or more' : 'The longest stalls: times in which an event loop was blocked for 50 ms or more',
    isCaptionSeen: true,
    columns: [{ name: 'At' }, { name: 'Duration', of: 'time' }, { name: 'Cause' }, { name: 'Requests in flight', of: 'count' }, { name: 'Code' }],
    rows: longest.map(({ at, duration, kind, waiting, stack }) => {
      const frames = stack.map((frame) => `${frame.function}${frame.file ? ` (${placeInCode(frame)})` : ''}`)
      return [
        time(at * 1000), duration, kind === 'gc' ? 'garbage collection' : 'code', waiting,
        { value: stack.map((frame) => frame.function).join(' › '), detail: frames.join(' › '), className: 'long' }
      ]
    })
  }
}

module.exports = { findingSentences, functionCells, hotTable, serverTable, stallTable }

'use strict'

// Which parts of lib/ a test executes, from V8's coverage: intervals of a source, `[from, to, from, to, …]`.

const path = require('node:path')
const { fileURLToPath } = require('node:url')

const LIB = path.join(__dirname, '../../lib') + path.sep

/** The file that a script in a coverage report belongs to, below lib/; null if it is not there. */
function fileOf ({ url }) {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url
  return file.startsWith(LIB) ? file.slice(LIB.length).replaceAll(path.sep, '/') : null
}

/** The executed parts of a script. Functions are nested, and so are the ranges within each. */
function executedIn ({ functions }) {
  const ranges = functions.flatMap(({ ranges }) => ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  if (ranges.length === 0) return []
  const painted = new Uint8Array(Math.max(...ranges.map(({ endOffset }) => endOffset)))
  for (const { startOffset, endOffset, count } of ranges) painted.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  const intervals = []
  for (let at = 0; at <= painted.length; at++) {
    if ((painted[at] ?? 0) !== (painted[at - 1] ?? 0)) intervals.push(at)
  }
  return intervals
}

/** Whether the code at this offset was executed. */
function isExecuted (intervals, offset) {
  return intervals.findLastIndex((boundary) => boundary <= offset) % 2 === 0
}

module.exports = { executedIn, fileOf, isExecuted }

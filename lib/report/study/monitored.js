'use strict'

/** Returns columns for the CPU of monitored processes; none if no row has any. @param {object[]} rows with `monitor`, see study/monitored.js */
function cpuColumns (rows) {
  return listsOf(rows).map((pids) => ({ name: listsOf(rows).length > 1 && pids.size === 1 ? `CPU ${[...pids][0]}` : 'CPU', of: 'percent' }))
}

/** Returns the cells of a row for these columns. @param {object} row @param {object[]} rows all of them */
function cpuCells ({ monitor }, rows) {
  return listsOf(rows).map((_, index) => typeof monitor?.[index]?.cpu === 'number' ? monitor[index].cpu / 100 : null)
}

// The process IDs in each place. A study that starts the servers itself has others in each run.
function listsOf (rows) {
  const lists = rows.map(({ monitor }) => monitor ?? [])
  const most = lists.reduce((max, { length }) => Math.max(max, length), 0)
  return Array.from({ length: most }, (_, index) => new Set(lists.flatMap((list) => list[index]?.pid ?? [])))
}

module.exports = { cpuCells, cpuColumns }

'use strict'

/** Returns columns for the CPU of monitored processes; none if no row has any. @param {object[]} rows with `monitor`, see study/row-values.js */
function cpuColumns (rows) {
  return listsOf(rows).map((pids) => ({ name: listsOf(rows).length > 1 && pids.size === 1 ? `CPU ${[...pids][0]}` : 'CPU', of: 'percent' }))
}

/** Returns the cells of a row for these columns. @param {object} row @param {object[]} rows all of them */
function cpuCells ({ monitor }, rows) {
  return listsOf(rows).map((_, index) => typeof monitor?.[index]?.cpu === 'number' ? monitor[index].cpu / 100 : null)
}

/** Returns the mean CPU of all monitored processes together in some runs, as a share of a core; null if it is unknown. */
function meanCpu (rows) {
  const sums = rows.map(({ monitor }) => (monitor ?? []).map(({ cpu }) => cpu).filter((cpu) => typeof cpu === 'number')).filter(({ length }) => length > 0)
    .map((list) => list.reduce((sum, cpu) => sum + cpu, 0))
  return sums.length === 0 ? null : sums.reduce((all, sum) => all + sum, 0) / sums.length / 100
}

// The process IDs in each place. A study that starts the servers itself has others in each run.
function listsOf (rows) {
  const lists = rows.map(({ monitor }) => monitor ?? [])
  const most = lists.reduce((max, { length }) => Math.max(max, length), 0)
  return Array.from({ length: most }, (_, index) => new Set(lists.flatMap((list) => list[index]?.pid ?? [])))
}

module.exports = { cpuCells, cpuColumns, meanCpu }

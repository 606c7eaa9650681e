'use strict'

/*
 * How many responses there were of each class of status, as `{ '2xx': 95, '5xx': 5 }`. What did not come is not there.
 */

/**
 * Those of an interval.
 *
 * @param {number} completed responses in it, of any status
 * @param {Float64Array} others so far, by the first digit of the status; what is not 2xx alone
 * @param {Float64Array} before the same at its start
 */
function statusClasses (completed, others, before) {
  const classes = {}
  let rest = completed
  others.forEach((count, digit) => {
    if (count === before[digit]) return
    classes[`${digit}xx`] = count - before[digit]
    rest -= count - before[digit]
  })
  return rest > 0 ? { '2xx': rest, ...classes } : classes
}

/** The sum of several. */
function addStatusClasses (all) {
  const sum = {}
  for (const classes of all) {
    for (const [name, count] of Object.entries(classes ?? {})) sum[name] = (sum[name] ?? 0) + count
  }
  return sum
}

module.exports = { addStatusClasses, statusClasses }

'use strict'

/*
 * Counts of responses by class of status, as `{ '2xx': 95, '5xx': 5 }`. Classes without responses are left out.
 */

/**
 * Counts the responses of an interval.
 *
 * @param {number} completed responses in the interval, of any status
 * @param {Float64Array} others non-2xx responses so far, indexed by the first digit of the status
 * @param {Float64Array} before `others` as it was at the start of the interval
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

/** Adds up several of them. */
function addStatusClasses (all) {
  const sum = {}
  for (const classes of all) {
    for (const [name, count] of Object.entries(classes ?? {})) sum[name] = (sum[name] ?? 0) + count
  }
  return sum
}

module.exports = { addStatusClasses, statusClasses }

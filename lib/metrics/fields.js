'use strict'

const { PERCENTILES, percentileName } = require('./statistics')

/*
 * The fields of a result, as far as they can be compared with a limit. docs/measurement.md gives the meaning of each.
 *
 * - A leaf is `{ kind, whole }`: one of the kinds of thresholds/units.js, and what it is a share of, where '%' makes sense (see
 *   thresholds/read-value.js). `absent` is its value if the result has no such entry. `trend` is which way alone it may go while
 *   the run goes on, 'up' or 'down', if standing.js reports it.
 * - A group is `{ fields, example }`: its parts by name, and the one that is usually meant; `short` is the one that is
 *   meant if the name of the group stands alone. A group of durations may have a `histogram`, from which any other
 *   percentile is read.
 * - An open group has parts with names of their own: `entry` is what each of them is, `complaint(name)` says why there
 *   can be none of a name, and `inBrackets` whether the name is written like that.
 */

const leaf = (kind, whole = null) => ({ kind, whole })
const rising = (kind, whole) => ({ ...leaf(kind, whole), trend: 'up' })
const falling = (kind, whole) => ({ ...leaf(kind, whole), trend: 'down' })
const group = (example, fields, more) => ({ example, fields: new Map(Object.entries(fields)), ...more })
const each = (names, node) => Object.fromEntries(names.map((name) => [name, node]))

const STATISTICS = ['min', 'max', 'average', 'mean', 'stddev', ...PERCENTILES.map(percentileName)]

function durations (histogram = null, more = {}) {
  const fields = {
    ...each(STATISTICS, leaf('milliseconds')),
    min: falling('milliseconds'),
    max: rising('milliseconds'),
    total: rising('milliseconds'),
    totalCount: rising('count'),
    ...more
  }
  return group('p99', fields, { isDuration: true, histogram })
}

function rates (kind, total, more = {}) {
  return group('average', { ...each(STATISTICS, leaf(kind)), total: rising(total), totalCount: rising('count'), ...more })
}

/** How often something happened that a result has an entry for only if it did. */
const countOrNone = { ...rising('count'), absent: 0 }

module.exports = { countOrNone, durations, each, falling, group, leaf, rates, rising, STATISTICS }

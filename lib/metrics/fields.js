'use strict'

const { PERCENTILES, percentileName } = require('./statistics')

/*
 * The fields of a result that can be compared with a limit. docs/measurement.md explains what each one means.
 *
 * - A leaf is `{ kind, whole }`: one of the kinds of thresholds/units.js and, if '%' makes sense, what it is a share of (see
 *   thresholds/read-value.js). `absent` is its value if the result has no such entry. `basis` is what it is computed from, by the
 *   names there: if there is none of that, its value is not known, even though the result has a 0. `trend` is the only direction in which
 *   it can change during the run, 'up' or 'down', if interim-result.js reports it.
 * - A group is `{ fields, example }`: its parts by name, and the one most users mean; `short` is the one that the name of the
 *   group alone refers to. A group of durations may have a `histogram`, from which any other percentile can be read.
 * - An open group has parts whose names are not known in advance: `entry` describes each of them, `complaint(name)` says why a
 *   name is not possible, and `inBrackets` tells whether the name is written in brackets. With `isNamed`, its parts are an array of
 *   objects with a `name`, which is written as a word or in brackets.
 */

const leaf = (kind, whole = null) => ({ kind, whole })
const rising = (kind, whole) => ({ ...leaf(kind, whole), trend: 'up' })
const falling = (kind, whole) => ({ ...leaf(kind, whole), trend: 'down' })
const from = (basis, node) => ({ ...node, basis })
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
  return group('average', { ...each(STATISTICS, from('values', leaf(kind))), total: rising(total), totalCount: rising('count'), ...more })
}

/** A count that is in the result only if it is not 0. */
const countOrNone = { ...rising('count'), absent: 0 }

module.exports = { countOrNone, durations, each, falling, from, group, leaf, rates, rising, STATISTICS }

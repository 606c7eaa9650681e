'use strict'

/*
 * What is exported of a run, by its Prometheus name: counts, seconds and bytes, never milliseconds. A series is
 * `{ name, type, help }` with either `values(counted, state)`, which returns `{ labels, value }` of each value, or `timings`:
 * names of distributions, each with its labels. `counted` is created by totals.js, `state` is watch/prometheus/state.js.
 */

const one = (value) => [{ labels: {}, value }]
const byLabel = (label, counts) => Object.entries(counts).map(([value, count]) => ({ labels: { [label]: value }, value: count }))

const counter = (name, help, values) => ({ name, type: 'counter', help, values })
const gauge = (name, help, pick) => ({ name, type: 'gauge', help, values: (counted, state) => one(pick(state, counted)) })
const histogram = (name, help, timings) => ({ name, type: 'histogram', help, timings })

module.exports = { byLabel, counter, gauge, histogram, one }

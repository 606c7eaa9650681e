'use strict'

/*
 * What is exported of a run, by its name in Prometheus: counts, seconds and bytes, never milliseconds. A series is
 * `{ name, type, help }` with `values(counted, state)`, which gives `{ labels, value }` of each, or with `timings`, the names of
 * distributions with the labels of each. `counted` is what totals.js makes, `state` is watch/prometheus/state.js.
 */

const one = (value) => [{ labels: {}, value }]
const byLabel = (label, counts) => Object.entries(counts).map(([value, count]) => ({ labels: { [label]: value }, value: count }))

const counter = (name, help, values) => ({ name, type: 'counter', help, values })
const gauge = (name, help, pick) => ({ name, type: 'gauge', help, values: (counted, state) => one(pick(state, counted)) })
const histogram = (name, help, timings) => ({ name, type: 'histogram', help, timings })

module.exports = { byLabel, counter, gauge, histogram, one }

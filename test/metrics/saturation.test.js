'use strict'

const t = require('tap')
const reasonsForSaturation = require('../../lib/metrics/saturation')

const PLAN = { pacing: 'precise' }
const idle = { eventLoop: { utilization: 0.2 } }
const busy = { eventLoop: { utilization: 0.97 } }

// All times in ms; `late`: how late the client itself was, at each percentile that is looked at.
function resultOf ({ count = 1000, late = {}, latency = {}, duration = 1, achieved = 100 }) {
  return {
    duration,
    rate: { offered: 100, achieved },
    latency: { totalCount: count, p50: 5, p90: 5, p99: 5, ...latency },
    sendDelay: { client: { p50: 0, p90: 0, p99: 0, ...late } }
  }
}

const open = (given, generator = idle, plan = PLAN) => reasonsForSaturation(generator, true, resultOf(given), plan)
const closed = (given, generator) => reasonsForSaturation(generator, false, { ...resultOf(given), rate: undefined }, PLAN)

t.test('open model: late by more than 1 ms and by more than a tenth of what is shown', async (t) => {
  t.same(open({}), [])
  t.match(open({ late: { p99: 1.1 } }), [/sent requests late \(1\.1 ms at the 99th percentile\)/])
  t.same(open({ late: { p99: 0.9 } }), [], 'too little to matter')
  t.same(open({ late: { p99: 20 }, latency: { p99: 250 } }), [], 'a small part of a long time')
  t.match(open({ late: { p99: 26 }, latency: { p99: 250 } }), [/26 ms/])
})

t.test('one pause among few requests is not a generator that is too slow', async (t) => {
  const late = { p90: 0.1, p99: 60 }
  t.match(open({ count: 100, late }), [/99th/])
  t.same(open({ count: 99, late }), [])
  t.match(open({ count: 99, late: { p90: 60 } }), [/90th/])
  t.same(open({ count: 9, late: { p50: 0.1, p90: 60, p99: 60 } }), [], 'of nine the 90th percentile is the slowest')
  t.match(open({ count: 9, late: { p50: 60, p90: 60, p99: 60 } }), [/50th/])
})

t.test("where a timer's lateness was chosen, that is said", async (t) => {
  t.match(open({ late: { p99: 2 } }, idle, { pacing: 'sleep' }), [/pacing 'sleep' alone makes up to 1 ms/])
})

t.test('a busy event loop: always in the closed model, in the open one where the rate was missed', async (t) => {
  t.same(closed({}, idle), [])
  t.match(closed({}, busy), [/busy 97 % of the time/])
  t.same(closed({ duration: 0.2 }, busy), [], 'busy with its own beginning')
  t.same(closed({ count: 0 }, busy), [], 'nothing was answered')
  t.same(open({}, busy), [], 'it kept to the schedule all the same')
  t.match(open({ achieved: 98 }, busy), [/busy 97 %/])
  t.same(open({ achieved: 98 }, idle), [])
})

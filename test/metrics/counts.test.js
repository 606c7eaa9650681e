'use strict'

const t = require('tap')
const { unverifiedOf } = require('../../lib/metrics/counts')

t.test('bodies that nobody verified: undecided ones, and those of requests without a response', async (t) => {
  const counters = { undecided: 2, failed: 3, timedOut: 5, unfinished: 7, unsent: 11, mismatches: 13, completed: 17 }
  const endpoints = [{ waiting: [5, 20] }, { waiting: [10, 11, 30] }]
  const latency = { count: 17, max: 10 }
  const of = (more, longest = latency) => unverifiedOf({ open: true, verifies: true, counters, endpoints, ...more }, { latency: longest })
  t.equal(of({}), 2 + 3 + 5 + 7 + 11)
  // In the closed model, those in flight at the end only if they had waited for longer than the slowest response took.
  t.equal(of({ open: false }), 2 + 3 + 5 + 11 + 3)
  t.equal(of({ open: false }, { count: 0, max: 0 }), 2 + 3 + 5 + 11 + 5)
  t.equal(of({ verifies: false }), undefined)
  for (const name of Object.keys(counters)) t.equal(of({ counters: { ...counters, [name]: counters[name] + 100 } }), ['mismatches', 'completed'].includes(name) ? 28 : 128, name)
})

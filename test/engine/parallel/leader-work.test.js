'use strict'

// With workers, the main thread has no work for each request: what it gets and merges for a sample doesn't depend on the rate.

const t = require('tap')
const Distribution = require('../../../lib/metrics/distribution')
const GroupEngine = require('../../../lib/engine/parallel/group')
const Member = require('../../../lib/engine/parallel/member')
const { playInWorld } = require('../../support/play-in-world')

const THREADS = 4
const SAMPLES = 4

/** Calls `onCall` with the arguments of each call of a method, until the end of the test. */
function watch (t, owner, name, onCall) {
  const { [name]: original } = owner
  t.teardown(() => { owner[name] = original })
  owner[name] = function (...args) {
    onCall(...args)
    return original.apply(this, args)
  }
}

t.test('ten times the rate is no more work for the main thread', async (t) => {
  let work
  watch(t, Member.prototype, 'hear', (type) => { work.messages[type] = (work.messages[type] ?? 0) + 1 })
  watch(t, GroupEngine.prototype, 'heardEvents', () => work.batchesOfEvents++)
  watch(t, Distribution.prototype, 'addData', ({ counts = [] }) => { work.mostValues = Math.max(work.mostValues, counts.length / 2) })
  for (const overallRate of [200, 2000]) {
    work = { messages: {}, batchesOfEvents: 0, mostValues: 0 }
    // Response times have five different values.
    const opts = { connections: 40, workers: THREADS, overallRate, duration: SAMPLES / 10, sampleInt: 100 }
    const { result } = await playInWorld(t, { serviceTime: ({ number }) => 1 + number % 5 }, opts)
    t.equal(result.accounting.completed, overallRate * SAMPLES / 10)
    // A message for each sample, and one for the rest of the run, here 0 ms.
    const messages = { started: THREADS, ready: THREADS, begun: THREADS, interval: THREADS * (SAMPLES + 1), ended: THREADS }
    t.same(work, { messages, batchesOfEvents: 0, mostValues: 5 })
  }
})

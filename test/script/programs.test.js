'use strict'

// The program of a session's script, for each of several URLs: which steps, where bursts end, and the think times.

const t = require('tap')
const Scripts = require('../../lib/script')

t.test('a session sends the requests for its own URL, in bursts of these', async (t) => {
  const base = { from: 9, to: 9 }
  const [one, two] = [{ from: 1, to: 1 }, { from: 2, to: 2 }]
  const script = [{ requests: [0, 1, 2], thinkTime: null }, { requests: [3], thinkTime: one }, { requests: [4, 0, 5], thinkTime: two }]
  const programFor = (endpoints) => {
    const { base: ofRun, steps, leftInBurst, thinkTimes } = Scripts.prototype.createProgram.call({ plan: { thinkTime: base } }, endpoints.map((endpoint) => `step ${endpoint}`), { endpoints }, script)
    t.equal(ofRun, base)
    return steps.map((step, index) => [step, leftInBurst[index], thinkTimes[index]])
  }
  t.same(programFor([0, 1, 2, 3, 4, 5]), [
    ['step 0', 3, null], ['step 1', 2, null], ['step 2', 1, null], ['step 3', 1, one], ['step 4', 3, two], ['step 0', 2, two], ['step 5', 1, two]
  ])
  t.same(programFor([0, 2, 4]), [['step 0', 2, null], ['step 2', 1, null], ['step 4', 2, two], ['step 0', 1, two]])
  t.same(programFor([1, 3, 5]), [['step 1', 1, null], ['step 3', 1, one], ['step 5', 1, two]])
  t.same(programFor([3]), [['step 3', 1, one]])
})

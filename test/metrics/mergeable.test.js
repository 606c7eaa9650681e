'use strict'

// Which results can be merged, and what prevents it for others.

const t = require('tap')
const { joinMergeables, obstacle, toMergeable } = require('../../lib/metrics/mergeable')
const { summaryOf } = require('./recording')

const summary = (changes) => ({ open: true, fromDueTime: true, sessions: null, stream: null, messages: null, missing: {}, endpoints: [{ bounds: null, outcomes: null }], ...changes })
const PLAN = {
  connections: 3, workers: null, pipelining: 1, sampleInt: 1000, amount: null, schedule: null, sessions: null, stream: null, ignoreCoordinatedOmission: false, pacing: 'sleep', secret: 1, requests: [{ title: 'one', method: 'GET', path: '/one', body: 'x' }, { method: 'PUT' }], targets: [{ path: '/default' }]
}
const OUTCOME = { summaries: [summary()], seconds: 1, scheduleSeconds: 2, drain: { seconds: 3 }, generator: 'generator', timeline: { intervals: ['interval'] }, warnings: ['warning'], more: 1 }
const part = ({ plan, ...changes } = {}) => toMergeable({ ...PLAN, ...plan }, { ...OUTCOME, ...changes })

t.test('the parts of a run that later merges need', async (t) => {
  const { requests, targets, secret, ...ofPlan } = PLAN
  t.strictSame(part(), {
    version: 5,
    plan: { ...ofPlan, requests: [{ title: 'one', method: 'GET', path: '/one' }, { title: undefined, method: 'PUT', path: '/default' }] },
    summaries: [summary()],
    intervals: ['interval'],
    seconds: 1,
    scheduleSeconds: 2,
    drain: { seconds: 3 },
    generator: 'generator',
    warnings: ['warning']
  })
})

t.test('each difference that prevents a merge, with the number of the result that has it', async (t) => {
  t.equal(obstacle([part()]), null)
  t.equal(obstacle([part(), part(), part({ plan: { connections: 9, workers: 2, amount: 5, pipelining: 3 } })]), null)
  const other = (changes) => part({ summaries: [summary(changes)] })
  const obstacles = [
    [part({ plan: { sampleInt: 500 } }), /the length of samples \(sampleInt\)/],
    [part({ plan: { requests: [{}] } }), /the number of requests/],
    [other({ sessions: {} }), /whether they have sessions/],
    [other({ scenarios: [] }), /whether they have scenarios/],
    [other({ checks: [] }), /whether users are code/],
    [other({ stream: {} }), /event streams/],
    [other({ messages: { broadcast: null } }), /whether they use WebSocket/],
    [other({ endpoints: [{ bounds: null, outcomes: [] }] }), /whether they call gRPC/],
    [other({ open: false }), /the load model/],
    [other({ fromDueTime: false }), /the moment latency counts from \(ignoreCoordinatedOmission\)/],
    [other({ endpoints: [{ bounds: null, outcomes: null }, { outcomes: null }] }), /did not distinguish lower bounds from values/],
    [{ ...part(), version: 3 }, /made by a version of Cannonade whose `mergeable` has another format/],
    [{}, /has no `mergeable`: run it with skipAggregateResult: true/],
    [undefined, /has no `mergeable`/]
  ]
  for (const [odd, message] of obstacles) {
    const told = obstacle([part(), part(), odd, odd])
    t.match(told, message)
    t.match(told, /^results\[2\] /)
  }
  const messages = (broadcast) => other({ messages: { broadcast } })
  t.match(obstacle([messages(null), messages({})]), /^results\[1\] and results\[0\] differ in whether messages are broadcast/)
  t.equal(obstacle([messages({}), messages({})]), null)
})

t.test('the plan of the whole: sums of connections, threads and amounts, and otherwise what the runs know', async (t) => {
  const summaries = [JSON.parse(JSON.stringify(summaryOf([], { open: true })))]
  const generator = { cpu: { user: 0, system: 0, percent: 0 }, eventLoop: { utilization: 0, delayP99: 0 } }
  const partOf = (plan) => part({ plan, summaries, generator, drain: { seconds: 0, completed: 0 }, timeline: { intervals: [] }, warnings: [] })
  const planOf = (...plans) => joinMergeables(plans.map(partOf), { url: 'http://all', connections: 99, pacing: 'other', title: 'all' }).plan
  const { secret, targets, ...known } = PLAN
  const requests = [{ title: 'one', method: 'GET', path: '/one' }, { title: undefined, method: 'PUT', path: '/default' }]
  t.strictSame(planOf({}), { ...known, requests, url: 'http://all', title: 'all', connections: 3, workers: null, amount: null })
  t.strictSame(planOf({ amount: 10, connections: 4 }, { amount: 5, connections: 50 }), { ...known, requests, url: 'http://all', title: 'all', connections: 54, workers: null, amount: 15 })
  t.match(planOf({ amount: 10, workers: 2 }, { amount: null }, { amount: 7, workers: 3, pipelining: 5 }), { connections: 9, workers: 6, amount: null, pipelining: 1 })
})

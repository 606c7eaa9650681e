'use strict'

const t = require('tap')
const { createPlan, draftPlan } = require('../../lib/plan')

const defaultsOf = (opts) => draftPlan(opts).opts

t.test('defaults: filled in, with the duration in seconds', async t => {
  t.match(defaultsOf({ url: 'localhost:3000', duration: '1m 30s', connections: '5' }), {
    url: 'http://localhost:3000',
    duration: 90,
    connections: 5,
    pipelining: 1,
    timeout: 10,
    drain: 10,
    method: 'GET',
    headers: {},
    requests: [{}],
    sampleInt: 1000,
    forever: false,
    idReplacement: false,
    excludeErrorStats: false,
    debug: false
  })
  t.equal(defaultsOf({ url: 'x', stages: '10s:1, 5s:2' }).duration, 15)
  t.equal(defaultsOf({ url: 'x', connections: { from: 1, to: 9, over: 1 } }).connections, 9)
  t.same(defaultsOf({ url: ['x', 'y'] }).url, ['http://x', 'http://y'])
  t.equal(defaultsOf({ socketPath: '/tmp/a.sock' }).url, 'http://localhost')
})

t.test("defaults: the user's options remain unchanged", async t => {
  const given = {
    url: 'localhost', title: 'mine', body: 'text', headers: { a: '1' }, setupClient () {}, json: true, other: { x: 1 }, workers: 2
  }
  const opts = defaultsOf(given)
  for (const key of Object.keys(given).filter(key => key !== 'url')) t.equal(opts[key], given[key], key)
  t.equal(given.url, 'localhost', "the user's object is not modified")
  opts.headers.b = '2'
  defaultsOf({}).headers.c = '3'
  t.same(defaultsOf({}).headers, {}, 'nor is one default shared by two instances')
})

t.test('defaults: never throws; invalid values are kept', async t => {
  for (const opts of [undefined, null, 5, 'http://localhost', []]) t.match(defaultsOf(opts), { connections: 10 })
  const bad = { url: 'ftp://x', connections: -1, timeout: 0, duration: 'soon', stages: 'x', headers: 5, body: true }
  const opts = defaultsOf(bad)
  for (const key of Object.keys(bad)) t.equal(opts[key], bad[key], key)
  t.equal(opts.pipelining, 1)
  t.notOk(Object.values(opts).some(value => typeof value === 'function'))
})

t.test('defaults: the plan of options with defaults is the plan of the options themselves', async t => {
  const runs = [
    { url: 'localhost:3000', seed: 1 },
    { url: 'localhost:3000', seed: 1, amount: 5, timeout: '2s', headers: { a: 1 }, body: 'x', method: 'put' },
    { url: ['localhost:3000', 'y'], seed: 1, overallRate: '10', duration: '1m', warmup: '1s', drain: 3 },
    { url: 'x', seed: 1, stages: '10s:5', requests: [{ path: '/a' }] },
    { url: 'x', seed: 1, thinkTime: ['1s', 2], tlsOptions: {}, initialContext: {} }
  ]
  for (const opts of runs) t.strictSame(createPlan(defaultsOf(opts)), createPlan(opts))
})

t.test('defaults: each option is read once, for an instance and its plan', async t => {
  let reads = 0
  const headers = { get a () { reads++; return '1' } }
  const draft = draftPlan({ url: 'x', headers })
  t.equal(draft.createPlan().plan.requests[0].headers.length, 1)
  t.equal(reads, 1)
})

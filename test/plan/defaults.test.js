'use strict'

const t = require('tap')
const { createPlan, draftPlan } = require('../../lib/plan')
const { OPTIONS } = require('../../lib/plan/options')

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

// Options that are new need no entry in these tables.
const PLAN = {
  pipelining: 1,
  duration: 10,
  timeout: 10,
  workers: null,
  reconnectRate: null,
  bailout: null,
  forever: false,
  ignoreCoordinatedOmission: false,
  pacing: 'precise',
  drain: 10,
  idReplacement: false,
  expectBody: null,
  initialContext: null,
  stream: null,
  socketPath: undefined,
  servername: null,
  tlsOptions: null,
  localAddress: null,
  http2: false,
  cookies: false,
  followRedirects: null,
  title: undefined,
  dashboard: null,
  monitor: null,
  prometheus: null,
  record: null,
  sampleInt: 1000,
  slowest: 10,
  excludeErrorStats: false,
  skipAggregateResult: false,
  debug: false,
  amount: null,
  maxConnectionRequests: null,
  maxOverallRequests: null,
  connections: 10,
  rampUp: null,
  schedule: null,
  thinkTime: null,
  warmup: null,
  base: { title: undefined, method: 'GET', path: null, headers: [], body: null },
  requests: [{ title: undefined, method: 'GET', path: null, headers: [], body: null }],
  grpc: null,
  feed: null,
  mix: null,
  sessions: null,
  isUserCode: false,
  scenarios: null,
  websocket: null,
  emulation: { httpVersion: '1.1', hostHeader: true, closesWithReset: false, reopens: true },
  diagnose: false,
  traceKey: null,
  replay: null,
  thresholds: [],
  abortOnFail: false
}
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
/** Of options with parts: the least that can be given, and what it stands for. */
const PARTS = {
  warmup: [true, { connections: null, duration: null }],
  sessions: [true, { calls: null, amount: null, connections: 1, maxOpen: 10000, failOn: [], log: null }],
  stream: [true, { events: 'sse', limit: { events: null, seconds: null } }],
  websocket: [true, { expect: 'reply', protocols: [], compress: false, origin: null, headers: new Map(), match: null, maxMessage: 104857600, pingInterval: null }],
  socketio: [true, { path: '/socket.io/', namespace: '/', event: 'message', auth: null, ack: null }],
  prometheus: [0, { host: '127.0.0.1', labels: {}, buckets: SECONDS, linger: 0, port: 0 }],
  dashboard: [0, { host: '127.0.0.1', port: 0 }],
  replay: ['x.log', { format: null, speed: 1, limit: Infinity, file: 'x.log' }],
  fleet: [{ redis: 'redis://h', agents: 1, key: 'x' }, { wait: 10, tls: undefined, redis: 'redis://h', agents: 1, key: 'x' }],
  scenarios: [[{ name: 'a', requests: [{}] }], [{ weight: 1, user: null, requests: [{ where: 'scenarios[0].requests[0]' }], thinkTime: null, calls: null, name: 'a' }]],
  feed: ['a.csv', { source: 'feed.file', file: 'a.csv', order: 'sequential' }],
  grpc: [{ proto: 'a' }, { proto: ['a'] }]
}

t.test('defaults: the plan of a URL alone, and what options with parts stand for', async t => {
  const { plan, hooks, fleet, diagnose, warnings } = createPlan({ url: 'http://a.test' })
  t.strictSame(Object.fromEntries(Object.keys(PLAN).map((name) => [name, plan[name]])), PLAN)
  t.ok(Number.isInteger(plan.seed) && plan.seed >= 0 && plan.seed < 2 ** 32, `${plan.seed}`)
  const none = { setupRequest: null, onResponse: null, onEvent: null, onMessage: null, body: null }
  t.strictSame(hooks, { setupClient: null, verifyBody: null, onEvent: null, setupRequest: null, user: null, users: [], match: null, body: null, requests: [none], names: ['requests[0]'] })
  t.strictSame([fleet, diagnose, warnings], [null, null, []])
  for (const [name, [given, expected]] of Object.entries(PARTS)) t.strictSame(OPTIONS.find((option) => option.name === name).read(given, name, {}), expected, name)
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

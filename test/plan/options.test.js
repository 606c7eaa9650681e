'use strict'

const t = require('tap')
const { createPlan } = require('../../lib/plan')
const { OPTIONS } = require('../../lib/plan/options')
const { CODES } = require('../../lib/base/errors')

const URL_GIVEN = 'http://localhost:3000'

const NO_NUMBERS = ['ten', '', ' ', '0x10', '1_000', '10 connections', NaN, Infinity, -Infinity, true, [], {}, 10n, () => 10]
const NO_WHOLE_NUMBERS = [...NO_NUMBERS, 1.5, '1.5', -1, '-1', 2 ** 53]
const NO_TRUTHS = [0, 1, 'yes', '', {}, []]
// Objects whose content is not in parts of theirs: nothing of it would be read.
const OTHER_OBJECTS = [new Date(0), new Map([['a', 1]]), new Set(), /x/, new URL('http://x'), new FormData(), Promise.resolve(), new Error('x')]
const NO_OBJECTS = [5, 'text', true, [], Buffer.from('x'), () => {}, ...OTHER_OBJECTS]
const NO_TEXTS = [true, {}, [], NaN, () => {}]
const NO_HOOKS = [5, true, '', ' ', {}, [], 'https://example.com/hook.js', new URL('data:text/javascript,')]
const NO_DURATIONS = ['', 'soon', '1 fortnight', '10x', '1m 30', 's10', '1.2.3s', '-5s', NaN, Infinity, true, [], {}]

// Where an empty text is as good as nothing.
const withoutEmpty = (values) => values.filter(value => value !== '')

// Where a whole value is bad. Values whose parts can be bad are further down.
const BAD = {
  url: [5, true, {}, [5], [null], [[]]],
  fleet: [5, 'redis://localhost', true, [], {}],
  workers: [...withoutEmpty(NO_WHOLE_NUMBERS), -2, 'many', true],
  socketPath: [5, true, {}, []],
  title: NO_TEXTS,
  method: [5, true, {}, '', 'GET /', 'GÉT', 'A B', 'GET\r\n', 'CONNECT', 'connect'],
  headers: [5, 'A: 1', true, new Date(0), /x/, Buffer.from('ab'), Promise.resolve(), ['A'], ['A', '1', 'B'], [5, 5], { '': '1' }, { 'a b': '1' }, { a: 'x\r\ny' }],
  har: [5, 'x', true, {}, [], { log: {} }, { log: { entries: [] } }, { log: { entries: {} } }],
  // Those whose parts are bad are in tests of their own, here and below.
  harTiming: NO_TRUTHS,
  form: [...NO_OBJECTS, '{', '[]', '{}x', 'no-such-file.json', { a: {} }, { a: 'x' }, { a: { type: 'text' } }, { a: null }],
  feed: [5, true, {}, [], '', { rows: [] }, { rows: 5 }, { file: 5 }, { file: 'a.csv', rows: [{}] }, { file: 'a.csv', array: [{}] }, { rows: [{}], array: [{}] }, { array: [] }, { array: 5 }, { rows: [{}], order: 'twice' }, { rows: [{}], ordre: 'once' }, [5], 'rows.xlsx', 'no-such-file.csv'],
  body: [NaN, true, {}, [], ['a'], new ArrayBuffer(2), new Uint16Array(2), { stream: 5 }, { stream: false }, { stream: 'https://example.com/x.js' }, { stream: 'x.js', more: 1 }],
  requests: [5, 'x', {}, [], [5], [null], ['GET /'], [[]]],
  initialContext: NO_OBJECTS,
  idReplacement: NO_TRUTHS,
  setupClient: withoutEmpty(NO_HOOKS),
  verifyBody: withoutEmpty(NO_HOOKS),
  expectBody: NO_TEXTS,
  stream: [0, ...NO_OBJECTS.filter((value) => value !== true), { events: 'json' }, { events: true }, { limit: 0 }, { limit: 1.5 }, { limit: 'x' }, { limit: [] }, { limit: {} }, { limit: { event: 5 } }, { limit: { events: 0 } }, { limit: { seconds: 0 } }, { limit: { seconds: 'soon' } }, { limit: { seconds: 10 } }],
  onEvent: withoutEmpty(NO_HOOKS),
  grpc: [5, true, 'a.proto', [], {}, { proto: 5 }, { proto: [] }, { proto: '' }, { proto: 'no-such.proto', method: 5 }, { proto: 'a.proto', method: 'Get' }, { proto: 'a.proto', method: 'a/b', message: 5 }, { proto: 'a.proto', method: 'a/b', message: '{' }, { proto: 'a.proto', method: 'a/b', message: [] }, { proto: 'a.proto', include: 5 }, { proto: 'a.proto', metadata: 'x' }, { proto: 'a.proto', metadata: { a: Buffer.from('x') } }, { proto: 'no-such.proto', method: 'a/b' }],
  connections: [...NO_WHOLE_NUMBERS.filter(value => !isRecord(value) && Number(value) !== 1.5), 0, 0.9, 1e6 + 1, { from: 1, to: 1e9, over: 1 }],
  pipelining: [...NO_WHOLE_NUMBERS, 0, 65537],
  thinkTime: [...NO_DURATIONS, -1, [1], [1, 2, 3], [2, 1], 1e10, { mean: -1 }, { mean: 'x' }, { mean: 1, to: 2 }],
  sessions: [...NO_OBJECTS.filter((value) => value !== true), { calls: 0 }, { calls: 1e6 + 1 }, { amount: 0 }, { connections: 0 }, { connections: 1025 }, { maxOpen: 0 }, { failOn: 99 }, { failOn: 'x' }, { failOn: [600] }, { log: 5 }, { log: [] }, { log: [5] }, { log: [[]] }, { log: 'no-such-file.log' }],
  overallRate: [...NO_NUMBERS, 0, -0.1],
  connectionRate: [...NO_NUMBERS, 0, -0.1],
  stages: [5, '', ',', '10s', ':100', '10s:', '10s:x', '10s:1..2..3', '10s:-1', '10s:0', [], [5], [{}], {}],
  bursts: [5, '100', true, [], {}],
  arrivals: ['regular', 'Poisson', true, 1, {}],
  seed: [...NO_WHOLE_NUMBERS, 2 ** 32],
  pacing: ['exact', true, 1, {}],
  ignoreCoordinatedOmission: NO_TRUTHS,
  amount: [...NO_WHOLE_NUMBERS, 0],
  duration: [...NO_DURATIONS, -1, '-1'],
  timeout: [...NO_DURATIONS, 0, -1, 2147484],
  drain: [...NO_DURATIONS, -1, 2147484],
  maxConnectionRequests: [...NO_WHOLE_NUMBERS, 0],
  maxOverallRequests: [...NO_WHOLE_NUMBERS, 0],
  reconnectRate: withoutEmpty(NO_WHOLE_NUMBERS),
  bailout: [...NO_WHOLE_NUMBERS, 0],
  forever: withoutEmpty(NO_TRUTHS),
  // One that is bad as a threshold is in test/thresholds.
  thresholds: [5, true, NaN, 10n, () => {}],
  abortOnFail: NO_TRUTHS,
  warmup: [...OTHER_OBJECTS, [], () => {}, 'soon', 0, -1, NaN],
  signal: [5, true, {}, [], { aborted: false }],
  servername: NO_TEXTS,
  tlsOptions: [...NO_OBJECTS, { cert: 'no certificate' }, { key: 'no key' }],
  proxy: [5, true, {}, [], '', '/x', 'https://x', 'socks5://x', 'http://x/path', 'http://x:0', 'http://[x'],
  monitor: [0, -1, 1.5, true, {}, [], '', 'server', [process.pid, 'x'], 2 ** 31 - 1, Array.from({ length: 65 }, (_, index) => index + 1)],
  replay: [5, true, [], '', {}, { file: 5 }, { file: 'x.log', format: 'clf' }, { file: 'x.log', speed: 0 }, { file: 'x.log', limit: 1.5 }, 'no-such-file.log', { file: '/' }],
  localAddress: [5, true, {}, [], '', 'localhost', '127.0.0', '127.0.0.1:80', '[::1]', [5], ['127.0.0.1', 'x'], '127.0.0.1,'],
  http2: NO_TRUTHS,
  websocket: [5, 'yes', [], { expect: 'copies' }, { protocols: 'a b' }, { protocols: ['a', 'a'] }, { protocols: 5 }, { compress: 'x' }, { origin: {} }, { origin: 'a\nb' }, { headers: 'x' }, { match: 5 }, { maxMessage: 0 }, { maxMessage: 2 ** 31 }, { pingInterval: 0 }, { pingInterval: 'often' }],
  socketio: [5, 'yes', [], { path: 'x' }, { path: '/a?b' }, { path: '/a b' }, { path: 5 }, { namespace: 'x' }, { namespace: '/a,b' }, { namespace: '/a?b' }, { namespace: '/\ud800' }, { event: '' }, { event: 5 }, { event: 'connect' }, { event: 'disconnecting' }, { event: '[<id>]' }, { auth: 'x' }, { auth: [] }, { ack: 'x' }],
  keepAlive: NO_TRUTHS,
  cookies: NO_TRUTHS,
  followRedirects: NO_WHOLE_NUMBERS,
  sampleInt: [...NO_WHOLE_NUMBERS, 0, 2 ** 31],
  excludeErrorStats: NO_TRUTHS,
  skipAggregateResult: NO_TRUTHS,
  dashboard: [true, 'x', [], {}, '', -1, 65536, 1.5, NaN, () => {}, { port: 'x' }, { port: -1 }, { host: '::1' }, { port: 1, host: 5 }, { port: 1, host: '' }],
  // One whose parts are bad is in a test of its own, below.
  prometheus: [true, 'x', [], {}, '', -1, 65536, 1.5, NaN, () => {}],
  debug: withoutEmpty(NO_TRUTHS)
}

function isRecord (value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

t.test('the table of bad values covers every option', async t => {
  t.same(Object.keys(BAD).sort(), OPTIONS.map(option => option.name).sort())
})

for (const [name, values] of Object.entries(BAD)) {
  t.test(`${name}: a bad value is one sentence that names the option`, async t => {
    for (const value of values) {
      const error = thrownBy({ url: URL_GIVEN, [name]: value })
      const given = `${name}: ${String(typeof value === 'bigint' ? `${value}n` : JSON.stringify(value))}`
      t.ok(error, `${given} throws`)
      t.equal(error?.code, CODES.BAD_OPTION, `${given}: code`)
      t.ok(error?.option === name || error?.option.startsWith(`${name}[`) || error?.option.startsWith(`${name}.`),
        `${given}: error.option is ${error?.option}`)
      t.ok(error?.message.includes(name), `${given}: the message names the option`)
      t.notMatch(error?.message, /\n/, `${given}: one line`)
    }
  })
}

function thrownBy (opts) {
  try {
    createPlan(opts)
  } catch (error) {
    return error
  }
}

// What each option becomes in the plan.
const GOOD = {
  socketPath: [['/tmp/a.sock', '/tmp/a.sock']],
  title: [['a run', 'a run'], [2024, '2024']],
  initialContext: [[{ user: { id: 1 } }, { user: { id: 1 } }], [{}, {}]],
  idReplacement: [[true, true], [false, false], ['true', true], ['false', false]],
  stream: [
    [true, { events: 'sse', limit: { events: null, seconds: null } }],
    ['lines', { events: 'lines', limit: { events: null, seconds: null } }],
    [{ events: 'chunks', limit: 5 }, { events: 'chunks', limit: { events: 5, seconds: null } }],
    [{ limit: { seconds: '500ms', events: '7' } }, { events: 'sse', limit: { events: 7, seconds: 0.5 } }],
    [{}, { events: 'sse', limit: { events: null, seconds: null } }],
    [false, null]
  ],
  dashboard: [[0, { port: 0, host: '127.0.0.1' }], ['8080', { port: 8080, host: '127.0.0.1' }], [{ port: 1, host: '0.0.0.0' }, { port: 1, host: '0.0.0.0' }]],
  expectBody: [['hello', 'hello'], ['', null], [5, '5']],
  connections: [[1, 1], ['100', 100], [{ from: 1, to: 50, over: '10s' }, 50], [{ from: 50, to: 50, over: 2 }, 50]],
  pipelining: [[1, 1], ['16', 16], [' 4 ', 4]],
  thinkTime: [
    [0.5, { from: 0.5, to: 0.5 }],
    ['500ms', { from: 0.5, to: 0.5 }],
    [[1, '2s'], { from: 1, to: 2 }],
    [{ from: 0, to: 1.5 }, { from: 0, to: 1.5 }],
    [0, null]
  ],
  amount: [[1, 1], ['1e3', 1000]],
  duration: [[0.2, 0.2], ['10', 10], ['1m 30s', 90], ['2 weeks', 1209600], [100000000, 100000000]],
  timeout: [[0.05, 0.05], ['2.5', 2.5], ['500ms', 0.5]],
  maxConnectionRequests: [[1, 1], ['7', 7]],
  maxOverallRequests: [[1, 1], ['7', 7]],
  reconnectRate: [[1, 1], ['3', 3], [0, null]],
  bailout: [[1, 1], ['3', 3]],
  forever: [[true, true]],
  servername: [['example.com', 'example.com'], ['', null]],
  tlsOptions: [[{ rejectUnauthorized: true }, { rejectUnauthorized: true }]],
  cookies: [[true, true], ['true', true], [false, false]],
  followRedirects: [[5, 5], ['1', 1], [0, null]],
  sampleInt: [[1, 1], ['100', 100]],
  excludeErrorStats: [[true, true]],
  skipAggregateResult: [[true, true]],
  debug: [[true, true]],
  warmup: [
    [{ connections: 1, duration: 3 }, { connections: 1, duration: 3 }],
    [{ connections: '2', duration: '1m' }, { connections: 2, duration: 60 }],
    ['3s', { connections: 10, duration: 3 }],
    [3, { connections: 10, duration: 3 }],
    [{ connections: 4 }, { connections: 4, duration: 10 }],
    [true, { connections: 10, duration: 10 }],
    [false, null]
  ]
}

for (const [name, cases] of Object.entries(GOOD)) {
  t.test(`${name}: good values reach the plan in their normal form`, async t => {
    for (const [given, expected] of cases) {
      const { plan, warnings } = createPlan({ url: URL_GIVEN, [name]: given })
      t.strictSame(plan[name], expected, JSON.stringify(given))
      t.same(warnings, [])
    }
  })
}

for (const name of OPTIONS.map(option => option.name).filter(name => name !== 'url')) {
  t.test(`${name}: undefined and null mean that it was not given`, async t => {
    const without = createPlan({ url: URL_GIVEN, seed: 1 })
    for (const nothing of [undefined, null]) {
      const withNothing = createPlan({ url: URL_GIVEN, seed: 1, [name]: nothing })
      if (name === 'seed') withNothing.plan = { ...withNothing.plan, seed: 1 }
      t.strictSame(withNothing, without)
    }
  })
}

t.test('a plan of nothing but a url has the documented defaults', async t => {
  const { plan, hooks, warnings } = createPlan({ url: URL_GIVEN })
  t.match(plan, {
    connections: 10,
    pipelining: 1,
    duration: 10,
    amount: null,
    timeout: 10,
    drain: 10,
    sampleInt: 1000,
    schedule: null,
    thinkTime: null,
    rampUp: null,
    warmup: null,
    bailout: null,
    reconnectRate: null,
    maxConnectionRequests: null,
    maxOverallRequests: null,
    excludeErrorStats: false,
    skipAggregateResult: false,
    idReplacement: false,
    forever: false,
    debug: false,
    ignoreCoordinatedOmission: false,
    pacing: 'precise',
    expectBody: null,
    stream: null,
    grpc: null,
    initialContext: null,
    tlsOptions: null,
    servername: null,
    title: undefined,
    socketPath: undefined,
    url: URL_GIVEN
  })
  t.strictSame(plan.requests, [{ title: undefined, method: 'GET', path: null, headers: [], body: null }])
  t.same(hooks, { setupClient: null, verifyBody: null, onEvent: null, match: null, body: null, requests: [{ setupRequest: null, onResponse: null, onEvent: null, onMessage: null, body: null }] })
  t.same(warnings, [])
})

t.test('options that are no object are an error', async t => {
  for (const opts of ['http://localhost', 5, true, [], () => {}]) {
    t.throws(() => createPlan(opts), { code: CODES.BAD_OPTION, message: /the options must be an object/ })
  }
})

t.test('without a url and a socketPath the error says which of the two is wanted', async t => {
  for (const opts of [undefined, null, {}, { url: '' }, { url: [] }, { url: null }, { connections: 5 }]) {
    t.throws(() => createPlan(opts), { code: CODES.BAD_OPTION, message: /url or socketPath option required/ })
  }
})

t.test('the error texts that programs match on', async t => {
  const texts = [
    [{ duration: 'soon' }, /duration entered was in an invalid format.*'soon'/],
    [{ timeout: 0 }, /timeout must be greater than 0/],
    [{ timeout: -1 }, /timeout must be greater than 0/],
    [{ method: 'GET /' }, /'GET \/' HTTP method is not supported/],
    [{ method: 'CONNECT' }, /^CONNECT HTTP method is not supported/],
    [{ requests: [{ method: 'connect' }] }, /^connect HTTP method is not supported.*requests\[0\]\.method/],
    [{ body: true }, /body must be either a string or a buffer/],
    [{ requests: [{}, { body: {} }] }, /requests\[1\]\.body must be either a string or a buffer/]
  ]
  for (const [opts, message] of texts) {
    t.throws(() => createPlan({ url: URL_GIVEN, ...opts }), { code: CODES.BAD_OPTION, message })
  }
})

t.test('a bad part of an option is named by its place', async t => {
  const parts = [
    [{ connections: { from: 1, to: 0, over: 1 } }, 'connections.to'],
    [{ connections: { from: 6, to: 5, over: 1 } }, 'connections.to'],
    [{ connections: { from: -1, to: 5, over: 1 } }, 'connections.from'],
    [{ connections: { from: 1, to: 5 } }, 'connections.over'],
    [{ connections: { from: 1, to: 5, over: 0 } }, 'connections.over'],
    [{ warmup: { connections: 0 } }, 'warmup.connections'],
    [{ warmup: { duration: 'soon' } }, 'warmup.duration'],
    [{ bursts: { size: 0, interval: 1 } }, 'bursts.size'],
    [{ bursts: { size: 1 } }, 'bursts.interval'],
    [{ stages: [{ duration: 1, rate: 1 }, { duration: 1 }] }, 'stages[1].rate'],
    [{ stages: [{ duration: 1, rate: { from: 1 } }] }, 'stages[0].rate'],
    [{ stages: '10s:1, 0:5' }, 'stages[1].duration'],
    [{ thinkTime: ['x', 1] }, 'thinkTime[0]'],
    [{ thinkTime: { from: 1 } }, 'thinkTime.to'],
    [{ requests: [{}, { setupRequest: 5 }] }, 'requests[1].setupRequest'],
    [{ requests: [{}, { onResponse: '' }] }, 'requests[1].onResponse'],
    [{ requests: [{ path: 5 }] }, 'requests[0].path'],
    [{ requests: [{ title: {} }] }, 'requests[0].title'],
    [{ requests: [{ headers: 'A: 1' }] }, 'requests[0].headers'],
    [{ requests: [{ headers: { a: '\0' } }] }, "requests[0].headers['a']"],
    [{ prometheus: { port: 65536 } }, 'prometheus.port'],
    [{ prometheus: { port: 0, host: 5 } }, 'prometheus.host'],
    [{ prometheus: { port: 0, labels: { a: {} } } }, 'prometheus.labels.a'],
    [{ prometheus: { port: 0, buckets: [1, 1] } }, 'prometheus.buckets'],
    [{ prometheus: { port: 0, linger: -1 } }, 'prometheus.linger'],
    [{ url: ['localhost', 'ftp://x'] }, 'url[1]']
  ]
  for (const [opts, option] of parts) {
    // What is missing is "not given".
    t.throws(() => createPlan({ url: URL_GIVEN, ...opts }), { code: CODES.BAD_OPTION, option, message: /^(?!.*it is undefined)/ }, option)
  }
})

t.test('duration: 0 is allowed where amount ends the run, and is one sample elsewhere', async t => {
  t.equal(createPlan({ url: URL_GIVEN, duration: 0, amount: 5 }).plan.duration, 0)
  t.equal(createPlan({ url: URL_GIVEN, duration: 0 }).plan.duration, 1)
  t.equal(createPlan({ url: URL_GIVEN, duration: 0, sampleInt: 200 }).plan.duration, 0.2)
  t.throws(() => createPlan({ url: URL_GIVEN, duration: -1, amount: 5 }), { option: 'duration' })
})

t.test('amount, maxOverallRequests: they may be below connections', async t => {
  t.equal(createPlan({ url: URL_GIVEN, amount: 3, connections: 100 }).plan.amount, 3)
  t.equal(createPlan({ url: URL_GIVEN, maxOverallRequests: 3, connections: 100 }).plan.maxOverallRequests, 3)
})

t.test('amount goes before maxConnectionRequests, and that before maxOverallRequests', async t => {
  const limits = { amount: 5, maxConnectionRequests: 6, maxOverallRequests: 7 }
  t.match(createPlan({ url: URL_GIVEN, ...limits }).plan, {
    amount: 5, maxConnectionRequests: null, maxOverallRequests: null
  })
  t.match(createPlan({ url: URL_GIVEN, ...limits, amount: undefined }).plan, {
    amount: null, maxConnectionRequests: 6, maxOverallRequests: null
  })
  t.match(createPlan({ url: URL_GIVEN, maxOverallRequests: 7 }).plan, { maxOverallRequests: 7 })
})

t.test('connections: a ramp is kept beside the most there are', async t => {
  const { plan } = createPlan({ url: URL_GIVEN, connections: { from: '0', to: 20, over: '1m' } })
  t.equal(plan.connections, 20)
  t.same(plan.rampUp, { from: 0, to: 20, over: 60 })
})

t.test('drain: the default is the timeout', async t => {
  t.equal(createPlan({ url: URL_GIVEN, timeout: 2 }).plan.drain, 2)
  t.equal(createPlan({ url: URL_GIVEN, timeout: 2, overallRate: 1, drain: 0 }).plan.drain, 0)
})

t.test('signal: an AbortSignal is accepted, and stays out of the plan', async t => {
  const { plan, warnings } = createPlan({ url: URL_GIVEN, signal: new AbortController().signal })
  t.notOk('signal' in plan)
  t.same(warnings, [])
})

t.test('what contradicts a stream is named', async t => {
  const refused = (opts, option, message) => t.match(thrownBy({ url: URL_GIVEN, ...opts }), { code: CODES.BAD_OPTION, option, message })
  refused({ stream: { events: 'chunks' }, http2: true }, 'stream.events', /HTTP\/2 has no chunked coding/)
  refused({ stream: { limit: 5 }, pipelining: 2 }, 'stream.limit', /pipelining/)
  refused({ stream: { limit: { seconds: 3 } }, timeout: 3 }, 'stream.limit.seconds', /less than the timeout \(3 seconds\)/)
  for (const opts of [{ stream: { limit: 5 }, pipelining: 2, http2: true }, { stream: { limit: { seconds: 2.9 } }, timeout: 3 }, { stream: true, pipelining: 2 }]) {
    t.same(createPlan({ url: URL_GIVEN, ...opts }).warnings, [])
  }
  for (const [name, opts] of Object.entries({ onEvent: { onEvent () {} }, 'requests[1].onEvent': { requests: [{}, { onEvent () {} }] } })) {
    t.match(createPlan({ url: URL_GIVEN, ...opts }).warnings, [{ code: 'OPTION_WITHOUT_EFFECT', message: `${name} has no effect without stream, which says what an event is` }])
  }
  t.match(createPlan({ url: URL_GIVEN, stream: { event: 'sse' } }).warnings, [{ code: 'UNKNOWN_OPTION', message: /stream\.events/ }])
})

t.test('a hook for events goes with each request that has none of its own', async t => {
  const [common, own] = [() => {}, () => {}]
  const { hooks } = createPlan({ url: URL_GIVEN, stream: true, onEvent: common, requests: [{}, { onEvent: own }] })
  t.equal(hooks.requests[0].onEvent, common)
  t.equal(hooks.requests[1].onEvent, own)
})

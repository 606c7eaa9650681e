'use strict'

const { inspect, isDeepStrictEqual } = require('node:util')
const t = require('tap')
const { createPlan } = require('../../lib/plan')
const { OPTIONS, readOptions } = require('../../lib/plan/options')
const { CODES, show } = require('../../lib/base/errors')
const { isObject } = require('../../lib/values/kinds')

const URL_GIVEN = 'http://localhost:3000'

// Their valid values are files, or an AbortSignal: they have tests of their own.
const NEED_MORE = ['grpc', 'replay', 'signal']

t.test('every option has valid and invalid values', async t => {
  const lacking = OPTIONS.filter(({ name, good = [], bad = [] }) => (good.length === 0 && !NEED_MORE.includes(name)) || bad.length < 3)
  t.same(lacking.map(({ name }) => name), [])
})

// Values that mean "not given" are not invalid. An option that rejects a Map rejects a FormData as well; recognizing one in lib/ would load
// undici.
const badOf = ({ off = [], bad }) => [...bad.filter(value => !off.includes(value)), ...(bad.some(value => value instanceof Map) ? [new FormData()] : [])]

t.test('an invalid value gives one sentence that names the option', async t => {
  const wrong = OPTIONS.flatMap((option) => badOf(option).flatMap((value) => {
    const { name } = option
    const error = thrownBy({ url: URL_GIVEN, [name]: value })
    const { code, option: named = '', message = '' } = error ?? {}
    const isNamed = named === name || named.startsWith(`${name}[`) || named.startsWith(`${name}.`)
    if (code === CODES.BAD_OPTION && isNamed && message.includes(name) && message.split('\n').length === 1) return []
    return `${name} = ${inspect(value)}: ${error ? `${named}: ${error}` : 'no error'}`
  }))
  t.same(wrong, [])
})

t.test('an error shows the value that is wrong, or the wrong part of it', async (t) => {
  const cases = OPTIONS.flatMap((option) => badOf(option).map((value) => ({ value, error: thrownBy({ url: URL_GIVEN, [option.name]: value }) })))
  const shown = cases.map(({ value, error: { message } }) => ({ value, message, got: /; got (.*?)(?:: did you mean [^:]*)?$/s.exec(message)?.[1] })).filter(({ got }) => got !== undefined)
  t.ok(shown.length > 750, `${shown.length}`)
  const isOf = ({ value, got }) => got === show(value) || inspect(value, { depth: 9 }).includes(got.replace(/^'|'$/g, ''))
  t.same(shown.filter((each) => !isOf(each)), [])
})

function thrownBy (opts) {
  try {
    createPlan(opts)
  } catch (error) {
    return error
  }
}

const inPlan = (plan, name, given) => name in plan ? plan[name] : readOptions(given)[name]

t.test('valid values reach the plan, normalized, and without a warning', async t => {
  const outcomes = OPTIONS.flatMap(({ name, good = [], goodWith, scheduleOnly }) => good.map(([given, ...expected]) => {
    const opts = { url: URL_GIVEN, ...(scheduleOnly && { overallRate: 5 }), ...goodWith, [name]: given }
    const { plan, warnings } = createPlan(opts)
    return { name, given, expected, actual: expected.map(() => inPlan(plan, name, opts)), warnings }
  }))
  t.same(outcomes.filter(({ expected, actual, warnings }) => !isDeepStrictEqual(actual, expected) || warnings.length > 0), [])
})

t.test('undefined and null mean that an option was not given', async t => {
  const without = createPlan({ url: URL_GIVEN, seed: 1 })
  const wrong = OPTIONS.filter(({ name }) => name !== 'url').flatMap(({ name }) => [undefined, null].filter((nothing) => {
    const withNothing = createPlan({ url: URL_GIVEN, seed: 1, [name]: nothing })
    if (name === 'seed') withNothing.plan = { ...withNothing.plan, seed: 1 }
    return !isDeepStrictEqual(withNothing, without)
  }).map((nothing) => `${name}: ${nothing}`))
  t.same(wrong, [])
})

t.test('a plan of only a URL has the documented defaults', async t => {
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
    isUserCode: false,
    initialContext: null,
    tlsOptions: null,
    servername: null,
    title: undefined,
    socketPath: undefined,
    url: URL_GIVEN
  })
  t.strictSame(plan.requests, [{ title: undefined, method: 'GET', path: null, headers: [], body: null }])
  t.same(hooks, { setupClient: null, verifyBody: null, onEvent: null, setupRequest: null, user: null, users: [], match: null, body: null, requests: [{ setupRequest: null, onResponse: null, onEvent: null, onMessage: null, body: null }], names: ['requests[0]'] })
  t.same(warnings, [])
})

t.test('options that are not an object are an error', async t => {
  for (const opts of ['http://localhost', 5, true, [], () => {}]) {
    t.throws(() => createPlan(opts), { code: CODES.BAD_OPTION, message: /the options must be an object/ })
  }
})

t.test('without url and socketPath, the error asks for one of them', async t => {
  for (const opts of [undefined, null, {}, { url: '' }, { url: [] }, { url: null }, { connections: 5 }]) {
    t.throws(() => createPlan(opts), { code: CODES.BAD_OPTION, message: /url or socketPath option required/ })
  }
})

t.test('error messages that programs match', async t => {
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

t.test('errors name the position of an invalid part', async t => {
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
    // undefined and null mean "not given".
    t.throws(() => createPlan({ url: URL_GIVEN, ...opts }), { code: CODES.BAD_OPTION, option, message: /^(?!.*it is undefined)/ }, option)
  }
})

// As the documentation has them, and not as the descriptors do: by the least and the greatest that are allowed.
const LIMITS = {
  amount: [1, Number.MAX_SAFE_INTEGER],
  bailout: [1, Number.MAX_SAFE_INTEGER],
  'bursts.size': [1, Number.MAX_SAFE_INTEGER],
  connections: [1, 1e6],
  'connections.from': [0, 1e6],
  'connections.to': [1, 1e6],
  'dashboard.port': [0, 65535],
  drain: [0, 2147483],
  'fleet.agents': [1, 10_000],
  'fleet.wait': [0, 2147483],
  maxConnectionRequests: [1, Number.MAX_SAFE_INTEGER],
  maxOverallRequests: [1, Number.MAX_SAFE_INTEGER],
  pipelining: [1, 65536],
  'prometheus.linger': [0, 2147483],
  'prometheus.port': [0, 65535],
  sampleInt: [1, 2147483647],
  seed: [0, 4294967295],
  'sessions.amount': [1, Number.MAX_SAFE_INTEGER],
  'sessions.calls': [1, 1e6],
  'sessions.connections': [1, 1024],
  'sessions.failOn': [200, 599],
  'sessions.maxOpen': [1, Number.MAX_SAFE_INTEGER],
  slowest: [0, 1000],
  'stream.limit': [1, Number.MAX_SAFE_INTEGER],
  thinkTime: [0, 2147483],
  timeout: [0.001, 2147483],
  'warmup.connections': [1, 1e6],
  'websocket.maxMessage': [1, 2147483647],
  'websocket.pingInterval': [0.001, 2147483],
  workers: [0, Number.MAX_SAFE_INTEGER]
}
// What the others need beside it.
const BESIDE = { bursts: { size: 1, interval: 1 }, connections: { from: 1, to: 1e6, over: 1 }, fleet: { redis: 'redis://a.test', agents: 1, key: 'x' }, prometheus: { port: 0 } }

t.test('the least and the greatest number of each option', async t => {
  for (const [where, [least, greatest]] of Object.entries(LIMITS)) {
    const [name, part] = where.split('.')
    const option = OPTIONS.find((option) => option.name === name)
    const read = (number) => option.read(part === undefined ? number : { ...BESIDE[name], [part]: number }, name, {})
    for (const number of [least, greatest, String(greatest)]) t.doesNotThrow(() => read(number), `${where}: ${number}`)
    for (const number of [least - 1, greatest + 1, String(greatest + 1)]) t.throws(() => read(number), { code: CODES.BAD_OPTION, option: where }, `${where}: ${number}`)
  }
})

t.test('which Redis a fleet can have', async t => {
  const { read } = OPTIONS.find(({ name }) => name === 'fleet')
  const fleetOf = (redis) => read({ redis, agents: 1, key: 'x' }, 'fleet').redis
  for (const redis of ['redis://a.test', 'rediss://a.test:6380/1', 'redis://user:p%40ss@a.test', 'redis://:p%25@[::1]:1', '/tmp/redis.sock']) t.equal(fleetOf(redis), redis)
  t.equal(fleetOf(new URL('redis://a.test')), 'redis://a.test')
  for (const redis of ['a.test', 'http://a.test', 'redis:', 'redis://', 'redisx://a.test', 'redis://%zz@a.test', 'redis://user:100%@a.test', 'redis://user:%ff@a.test', '', 5, {}]) {
    t.throws(() => fleetOf(redis), { option: 'fleet.redis', message: /must be a URL such as/ }, String(redis))
  }
})

t.test('workers as a text', async t => {
  const read = (workers) => readOptions({ url: URL_GIVEN, workers }).workers
  t.strictSame(['0', '1', '2'].map(read), [null, 1, 2])
})

t.test('a file that is no regular one can record the requests of one thread', async t => {
  const read = (workers) => readOptions({ url: URL_GIVEN, record: '/dev/null', workers }).record
  for (const workers of [undefined, 0, 1]) t.same(read(workers), { file: '/dev/null', form: 'json' })
  for (const workers of [2, '3']) t.throws(() => read(workers), { option: 'record', message: /several workers can only write to a regular file/ })
})

t.test('objects without a prototype are copied and frozen like others', async t => {
  const given = Object.assign(Object.create(null), { list: [Object.assign(Object.create(null), { a: 1 })] })
  const { plan } = createPlan({ url: URL_GIVEN, initialContext: given })
  given.list[0].a = 2
  given.list.push(3)
  t.same(plan.initialContext, { list: [{ a: 1 }] })
  t.ok([plan.initialContext, plan.initialContext.list, plan.initialContext.list[0]].every(Object.isFrozen))
  t.notOk(Object.isFrozen(given))
})

t.test('the exports of a module are options like those of an object', async t => {
  t.equal(isObject(await import('node:path')), true)
  const options = await import('data:text/javascript,export const url = "http://a.test"; export const amount = 5')
  t.match(createPlan(options).plan, { amount: 5, targets: [{ hostname: 'a.test' }] })
})

t.test('duration: 0 is allowed if amount ends the run, and otherwise is one sample', async t => {
  t.equal(createPlan({ url: URL_GIVEN, duration: 0, amount: 5 }).plan.duration, 0)
  t.equal(createPlan({ url: URL_GIVEN, duration: 0 }).plan.duration, 1)
  t.equal(createPlan({ url: URL_GIVEN, duration: 0, sampleInt: 200 }).plan.duration, 0.2)
  t.throws(() => createPlan({ url: URL_GIVEN, duration: -1, amount: 5 }), { option: 'duration' })
})

t.test('amount, maxOverallRequests: may be lower than connections', async t => {
  t.equal(createPlan({ url: URL_GIVEN, amount: 3, connections: 100 }).plan.amount, 3)
  t.equal(createPlan({ url: URL_GIVEN, maxOverallRequests: 3, connections: 100 }).plan.maxOverallRequests, 3)
})

t.test('amount has priority over maxConnectionRequests, and that over maxOverallRequests', async t => {
  const limits = { amount: 5, maxConnectionRequests: 6, maxOverallRequests: 7 }
  t.match(createPlan({ url: URL_GIVEN, ...limits }).plan, {
    amount: 5, maxConnectionRequests: null, maxOverallRequests: null
  })
  t.match(createPlan({ url: URL_GIVEN, ...limits, amount: undefined }).plan, {
    amount: null, maxConnectionRequests: 6, maxOverallRequests: null
  })
  t.match(createPlan({ url: URL_GIVEN, maxOverallRequests: 7 }).plan, { maxOverallRequests: 7 })
})

t.test('connections: a ramp is kept beside the maximum', async t => {
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

t.test('options that contradict a stream are named', async t => {
  const refused = (opts, option, message) => t.match(thrownBy({ url: URL_GIVEN, ...opts }), { code: CODES.BAD_OPTION, option, message })
  refused({ stream: { events: 'chunks' }, http2: true }, 'stream.events', /HTTP\/2 has no chunked coding/)
  for (const stream of [true, { limit: false }]) t.same(createPlan({ url: URL_GIVEN, stream }).plan.stream, { events: 'sse', limit: { events: null, seconds: null } })
  for (const limit of [5, { seconds: 3 }]) refused({ stream: { limit }, pipelining: 2 }, 'stream.limit', /pipelining/)
  refused({ stream: { limit: { seconds: 3 } }, timeout: 3 }, 'stream.limit.seconds', /less than the timeout \(3 seconds\)/)
  for (const opts of [{ stream: { limit: 5 }, pipelining: 2, http2: true }, { stream: { limit: { seconds: 2.9 } }, timeout: 3 }, { stream: true, pipelining: 2 }]) {
    t.same(createPlan({ url: URL_GIVEN, ...opts }).warnings, [])
  }
  for (const [name, opts] of Object.entries({ onEvent: { onEvent () {} }, 'requests[1].onEvent': { requests: [{}, { onEvent () {} }] } })) {
    t.match(createPlan({ url: URL_GIVEN, ...opts }).warnings, [{ code: 'OPTION_WITHOUT_EFFECT', message: `${name} has no effect without stream, which defines what an event is` }])
  }
  t.match(createPlan({ url: URL_GIVEN, stream: { event: 'sse' } }).warnings, [{ code: 'UNKNOWN_OPTION', message: /stream\.events/ }])
})

t.test('a hook for events applies to each request that has none of its own', async t => {
  const [common, own] = [() => {}, () => {}]
  const { hooks } = createPlan({ url: URL_GIVEN, stream: true, onEvent: common, requests: [{}, { onEvent: own }] })
  t.equal(hooks.requests[0].onEvent, common)
  t.equal(hooks.requests[1].onEvent, own)
})

'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const t = require('tap')
const run = require('../..')
const contextMaker = require('../../lib/script/context')
const { simulate } = require('../simulation/world')
const { httpServer } = require('../support/servers')
const { sleep } = require('../support/wait')
const { keepingServer } = require('../support/keeping-server')

t.test('each round of the sequence has a context of its own, shared by its hooks', async (t) => {
  const server = await httpServer(t)
  const rounds = []
  await run({
    url: server.url,
    connections: 1,
    amount: 6,
    requests: [
      { setupRequest: (request, context) => { context.log = ['setup 0']; rounds.push(context); return request }, onResponse: (s, b, context) => { context.log.push('response 0') } },
      { onResponse: (status, body, context) => { context.log.push('response 1') } },
      { setupRequest: (request, context) => { context.log.push('setup 2'); return request } }
    ]
  })
  t.equal(rounds.length, 2)
  t.not(rounds[0], rounds[1])
  for (const { log } of rounds) t.same(log, ['setup 0', 'response 0', 'response 1', 'setup 2'])
})

t.test('it begins as a deep copy of initialContext', async (t) => {
  const server = await httpServer(t)
  class Own { constructor () { this.calls = 0 } }
  const initialContext = {
    flat: 1,
    list: [{ n: 1 }],
    deep: { a: { b: 'c' } },
    map: new Map([['k', { v: 1 }]]),
    set: new Set([1]),
    date: new Date(0),
    bytes: Buffer.from('abc'),
    call: () => 'called',
    own: new Own()
  }
  initialContext.self = initialContext.deep
  const seen = []
  await run({
    url: server.url,
    connections: 1,
    amount: 3,
    initialContext,
    requests: [{
      setupRequest (request, context) {
        seen.push([context.flat, context.list.length, context.list[0].n, context.deep.a.b, context.map.get('k').v, context.set.size,
          context.date.getTime(), context.bytes.toString(), context.call(), context.own instanceof Own, context.self === context.deep])
        context.flat++
        context.list[0].n++
        context.list.push({})
        context.deep.a.b = 'changed'
        context.map.get('k').v++
        context.set.add(2)
        context.date.setTime(1)
        context.bytes[0] = 0
        context.own.calls++
        return request
      }
    }]
  })
  const fresh = [1, 1, 1, 'c', 1, 1, 0, 'abc', 'called', true, true]
  t.same(seen, [fresh, fresh, fresh])
  t.equal(initialContext.list.length, 1, "the user's own object is not modified")
  t.equal(initialContext.own.calls, 3, 'class instances are shared')
})

t.test('whatever it contains, a copy has the same contents, and shares only functions and instances of classes', async (t) => {
  class Own { constructor () { this.calls = 0 } }
  const call = () => 1
  const leaf = fc.oneof(
    fc.constantFrom(null, undefined, 0, 'x', NaN, call).map((value) => () => value),
    fc.constantFrom(
      () => new Own(), () => new DataView(new ArrayBuffer(2)), () => new Date(7), () => Buffer.from('abc'), () => new Uint8Array([1, 2]), () => new Float64Array([0.5]),
      () => [], () => ({}), () => new Map(), () => new Set()
    )
  )
  // Functions that create a value, so that no part of one is a part of another.
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, tie('list'), tie('object'), tie('map'), tie('set')),
    list: fc.array(tie('value'), { maxLength: 3 }).map((items) => () => items.map((create) => create())),
    object: fc.array(tie('value'), { maxLength: 3 }).map((items) => () => Object.fromEntries(items.map((create, index) => [`k${index}`, create()]))),
    map: fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 2 }).map((items) => () => new Map(items.map(([key, item]) => [key(), item()]))),
    set: fc.array(tie('value'), { maxLength: 2 }).map((items) => () => new Set(items.map((create) => create())))
  }))
  const partsOf = (value) => value instanceof Map ? [...value].flat() : value instanceof Set ? [...value] : Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype ? Object.values(value) : []
  const isShared = (value) => value instanceof Own || value instanceof DataView
  const insides = (value) => value !== null && typeof value === 'object' ? [value, ...partsOf(value).flatMap(insides)] : []
  fc.assert(fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), (items) => {
    const create = () => ({ ...items.map((each) => each()), call })
    const initial = create()
    const next = contextMaker(initial)
    const copies = [next(), next()]
    for (const copied of copies) assert.deepStrictEqual(copied, create())
    const all = [initial, ...copies].flatMap((each) => [...new Set(insides(each))]).filter((each) => !isShared(each))
    assert.equal(new Set(all).size, all.length)
    const own = (each) => insides(each).filter(isShared)
    for (const copied of copies) assert.ok(own(copied).every((each, index) => each === own(initial)[index]))
  }), { numRuns: 300 })

  const twice = { list: [1] }
  const round = { twice, again: [twice], set: new Set([twice]), map: new Map([[twice, twice]]) }
  round.self = round
  const copied = contextMaker(round)()
  t.equal(copied.self, copied)
  t.not(copied.twice, twice)
  for (const same of [copied.again[0], ...copied.set, ...[...copied.map].flat()]) t.equal(same, copied.twice, 'what occurs twice is one copy')
})

t.test('also if initialContext is flat', async (t) => {
  const server = await httpServer(t)
  const initialContext = { count: 0, call: () => 1 }
  const counts = []
  await run({
    url: server.url,
    connections: 2,
    amount: 6,
    initialContext,
    requests: [{ setupRequest: (request, context) => { counts.push(++context.count); return request } }]
  })
  t.same(counts, [1, 1, 1, 1, 1, 1])
  t.equal(initialContext.count, 0)
})

t.test('connections do not share contexts', async (t) => {
  const server = await keepingServer(t)
  let next = 0
  await run({
    url: server.url,
    connections: 4,
    amount: 40,
    initialContext: { user: { name: null } },
    requests: [
      { path: '/login', setupRequest: async (request, { user }) => { user.name = `user${next++}`; await sleep(1); return { ...request, path: `/login/${user.name}` } } },
      { setupRequest: (request, { user }) => ({ ...request, path: `/home/${user.name}` }) }
    ]
  })
  for (const connection of [0, 1, 2, 3]) {
    const users = server.of(connection).map(({ path }) => path.split('/'))
    for (let index = 0; index + 1 < users.length; index += 2) {
      t.same([users[index][1], users[index + 1][1]], ['login', 'home'])
      t.equal(users[index][2], users[index + 1][2])
    }
  }
})

t.test('with pipelining each request keeps the context of its round', async (t) => {
  const server = await httpServer(t)
  let round = 0
  const pairs = []
  await run({
    url: server.url,
    connections: 1,
    pipelining: 4,
    amount: 16,
    requests: [
      { setupRequest: (request, context) => { context.round = round++; return request } },
      { setupRequest: (request, context) => ({ ...request, path: `/${context.round}` }), onResponse: (s, b, context) => { pairs.push(context.round) } }
    ]
  })
  t.same(pairs, [0, 1, 2, 3, 4, 5, 6, 7])
})

t.test('a falsy return value restarts the sequence: counted, reported, with a fresh context', async (t) => {
  for (const falsy of [null, undefined, false, 0, '']) {
    for (const isAsync of [false, true]) {
      const server = await keepingServer(t)
      let resets = 0
      const contexts = []
      const refuse = isAsync ? async () => falsy : () => falsy
      const result = await run({
        url: server.url,
        connections: 1,
        amount: 4,
        initialContext: { fresh: [] },
        requests: [
          { path: '/a', setupRequest: (request, context) => { contexts.push(context.fresh.length); context.fresh.push(1); return request } },
          { path: '/b', setupRequest: refuse },
          { path: '/c' }
        ],
        setupClient: (client) => client.on('reset', (...args) => { resets++; t.same(args, []) })
      })
      t.same(server.paths, ['/a', '/a', '/a', '/a'])
      t.equal(result.resets, 3)
      t.equal(resets, 3)
      t.same(contexts, [0, 0, 0, 0])
    }
  }
})

t.test('when a setupRequest restarts the sequence now and then', async (t) => {
  const server = await keepingServer(t)
  let tries = 0
  const result = await run({
    url: server.url,
    connections: 1,
    pipelining: 3,
    amount: 7,
    requests: [{ path: '/a' }, { path: '/b' }, { path: '/c', setupRequest: (request) => ++tries % 2 ? null : request }]
  })
  t.same(server.paths, ['/a', '/b', '/a', '/b', '/c', '/a', '/b'])
  t.equal(result.resets, 1)
  t.equal(result.requests.total, 7)
})

t.test('setupRequest of the run is called with each request that has none of its own, also those that a client sets', async (t) => {
  const calls = []
  const setup = (name) => (request, context) => {
    calls.push([name, request.path, context.count = (context.count ?? 0) + 1])
    return { ...request, path: `${request.path}?${name}` }
  }
  const { value: result, world } = await simulate({}, (world) => run({
    url: world.server().url,
    connections: 1,
    amount: 4,
    setupRequest: setup('run'),
    requests: [{ path: '/a' }, { path: '/b', setupRequest: setup('own') }]
  }))
  t.same(calls, [['run', '/a', 1], ['own', '/b', 2], ['run', '/a', 1], ['own', '/b', 2]])
  t.same(world.log.map(({ path }) => path), ['/a?run', '/b?own', '/a?run', '/b?own'])
  t.equal(result.accounting.completed, 4)

  calls.length = 0
  await simulate({}, (world) => run({
    url: world.server().url,
    connections: 1,
    amount: 2,
    setupRequest: setup('run'),
    setupClient: (client) => client.setRequests([{ path: '/c' }, { path: '/d', setupRequest: setup('own') }])
  }))
  t.same(calls, [['run', '/c', 1], ['own', '/d', 2]])
  for (const [opts, message] of [
    [{ replay: { file: __filename } }, /^setupRequest and replay cannot be given together: the recording defines what is sent/],
    [{ user: async () => {} }, /^setupRequest and user cannot be given together/],
    [{ scenarios: [{ name: 'a', user: async () => {} }] }, /^scenarios\[0\]\.user and setupRequest cannot be given together/],
    [{ workers: 2 }, /^setupRequest must be the path of a module/],
    [{ setupRequest: './missing.js' }, /^setupRequest could not be loaded from '\.\/missing\.js'/],
    [{ sessions: { connections: 2 }, pipelining: 2 }, /^sessions\.connections and pipelining cannot be given together: setupRequest would depend/]
  ]) await t.rejects(run({ url: 'localhost:1', setupRequest: setup('run'), ...opts }), { code: 'CANNONADE_BAD_OPTION', message }, Object.keys(opts)[0])
})

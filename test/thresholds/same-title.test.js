'use strict'

// Requests with the same title are one endpoint in results and thresholds.

const path = require('node:path')
const t = require('tap')
const { run, aggregateResult, evaluateThresholds, toHTML, toTimelineCSV } = require('../..')
const { playInWorld } = require('../support/play-in-world')

async function play (t, settings, opts) {
  const { result } = await playInWorld(t, { serviceTime: 5, ...settings }, { timeout: 0.2, ...opts }, undefined, { seed: 1 })
  return result
}

const SEARCHES = [{ path: '/search?q=a', title: 'search' }, { path: '/' }, { path: '/search?q=b', title: 'search' }, { path: '/cart', title: 'cart' }, { path: '/search?q=c', title: 'search' }]
const slowFor = (query) => ({ serviceTime: ({ path }) => path.endsWith(query) ? 80 : 5, answer: ({ path }) => path === '/search?q=c' ? 404 : 200 })

t.test('requests with the same title are one endpoint, in the order of the first of each', async (t) => {
  for (const more of [{}, { workers: 2 }, { http2: true }, { overallRate: 50, duration: 1, connections: 5 }, { sessions: true, duration: 0.5 }]) {
    const { duration, ...rest } = more
    const opts = { connections: 2, ...(duration === undefined ? { amount: 50 } : { duration }), ...rest, requests: SEARCHES, skipAggregateResult: true }
    const result = await play(t, { ...slowFor('q=c'), http2: more.http2 === true }, opts)
    for (const whole of [result, aggregateResult([JSON.parse(JSON.stringify(result))])]) {
      t.same(whole.endpoints.map(({ title, method, path }) => [title, method, path]), [['search', 'GET', '/search?q=a'], [undefined, 'GET', '/'], ['cart', 'GET', '/cart']])
      t.equal(whole.endpoints.reduce((sum, { completed }) => sum + completed, 0), whole.accounting.completed)
      const [search] = whole.endpoints
      t.equal(search.latency.totalCount, search.completed)
      t.same(search.statusCodeStats, { 200: { count: search.completed - whole['4xx'] }, 404: { count: whole['4xx'] } })
      t.equal(search.latency.max, whole.latency.max)
      // The slow one is the last of three.
      t.match(evaluateThresholds(whole, "endpoints['search'].p99 < 50ms")[0], { passed: false, certain: true })
      t.match(evaluateThresholds(whole, "endpoints['search'].statusCodeStats.404 == 0")[0], { passed: false })
      if (more.overallRate === undefined) t.equal(evaluateThresholds(whole, "endpoints['cart'].p99 < 50ms")[0].passed, true)
    }
    t.equal(aggregateResult([result, result]).endpoints.length, 3)
    t.equal(toHTML(result).match(/>search</g).length, 1, 'one line of the table')
    t.equal(typeof toTimelineCSV(result), 'string')
  }
})

t.test('the bounds of a request that hangs belong to its title', async (t) => {
  for (const model of [{ amount: 100 }, { overallRate: 50, duration: 2 }]) {
    const result = await play(t, { answer: ({ path }) => path === '/search?q=b' ? 'silence' : 200 }, { connections: 10, ...model, requests: SEARCHES })
    t.ok(result.accounting.timedOut > 5 && result.accounting.unsent === 0)
    t.match(evaluateThresholds(result, "endpoints['search'].latency.max < 1h")[0], { passed: false, certain: false })
    t.equal(evaluateThresholds(result, "endpoints['cart'].latency.max < 1h")[0].passed, true)
    t.equal(result.endpoints[0].failed, result.accounting.timedOut + result.accounting.failed)
  }
})

t.test('so do those in flight at the end of the closed model, and each of several times under its title', async (t) => {
  for (const query of ['q=a', 'q=b', 'q=c']) {
    for (const more of [{}, { workers: 2 }, { http2: true }]) {
      const { http2 = false } = more
      const result = await play(t, { http2, answer: ({ path }) => path.endsWith(query) ? 'silence' : 200 }, { connections: 4, duration: 1, timeout: 5, ...more, requests: SEARCHES })
      t.same(result.endpoints.map(({ missing }) => missing?.latency.count), [4, undefined, undefined], query)
      t.match(evaluateThresholds(result, "endpoints['search'].latency.max < 1h")[0], { passed: false, certain: false })
      t.equal(evaluateThresholds(result, 'endpoints[1].latency.max < 1h')[0].passed, query !== 'q=a')
    }
  }
})

t.test('what a person cut off belongs to the title as well, with any of its requests', async (t) => {
  for (const query of ['q=a', 'q=b', 'q=c']) {
    for (const model of [{}, { overallRate: 100 }]) {
      const { result } = await playInWorld(t, { serviceTime: ({ path }) => path.endsWith(query) ? 400 : 5 }, { connections: 4, duration: 9, timeout: 5, ...model, requests: SEARCHES }, (instance, world) => {
        world.afterForClient(300, () => instance.stop())
      })
      const { interrupted: [search, ...others], unfinished } = { interrupted: result.endpoints.map(({ interrupted }) => interrupted?.latency.count), ...result.accounting }
      t.same([search, ...others], [model.overallRate === undefined ? undefined : unfinished, undefined, undefined], `${query}, ${JSON.stringify(model)}`)
    }
  }
})

t.test('abortOnFail sees all of them', async (t) => {
  const result = await play(t, { answer: ({ path }) => path === '/search?q=c' ? 500 : 200 }, {
    connections: 1, duration: 30, sampleInt: 50, abortOnFail: true, requests: SEARCHES, thresholds: ["endpoints['search'].statusCodeStats.500 == 0"]
  })
  t.ok(result.duration < 0.2)
})

t.test('scenarios with a title in common all have to meet the threshold', async (t) => {
  const scenarios = [['browse', '/a'], ['buy', '/b'], ['return', '/a']].map(([name, path]) => ({ name, requests: [{ path, title: 'step' }] }))
  const thresholds = ['p99 < 50ms', 'latency.min > 50ms', 'latency.min > 100ms', 'statusCodeStats.404 == 0', 'completed == 2', 'completed >= 2', 'completed < 3'].map((text) => `endpoints['step'].${text}`)
  const world = { serviceTime: ({ path }) => path === '/b' ? 80 : 5, answer: ({ path }) => path === '/b' ? 404 : 200 }
  const result = await play(t, world, { connections: 1, scenarios, sessions: { amount: 6 }, thresholds })
  t.same(result.thresholds.map(({ passed, certain, actual }) => [passed, certain, actual]),
    [[false, true, 80], [false, true, 5], [false, true, 5], [false, true, 2], [true, true, 2], [true, true, 2], [true, true, 2]])
  // Other endpoints come before and between them.
  const [browse, buy, back] = result.endpoints
  const other = { ...browse, title: 'other' }
  t.same(evaluateThresholds({ ...result, endpoints: [other, browse, other, buy, other, back] }, thresholds), result.thresholds)

  // A certain failure says more than one that may be none, and this more than what has passed.
  const unsure = { ...browse, missing: { latency: { count: 1, smallest: 1, largest: 20, total: 20 } } }
  for (const [endpoints, expected] of [[[browse, unsure, buy], { passed: false, certain: true, actual: 80 }], [[browse, unsure, back], { passed: false, certain: false, actual: 5 }]]) {
    for (const order of [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]) {
      t.match(evaluateThresholds({ ...result, endpoints: order.map((index) => endpoints[index]) }, "endpoints['step'].latency.max < 50ms"), [expected])
    }
  }

  const ended = await play(t, world, { connections: 1, scenarios, sessions: true, duration: 30, sampleInt: 50, abortOnFail: true, thresholds: [thresholds[3]] })
  t.ok(ended.duration < 0.3)
})

t.test('gRPC calls with the same title have the statuses of all of them', async (t) => {
  const proto = path.join(__dirname, '../protocol/grpc/shop.proto')
  const call = (title, name) => ({ title, grpc: { method: 'shop.Shop/Find', metadata: { cookie: name } } })
  const requests = [call('find', 'OK'), call(undefined, 'UNAVAILABLE'), call('find', 'NOT_FOUND'), call('find', 'OK')]
  for (const more of [{}, { workers: 2 }, { overallRate: 50 }]) {
    const result = await play(t, { grpc: true, answer: ({ cookie }) => cookie }, { connections: 2, amount: 24, ...more, grpc: { proto }, requests, thresholds: ["endpoints['find'].grpcStatus.NOT_FOUND == 0"] })
    t.same(result.endpoints.map(({ grpcStatus }) => grpcStatus), [{ OK: 12, NOT_FOUND: 6 }, { UNAVAILABLE: 6 }])
    t.match(result.thresholds[0], { passed: false, actual: 6 })
  }
})

t.test('a client that replaces the sequence keeps the titles', async (t) => {
  const result = await play(t, slowFor('q=c'), {
    connections: 1, amount: 8, requests: SEARCHES, setupClient: (client) => client.setRequests([{ path: '/cart', title: 'cart' }, { path: '/search?q=c', title: 'search' }, {}, { title: 'new' }])
  })
  t.same(result.endpoints.map(({ title, completed, statusCodeStats }) => [title, completed, statusCodeStats[404]?.count ?? 0]), [['search', 4, 2], [undefined, 0, 0], ['cart', 4, 0]])
})

t.test('an index refers to the endpoints of the result', async (t) => {
  await t.rejects(run({ url: 'http://localhost', requests: SEARCHES, thresholds: ['endpoints[3].failed == 0'] }), {
    code: 'CANNONADE_BAD_THRESHOLD', message: /there is no endpoints\[3\]: requests of the same title are one endpoint, and the run has 3, up to endpoints\[2\]/
  })
  await t.rejects(run({ url: 'http://localhost', requests: [SEARCHES[0], SEARCHES[2]], thresholds: ['endpoints[1].failed == 0'] }), { message: /the run has one, endpoints\[0\]/ })
})

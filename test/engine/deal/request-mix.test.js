'use strict'

const path = require('node:path')
const t = require('tap')
const { run } = require('../../..')
const { Mix } = require('../../../lib/load/mix')
const clock = require('../../../lib/world')
const { simulate } = require('../../simulation/world')

const REQUESTS = [{ path: '/browse', weight: 14 }, { path: '/search', weight: 5 }, { path: '/buy' }]
const MIX = new Mix([14, 5, 1])
const mixOf = (count) => Array.from({ length: count }, (_, number) => REQUESTS[MIX.at(number)].path)
const HOSTS = ['10.0.0.1', '10.0.0.2']
const rowIn = (path) => Number(path.split('/')[2])

// The requests that a server received, in the order in which they were sent.
async function asked (opts, settings = {}, story = () => {}) {
  const { value: result, world } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 10, ...settings })
    story(world, server)
    return run({ url: server.url, requests: REQUESTS, ...opts })
  })
  return { result, log: world.log, paths: world.log.map(({ path }) => path), leftovers: world.leftovers }
}

t.test('weighted requests are sent in the order of the mix, over all connections', async (t) => {
  for (const [opts, settings] of [
    [{ connections: 7 }],
    [{ connections: 3, pipelining: 4 }],
    [{ connections: 3, pipelining: 4, http2: true }, { http2: true }],
    [{ connections: 3, thinkTime: 0.02 }],
    [{ connections: 3, thinkTime: [0.001, 0.04] }],
    [{ connections: 3, reconnectRate: 2 }],
    [{ connections: 5, overallRate: 100 }],
    [{ connections: 5, overallRate: 100, workers: 3 }],
    [{ connections: 5, bursts: { size: 7, interval: 0.1 }, pipelining: 3 }],
    [{ connections: 4, connectionRate: 25 }],
    [{ connections: 4, connectionRate: 25, workers: 2 }],
    [{ connections: 4, overallRate: 100, setupClient: (client) => { client.on('response', () => {}) } }]
  ]) {
    const { result, paths } = await asked({ ...opts, amount: 100 }, settings)
    t.same(paths, mixOf(100), JSON.stringify(opts))
    t.same(result.endpoints.map(({ path, completed }) => [path, completed]), [['/browse', 70], ['/search', 25], ['/buy', 5]])
    t.same(result.warnings, [])
  }
})

t.test('a long run is dealt out in the same order, however many arrivals it had before', async (t) => {
  for (const opts of [{ connections: 5, overallRate: 1000 }, { connections: 2, overallRate: 1000, pipelining: 5 }]) {
    const { paths } = await asked({ ...opts, amount: 2500 }, { serviceTime: 4 })
    t.ok(paths.join() === mixOf(2500).join(), JSON.stringify(opts))
  }
})

t.test('each thread of the closed model has a mix of its own', async (t) => {
  const { log } = await asked({ connections: 2, workers: 2, amount: 80 })
  const sent = new Map()
  for (const { socket, path } of log) sent.set(socket, [...(sent.get(socket) ?? []), path])
  t.same([...sent.values()], [mixOf(40), mixOf(40)])
})

t.test('the mix of a run starts over after its warm-up', async (t) => {
  const { result, paths } = await asked({ connections: 2, overallRate: 100, amount: 20, warmup: { connections: 2, duration: 0.13 } })
  t.equal(result.warmup.accounting.sent, 13)
  t.same(paths, [...mixOf(13), ...mixOf(20)])
})

t.test('a dropped request keeps its place in the mix', async (t) => {
  const { result, log } = await asked({ connections: 1, overallRate: 100, amount: 100, timeout: 0.1 }, { serviceTime: 7.3 }, (world, server) => world.after(195, () => server.stall(600)))
  t.ok(result.accounting.unsent > 20, `${result.accounting.unsent} were dropped`)
  // One connection sends them in the order in which they came due; each one it sends was due at most its timeout before.
  const whole = mixOf(100)
  const dues = Array.from({ length: 100 }, (_, number) => number * 10)
  for (const { sentAt, path } of log) {
    const at = (sentAt - log[0].sentAt) / 1000
    while (dues[0] + 100 <= at) dues.shift()
    t.equal(path, whole[dues.shift() / 10], `sent at ${at}`)
  }
})

t.test('an amount that is divided among URLs: each gets the arrivals assigned to it', async (t) => {
  // Of two threads, each has the connections to one URL; of three, one connection to one of them.
  for (const opts of [{ connections: 2 }, { connections: 4, workers: 2 }, { connections: 4, workers: 3 }]) {
    const { value: result, world } = await simulate({ seed: 1 }, (world) => {
      const urls = HOSTS.map((host, index) => world.server({ host, serviceTime: 5 + 20 * index }).url)
      return run({ url: urls, requests: REQUESTS, overallRate: 100, amount: 60, warmup: { connections: opts.connections, duration: 0.1 }, ...opts })
    })
    t.equal(result.accounting.completed, 60)
    const whole = mixOf(60)
    const sent = world.log.slice(result.warmup.accounting.sent)
    for (const [lane, host] of HOSTS.entries()) {
      t.same(sent.filter(({ socket }) => socket.where.host === host).map(({ path }) => path), whole.filter((_, number) => number % 2 === lane), JSON.stringify(opts))
    }
  }
})

// Which request each arrival was, by its number: what the hook of its response saw, and when it was due.
async function arrivalsOf (opts, settings, story, every = 10) {
  const seen = new Map()
  let path
  const { value: result } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 10, answer: ({ path }) => ({ body: path }), ...settings })
    story(world, server)
    const requests = REQUESTS.map((request) => ({
      ...request,
      setupRequest: (draft) => request.path === '/search' ? world.sleep(35).then(() => draft) : draft,
      onResponse: (status, body) => { path = body.split('?')[0] }
    }))
    let first = null
    const setupClient = (client) => client.on('response', (status, bytes, ms) => {
      const due = clock.now() - ms
      first ??= due
      const number = Math.round((due - first) / every)
      if (seen.has(number)) throw new Error(`the arrival ${number} was sent twice`)
      seen.set(number, path)
    })
    return run({ url: server.url, requests, setupClient, ...opts })
  })
  return { result, seen }
}

t.test('each arrival is the mix\'s next, however long hooks take, whatever is dropped, and whoever sends it in the end', async (t) => {
  const whole = mixOf(100)
  const resets = (world, server) => [40, 111, 230, 231, 395, 620].forEach((at) => world.after(at, () => server.resetAll()))
  const goAways = (world, server) => [41, 113, 234, 397, 622].forEach((at) => world.after(at, () => server.goAwayAll({ untaken: 3 })))
  for (const [opts, settings, story, isWhole] of [
    [{ connections: 3, pipelining: 2 }, {}, () => {}, true],
    [{ connections: 2, pipelining: 6 }, { serviceTime: 3 }, () => {}, true],
    [{ connections: 8 }, {}, resets, false],
    [{ connections: 2, pipelining: 6 }, {}, resets, false],
    [{ connections: 2, pipelining: 6, http2: true }, { http2: true }, goAways, true],
    [{ connections: 4, timeout: 0.06 }, { serviceTime: 30 }, resets, false]
  ]) {
    const { result, seen } = await arrivalsOf({ overallRate: 100, amount: 100, ...opts }, settings, story)
    t.equal(result.accounting.scheduled, 100)
    t.equal(seen.size, result.accounting.completed)
    if (isWhole) t.equal(seen.size, 100, JSON.stringify(opts))
    t.ok(seen.size > 10, `${seen.size}`)
    t.same([...seen].filter(([number, path]) => whole[number] !== path), [], JSON.stringify(opts))
  }
  const bare = await asked({ overallRate: 100, amount: 100, connections: 2, pipelining: 6, http2: true }, { http2: true, serviceTime: 10 }, goAways)
  t.same([...bare.result.endpoints.map(({ completed }) => completed), bare.result.accounting.completed], [70, 25, 5, 100], 'without hooks')
  // Each of those takes longer than it may wait.
  const { result } = await arrivalsOf({ overallRate: 100, amount: 100, connections: 3, timeout: 0.02 }, {}, () => {})
  t.same([result.endpoints.map(({ completed }) => completed), result.accounting.unsent], [[70, 0, 5], 25])
})

t.test('rows of requests that were set up in vain are those of others', async (t) => {
  const rows = Array.from({ length: 60 }, (_, id) => ({ id }))
  for (const http2 of [false, true]) {
    const { value: result, world } = await simulate({ seed: 1 }, (world) => {
      const server = world.server({ serviceTime: 10, http2 })
      for (const at of [40, 111, 230, 231, 395]) world.after(at, () => http2 ? server.goAwayAll({ untaken: 3 }) : server.resetAll())
      const setupRequest = (draft) => world.sleep(15).then(() => draft)
      const requests = REQUESTS.map(({ path, weight }) => ({ path: `${path}/{{id}}`, weight, setupRequest }))
      return run({ url: server.url, overallRate: 100, connections: 4, http2, ...(http2 && { pipelining: 6 }), requests, feed: { rows, order: 'once' } })
    })
    t.equal(result.accounting.sent, 60)
    // A server that refuses a request has it in its log, too.
    const sent = [...new Set(world.log.map(({ path }) => rowIn(path)))]
    t.equal(world.log.length > 60, http2)
    t.same(sent.sort((a, b) => a - b), rows.map(({ id }) => id), 'each row, and none lost')
  }
})

t.test('the row of a request that was set up, and waited for a stream until its deadline, is that of another one', async (t) => {
  const rows = Array.from({ length: 300 }, (_, id) => ({ id }))
  const { value: result, world } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 5, http2: true })
    // Requests that hooks prepare at that time, or a moment later, cannot be sent for longer than they may wait.
    for (const at of [100, 311, 522]) {
      world.after(at, () => server.changeSettings([['MAX_CONCURRENT_STREAMS', 0]]))
      world.after(at + 70, () => server.changeSettings([['MAX_CONCURRENT_STREAMS', 100]]))
    }
    const setupRequest = (draft) => world.sleep(15).then(() => draft)
    const requests = REQUESTS.map(({ path, weight }) => ({ path: `${path}/{{id}}`, weight, setupRequest }))
    return run({ url: server.url, overallRate: 200, duration: 1, timeout: 0.06, connections: 4, http2: true, pipelining: 6, requests, feed: { rows, order: 'once' } })
  })
  t.ok(result.accounting.unsent > 6, `${result.accounting.unsent} were dropped`)
  t.equal(world.log.length, result.accounting.sent)
  t.same(world.log.map(({ path }) => rowIn(path)).sort((a, b) => a - b), rows.slice(0, world.log.length).map(({ id }) => id), 'each row, and none lost')
})

t.test('a redirect takes the place of an arrival, and the mix goes on behind it', async (t) => {
  const answer = ({ path }) => path === '/a' ? { status: 302, headers: { Location: '/there' } } : 200
  const { value: result } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 3, answer })
    return run({ url: server.url, overallRate: 100, connections: 2, amount: 120, followRedirects: 3, requests: [{ path: '/a', weight: 1 }, { path: '/b' }] })
  })
  const [a, b] = result.endpoints.map(({ completed }) => completed)
  t.equal(a + b, 120)
  t.ok(Math.abs(a - 80) <= 2 && Math.abs(b - 40) <= 2, `${a} with their redirects, ${b}`)
})

t.test('each request of a mix has its own context and its own feed row, also with asynchronous hooks', async (t) => {
  const contexts = new Set()
  let world
  const seen = await simulate({ seed: 1 }, (simulated) => {
    world = simulated
    const server = world.server({ serviceTime: 10 })
    const requests = REQUESTS.map(({ path, weight }) => ({
      path: `${path}/{{id}}`,
      weight,
      setupRequest: (request, context) => {
        contexts.add(context)
        return path === '/search' ? world.sleep(7).then(() => request) : request
      }
    }))
    return run({ url: server.url, connections: 3, requests, feed: { rows: Array.from({ length: 40 }, (_, id) => ({ id })), order: 'once' } })
  })
  t.equal(contexts.size, 40)
  t.same(seen.world.log.map(({ path }) => rowIn(path)).sort((a, b) => a - b), Array.from({ length: 40 }, (_, id) => id), 'each row once')
  t.same(seen.value.endpoints.map(({ completed }) => completed), [28, 10, 2])
})

t.test('a request of the mix that closes its connection has none pipelined behind it', async (t) => {
  const requests = [{ path: '/a', weight: 3 }, { path: '/b', headers: { connection: 'close' } }]
  for (const opts of [{ connections: 2 }, { connections: 2, overallRate: 200 }]) {
    const { result } = await asked({ ...opts, requests, pipelining: 4, amount: 40 })
    t.same([result.accounting.completed, result.accounting.failed], [40, 0])
    t.same(result.endpoints.map(({ completed }) => completed), [30, 10])
  }
})

t.test('WebSocket messages by weight', async (t) => {
  const { value: result, world } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 5, websocket: 'echo' })
    return run({ url: server.url, connections: 2, pipelining: 2, amount: 40, requests: [{ body: 'often', weight: 3 }, { body: 'seldom' }] })
  })
  t.same(result.endpoints.map(({ completed }) => completed), [30, 10])
  t.same(world.leftovers, [])
})

t.test('events of Socket.IO and calls of gRPC by weight, alone and in threads', async (t) => {
  const proto = path.join(__dirname, '..', '..', 'protocol', 'grpc', 'shop.proto')
  const method = 'shop.Shop/Find'
  for (const [settings, opts] of [
    [{ websocket: 'echo', socketio: true }, { socketio: true, requests: [{ body: '["often"]', weight: 3 }, { body: '["seldom"]' }] }],
    [{ grpc: true }, { http2: true, grpc: { proto }, requests: [{ grpc: { method }, weight: 3 }, { grpc: { method } }] }]
  ]) {
    for (const load of [{}, { overallRate: 100 }, { overallRate: 100, workers: 2 }]) {
      const { value: result, world } = await simulate({ seed: 1 }, (world) => run({ url: world.server({ serviceTime: 5, ...settings }).url, connections: 2, amount: 40, ...opts, ...load }))
      t.same(result.endpoints.map(({ completed }) => completed), [30, 10], JSON.stringify([load, Object.keys(settings)]))
      t.same(world.leftovers, [])
    }
  }
})

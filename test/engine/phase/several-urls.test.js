'use strict'

// An amount is divided evenly among several URLs, however fast each server responds.

const t = require('tap')
const { playInWorld } = require('../../support/play-in-world')

const HOSTS = ['10.0.0.1', '10.0.0.2', '10.0.0.3']

async function split (t, servers, opts, script = () => {}) {
  const settings = servers.map((described, index) => ({ host: HOSTS[index], ...described }))
  const { result, world } = await playInWorld(t, settings, (world, first, all) => {
    script(world, all)
    return opts
  })
  const counts = servers.map((_, index) => world.log.filter(({ socket }) => socket.where.host === HOSTS[index]).length)
  return { result, world, counts }
}

const FAST_AND_SLOW = [{ serviceTime: 1 }, { serviceTime: 20 }]
const THREE = [...FAST_AND_SLOW, { serviceTime: 5 }]

for (const [servers, opts, expected] of [
  [FAST_AND_SLOW, { connections: 4, amount: 100 }, [50, 50]],
  [FAST_AND_SLOW, { connections: 4, amount: 101 }, [51, 50]],
  [FAST_AND_SLOW, { connections: 3, amount: 100 }, [50, 50]],
  [FAST_AND_SLOW, { connections: 2, amount: 1 }, [1, 0]],
  [FAST_AND_SLOW, { connections: 1, amount: 10 }, [10, 0]],
  [FAST_AND_SLOW, { connections: 4, amount: 100, pipelining: 7 }, [50, 50]],
  [FAST_AND_SLOW, { connections: 4, amount: 100, thinkTime: 0.003 }, [50, 50]],
  [FAST_AND_SLOW, { connections: 4, amount: 100, keepAlive: false }, [50, 50]],
  [FAST_AND_SLOW, { connections: 5, amount: 101, workers: 2 }, [51, 50]],
  [FAST_AND_SLOW, { connections: 3, amount: 101, workers: 3 }, [51, 50]],
  [THREE, { connections: 5, amount: 100 }, [34, 33, 33]],
  [THREE, { connections: 7, amount: 100, workers: 2 }, [34, 33, 33]],
  [THREE, { connections: 2, amount: 100 }, [50, 50, 0]],
  [FAST_AND_SLOW, { connections: 4, amount: 100, overallRate: 200 }, [50, 50]],
  [FAST_AND_SLOW, { connections: 3, amount: 101, overallRate: 200 }, [51, 50]],
  [FAST_AND_SLOW, { connections: 5, amount: 101, overallRate: 200, workers: 2 }, [51, 50]],
  [FAST_AND_SLOW, { connections: 4, amount: 100, connectionRate: 50 }, [50, 50]],
  [THREE, { connections: 7, amount: 100, overallRate: 400, arrivals: 'poisson', workers: 3 }, [34, 33, 33]],
  [THREE, { connections: 6, amount: 100, bursts: { size: 10, interval: 0.1 }, pipelining: 2 }, [34, 33, 33]],
  [FAST_AND_SLOW, { connections: 4, sessions: { amount: 20 } }, [10, 10]]
]) {
  t.test(`${servers.length} URLs, ${JSON.stringify(opts)}: ${expected.join(', ')}`, async (t) => {
    const { result, world, counts } = await split(t, servers, { timeout: 5, ...opts })
    t.same(counts, expected)
    t.equal(result.accounting.completed, expected.reduce((sum, count) => sum + count, 0))
    t.same(result.warnings.filter(({ code }) => code === 'NO_USABLE_CONNECTION' || code === 'STOPPED'), [])
    t.same(world.leftovers, [])
  })
}

t.test('a run ends if one connection has rows left but none of its share of the amount, and the other has none of the rows', async (t) => {
  // Three rows of two requests each. The first connection takes two of them and has sent its half of the amount in the middle of the second.
  const opts = { connections: 2, amount: 6, timeout: 0.1, requests: [{ path: '/1' }, { path: '/2' }], feed: { rows: [{ id: 1 }, { id: 2 }, { id: 3 }], order: 'once' } }
  const { result, counts } = await split(t, FAST_AND_SLOW, opts)
  t.same([counts, result.accounting.completed, result.warnings.map(({ code }) => code)], [[3, 2], 5, []])
})

t.test('a run does not end before the ramp has opened the only connection to a URL, however short the timeout', async (t) => {
  // The second connection opens after 0.5 s; after a few milliseconds, the first has sent its half.
  const { result, counts } = await split(t, FAST_AND_SLOW, { connections: { from: 1, to: 2, over: 0.5 }, amount: 10, timeout: 0.1 })
  t.same(counts, [5, 5])
  t.same([result.accounting.completed, result.warnings.map(({ code }) => code)], [10, []])
})

t.test('a request waits for a connection to its URL, even if others are free', async (t) => {
  // Due every 10 ms, for each URL every 20 ms. The second takes 50 ms on its single connection, so the k-th waits 30k ms.
  const { result } = await split(t, [{ serviceTime: 1 }, { serviceTime: 50 }], { connections: 2, amount: 10, overallRate: 100, timeout: 5 })
  const waits = [0, 30, 60, 90, 120]
  t.equal(result.latency.total, 5 * 1 + 5 * 50 + waits.reduce((sum, wait) => sum + wait))
  t.equal(result.latency.max, 170)
  t.equal(result.latency.min, 1)
})

t.test('a request to a free URL is sent in time, even if others wait for another URL', async (t) => {
  const { result } = await split(t, [{ serviceTime: 1000 }, { serviceTime: 1 }], { connections: 2, amount: 20, overallRate: 130, timeout: 30 })
  // Ten requests to the second URL take 1 ms each, as if they were alone; due times are not whole microseconds.
  t.ok(result.latency.p50 <= 1.001, `${result.latency.p50} ms`)
})

t.test('a limit on all requests is not an amount: a faster server gets more', async (t) => {
  const { counts } = await split(t, FAST_AND_SLOW, { connections: 4, maxOverallRequests: 100, duration: 10 })
  t.ok(counts[0] > 80, `${counts}`)
})

t.test('at a rate, the senders of a broadcast take turns, whichever URL they are connected to', async (t) => {
  const { world } = await split(t, [{ websocket: 'broadcast', serviceTime: 1 }, { websocket: 'broadcast', serviceTime: 30 }], {
    connections: 5, amount: 20, overallRate: 100, timeout: 5, websocket: { expect: 'broadcast' }, body: 'hello'
  })
  const sent = world.sockets.map((socket) => world.log.filter((entry) => entry.socket === socket && entry.method === 'TEXT').length)
  t.same(sent, [4, 4, 4, 4, 4])
})

for (const [how, described] of [['refuses', { attempt: () => 'refuse' }], ['drops packets', { attempt: () => 'silence' }]]) {
  t.test(`the share of a server that ${how} is never sent, and the run says so`, async (t) => {
    const { result, counts } = await split(t, [{ serviceTime: 1 }, described], { connections: 4, amount: 100, timeout: 2 })
    t.same(counts, [50, 0])
    t.match(result.accounting, { sent: 50, completed: 50 })
    t.match(result.warnings.map(({ code }) => code), ['NO_USABLE_CONNECTION', 'URL_WITHOUT_CONNECTION'])
    t.ok(result.duration >= 2 && result.duration < 2.2, `after the timeout: ${result.duration}`)
    const open = await split(t, [{ serviceTime: 1 }, described], { connections: 4, amount: 100, overallRate: 1000, timeout: 2 })
    t.match(open.result.accounting, { scheduled: 100, sent: 50, unsent: 50 })
  })
}

t.test('a server that comes back gets its share after all', async (t) => {
  const { counts, result } = await split(t, FAST_AND_SLOW, { connections: 4, amount: 40, timeout: 2 }, (world, [, slow]) => {
    slow.refuse()
    world.after(1000, () => slow.accept())
  })
  t.same(counts, [20, 20])
  t.equal(result.accounting.completed, 40)
})

t.test('a connection whose URL has had its share is not reopened', async (t) => {
  const { world, counts } = await split(t, [{ serviceTime: 1, keepAlive: 5 }, { serviceTime: 50, keepAlive: 5 }], { connections: 2, amount: 20, timeout: 5 })
  t.same(counts, [10, 10])
  t.equal(world.sockets.filter(({ where }) => where.host === HOSTS[0]).length, 2, 'each server closes its connection after five requests')
})

t.test('a URL whose connections come from the warm-up had connections, even if none can be opened in the run', async (t) => {
  const { result } = await playInWorld(t, [{ serviceTime: 10 }, { serviceTime: 10 }], (world, first, [, second]) => {
    world.after(300, () => {
      second.refuse()
      for (const server of [first, second]) server.resetAll()
    })
    return { connections: 4, warmup: { duration: 0.1 }, duration: 0.5, timeout: 1 }
  })
  t.ok(result.connectionStats.failed > 0)
  t.same(result.warnings.filter(({ code }) => code === 'URL_WITHOUT_CONNECTION'), [])
})

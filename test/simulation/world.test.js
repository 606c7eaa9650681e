'use strict'

// The simulated world itself, and examples of tests in it. Times are virtual and exact: every expectation is an equation.

const t = require('tap')
const { compare, findCapacity, run } = require('../..')
const { simulate, World } = require('./world')

t.test('ten lines: a server that stalls, and what its users feel', async (t) => {
  const { value: result, world } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 10, slots: 1 })
    world.after(495, () => server.stall(200))
    return run({ url: server.url, connections: 100, overallRate: 50, duration: 1 })
  })
  t.match(result.accounting, { scheduled: 50, sent: 50, completed: 50 })
  // A request due at 0.5 s waits for the end of the stall, 195 ms; each later one 10 ms less.
  t.equal(result.latency.max, 205)
  t.equal(result.latency.min, 10)
  t.equal(result.duration, 1)
  t.same(world.leftovers, [])
})

t.test('a seed determines a world, to the byte', async (t) => {
  const play = (seed) => simulate({ seed, link: { delay: 1, jitter: 2, split: 0.3 }, client: { timersEarlyUs: 1000 } }, (world) => {
    const server = world.server({ serviceTime: ({ number }) => number % 7, slots: 3, keepAlive: 5, answer: ({ number }) => number % 11 === 0 ? 'reset' : 200 })
    return run({ url: server.url, connections: 8, overallRate: 400, arrivals: 'poisson', duration: 1, timeout: 1 })
  })
  const one = await play(7)
  const again = await play(7)
  const other = await play(8)
  t.equal(JSON.stringify(one.value), JSON.stringify(again.value))
  t.same(one.world.log, again.world.log)
  t.not(JSON.stringify(one.value), JSON.stringify(other.value))
  t.ok(one.value.accounting.failed > 0)
})

t.test('a client that is blocked is late by that time, and reports it', async (t) => {
  const { value: result } = await simulate({}, (world) => {
    const server = world.server({ serviceTime: 1 })
    world.after(100, () => world.hold(50))
    return run({ url: server.url, connections: 100, overallRate: 1000, duration: 0.2 })
  })
  // The first one that came due meanwhile, after 1 ms of the block; and one sent 1 ms before it, whose response was read late.
  t.equal(result.sendDelay.max, 49)
  t.equal(result.sendDelay.totalCount, 200)
  t.equal(result.latency.max, 51)
  t.equal(result.serviceTime.max, 51)
})

t.test('an event may be that of one connection, when a certain request arrives', async (t) => {
  const play = (act) => simulate({}, (world) => {
    const server = world.server({ serviceTime: 10 })
    server.watch(2, ({ peer }) => act(server, [peer], world))
    return run({ url: server.url, connections: 2, amount: 20, timeout: 1 })
  })
  // The other connection goes on without a pause.
  const slowed = {
    stall: (server, own) => server.stall(25, own),
    'cut off': (server, own, world) => {
      server.partition(own)
      world.after(35, () => server.repair(own))
    }
  }
  for (const [what, act] of Object.entries(slowed)) {
    const { value: result, world } = await play(act)
    const lasted = world.log.map(({ sentAt, receivedAt }) => (receivedAt - sentAt) / 1000)
    t.equal(lasted.length, 20)
    t.same(lasted.filter((ms) => ms !== 10), [35], `${what}: one request`)
    t.equal(lasted[2], 35)
    t.match(result.accounting, { completed: 20, failed: 0 })
  }
  for (const what of ['endAll', 'resetAll']) {
    const { value: { accounting, connectionStats } } = await play((server, own) => server[what](own))
    t.match({ accounting, connectionStats }, { accounting: { completed: 19, failed: 1 }, connectionStats: { opened: 3, closedByServer: 1 } }, what)
  }
})

t.test('packets may be split and joined without a difference', async (t) => {
  const { value: result, world } = await simulate({ seed: 3, link: { delay: 0.1, jitter: 3, split: 0.9 } }, (world) => {
    const server = world.server({ answer: { body: 'x'.repeat(3000) }, serviceTime: 1 })
    return run({ url: server.url, connections: 4, pipelining: 5, amount: 500, expectBody: 'x'.repeat(3000) })
  })
  t.match(result, { mismatches: 0, errors: 0, '2xx': 500 })
  t.equal(world.log.length, 500)
})

t.test('network errors have their codes', async (t) => {
  const cases = [
    [{ attempt: () => 'refuse' }, 'ECONNREFUSED', 'connect'],
    [{ attempt: () => 'silence' }, 'CANNONADE_CONNECT_TIMEOUT', 'connect'],
    [{ attempt: () => 'reset', link: { delay: 1 } }, 'ECONNRESET', 'receive'],
    [{ attempt: () => 'end' }, 'CANNONADE_CLOSED_BY_SERVER', 'receive'],
    [{ host: 'shop.test', lookupError: 'EAI_AGAIN' }, 'EAI_AGAIN', 'dns'],
    [{ secure: true, handshake: 'silence' }, 'CANNONADE_CONNECT_TIMEOUT', 'tls'],
    [{ answer: 'reset' }, 'ECONNRESET', 'receive'],
    [{ answer: 'silence' }, 'CANNONADE_RESPONSE_TIMEOUT', 'timeout'],
    [{ answer: { bytes: 'SSH-2.0-OpenSSH_9.6\r\n' } }, 'CANNONADE_BAD_RESPONSE', 'parse'],
    [{ answer: { body: 'x'.repeat(100), cutAt: 90, then: 'end' } }, 'CANNONADE_TRUNCATED_RESPONSE', 'receive']
  ]
  for (const [settings, code, phase] of cases) {
    const { value: result, world } = await simulate({}, (world) => run({ url: world.server(settings).url, connections: 1, amount: 3, timeout: 2 }))
    t.equal(result.errorCodes[code]?.phase, phase, `${JSON.stringify(settings)}: ${JSON.stringify(result.errorCodes)}`)
    t.same(world.leftovers, [])
  }
})

t.test('lookups and TLS take time, which is not part of latency', async (t) => {
  const { value: result } = await simulate({}, (world) => {
    const server = world.server({ host: 'shop.test', secure: true, lookup: 20, handshake: 6, link: { delay: 5 }, serviceTime: 2 })
    return run({ url: server.url, connections: 3, amount: 9 })
  })
  t.match(result.connectTime, { min: 46, max: 46, dns: { max: 20 }, tcp: { max: 10 }, tls: { max: 16 } })
  t.match(result.latency, { min: 12, max: 12 })
})

t.test('a partition drops what is sent, without an error', async (t) => {
  const { value: result, world } = await simulate({}, (world) => {
    const server = world.server({ serviceTime: 1 })
    world.after(505, () => server.partition())
    world.after(1505, () => server.repair())
    return run({ url: server.url, connections: 10, overallRate: 100, duration: 3, timeout: 0.5 })
  })
  // Ten connections wait for responses; requests that come due meanwhile wait for one of them until their deadline.
  t.match(result.accounting, { scheduled: 300, sent: 260, timedOut: 10, unsent: 40, completed: 250 })
  // Data in transit arrives in the end, when nobody waits for it anymore.
  t.equal(world.servers[0].requests, 260)
})

t.test('studies run in it: a capacity is that of the slots', async (t) => {
  const { value: result, world } = await simulate({}, (world) => {
    const server = world.server({ serviceTime: 10, slots: 4 })
    return findCapacity({ url: server.url, connections: 200, duration: 1 }, { slo: 'p99 < 50ms', precision: 0.05 })
  })
  t.ok(result.capacity > 380 && result.capacity <= 400, `${result.capacity}/s of 400/s`)
  t.ok(world.elapsed > 10_000)
})

t.test('studies run in it: a slower server is found to be slower, by the right factor', async (t) => {
  const { value: result } = await simulate({ seed: 5 }, (world) => {
    const sides = [10, 12].map((serviceTime, index) => world.server({ host: `10.0.0.${index}`, serviceTime }))
    return compare(sides.map(({ url }) => ({ url, connections: 10 })), { duration: 1, rounds: 6 })
  })
  t.equal(result.verdict, 'slower')
  t.ok(Math.abs(result.metrics.p50.difference - 0.2) < 0.001, String(result.metrics.p50.difference))
})

t.test('a world in which nothing is left to happen is a failure that prints it', async (t) => {
  const error = await simulate({ seed: 9 }, async (world) => {
    const server = world.server()
    await run({ url: server.url, amount: 1, connections: 1 })
    await new Promise(() => {})
  }).catch((error) => error)
  t.match(error.message, /^nothing is left to happen, and it is not over\nthe world of seed 9, .* ms after its beginning/)
  t.match(error.message, /server http:\/\/10\.0\.0\.1:80: 1 requests, 0 being served/)
  t.match(error.message, /GET \/ sent 0\.\d+ arrived/)
})

t.test('an endless world is a failure that prints it', async (t) => {
  const error = await simulate({ limit: 10 }, (world) => run({ url: world.server({ serviceTime: 100 }).url, connections: 1, duration: 1000 })).catch((error) => error)
  t.match(error.message, /^it was not over after 10 s\nthe world of seed 0/)
  t.match(error.message, /a socket to 10\.0\.0\.1:80 \(open\)/)
})

t.test('invalid settings of a world are rejected', async (t) => {
  for (const seed of [-1, 0.5, NaN, '7', 2 ** 53, null]) {
    t.throws(() => new World({ seed }), { message: /^a seed must be a whole number from 0 to 9007199254740991, but it is / }, String(seed))
  }
  t.throws(() => new World({ sead: 1 }), { message: 'a simulated world has no sead' })
  t.throws(() => new World().server({ slot: 1 }), { message: 'a simulated server has no slot' })
})

t.test('an exception of a run is passed on, and the world is left', async (t) => {
  await t.rejects(simulate({}, () => { throw new Error('at once') }), { message: 'at once' })
  await t.rejects(simulate({}, (world) => new Promise(() => world.afterForClient(5, () => { throw new Error('later') }))), { message: 'later' })
  await t.rejects(simulate({}, () => run({ url: 'http://10.0.0.1', connections: 0 })), { code: 'CANNONADE_BAD_OPTION' })
  const { value } = await simulate({}, async () => 42)
  t.equal(value, 42)
})

t.test('a thousand runs of a thousand requests take less than a minute of one core', async (t) => {
  const RUNS = 25
  const before = process.cpuUsage()
  for (let seed = 0; seed < RUNS; seed++) {
    const { value: result } = await simulate({ seed }, (world) => run({ url: world.server({ serviceTime: 10, slots: 2 }).url, connections: 20, amount: 1000 }))
    t.equal(result['2xx'], 1000)
  }
  const { user, system } = process.cpuUsage(before)
  t.ok((user + system) / 1e6 / RUNS * 1000 < 60)
})

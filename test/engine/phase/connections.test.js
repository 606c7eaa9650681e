'use strict'

// What connections do, to the microsecond.

const t = require('tap')
const { run } = require('../../..')
const { simulate } = require('../../simulation/world')

t.test('a connection that ends with its request takes no others, with and without hooks', async (t) => {
  for (const hooks of [{}, { requests: [{ setupRequest: (request) => request }] }]) {
    const { value: result } = await simulate({ link: { delay: 5 } }, (world) => run({
      url: world.server({ serviceTime: 10 }).url,
      connections: 2,
      pipelining: 5,
      keepAlive: false,
      bursts: { size: 4, interval: 1 },
      amount: 4,
      ...hooks
    }))
    // Two are answered after 20 ms; two new connections take 10, and two are answered after 20 more.
    t.equal(result.latency.min, 20)
    t.equal(result.latency.max, 50)
    t.equal(result.connectionStats.opened, 4)
  }
})

t.test('the back-off is 10 ms, 20 ms, … a second, and the first response resets it to 10 ms', async (t) => {
  const { value: result, world } = await simulate({}, (world) => {
    const server = world.server({ attempt: (number) => number < 10 || number === 11 ? 'refuse' : 'accept', answer: ({ number }) => number === 0 ? { headers: { Connection: 'close' }, then: 'end' } : 200 })
    return run({ url: server.url, connections: 1, amount: 3, timeout: 5 })
  })
  const gaps = world.sockets.map(({ begunAt }, index) => (begunAt - (world.sockets[index - 1]?.closedAt ?? begunAt)) / 1000)
  t.same(gaps.slice(0, 11).map(Math.trunc), [0, 10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000])
  t.same(gaps.slice(11).map(Math.trunc), [0, 10], 'reopened at once after a response; refused, and retried 10 ms later')
  t.match(result.accounting, { sent: 3, completed: 3 })
})

t.test('a response resets the back-off to 10 ms, whatever the protocol, and however it is read', async (t) => {
  const protocols = {
    'HTTP/1.1': [{}, {}],
    'HTTP/1.1, with hooks': [{}, { requests: [{ onResponse () {} }] }],
    'HTTP/2': [{ http2: true }, { http2: true }],
    WebSocket: [{ websocket: 'echo' }, { body: 'x', reconnectRate: 1 }]
  }
  for (const [protocol, [ofServer, opts]] of Object.entries(protocols)) {
    const { world } = await simulate({}, (world) => run({
      url: world.server({ ...ofServer, keepAlive: ofServer.websocket ? null : 1, attempt: (number) => [3, 6, 8].includes(number) ? 'accept' : 'refuse' }).url,
      connections: 1,
      amount: 3,
      timeout: 5,
      ...opts
    }))
    const gaps = world.sockets.map(({ begunAt }, index) => Math.trunc((begunAt - (world.sockets[index - 1]?.closedAt ?? begunAt)) / 1000))
    t.same(gaps, [0, 10, 20, 40, 0, 10, 20, 0, 10], protocol)
  }
})

t.test('a run with forever that is stopped in `done` does not wait for the pause before the next round', async (t) => {
  const { world } = await simulate({}, (world) => new Promise((resolve) => {
    const instance = run({ url: world.server({ attempt: () => 'refuse' }).url, connections: 1, duration: 0.1, forever: true })
    instance.once('done', () => {
      instance.stop()
      world.afterForClient(1, resolve)
    })
  }))
  t.same(world.leftovers, [])
})

t.test('of several URLs, a warning names the one where nobody listens: the others responded', async (t) => {
  const told = async (attempt, opts) => {
    const { value: { url, warnings, accounting } } = await simulate({}, (world) => run({
      url: [world.server().url, world.server({ host: '10.0.0.2', attempt }).url], connections: 4, duration: 0.3, ...opts
    }))
    t.ok(accounting.completed > 0)
    const said = warnings.filter(({ code }) => code === 'URL_WITHOUT_CONNECTION').map(({ message }) => message)
    t.ok(said.every((message) => message.includes(`connect to ${url[1]},`)), `${said}`)
    return said.length
  }
  const refused = () => 'refuse'
  t.equal(await told(refused, { thinkTime: 0.01 }), 1)
  t.equal(await told(refused, { overallRate: 100 }), 1)
  t.equal(await told(refused, { overallRate: 100, keepAlive: false }), 1)
  t.equal(await told(refused, { overallRate: 40, sessions: true }), 1)
  t.equal(await told((number) => number === 0 ? 'accept' : 'refuse', { thinkTime: 0.01 }), 0, 'one was established')
  t.equal(await told((number) => number < 2 ? 'accept' : 'refuse', { thinkTime: 0.01, warmup: { connections: 4, duration: 0.1 } }), 0, 'those of a warm-up continue')
  t.equal(await told(() => 'accept', { thinkTime: 0.01 }), 0)
})

t.test('a connection that has sent its maximum is not reopened, whoever closed it', async (t) => {
  for (const opts of [{}, { overallRate: 100 }, { reconnectRate: 2 }, { overallRate: 100, reconnectRate: 2 }]) {
    const { value: result, world } = await simulate({}, (world) => run({
      url: world.server({ serviceTime: 5, keepAlive: 2 }).url, connections: 3, maxConnectionRequests: 4, duration: 1, ...opts
    }))
    t.equal(result.accounting.completed, 12, JSON.stringify(opts))
    t.same([result.connectionStats.opened, world.sockets.length], [6, 6], JSON.stringify(opts))
  }
})

t.test('a server that receives requests and answers none exists, although the back-off takes longer than the timeout', async (t) => {
  const { value: result } = await simulate({}, (world) => run({
    url: world.server({ serviceTime: 30, answer: ({ number }) => number < 10 ? 'end' : 200 }).url, connections: 1, amount: 13, timeout: 0.5
  }))
  t.match(result.accounting, { failed: 10, completed: 3 })
  t.notOk(result.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'))
  // The pauses, and 30 ms for each request.
  t.equal(result.duration, (10 + 20 + 40 + 80 + 160 + 320 + 640 + 1000 + 1000 + 1000 + 13 * 30) / 1000)
})

t.test('a run whose first user comes later than the timeout waits for it', async (t) => {
  const { value: result } = await simulate({}, (world) => run({ url: world.server({ serviceTime: 10 }).url, connections: { from: 0, to: 2, over: 1 }, timeout: 0.1, amount: 20 }))
  t.same([result.accounting.completed, result.warnings, result.duration], [20, [], 0.5 + 20 * 0.01])
})

t.test('the lifetime is missing of a connection on which a request timed out, and not of the next one, which the server reset', async (t) => {
  const answer = ({ number }) => ['silence', 'reset'][number] ?? 200
  const { value: result } = await simulate({}, (world) => run({ url: world.server({ answer }).url, connections: 1, timeout: 0.3, amount: 4 }))
  t.match(result.accounting, { timedOut: 1, failed: 1, completed: 2 })
  t.match(result.missing.connectionLifetime, { count: 1, total: 301 })
})

t.test('hooks that are still deciding on the last responses need no connection: the run waits for them', async (t) => {
  const rows = (count) => ({ requests: [{ path: '/{{id}}' }], feed: { rows: Array.from({ length: count }, (_, id) => ({ id })), order: 'once' } })
  const WAYS = { 'by amount': { amount: 3 }, 'by rows': rows(3), 'after a warm-up': { ...rows(6), warmup: { duration: 0.1 } } }
  for (const [way, opts] of Object.entries(WAYS)) {
    const { value: { warnings, mismatches, unverified, accounting } } = await simulate({}, (world) => run({
      url: world.server({ serviceTime: 250 }).url, connections: 3, keepAlive: false, timeout: 0.3, duration: 5, verifyBody: () => world.sleep(500).then(() => false), ...opts
    }))
    t.same([warnings, mismatches, unverified, accounting.completed], [[], 3, 0, 3], way)
  }
})

t.test('the lifetime of a connection without any response is missing once, even if one of its requests timed out and the next one waits', async (t) => {
  for (const opts of [{}, { overallRate: 20 }]) {
    const { value: result } = await simulate({}, (world) => run({
      url: world.server({ http2: true, answer: 'silence' }).url, http2: true, connections: 2, duration: 1, timeout: 0.3, drain: 0, ...opts
    }))
    t.ok(result.accounting.timedOut > 0 && result.accounting.unfinished > 0)
    const { count, smallest, total } = result.missing.connectionLifetime
    t.same([count, Math.round(smallest), Math.round(total)], [2, 1000, 2000], JSON.stringify(opts))
  }
})

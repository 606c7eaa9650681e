'use strict'

const t = require('tap')
const run = require('../..')
const { simulate } = require('../simulation/world')
const { closedPort, httpServer } = require('../support/servers')
const { sleep, until } = require('../support/wait')
const { ended } = require('../support/ended')

t.test('each round has its own numbers', async (t) => {
  const server = await httpServer(t, (request, response) => response.writeHead(request.url === '/b' ? 404 : 200).end('body'))
  const rounds = []
  let starts = 0
  let ticks = 0
  let ticked = 0
  const instance = run({
    url: server.url,
    connections: 1,
    amount: 30,
    sampleInt: 50,
    forever: true,
    expectBody: 'other',
    requests: [{ path: '/a' }, { path: '/b' }]
  })
  instance.on('start', () => starts++)
  instance.on('tick', ({ counter, requests }) => {
    ticks++
    ticked += counter
    t.ok(requests <= 30, 'ticks count from the start of their round')
  })
  instance.on('done', (result) => {
    rounds.push({ result, starts, ticks, ticked })
    ticks = 0
    ticked = 0
    if (rounds.length === 4) instance.stop()
  })
  const last = await ended(instance)
  t.equal(rounds.length, 4)
  t.equal(last, rounds[3].result)
  for (const [index, { result, starts, ticks, ticked }] of rounds.entries()) {
    t.equal(starts, index + 1)
    t.ok(ticks >= 1)
    t.equal(ticked, 30)
    t.same(result.statusCodeStats, { 200: { count: 15 }, 404: { count: 15 } })
    t.same([result['2xx'], result['4xx'], result.non2xx, result.mismatches, result.resets], [15, 15, 15, 30, 0])
    t.equal(result.requests.total, 30)
    t.equal(result.requests.sent, 30)
    t.equal(result.latency.totalCount, 30)
    t.equal(result.samples, result.timeline.length)
    t.same(result.endpoints.map(({ completed }) => completed), [15, 15])
    t.equal(result.connectionStats.opened, 1)
    if (index > 0) t.ok(result.start >= rounds[index - 1].result.finish)
  }
  t.equal(server.requests, 120)
})

t.test('callback and promise are called once, at the end', async (t) => {
  const server = await httpServer(t)
  const heard = []
  const instance = run({ url: server.url, connections: 1, amount: 5, forever: true }, (error, result) => heard.push(['callback', error, result]))
  let rounds = 0
  instance.on('done', () => rounds++)
  ended(instance).then((result) => heard.push(['promise', null, result]))
  await until(() => rounds >= 3)
  t.same(heard, [])
  instance.stop()
  const result = await ended(instance)
  await sleep(30)
  t.same(heard.map(([name]) => name).sort(), ['callback', 'promise'])
  for (const [, error, given] of heard) {
    t.equal(error, null)
    t.equal(given, result)
  }
})

t.test('when stopped during a round, that round also emits done', async (t) => {
  // Two rounds of five requests, and two requests of the third; then the server stops responding.
  const server = await httpServer(t, (request, response, number) => { if (number < 12) response.end('ok') })
  const results = []
  const instance = run({ url: server.url, connections: 1, amount: 5, timeout: 60, forever: true })
  instance.on('done', (result) => results.push(result))
  await until(() => server.requests === 13)
  instance.stop()
  const last = await ended(instance)
  t.equal(results.length, 3)
  t.equal(results[2], last)
  t.match(last.accounting, { sent: 3, completed: 2, unfinished: 1 })
})

t.test('stopped in done or right after it, no further round starts', async (t) => {
  const server = await httpServer(t)
  for (const stop of [(instance) => instance.stop(), (instance) => queueMicrotask(instance.stop), (instance) => process.nextTick(instance.stop)]) {
    const counts = { start: 0, done: 0 }
    const instance = run({ url: server.url, connections: 1, amount: 5, forever: true })
    for (const event of Object.keys(counts)) instance.on(event, () => counts[event]++)
    instance.on('done', () => stop(instance))
    t.equal((await ended(instance)).requests.total, 5)
    await sleep(20)
    t.same(counts, { start: 1, done: 1 })
  }
})

t.test('by duration, and with a schedule', async (t) => {
  for (const [opts, each] of [[{}, 156], [{ overallRate: 100 }, 71]]) {
    const results = []
    const { world } = await simulate({}, (world) => {
      const instance = run({ url: world.server({ serviceTime: 9 }).url, connections: 2, duration: 0.705, forever: true, ...opts })
      instance.on('done', (result) => { if (results.push(result) === 3) instance.stop() })
      return ended(instance)
    })
    t.same(world.leftovers, [])
    t.same(results.map(({ requests }) => requests.total), [each, each, each])
    for (const { duration } of results) t.ok(Math.abs(duration - 0.705) < 0.0011, `${duration} s`)
  }
})

t.test('there is only one warm-up', async (t) => {
  const server = await httpServer(t)
  const results = []
  const instance = run({ url: server.url, connections: 1, amount: 5, warmup: { duration: 0.1 }, forever: true })
  instance.on('done', (result) => { if (results.push(result) === 3) instance.stop() })
  await ended(instance)
  t.same(results.map(({ warmup }) => warmup !== undefined), [true, false, false])
})

t.test('clients and contexts are new in each round', async (t) => {
  const server = await httpServer(t)
  const clients = new Set()
  const counts = []
  let rounds = 0
  const instance = run({
    url: server.url,
    connections: 2,
    amount: 4,
    forever: true,
    setupClient: (client) => clients.add(client),
    requests: [{}, { setupRequest: (request, context) => { context.n = (context.n ?? 0) + 1; counts.push(context.n); return request } }]
  })
  instance.on('done', () => { if (++rounds === 3) instance.stop() })
  await ended(instance)
  t.equal(clients.size, 6)
  t.ok(counts.every((count) => count === 1))
})

t.test('rounds leave nothing open', async (t) => {
  const { url } = await httpServer(t)
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const instance = run({ url, connections: 2, amount: 5, forever: true })
  let rounds = 0
  instance.on('done', () => { if (++rounds === 50) instance.stop() })
  await new Promise((resolve) => instance.on('done', () => { if (rounds === 50) setImmediate(resolve) }))
  t.same([rounds, timers()], [50, before])
})

t.test('the pauses after failing rounds, exactly: doubled up to a second, and none after a round that did not fail', async (t) => {
  /** How long after the end of each round the next one began, ms. */
  const pausesOf = async (count, settings, opts) => {
    const pauses = []
    const { world } = await simulate({}, (world) => {
      let endedAt = null
      const instance = run({ url: world.server(settings).url, connections: 1, forever: true, ...opts })
      instance.on('start', () => { if (endedAt !== null) pauses.push(Math.round((world.client.now - endedAt) / 1000)) })
      instance.on('done', () => {
        endedAt = world.client.now
        if (pauses.length === count) instance.stop()
      })
      return ended(instance)
    })
    t.same(world.leftovers, [])
    return pauses
  }
  const refused = await pausesOf(11, { attempt: (number) => number === 9 ? 'accept' : 'refuse' }, { amount: 3, bailout: 1 })
  t.same(refused, [10, 20, 40, 80, 160, 320, 640, 1000, 1000, 0, 10])
  t.same(await pausesOf(3, {}, { amount: 9, bailout: 2, expectBody: 'other' }), [10, 20, 40], 'mismatches')
  t.same(await pausesOf(3, { answer: ({ number }) => number % 3 === 0 ? 'reset' : 200 }, { amount: 9, bailout: 3 }), [10, 20, 40], 'errors')
  t.same(await pausesOf(3, { answer: 'silence' }, { duration: 0.1 }), [10, 20, 40], 'no response')
  t.same(await pausesOf(3, { answer: ({ number }) => number % 9 === 0 ? 'reset' : 200 }, { amount: 9, bailout: 2 }), [0, 0, 0], 'fewer errors')
})

t.test('failing rounds are separated by longer and longer pauses, and stop() ends a pause', async (t) => {
  const { url } = await closedPort(t)
  const ends = []
  const instance = run({ url, connections: 1, duration: 60, forever: true, bailout: 1 })
  instance.on('done', () => ends.push(performance.now()))
  await until(() => ends.length === 6)
  // Timers may fire slightly early by this clock.
  t.ok(ends[5] - ends[0] > 10 + 20 + 40 + 80 + 160 - 10, `${ends[5] - ends[0]} ms for five pauses`)
  instance.stop()
  await ended(instance)
  t.equal(ends.length, 6, 'no other round')
})

t.test('stop() ends a pause at once: the outcome is the last result, which has been told before', async (t) => {
  for (const [rounds, pause] of [[1, 10], [3, 40], [9, 1000]]) {
    for (const share of [0, 0.5, 0.99]) {
      const done = []
      const called = []
      const { world } = await simulate({}, async (world) => {
        const server = world.server({ attempt: () => 'refuse' })
        const instance = run({ url: server.url, connections: 1, amount: 3, bailout: 1, forever: true }, (error, result) => called.push({ error, result, at: world.client.now }))
        let stoppedAt = null
        instance.on('done', (result) => {
          done.push(result)
          if (done.length !== rounds) return
          world.afterForClient(pause * share, () => {
            stoppedAt = world.client.now
            instance.stop()
          })
        })
        const last = await ended(instance)
        const what = `after ${rounds} rounds, ${share} of the pause`
        t.equal(last, done.at(-1), what)
        t.equal(world.client.now, stoppedAt, what)
        await null
        t.same(called.map(({ error, at }) => [error, at]), [[null, stoppedAt]], what)
        t.equal(called[0].result, last, what)
        t.equal(done.length, rounds, what)
      })
      t.same(world.leftovers, [])
    }
  }
})

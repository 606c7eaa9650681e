'use strict'

const t = require('tap')
const run = require('../..')
const { addsUp } = require('../support/accounts')
const { delayServer, hangingServer, httpServer, closedPort } = require('../support/servers')
const { sleep, until } = require('../support/wait')
const child = require('../support/child')

const LONG = 60
const LONG_OPTIONS = { duration: LONG, timeout: LONG, sampleInt: LONG * 1000 }
// Far less than the run's duration, and far more than a slow machine takes to end a run.
const SOON = 20

// Whatever the run is doing, it must end at once: far sooner than a tick, a timeout or its duration.
async function endsAtOnce (t, instance, since = performance.now()) {
  const result = await instance
  const elapsed = performance.now() - since
  t.ok(elapsed < SOON * 1000, `${elapsed} ms`)
  addsUp(t, result)
  return result
}

t.test('before the start: nothing is opened, nothing is sent', async (t) => {
  const server = await httpServer(t)
  const events = []
  const instance = run({ url: server.url, connections: 5, ...LONG_OPTIONS })
  for (const event of ['start', 'tick', 'done', 'error']) instance.on(event, () => events.push(event))
  instance.stop()
  const result = await endsAtOnce(t, instance)
  t.equal(result.requests.sent, 0)
  t.same(result.warnings.map(({ code }) => code), ['STOPPED'])
  await sleep(30)
  t.equal(server.connections, 0)
  t.equal(events.filter((event) => event === 'start').length, 1)
  t.equal(events.at(-1), 'done')
  t.notOk(events.includes('error'))
})

t.test('before the start of a run with a schedule, a ramp or a warm-up', async (t) => {
  const server = await httpServer(t)
  for (const opts of [{ overallRate: 100 }, { connections: { from: 1, to: 5, over: 1 } }, { warmup: { duration: 5 } }, { amount: 100 }]) {
    const instance = run({ url: server.url, connections: 5, ...LONG_OPTIONS, ...opts })
    instance.stop()
    t.equal((await endsAtOnce(t, instance)).requests.sent, 0, JSON.stringify(opts))
  }
  t.equal(server.requests, 0)
})

t.test('during the run, with the result so far', async (t) => {
  const server = await delayServer(t, 5)
  const instance = run({ url: server.url, connections: 4, ...LONG_OPTIONS })
  await until(() => server.requests > 20)
  const since = performance.now()
  instance.stop()
  const result = await endsAtOnce(t, instance, since)
  t.ok(result.requests.total > 10, `${result.requests.total}`)
  t.ok(result.accounting.unfinished <= 4)
  t.ok(result.duration < SOON, `${result.duration}`)
})

t.test('while the server does not respond, or does not exist', async (t) => {
  const silent = await hangingServer(t, { every: 1 })
  const absent = await closedPort(t)
  for (const { url } of [silent, absent]) {
    const instance = run({ url, connections: 3, ...LONG_OPTIONS })
    await sleep(100)
    const since = performance.now()
    instance.stop()
    const { requests } = await endsAtOnce(t, instance, since)
    t.equal(requests.total, 0)
  }
})

t.test('skips the drain of the open model', async (t) => {
  const server = await hangingServer(t, { every: 1 })
  const instance = run({ url: server.url, connections: 20, overallRate: 50, drain: LONG, ...LONG_OPTIONS })
  await until(() => server.hung > 0)
  const since = performance.now()
  instance.stop()
  const { accounting, drain } = await endsAtOnce(t, instance, since)
  t.ok(accounting.unfinished > 0)
  t.ok(drain.seconds < SOON)
})

t.test('during a warm-up', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 2, warmup: { duration: LONG }, ...LONG_OPTIONS })
  await until(() => server.requests > 0)
  const since = performance.now()
  const before = server.requests
  instance.stop()
  const result = await endsAtOnce(t, instance, since)
  t.equal(result.requests.sent, 0, 'the run itself has not begun')
  t.ok(result.warmup.requests.sent >= before)
})

t.test('twice, and after the end', async (t) => {
  const server = await httpServer(t)
  let done = 0
  const instance = run({ url: server.url, connections: 1, duration: LONG })
  instance.on('done', () => done++)
  await sleep(50)
  instance.stop()
  instance.stop()
  const result = await instance
  instance.stop()
  await sleep(50)
  instance.stop()
  t.equal(await instance, result)
  t.equal(done, 1)
})

t.test('after invalid options', async (t) => {
  const instance = run({ url: 'http://localhost', connections: 0 })
  instance.stop()
  await t.rejects(instance, { code: 'CANNONADE_BAD_OPTION' })
  instance.stop()
})

t.test('stop can be passed as a callback', async (t) => {
  const server = await httpServer(t)
  const { stop, ...instance } = run({ url: server.url, connections: 1, duration: LONG }, (error, result) => instance.resolve({ error, result }))
  const ended = new Promise((resolve) => { instance.resolve = resolve })
  setTimeout(stop, 50)
  const { error, result } = await ended
  t.equal(error, null)
  t.ok(result.duration < SOON)
})

t.test('from a listener of start', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 3, ...LONG_OPTIONS })
  instance.on('start', () => instance.stop())
  t.equal((await endsAtOnce(t, instance)).requests.sent, 0)
  t.equal(server.requests, 0)
})

t.test('from a listener of response: no further request is sent', async (t) => {
  const server = await httpServer(t)
  let responses = 0
  const instance = run({ url: server.url, connections: 1, ...LONG_OPTIONS })
  instance.on('response', () => {
    responses++
    instance.stop()
  })
  const { accounting } = await endsAtOnce(t, instance)
  await sleep(30)
  t.equal(responses, 1)
  t.equal(accounting.sent, 1)
  t.equal(server.requests, 1)
})

t.test('from a listener of tick', async (t) => {
  const server = await httpServer(t)
  let ticks = 0
  const instance = run({ url: server.url, connections: 1, duration: LONG, sampleInt: 50 })
  instance.on('tick', () => {
    ticks++
    instance.stop()
  })
  const { samples } = await endsAtOnce(t, instance)
  t.ok(ticks <= 2, 'the one, and those after it')
  t.ok(samples <= 2)
})

t.test('from a listener of reqError', async (t) => {
  const { url } = await closedPort(t)
  let errors = 0
  const instance = run({ url, connections: 1, ...LONG_OPTIONS })
  instance.on('reqError', () => {
    errors++
    instance.stop()
  })
  t.equal((await endsAtOnce(t, instance)).errors, 1)
  t.equal(errors, 1)
})

t.test('from a listener of reqMismatch', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 1, ...LONG_OPTIONS, expectBody: 'other' })
  instance.on('reqMismatch', () => instance.stop())
  t.equal((await endsAtOnce(t, instance)).mismatches, 1)
})

t.test('from a listener of done, and from a hook', async (t) => {
  const server = await httpServer(t)
  let done = 0
  const instance = run({
    url: server.url,
    connections: 1,
    ...LONG_OPTIONS,
    requests: [{ onResponse: () => instance.stop() }]
  })
  instance.on('done', () => {
    done++
    instance.stop()
  })
  t.equal((await endsAtOnce(t, instance)).accounting.sent, 1)
  await sleep(30)
  t.equal(done, 1)
})

t.test('a hook still running when the run ends is harmless', async (t) => {
  const { url } = await httpServer(t)
  let letGo, atWork
  let gate = null
  const late = (end) => async (...args) => {
    atWork++
    await gate
    return end(...args)
  }
  const fails = late(() => { throw new Error('too late to matter') })
  for (const opts of [
    { requests: [{ onResponse: fails }] },
    { requests: [{ setupRequest: late((request) => request) }] },
    { verifyBody: late(() => false) },
    { setupClient: fails }
  ]) {
    atWork = 0
    gate = new Promise((resolve) => { letGo = resolve })
    const instance = run({ url, connections: 2, ...LONG_OPTIONS, ...opts })
    let mismatches = 0
    instance.on('reqMismatch', () => mismatches++)
    await until(() => atWork === 2)
    instance.stop()
    const result = await endsAtOnce(t, instance)
    letGo()
    await sleep(50)
    t.equal(result.mismatches, 0)
    t.equal(mismatches, 0, 'nothing is emitted after done')
  }
})

t.test('a run leaves nothing open', async (t) => {
  const { code, stdout, stderr } = await child(`
    const run = require('cannonade')
    // A connection left open would keep the process alive for longer than the limit below.
    const server = require('node:http').createServer({ keepAliveTimeout: 40000 }, (request, response) => response.end('ok'))
    process.exit = () => console.log('exit was called')
    server.listen(0, '127.0.0.1', async () => {
      const url = 'http://127.0.0.1:' + server.address().port
      const globals = Object.getOwnPropertyNames(globalThis).length
      const listeners = process.eventNames().length
      for (const opts of [{ duration: 0.2 }, { amount: 50 }, { overallRate: 100, duration: 0.2 }]) {
        const result = await run({ url, connections: 3, warmup: { duration: 0.1 }, ...opts })
        console.log(result.errors)
      }
      const stopped = run({ url, connections: 3, duration: 60 })
      setTimeout(stopped.stop, 50)
      await stopped
      console.log(Object.getOwnPropertyNames(globalThis).length === globals, process.eventNames().length === listeners)
      server.close()
      const end = Date.now()
      process.on('exit', () => console.log(Date.now() - end < 20000))
    })`)
  t.equal(stdout, '0\n0\n0\ntrue true\ntrue\n')
  t.equal(stderr, '')
  t.equal(code, 0)
})

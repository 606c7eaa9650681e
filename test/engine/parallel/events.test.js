'use strict'

// The events of an instance with workers: those of one thread, some of them slightly later. Threads are simulated here, except in the last
// tests.

const t = require('tap')
const { run } = require('../../..')
const { simulate } = require('../../simulation/world')
const { httpServer } = require('../../support/servers')
const { moodyServer } = require('../../support/moody-server')

const TICK_FIELDS = ['counter', 'bytes', 'time', 'requests', 'sent', 'settled', 'errors', 'statuses', 'timeouts', 'connections', 'p50', 'p99']
const FIRST_MS = 300

/** A run of two threads with a server of a simulated world; `use` does something with the instance. */
async function play (t, settings, opts, use = () => {}) {
  const { value: result, world } = await simulate({}, (world) => {
    const instance = run({ url: world.server(settings).url, workers: 2, ...opts })
    use(instance, world)
    return instance.catch((error) => error)
  })
  t.same(world.leftovers, [])
  return { result, world }
}

t.test('start, ticks, done', async (t) => {
  const events = []
  const ticks = []
  const { result } = await play(t, { serviceTime: 7 }, { connections: 5, duration: 0.5, sampleInt: 100 }, (instance) => {
    for (const event of ['start', 'tick', 'done']) instance.on(event, () => events.push(event))
    instance.on('tick', (tick) => ticks.push(tick))
  })
  t.same(events, ['start', 'tick', 'tick', 'tick', 'tick', 'tick', 'done'])
  const sum = (name) => ticks.reduce((total, tick) => total + tick[name], 0)
  t.equal(sum('counter'), result.requests.total)
  t.equal(sum('bytes'), result.throughput.total)
  // Responses arrive every 7 ms, the last of each sample after 98, 196, 294, 399 and 497 ms.
  t.same(ticks.map(({ requests }) => requests), [70, 140, 210, 285, 355])
  for (const [index, tick] of ticks.entries()) {
    t.same(Object.keys(tick).sort(), [...TICK_FIELDS].sort())
    t.match(tick, { p50: 7, p99: 7, connections: 5 })
    t.strictSame(tick.statuses, { '2xx': tick.requests })
    t.ok(Math.abs(tick.time - (index + 1) * 0.1) < 0.0011, `tick at ${tick.time}`)
  }
  t.equal(ticks.at(-1).requests, result.requests.total)
  t.ok(ticks.at(-1).time <= result.duration)
})

t.test('ticks cover all threads, however far apart these began', async (t) => {
  const ticks = []
  const { value: result } = await simulate({ threads: { apart: 250 } }, (world) => {
    const instance = run({ url: world.server({ serviceTime: 7 }).url, connections: 6, duration: 0.5, sampleInt: 100, workers: 3 })
    instance.on('tick', (tick) => ticks.push(tick))
    return instance
  })
  t.same(ticks.map(({ requests }) => requests), [84, 168, 252, 342, 426])
  t.equal(result.requests.total, 426)
})

t.test('start is emitted after the hooks are loaded and before anything is sent', async (t) => {
  let atStart
  const { world } = await play(t, {}, { connections: 2, amount: 10 }, (instance, world) => instance.on('start', () => { atStart = world.log.length }))
  t.equal(atStart, 0)
  t.equal(world.log.length, 10)
})

t.test('response: once for each, with the same arguments as without workers', async (t) => {
  const seen = []
  const { result } = await play(t, { serviceTime: ({ number }) => number, answer: ({ number }) => number % 2 ? 404 : 200 }, { connections: 3, amount: 200 },
    (instance) => instance.on('response', (...args) => seen.push(args)))
  t.equal(seen.length, 200)
  t.equal(seen.filter(([, status]) => status === 200).length, result['2xx'])
  t.equal(seen.reduce((sum, [, , bytes]) => sum + bytes, 0), result.bytes.read)
  t.same(seen.map(([, , , time]) => Math.round(time)).sort((one, other) => one - other), Array.from({ length: 200 }, (_, number) => number))
})

t.test('response: its client is in another thread, and its methods say so', async (t) => {
  const errors = []
  await play(t, {}, { connections: 1, amount: 2, workers: 1 }, (instance) => instance.on('response', (client) => {
    for (const use of [
      () => client.setHeaders({}), () => client.setBody(''), () => client.setHeadersAndBody({}, ''),
      () => client.setRequest({}), () => client.setRequests([{}]), () => client.on('body', () => {}), () => client.once('headers', () => {})
    ]) {
      try {
        use()
        errors.push(null)
      } catch (error) {
        errors.push(error)
      }
    }
  }))
  t.equal(errors.length, 14)
  for (const error of errors) t.match(error, { code: 'CANNONADE_CLIENT_MISUSE', message: /in another thread: .*setupClient/ })
})

t.test('reqError: once for each, an error with its code', async (t) => {
  const ODD = ['reset', { bytes: 'SSH-2.0\r\n' }, { body: 'x'.repeat(50), cutAt: 60, then: 'end' }, 'end']
  const errors = []
  const { result } = await play(t, { answer: ({ number }) => ODD[number % ODD.length] }, { connections: 4, amount: 60 },
    (instance) => instance.on('reqError', (error) => errors.push(error)))
  t.equal(errors.length, result.errors)
  const byCode = {}
  for (const error of errors) {
    t.ok(error instanceof Error)
    byCode[error.code] = (byCode[error.code] ?? 0) + 1
  }
  t.same(byCode, Object.fromEntries(Object.entries(result.errorCodes).map(([code, { count }]) => [code, count])))
  t.equal(Object.keys(byCode).length, 4)
})

t.test('reqError: connections that fail while the open model waits for them', async (t) => {
  const events = []
  const { result: { errors } } = await play(t, { attempt: () => 'refuse' }, { connections: 4, overallRate: 10, duration: 0.3 }, (instance) => {
    for (const event of ['start', 'reqError', 'done']) instance.on(event, () => events.push(event))
  })
  t.equal(events[0], 'start')
  t.equal(events.filter((event) => event === 'reqError').length, errors)
  t.ok(errors >= 4)
})

t.test('reqMismatch: the body', async (t) => {
  const bodies = []
  const { result } = await play(t, {}, { connections: 2, amount: 30, expectBody: 'other' }, (instance) => instance.on('reqMismatch', (body) => bodies.push(body)))
  t.same(bodies, new Array(30).fill('ok'))
  t.equal(result.mismatches, 30)
})

t.test('a warm-up emits only its start', async (t) => {
  const counts = { warmup: 0, start: 0, response: 0, reqMismatch: 0, done: 0 }
  let ticked = 0
  await play(t, { serviceTime: 1 }, { connections: 2, amount: 40, warmup: 0.3, expectBody: 'other' }, (instance) => {
    for (const event of Object.keys(counts)) instance.on(event, () => counts[event]++)
    instance.on('tick', ({ counter }) => { ticked += counter })
  })
  t.same(counts, { warmup: 1, start: 1, response: 40, reqMismatch: 40, done: 1 })
  t.equal(ticked, 40)
})

t.test('listeners that are added and removed during the run', async (t) => {
  let responses = 0
  let atRemoval
  let atOnce = 0
  // One sample is as long as the run: listeners must not have to wait for the next one.
  let left
  await play(t, { serviceTime: 10 }, { connections: 2, duration: 60, sampleInt: 60_000 }, (instance, world) => {
    instance.then(() => { left = instance.eventNames() })
    const listener = () => responses++
    world.afterForClient(FIRST_MS, () => instance.on('response', listener))
    world.afterForClient(FIRST_MS + 200, () => {
      atRemoval = responses
      instance.removeListener('response', listener)
    })
    world.afterForClient(FIRST_MS + 300, () => instance.once('response', () => atOnce++))
    world.afterForClient(FIRST_MS + 500, instance.stop)
  })
  // Two every 10 ms, sometimes delivered together.
  t.ok(atRemoval >= 20 && atRemoval <= 40, `${atRemoval} responses heard`)
  t.equal(responses, atRemoval)
  t.equal(atOnce, 1)
  t.same(left, [], 'nothing of ours is left on the instance')
})

t.test('a listener that throws ends the run with an error', async (t) => {
  for (const event of ['start', 'tick', 'response']) {
    const { result: error } = await play(t, { serviceTime: 3 }, { connections: 2, duration: 60, sampleInt: 100 },
      (instance) => instance.on(event, () => { throw new Error(`not this ${event}`) }))
    t.match(error, { code: 'CANNONADE_HOOK_FAILED', message: new RegExp(`not this ${event}`) })
    t.equal(error.result.accounting.sent, error.result.requests.sent)
  }
})

t.test('--debug prints what happens in the threads', async (t) => {
  const written = []
  const { write } = process.stderr
  process.stderr.write = (text) => written.push(text)
  const { result: { errors } } = await play(t, { attempt: () => 'refuse' }, { connections: 2, duration: 0.2, debug: true }).finally(() => { process.stderr.write = write })
  t.equal(written.filter((text) => text.startsWith('ECONNREFUSED: ')).length, errors)
})

t.test('a slow listener delays neither the run nor its end, and the events it missed are counted', async (t) => {
  // With real threads: simulated ones share the processor that the listener keeps busy.
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 20, amount: 400, workers: 2 })
  const nothing = new Int32Array(new SharedArrayBuffer(4))
  let heard = 0
  instance.on('response', () => {
    heard++
    // The thread sleeps, which takes no processor time from the others.
    Atomics.wait(nothing, 0, 0, 25)
  })
  const { accounting, warnings } = await instance
  t.equal(accounting.completed, 400)
  const [{ message }] = warnings.filter(({ code }) => code === 'EVENTS_LEFT_OUT')
  const leftOut = Number(message.match(/([\d,]+) events were not delivered/)[1].replaceAll(',', ''))
  t.equal(heard + leftOut, 400)
})

t.test('with real threads as well', async (t) => {
  const server = await moodyServer(t, ['ok', 'rst', 'notFound', 'garbage', 'cutBody', 'fin'])
  const events = []
  const heard = { response: 0, reqError: 0, reqMismatch: 0 }
  const instance = run({ url: server.url, connections: 4, amount: 60, expectBody: 'other', workers: 2 })
  for (const event of ['start', 'done']) instance.on(event, () => events.push(event))
  for (const event of Object.keys(heard)) instance.on(event, () => heard[event]++)
  let ticked = 0
  instance.on('tick', ({ counter }) => { ticked += counter })
  const { accounting, errors, mismatches } = await instance
  t.same(events, ['start', 'done'])
  t.same(heard, { response: accounting.completed, reqError: errors, reqMismatch: mismatches })
  t.match(accounting, { completed: 20, failed: 40 })
  t.equal(mismatches, 20)
  t.equal(ticked, 20)
})

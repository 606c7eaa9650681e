'use strict'

// Random schedules, servers and faults: in every combination, the accounts balance and agree with the server's own count.

const t = require('tap')
const fc = require('../../support/fast-check')
const { run } = require('../../..')
const { rawServer, reply, chunkedReply, closedPort } = require('../../support/servers')
const { sleep, until } = require('../../support/wait')
const { violations } = require('../../support/accounts')
const { sum } = require('./helpers')

// A few with real sockets. Simulated worlds, of which many more can be played, are in test/simulation/.
const RUNS = 12

// What a server may do with a request.
const ANSWERS = {
  ok: (socket) => socket.write(reply('ok')),
  chunked: (socket) => socket.write(chunkedReply(['o', 'k'])),
  late: (socket) => setTimeout(() => socket.destroyed || socket.write(reply('late')), 40),
  tooLate: (socket) => setTimeout(() => socket.destroyed || socket.write(reply('too late')), 400),
  none: () => {},
  hint: (socket) => socket.write(Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'), reply('ok')])),
  error: (socket) => socket.write(reply('no', { status: 500 })),
  last: (socket) => socket.end(reply('bye', { headers: { Connection: 'close' } })),
  announcedLast (socket) {
    // The head announces the end of the connection some time before the body arrives.
    socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n')
    setTimeout(() => socket.destroyed || socket.end('ok'), 20)
  },
  closed: (socket) => socket.end(),
  reset: (socket) => socket.resetAndDestroy(),
  cutShort: (socket) => socket.end(reply('short', { length: 100 })),
  garbage: (socket) => socket.write('this is not HTTP\r\n\r\n'),
  unasked: (socket) => socket.write(Buffer.concat([reply('ok'), reply('and one more')]))
}
const FLAWLESS = ['ok', 'chunked', 'late', 'hint', 'error']

const schedule = fc.oneof(
  fc.record({ overallRate: fc.constantFrom(8, 50, 200, 900) }),
  fc.record({ overallRate: fc.constantFrom(50, 200), arrivals: fc.constant('poisson'), seed: fc.nat(1000) }),
  fc.record({ connectionRate: fc.constantFrom(8, 60) }),
  fc.record({ bursts: fc.record({ size: fc.integer({ min: 1, max: 30 }), interval: fc.constantFrom(0.05, 0.15) }) }),
  fc.record({ stages: fc.constantFrom('100ms:100, 100ms:0, 100ms:200', '250ms:10..300') })
)

const length = fc.oneof(
  { weight: 3, arbitrary: fc.record({ duration: fc.constantFrom(0.1, 0.3) }) },
  { weight: 2, arbitrary: fc.record({ amount: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ duration: fc.constant(0.3), maxOverallRequests: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ duration: fc.constant(0.3), maxConnectionRequests: fc.integer({ min: 1, max: 9 }) }) }
)

const options = fc.record({
  connections: fc.integer({ min: 1, max: 6 }),
  pipelining: fc.constantFrom(1, 1, 2, 5),
  timeout: fc.constantFrom(0.1, 0.2),
  drain: fc.constantFrom(undefined, 0, 0.05, 1),
  reconnectRate: fc.constantFrom(undefined, undefined, 1, 4),
  bailout: fc.constantFrom(undefined, undefined, undefined, 3),
  ignoreCoordinatedOmission: fc.constantFrom(false, false, true),
  pacing: fc.constantFrom('precise', 'sleep')
})

const scenario = fc.record({
  schedule,
  length,
  options,
  answers: fc.oneof(
    fc.array(fc.constantFrom(...FLAWLESS), { minLength: 1, maxLength: 6 }),
    fc.array(fc.constantFrom(...Object.keys(ANSWERS)), { minLength: 1, maxLength: 12 })
  ),
  hook: fc.constantFrom('none', 'none', 'sync', 'async', 'slow', 'settling'),
  fault: fc.constantFrom('none', 'none', 'none', 'stop', 'abort', 'killed', 'refused', 'dropped'),
  faultAt: fc.integer({ min: 0, max: 300 })
})

function requestsOf (hook) {
  switch (hook) {
    case 'sync': return [{ setupRequest: (request) => request }, { method: 'POST', body: 'x' }]
    case 'async': return [{ setupRequest: async (request) => request }]
    case 'slow': return [{ setupRequest: (request) => sleep(25).then(() => request) }]
    case 'settling': return [{ onResponse: () => sleep(20) }]
    default: return [{ path: '/a' }, { path: '/b' }]
  }
}

// How long this process has stalled in all, in ms: everything may happen that much later.
function watchPauses () {
  let last = performance.now()
  let stalled = 0
  const look = () => {
    const now = performance.now()
    stalled += Math.max(0, now - last - 10)
    last = now
  }
  const timer = setInterval(look, 10)
  return () => {
    clearInterval(timer)
    look()
    return stalled
  }
}

async function play (t, { schedule, length, options, answers, hook, fault, faultAt }) {
  const sockets = new Set()
  const server = fault === 'refused'
    ? await closedPort(null)
    : await rawServer(null, (socket, request, index) => ANSWERS[answers[index % answers.length]](socket), { onConnection: (socket) => sockets.add(socket) })
  const timers = []
  const at = (action) => timers.push(setTimeout(action, faultAt))
  const given = Object.fromEntries(Object.entries({ ...schedule, ...length, ...options }).filter(([, value]) => value !== undefined))
  const abort = new AbortController()
  const pauses = watchPauses()
  let reported = 0
  try {
    const instance = run({ url: server.url, ...given, requests: requestsOf(hook), signal: abort.signal })
    instance.on('reqError', () => reported++)
    if (fault === 'stop') at(instance.stop)
    if (fault === 'abort') at(() => abort.abort())
    if (fault === 'killed') at(() => server.close())
    if (fault === 'dropped') at(() => sockets.forEach((socket) => socket.destroy()))
    const result = await instance
    return { result, reported, pause: pauses(), received: await receivedOf(server, result) }
  } finally {
    pauses()
    timers.forEach(clearTimeout)
    await server.close()
  }
}

// The last requests may still be on their way when the result exists.
async function receivedOf (server, { accounting }) {
  await until(() => !(server.requests < accounting.sent), 100).catch(() => {})
  return server.requests ?? 0
}

t.test('the accounts always balance', async (t) => {
  await fc.assert(fc.asyncProperty(scenario, async (scene) => {
    const wrong = []
    const check = {
      equal: (found, wanted, what) => found === wanted || wrong.push(`${what}: ${found}, not ${wanted}`),
      ok: (value, what) => value || wrong.push(what)
    }
    const { result, reported, pause, received } = await play(t, scene)
    const { accounting, errorCodes, latency } = result
    const { scheduled, unsent, sent, completed, failed, timedOut, unfinished } = accounting

    wrong.push(...violations(result, scene.options))
    check.ok(Object.values(accounting).every((count) => Number.isInteger(count) && count >= 0), 'counts are counts')
    check.ok(received <= sent && received >= completed, `completed ${completed} <= received ${received} <= sent ${sent}`)
    if (failed + timedOut + unfinished === 0) check.equal(received, sent, 'the server received what was sent')
    const named = sum(Object.values(errorCodes).map(({ count }) => count))
    check.equal(reported, named, 'each failure has a name and an event')
    check.ok(named >= result.errors, 'errors have names')
    const latest = scene.options.timeout * 1000 + 200 + pause
    check.ok(latency.max <= latest, `latency.max ${latency.max}: nothing outlives its deadline by much`)
    check.ok(result.sendDelay.max <= latest, `sendDelay.max ${result.sendDelay.max}`)

    const isFlawless = scene.answers.every((answer) => FLAWLESS.includes(answer))
    // Only requests behind one that timed out because the machine was busy.
    if (scene.fault === 'none' && isFlawless && timedOut === 0) check.equal(failed, 0, 'nothing fails without a fault')
    if (scene.length.amount !== undefined) {
      check.ok(scheduled <= scene.length.amount, 'an amount is not exceeded')
      const endsByItself = ['none', 'dropped'].includes(scene.fault) && scene.options.bailout === undefined
      const endless = scene.schedule.stages === undefined
      if (endsByItself && endless && !result.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION')) {
        check.equal(scheduled, scene.length.amount, 'an amount is reached')
      }
      if (endsByItself && scene.options.drain === undefined) check.equal(unfinished, 0, 'all of it is accounted for')
    }
    if (scene.fault === 'refused') check.equal(unsent, scheduled, 'nothing was sent')
    if (wrong.length > 0) throw new Error(`${wrong.join('\n')}\n${JSON.stringify({ accounting, received, drain: result.drain, duration: result.duration })}`)
  }), { numRuns: RUNS, endOnFailure: true, seed: 1 })
  t.pass(`${RUNS} scenarios`)
})

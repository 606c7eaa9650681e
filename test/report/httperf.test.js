'use strict'

// httperf's output. With a simulated server each number is known by arithmetic.

const t = require('tap')
const { formatHttperf } = require('../..')
const { figuresOf } = require('../../lib/report/httperf-figures')
const { playInWorld } = require('../support/play-in-world')

const CPU = { user: 2.01, system: 8.32, percent: 94 }

async function linesOf (t, settings, opts, story) {
  const { result: measured } = await playInWorld(t, settings, opts, story, { seed: 1 })
  const result = JSON.parse(JSON.stringify({ ...measured, generator: { ...measured.generator, cpu: CPU } }))
  return { result, text: formatHttperf(result), lines: formatHttperf(result).split('\n') }
}

t.test('a run at a fixed rate, line by line', async (t) => {
  const { text } = await linesOf(t, { serviceTime: 20, answer: { body: 'x'.repeat(100) } }, {
    overallRate: 100, sessions: { amount: 1100, calls: 1 }, headers: { Host: 'a' }
  })
  const written = 'GET / HTTP/1.1\r\nConnection: keep-alive\r\nHost: a\r\n\r\n'.length
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n'.length
  const rate = 1100 * (written + head + 100) / 11.01
  t.equal(text, `Maximum connect burst length: 1

Total: connections 1100 requests 1100 replies 1100 test-duration 11.010 s

Connection rate: 99.9 conn/s (10.0 ms/conn, <=3 concurrent connections)
Connection time [ms]: min 20.0 avg 20.0 max 20.0 median 20.0 stddev 0.0
Connection time [ms]: connect 0.0
Connection length [replies/conn]: 1.000

Request rate: 99.9 req/s (10.0 ms/req)
Request size [B]: ${written.toFixed(1)}

Reply rate [replies/s]: min 99.6 avg 99.8 max 100.0 stddev 0.3 (2 samples)
Reply time [ms]: response 20.0 transfer 0.0
Reply size [B]: header ${head.toFixed(1)} content 100.0 footer 0.0 (total ${(head + 100).toFixed(1)})
Reply status: 1xx=0 2xx=1100 3xx=0 4xx=0 5xx=0

CPU time [s]: user 2.01 system 8.32 (user 18.3% system 75.6% total 93.8%)
Net I/O: ${(rate / 1024).toFixed(1)} KB/s (0.2*10^6 bps)

Errors: total 0 client-timo 0 socket-timo 0 connrefused 0 connreset 0
Errors: fd-unavail 0 addrunavail 0 ftab-full 0 other 0

Session rate [sess/s]: min 99.60 avg 99.91 max 100.00 stddev 0.28 (1100/1100)
Session: avg 1.00 connections/session
Session lifetime [s]: 0.0
Session failtime [s]: 0.0
Session length histogram: 0 1100

Percentiles of latency [ms]: 50% 20.0 90% 20.0 99% 20.0 99.9% 20.0 max 20.0
Percentiles of response [ms]: 50% 20.0 90% 20.0 99% 20.0 99.9% 20.0 max 20.0
Percentiles of connect [ms]: 50% 0.0 90% 0.0 99% 0.0 99.9% 0.0 max 0.0
Percentiles of session lifetime [ms]: 50% 20.0 90% 20.0 99% 20.0 99.9% 20.0 max 20.0
`)
})

t.test("programs that parse httperf's output parse this one correctly", async (t) => {
  const { lines } = await linesOf(t, { serviceTime: 20, answer: ({ number }) => number % 4 === 0 ? 503 : { body: 'x', bodyAfter: 5 } }, { overallRate: 40, sessions: { amount: 440, calls: 1 } })
  const patterns = {
    replies: /^Total: .*replies (\d+)/,
    connections: /^Connection rate: (\d+\.\d)/,
    requests: /^Request rate: (\d+\.\d)/,
    rates: /^Reply rate .*min (\d+\.\d) avg (\d+\.\d) max (\d+\.\d) stddev (\d+\.\d)/,
    time: /^Reply time .* response (\d+\.\d)/,
    statuses: /^Reply status.+ 1xx=(\d+) 2xx=(\d+) 3xx=(\d+) 4xx=(\d+) 5xx=(\d+)/,
    io: /^Net I\/O: (\d+\.\d)/,
    errors: /^Errors: total (\d+)/
  }
  const read = Object.fromEntries(Object.entries(patterns).map(([name, pattern]) => {
    const matches = lines.filter((line) => pattern.test(line))
    t.equal(matches.length, 1, name)
    return [name, pattern.exec(matches[0]).slice(1).map(Number)]
  }))
  t.match(read, { replies: [440], connections: [40], requests: [40], rates: [39.8, 39.9, 40, 0.1], time: [20], statuses: [0, 330, 0, 0, 110], errors: [0] })
  const extra = lines.slice(lines.findIndex((line) => line.startsWith('Percentiles')))
  t.ok(extra.filter((line) => line !== '').every((line) => /^(Percentiles of |Accounts: )/.test(line)))
})

t.test('deviations are sample deviations; transfer and connection times are separate', async (t) => {
  const { lines } = await linesOf(t, { serviceTime: ({ number }) => [10, 20, 30][number % 3], answer: { body: 'later', bodyAfter: 7 }, link: { delay: 1 } }, { connections: 1, sessions: { amount: 3, calls: 1 } })
  t.equal(lines[5], 'Connection time [ms]: min 21.0 avg 31.0 max 41.0 median 31.0 stddev 10.0')
  t.equal(lines[6], 'Connection time [ms]: connect 2.0')
  t.ok(lines.includes('Reply time [ms]: response 22.0 transfer 7.0'))
})

t.test('errors by class: each counts once, however many requests it affected', async (t) => {
  const silent = await linesOf(t, { answer: 'silence' }, { overallRate: 10, sessions: { amount: 5, calls: 1 }, timeout: 0.5 })
  t.ok(silent.lines.includes('Errors: total 5 client-timo 5 socket-timo 0 connrefused 0 connreset 0'))
  t.ok(silent.lines.includes('Connection time [ms]: min 0.0 avg 0.0 max 0.0 median 0.0 stddev 0.0'))
  t.ok(silent.lines.includes('Percentiles of latency [ms]: 50% >=500.0 90% >=500.0 99% >=500.0 99.9% >=500.0 max >=500.0'), 'a bound is not a value')
  t.ok(silent.lines.includes('Accounts: scheduled 5 unsent 0 sent 5 completed 0 failed 0 timed-out 5 unfinished 0'))

  const refused = await linesOf(t, { attempt: () => 'refuse' }, { overallRate: 10, sessions: { amount: 5, calls: 1 } })
  t.match(refused.lines[2], /^Total: connections 5 requests 0 replies 0 /)
  t.ok(refused.lines.includes('Errors: total 5 client-timo 0 socket-timo 0 connrefused 5 connreset 0'))

  const burst = await linesOf(t, { answer: ({ number }) => number === 0 ? 200 : 'reset' }, { connections: 1, sessions: { amount: 1, calls: 5 }, pipelining: 5, requests: [{}, [{}, {}, {}, {}]] })
  t.match(burst.result.errorCodes.CANNONADE_LOST_IN_PIPELINE, { count: 3 })
  t.ok(burst.lines.includes('Errors: total 1 client-timo 0 socket-timo 0 connrefused 0 connreset 1'))

  const truncated = await linesOf(t, { answer: { body: 'x'.repeat(100), cutAt: 60, then: 'end' } }, { connections: 1, sessions: { amount: 2, calls: 1 } })
  t.match(truncated.lines[2], /requests 2 replies 0 /)
  t.ok(truncated.lines.includes('Errors: total 2 client-timo 0 socket-timo 0 connrefused 0 connreset 2'))

  const { result } = truncated
  const codes = { EMFILE: 1, ENFILE: 2, EADDRNOTAVAIL: 3, ETIMEDOUT: 4, EPIPE: 5, EHOSTUNREACH: 6, CANNONADE_BAD_RESPONSE: 7 }
  const all = formatHttperf({ ...result, errorCodes: Object.fromEntries(Object.entries(codes).map(([code, count]) => [code, { count }])) })
  t.match(all, 'Total: connections 2 requests 2 replies 0 ')
  const unopened = { EMFILE: { count: 3 }, ENFILE: { count: 1 }, ECONNREFUSED: { count: 2 } }
  t.match(formatHttperf({ ...result, connectionStats: { ...result.connectionStats, opened: 5, failed: 6 }, errorCodes: unopened }), 'Total: connections 7 ', 'connections without a file descriptor were never started')
  t.match(all, 'Errors: total 28 client-timo 0 socket-timo 4 connrefused 0 connreset 5\nErrors: fd-unavail 1 addrunavail 3 ftab-full 2 other 13\n')
})

t.test('a run without sessions, closed or open, that ended at once or had no response', async (t) => {
  const closed = await linesOf(t, { serviceTime: 10 }, { connections: 4, duration: 1 })
  t.match(closed.lines[2], 'Total: connections 4 requests 400 replies 396 test-duration 1.000 s')
  t.notMatch(closed.text, /Session|session/)
  t.ok(closed.lines.includes('Accounts: scheduled 400 unsent 0 sent 400 completed 396 failed 0 timed-out 0 unfinished 4'), 'four were in flight at the end')
  const nothing = await linesOf(t, {}, { connections: 1, duration: 1 }, (instance, world, server) => server.refuse('silence'))
  t.match(nothing.lines[2], 'Total: connections 0 requests 0 replies 0 test-duration 1.000 s')
  t.notMatch(nothing.text, /NaN|Infinity|undefined/)
})

t.test('the burst is the maximum number of connects started in one turn of the event loop, of any one thread', async (t) => {
  const burst = async (opts, happens) => {
    const { result, lines } = await linesOf(t, { serviceTime: 5 }, opts, happens)
    t.equal(lines[0], `Maximum connect burst length: ${result.connectionStats.burst}`)
    return result.connectionStats.burst
  }
  const sessions = { amount: 100, calls: 1 }
  t.equal(await burst({ overallRate: 100, sessions }), 1)
  // Those due at 210, 220, … 700 ms.
  t.equal(await burst({ overallRate: 100, sessions }, (instance, world) => world.after(205, () => world.hold(499))), 50)
  t.equal(await burst({ overallRate: 100, sessions: { amount: 10, calls: 4, connections: 3 }, requests: [{}, [{}, {}, {}]] }), 2, 'the connections that a step needs in addition to the open one')
  t.equal(await burst({ overallRate: 100, connections: 7, duration: 1 }), 7, 'all are opened before the first request')
  t.equal(await burst({ overallRate: 100, connections: 7, duration: 1, workers: 2 }), 4)
  t.equal(await burst({ connections: 5, amount: 5 }), 5)
  t.equal(await burst({ connections: 3, amount: 1, warmup: { connections: 3, duration: 0.1 } }), 0, 'connections of the warm-up continue')
  const { result } = await linesOf(t, {}, { amount: 1 })
  const { burst: _, ...saved } = result.connectionStats
  t.match(formatHttperf({ ...result, connectionStats: saved }), /^Total: /, 'a result that does not have it')
})

t.test('anything other than a result is an error that names it', async (t) => {
  for (const bad of [undefined, null, 5, {}, [], { duration: 1 }]) t.throws(() => formatHttperf(bad), { code: 'CANNONADE_BAD_RESULT' })
  const { result } = await linesOf(t, {}, { connections: 1, amount: 1 })
  t.throws(() => formatHttperf({ ...result, timeToStatusLine: { mean: 'x' } }), { code: 'CANNONADE_BAD_RESULT', message: /timeToStatusLine/ })
  const { timeToStatusLine, transferTime, replySize, replyRate, ...older } = result
  t.match(formatHttperf(older), 'Reply time [ms]: response 0.0 transfer 0.0', 'an older result has none of these')
})

t.test('of a run that was stopped, the sessions that had ended', async (t) => {
  // Every 100 ms a session of 500 ms: by then, eleven have begun, and the first six have ended.
  const { result, lines } = await linesOf(t, { serviceTime: 100 }, { overallRate: 10, sessions: { amount: 20, calls: 5 } }, (instance, world) => world.afterForClient(1050, instance.stop))
  t.match(result.sessions, { scheduled: 11, completed: 6, failed: 0, unfinished: 5 })
  t.match(lines.find((line) => line.startsWith('Session rate')), /\(6\/6\)$/, 'as in httperf')
})

t.test('windows without a session count, and a saved result may have any duration', async (t) => {
  const { result } = await linesOf(t, { serviceTime: 5 }, { overallRate: 10, sessions: { amount: 60, calls: 1 } })
  // 50 and 10 sessions in the first two windows, none in the third and fourth.
  const lineOf = (duration) => /^Session rate .*$/m.exec(formatHttperf({ ...result, duration }))[0]
  t.equal(lineOf(20), 'Session rate [sess/s]: min 0.00 avg 3.00 max 10.00 stddev 4.76 (60/60)')
  t.match(lineOf(1e300), /min 0\.00 avg 0\.00 max 10\.00 stddev 0\.00/)
})

t.test('a sample that ends a millisecond late belongs to the window that it ends', async (t) => {
  const { result } = await linesOf(t, { serviceTime: 5 }, { overallRate: 10, sessions: { amount: 20, calls: 1 } })
  const timeline = [[2.5, 10], [5.001, 20], [7.5, 30], [10.001, 40]].map(([time, completed]) => ({ time, sessions: { completed } }))
  const rateIn = (duration) => /^Session rate .* min (\S+) avg \S+ max (\S+)/m.exec(formatHttperf({ ...result, duration, timeline })).slice(1)
  t.same(rateIn(10.001), ['6.00', '14.00'])
  t.same(rateIn(9.999), ['6.00', '14.00'])
})

t.test('each figure is computed from its own fields', async (t) => {
  const result = {
    accounting: { sent: 30, completed: 20 },
    bytes: { written: 100, read: 99_999 },
    replySize: { head: 10, content: 20, footer: 5 },
    duration: 4,
    drain: { seconds: 1 },
    connectionStats: { opened: 70, failed: 9 },
    errorCodes: { EMFILE: { count: 2 }, ENFILE: { count: 3 }, ECONNREFUSED: { count: 4 }, CANNONADE_LOST_IN_PIPELINE: { count: 50 }, EHOSTUNREACH: { count: 1 } },
    replyRate: { samples: [1, 3] },
    timeToStatusLine: { mean: 6, p50: 7 }
  }
  t.strictSame(figuresOf(result), {
    seconds: 5, connectionRate: (70 + 9 - 2 - 3) / 5, requestRate: 6, replyRate: { min: 1, avg: 2, max: 3, stddev: Math.SQRT2, samples: 2 }, responseTime: 6, netIO: (100 + 20 * (10 + 20)) / 5, errors: 10
  })
  const { seconds, replyRate, responseTime, netIO } = figuresOf({ ...result, drain: undefined, replyRate: { samples: [4] }, timeToStatusLine: undefined, replySize: undefined })
  t.strictSame({ seconds, replyRate, responseTime, netIO }, { seconds: 4, replyRate: { min: 4, avg: 4, max: 4, stddev: 0, samples: 1 }, responseTime: 0, netIO: 25 })
})

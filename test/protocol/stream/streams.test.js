'use strict'

const t = require('tap')
const { run, aggregateResult } = require('../../..')
const { simulate } = require('../../simulation/world')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')

const event = (text) => `data: ${text}\n\n`

const streamed = (t, answer, opts, ofWorld) => (
  playInWorld(t, { answer }, { connections: 1, amount: 1, stream: true, ...opts }, undefined, { seed: 1, ...ofWorld })
)

const numbers = ({ min, p50, max, mean, totalCount }) => ({ min, p50, max, mean, totalCount })

t.test('the times of a stream are those at which its parts arrived', async (t) => {
  const pieces = [[20, event('a')], [25, event('b') + event('c')], [25, event('[DONE]')], [65, event('d')]]
  for (const framing of ['chunked', 'length', 'close']) {
    const { result, world } = await streamed(t, { pieces, framing, endAfter: framing === 'length' ? 65 : 80 }, { amount: 3 }, { link: { delay: 5 } })
    const { stream, latency, accounting } = result
    t.equal(stream.events, 12, framing)
    // Five milliseconds in each direction.
    t.strictSame(numbers(stream.timeToFirstEvent), { min: 30, p50: 30, max: 30, mean: 30, totalCount: 3 })
    t.strictSame([stream.gap.min, stream.gap.max, stream.gap.total, stream.gap.totalCount], [0, 40, 3 * 45, 9])
    t.strictSame(numbers(stream.eventsPerResponse), { min: 4, p50: 4, max: 4, mean: 4, totalCount: 3 })
    t.equal(stream.rate, Math.round(12 / result.duration * 1000) / 1000)
    // With a Content-Length, the body is known to be complete at its last byte.
    t.equal(latency.max, framing === 'length' ? 75 : 90)
    t.match(accounting, { scheduled: 3, sent: 3, completed: 3 })
    t.strictSame(world.leftovers, [])
  }
})

t.test('an event is recorded with its last byte, wherever the bytes are split', async (t) => {
  const text = ': hi\r\ndata: größe\r\ndata: 2\r\n\r\n'
  const bytes = Buffer.from(text)
  for (let first = 1; first < bytes.length; first++) {
    const pieces = [[10, bytes.subarray(0, first)], [30, bytes.subarray(first)]]
    const { result: { stream } } = await streamed(t, { pieces }, {})
    // The carriage return of the empty line completes the event.
    t.strictSame([stream.events, stream.timeToFirstEvent.max], [1, first === bytes.length - 1 ? 10 : 30], `after ${first} bytes`)
  }
})

t.test('lines end with their line feed, the last one with its body; chunks are chunks', async (t) => {
  const pieces = [[10, '{"a":1}\n{"b"'], [20, ':2}\r\n'], [40, '\n'], [50, '{"c":3}']]
  const { result: { stream: lines } } = await streamed(t, { pieces, endAfter: 70 }, { stream: { events: 'lines' } })
  t.strictSame([lines.events, lines.timeToFirstEvent.max, lines.gap.total, lines.gap.max], [3, 10, 60, 50])
  const { result: { stream: chunks } } = await streamed(t, { pieces, endAfter: 70 }, { stream: { events: 'chunks' } })
  t.strictSame([chunks.events, chunks.timeToFirstEvent.max, chunks.gap.total], [4, 10, 40])
  const { result: { stream: none } } = await streamed(t, { pieces, framing: 'length' }, { stream: { events: 'chunks' } })
  t.strictSame([none.events, none.timeToFirstEvent.totalCount, none.eventsPerResponse.max], [0, 0, 0], 'without chunked encoding there are none')
})

t.test('a limit of events ends a response, and later bytes of the packet do not count', async (t) => {
  const pieces = [[10, event('a')], [20, event('b') + event('c') + event('d')], [1000, event('e')]]
  for (const framing of ['chunked', 'length', 'close']) {
    const { result, world } = await streamed(t, { pieces, framing }, { amount: 4, stream: { limit: 2 } })
    t.strictSame([result.stream.events, result.stream.eventsPerResponse.max, result.latency.max, result.accounting.completed], [8, 2, 20, 4], framing)
    t.match(result.connectionStats, { opened: 4, closedByClient: 4, closedByServer: 0 })
    t.equal(result.replySize.content, (event('a') + event('b')).length)
    t.equal(result.errors, 0)
    t.strictSame(world.leftovers, [])
  }
  const { result } = await streamed(t, { pieces }, { amount: 4, stream: { events: 'chunks', limit: { events: 2 } } })
  t.strictSame([result.stream.events, result.latency.max, result.connectionStats.opened], [8, 20, 4])
})

t.test('a limit of seconds counts from the send, even if the client is blocked', async (t) => {
  const pieces = Array.from({ length: 20 }, (_, index) => [10 * index + 10, event(index)])
  const { result } = await streamed(t, { pieces }, { amount: 3, stream: { limit: { seconds: 0.055 } } })
  t.strictSame([result.stream.events, result.latency.min, result.latency.max, result.connectionStats.opened], [15, 55, 55, 3])
  const exact = await streamed(t, { pieces }, { overallRate: 10, duration: 0.1, stream: { limit: { seconds: 0.05 } } })
  t.strictSame([exact.result.stream.events, exact.result.latency.max], [4, 50], 'an event that arrives at the limit is behind it')
  const early = await streamed(t, { pieces }, { stream: { limit: { seconds: 0.055 } } }, { client: { timersEarlyUs: 1000 } })
  t.strictSame([early.result.stream.events, early.result.latency.max], [5, 55], 'a timer that fires early does not end it')
  const { value } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ answer: { pieces } })
    world.afterForClient(40, () => world.hold(60))
    return run({ url: server.url, connections: 1, amount: 1, stream: { limit: { seconds: 0.055, events: 100 } } })
  })
  t.equal(value.latency.max, 55, 'the end is when the time was over')
  t.ok(value.stream.events >= 3 && value.stream.events <= 5, 'events read later do not count')
  const { result: late } = await streamed(t, { pieces, framing: 'length' }, { stream: { limit: { seconds: 0.05 } } }, { link: { delay: 40 } })
  t.strictSame([late.stream.events, late.latency.max, late.accounting.completed], [0, 80, 1], 'a stream whose head arrives later ends with it')
})

t.test('in the open model the first event counts from the send, and the response from its due time', async (t) => {
  const { value: result } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ answer: { pieces: [[10, event('a')], [30, event('b')]] } })
    return run({ url: server.url, connections: 1, overallRate: 50, duration: 0.1, stream: true })
  })
  // One connection, a request every 20 ms that takes 30: each is sent 10 ms later than the previous one, and the fifth never.
  t.strictSame([result.stream.events, result.stream.timeToFirstEvent.max, result.stream.gap.min, result.stream.gap.max], [8, 10, 20, 20])
  t.equal(result.latency.max, 30 + 3 * 10)
  addsUp(t, result)
  const ofSamples = result.timeline.reduce((sum, { stream }) => sum + stream.events, 0)
  t.equal(result.stream.rate, Math.round(ofSamples / result.duration * 1000) / 1000, 'the rate is that of the window')
  t.ok(ofSamples < 8, 'some arrived in the drain')
})

t.test('events of failed responses count, and so do their times', async (t) => {
  const pieces = [[10, event('a')], [20, event('b')]]
  const { result } = await streamed(t, ({ number }) => number === 0 ? { pieces, framing: 'close', then: 'reset', endAfter: 30 } : { pieces }, { amount: 2 })
  t.match(result.accounting, { completed: 2 }, 'a body that ends with the connection is complete')
  const { result: cut } = await streamed(t, { bytes: `HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n${event('a')}${event('b')}`, then: 'end' }, {})
  t.match(cut.accounting, { completed: 0, failed: 1 })
  t.strictSame([cut.stream.events, cut.stream.timeToFirstEvent.totalCount, cut.stream.gap.totalCount, cut.stream.eventsPerResponse.totalCount], [2, 1, 1, 0])
  const { result: timed } = await streamed(t, { pieces, endAfter: 5000 }, { timeout: 1 })
  t.strictSame([timed.accounting.timedOut, timed.stream.events, timed.stream.eventsPerResponse.totalCount], [1, 2, 0], 'the timeout applies to the whole stream')
})

t.test('a response of which only half the head arrived has no event, whatever the one before it had', async (t) => {
  const answer = ({ number }) => number === 0 ? { pieces: [[10, event('a')], [20, event('b')]] } : { bytes: 'HTTP/1.1 200 OK\r\nContent-Le' }
  const { result } = await streamed(t, answer, { amount: 2, timeout: 1 })
  t.match(result.accounting, { completed: 1, timedOut: 1 })
  t.match(result.missing, { timeToFirstEvent: { count: 1, smallest: 1000 }, eventGap: { count: 1, largest: 0 }, timeToFirstByte: undefined })
})

t.test('with excludeErrorStats only 2xx have times', async (t) => {
  const answer = ({ number }) => ({ status: number === 0 ? 500 : 200, pieces: [[number === 0 ? 50 : 10, event('a')]] })
  const { result } = await streamed(t, answer, { amount: 2, excludeErrorStats: true })
  t.strictSame([result.stream.events, result.stream.timeToFirstEvent.totalCount, result.stream.timeToFirstEvent.max, result.stream.eventsPerResponse.totalCount], [2, 1, 10, 1])
  const { result: all } = await streamed(t, answer, { amount: 2 })
  t.strictSame([all.stream.events, all.stream.timeToFirstEvent.totalCount, all.stream.timeToFirstEvent.max, all.stream.eventsPerResponse.totalCount], [2, 2, 50, 2])
})

t.test('samples have the events that arrived in them', async (t) => {
  const pieces = [[50, event('a')], [150, event('b') + event('c')], [250, event('d')]]
  const ticks = []
  const { value: result } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ answer: { pieces } })
    return run({ url: server.url, connections: 1, amount: 1, stream: true, sampleInt: 100 }).on('tick', (tick) => ticks.push(tick))
  })
  const none = { p50: null, p99: null }
  t.strictSame(result.timeline.map(({ stream }) => stream), [
    { events: 1, timeToFirstEvent: { p50: 50, p99: 50 }, gap: none },
    { events: 2, timeToFirstEvent: none, gap: { p50: 0, p99: 100 } },
    { events: 1, timeToFirstEvent: none, gap: { p50: 100, p99: 100 } }
  ])
  t.strictSame(ticks.map(({ events }) => events), [1, 3, 4], 'ticks have the totals so far')
})

t.test('a sequence that a client sets has the hook of the run for events, except where a request has its own', async (t) => {
  const told = []
  await streamed(t, { pieces: [[10, event('a')]] }, {
    onEvent: ({ data }) => told.push(data),
    setupClient: (client) => client.setRequests([{ path: '/a' }, { path: '/b', onEvent: ({ data }) => told.push(`own ${data}`) }, {}]),
    amount: 3
  })
  t.strictSame(told, ['a', 'own a', 'a'])
})

t.test('hooks receive events with their data, and the context of their request', async (t) => {
  const pieces = [[10, 'id: 7\nevent: add\ndata: a\n\n'], [30, event('b')], [30, event('[DONE]')]]
  const told = []
  const { result } = await streamed(t, { pieces }, {
    initialContext: { user: 1 },
    onEvent: (event, { user }) => told.push({ ...event, user }),
    requests: [{ path: '/a' }, { path: '/b', onEvent: ({ data }) => told.push(data) }],
    amount: 2
  })
  t.strictSame(told, [
    { type: 'add', data: 'a', id: '7', index: 0, time: 10, user: 1 },
    { type: 'message', data: 'b', id: '7', index: 1, time: 30, user: 1 },
    'a', 'b'
  ])
  t.strictSame([result.stream.events, result.stream.gap.max], [4, 20], 'and the numbers are the same')
  const chunks = []
  await streamed(t, { pieces: [[1, 'ab'], [2, 'c']] }, { stream: { events: 'chunks', limit: 2 }, onEvent: ({ type, data }) => chunks.push([type, data]) })
  t.strictSame(chunks, [['chunk', 'ab'], ['chunk', 'c']])
})

t.test('a hook may receive body and events, up to the limit', async (t) => {
  const bodies = []
  const pieces = [[1, event('a')], [2, event('b') + event('c')]]
  await streamed(t, { pieces }, { stream: { limit: 2 }, requests: [{ onEvent () {}, onResponse: (status, body) => bodies.push(body) }] })
  t.strictSame(bodies, [event('a') + event('b')])
})

t.test('a hook for events that fails ends the run, and the end waits for an asynchronous one', async (t) => {
  const pieces = [[1, event('a')], [2, event('b')]]
  await t.rejects(streamed(t, { pieces }, { onEvent () { throw new Error('oh') } }), { code: 'CANNONADE_HOOK_FAILED', message: /requests\[0\]\.onEvent/ })
  await t.rejects(streamed(t, { pieces }, { onEvent: async () => { throw new Error('oh') } }), { code: 'CANNONADE_HOOK_FAILED' })
  let settled = 0
  const { value: result } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ answer: { pieces } })
    const onEvent = () => world.sleep(50).then(() => { settled++ })
    return run({ url: server.url, connections: 1, amount: 1, stream: true, onEvent })
  })
  t.equal(settled, 2)
  t.equal(result.latency.max, 2)
})

t.test('sessions continue after a limit, on another connection', async (t) => {
  const pieces = [[10, event('a')], [500, event('b')]]
  const { value: result } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ answer: { pieces } })
    return run({ url: server.url, connections: 1, sessions: { calls: 3, amount: 2 }, stream: { limit: 1 } })
  })
  t.match(result.sessions, { completed: 2, failed: 0 })
  t.strictSame([result.stream.events, result.connectionStats.opened], [6, 6])
})

t.test('thresholds on events, which may end a run early', async (t) => {
  const answer = { pieces: [[10, event('a')], [40, event('b')]] }
  const { result } = await streamed(t, answer, { thresholds: ['stream.timeToFirstEvent.p95 < 300ms', 'stream.gap.p99.5 < 20ms', 'stream.events == 2', 'stream.eventsPerResponse.min >= 2', 'stream.rate > 1'] })
  t.strictSame(result.thresholds.map(({ passed, actual }) => [passed, actual]).slice(0, 4), [[true, 10], [false, 30], [true, 2], [true, 2]])
  const { result: ended } = await streamed(t, answer, { amount: 50, sampleInt: 100, thresholds: ['stream.gap.max < 20ms'], abortOnFail: true })
  t.ok(ended.accounting.sent < 50, 'as soon as it fails')
  await t.rejects(run({ url: 'http://localhost:1', thresholds: ['stream.events > 1'] }), { code: 'CANNONADE_BAD_THRESHOLD', message: /only with stream/ })
})

t.test('results of streams can be merged', async (t) => {
  const one = await streamed(t, { pieces: [[10, event('a')], [40, event('b')]] }, { skipAggregateResult: true })
  const other = await streamed(t, { pieces: [[20, event('a')]] }, { skipAggregateResult: true })
  const { stream, timeline } = aggregateResult(JSON.parse(JSON.stringify([one.result, other.result])))
  t.equal(stream.events, 3)
  t.match(stream.timeToFirstEvent, { min: 10, max: 20, mean: 15, totalCount: 2 })
  t.strictSame([stream.eventsPerResponse.min, stream.eventsPerResponse.max, timeline[0].stream.events], [1, 2, 3])
  const { result: plain } = await streamed(t, { pieces: [[20, event('a')]] }, { stream: undefined, skipAggregateResult: true })
  t.equal(plain.stream, undefined)
  t.throws(() => aggregateResult([one.result, plain]), { code: 'CANNONADE_BAD_RESULT', message: /event streams/ })
})

t.test('streams without any event give a warning', async (t) => {
  const { result } = await streamed(t, { body: '{"a":1}' }, {})
  t.match(result.warnings, [{ code: 'NO_EVENTS' }])
  const { result: coded } = await streamed(t, { headers: { 'Content-Encoding': 'gzip' }, pieces: [[1, event('a')]] }, {})
  t.strictSame(coded.warnings.map(({ code }) => code), ['STREAM_NOT_DECODED'], 'and compressed streams are not parsed')
  t.equal(coded.stream.events, 0)
  const { result: some } = await streamed(t, { pieces: [[1, event('a')]] }, {})
  t.strictSame(some.warnings, [])
})

t.test('with HTTP/2 a limit ends a stream, and the others on its connection continue', async (t) => {
  const pieces = [[10, event('a')], [30, event('b') + event('c')], [100, event('d')]]
  const play = (stream) => simulate({ seed: 1 }, (world) => {
    const server = world.server({ http2: true, answer: { pieces, endAfter: 120 }, link: { delay: 5 } })
    return run({ url: server.url, http2: true, connections: 1, pipelining: 3, amount: 6, stream })
  })
  const { value: whole, world } = await play(true)
  t.strictSame(numbers(whole.stream.timeToFirstEvent), { min: 20, p50: 20, max: 20, mean: 20, totalCount: 6 })
  t.strictSame([whole.stream.events, whole.stream.gap.max, whole.stream.gap.total, whole.latency.max], [24, 70, 6 * 90, 130])
  t.strictSame(world.leftovers, [])
  const { value: byEvents } = await play({ limit: 2 })
  t.strictSame([byEvents.stream.events, byEvents.latency.min, byEvents.latency.max, byEvents.errors], [12, 40, 40, 0])
  t.match(byEvents.connectionStats, { opened: 1, closedByServer: 0 })
  const { value: bySeconds } = await play({ limit: { seconds: 0.05 } })
  t.strictSame([bySeconds.stream.events, bySeconds.latency.min, bySeconds.latency.max, bySeconds.connectionStats.opened], [18, 50, 50, 1])
})

t.test('with HTTP/2, a response that is cut off later than at its limit changes no time of the others', async (t) => {
  // The client is blocked from 40 ms to 65 ms, reads what arrived after 45 ms, and only then finds that the time of the first response was over.
  const answers = [
    { pieces: [[10, event('a')], [45, event('b')]], endAfter: 200 },
    { pieces: [[20, event('c')]], endAfter: 20 },
    { pieces: [[25, event('d')]], endAfter: 25 }
  ]
  const { result } = await playInWorld(t, { http2: true, answer: ({ number }) => answers[number] }, (world) => {
    world.afterForClient(40, () => world.hold(25))
    return { http2: true, connections: 1, pipelining: 2, amount: 3, stream: { limit: { seconds: 0.05 } }, requests: ['/a', '/b', '/c'].map((path) => ({ path })) }
  }, undefined, { seed: 1 })
  // The last one was sent after 20 ms.
  t.strictSame(result.endpoints.map(({ latency }) => Math.round(latency.max)), [50, 20, 45])
  t.strictSame([result.stream.events, result.connectionStats.opened], [3, 1])
})

t.test('a response that ends before its limit of time takes the limit with it', async (t) => {
  const pieces = [[10, event('a')], [300, event('b')]]
  const reset = { rst: 8, body: event('a') + event('b'), rstAfter: 9 }
  const early = (act) => (instance, world, server) => world.after(25, () => act(server, instance))
  const ENDINGS = {
    'its connection is reset': [early((server) => server.resetAll()), { failed: 1, completed: 3 }],
    'its connection ends': [early((server) => server.endAll()), { failed: 1, completed: 3 }],
    'the run is stopped': [early((server, instance) => instance.stop()), { unfinished: 1, completed: 0 }],
    'the run is over': [undefined, { unfinished: 1, completed: 0 }, { amount: undefined, duration: 0.025 }],
    'its stream is reset': [undefined, { failed: 1, completed: 3 }, { http2: true }, ({ number }) => number === 0 ? reset : { pieces }]
  }
  for (const http2 of [false, true]) {
    for (const hooks of [{}, { onEvent () {} }]) {
      for (const [what, [story, expected, opts, answer = { pieces }]] of Object.entries(ENDINGS)) {
        if (opts?.http2 && !http2) continue
        const { result } = await playInWorld(t, { http2, answer }, { http2, connections: 1, amount: 4, stream: { limit: { seconds: 0.05 } }, ...hooks, ...opts }, story, { seed: 1 })
        t.match(result.accounting, expected, `${what}, ${http2 ? 'HTTP/2' : 'HTTP/1.1'}`)
        if (expected.completed > 0) t.strictSame([result.latency.min, result.latency.max, result.stream.events], [50, 50, 4], 'the others last until their own limits')
      }
    }
  }
})

t.test('a response that ends at its limit of time is like one that ends at its limit of events at the same time', async (t) => {
  const pieces = [[10, event('a')], [50, event('b')], [300, event('c')]]
  const LOADS = [{ amount: 12 }, { overallRate: 50, amount: 12 }, { pipelining: 2, amount: 12 }, { pipelining: 2, overallRate: 50, amount: 12 }]
  // All but the number of events: one that arrives at the limit of time is behind it.
  const timesOf = ({ duration, accounting, latency, serviceTime, timeToFirstByte, sendDelay, connectTime, connectionStats, errorCodes }) =>
    ({ duration, accounting, latency, serviceTime, timeToFirstByte, sendDelay, connectTime, connectionStats, errorCodes })
  for (const http2 of [false, true]) {
    // With HTTP/1.1, a limit ends the connection, so nothing can be pipelined.
    for (const opts of LOADS.filter(({ pipelining }) => http2 || pipelining === undefined)) {
      for (const hooks of [{}, { onEvent () {} }]) {
        const results = []
        for (const limit of [{ events: 2 }, { seconds: 0.05 }]) {
          const { result } = await playInWorld(t, { http2, answer: { pieces } }, { http2, connections: 1, stream: { limit }, ...opts, ...hooks }, undefined, { seed: 1 })
          results.push(timesOf(result))
        }
        t.same(results[1], results[0], JSON.stringify({ http2, ...opts, ...hooks }))
      }
    }
  }
})

t.test('a hook hears the events of the response to which a redirect leads, and not those of the redirect', async (t) => {
  for (const http2 of [false, true]) {
    const heard = []
    const answer = ({ path }) => path === '/' ? { status: 302, headers: { Location: '/end' }, body: event('moved') + event('on') } : { pieces: [[5, event('a')], [9, event('b')]] }
    const { result } = await playInWorld(t, { http2, answer }, { http2, connections: 1, amount: 4, stream: true, followRedirects: 1, onEvent: ({ data, index }) => heard.push([data, index]) })
    t.same(heard, [['a', 0], ['b', 1], ['a', 0], ['b', 1]], `HTTP/2: ${http2}`)
    t.equal(result.accounting.completed, 4)
  }
})

'use strict'

// WebSocket in worlds with known times: the times of messages and their copies, compared with arithmetic.

const t = require('tap')
const { aggregateResult, evaluateThresholds, printResult, run, toHTML, toTimelineCSV } = require('../../..')
const { liveRun } = require('../../../lib/report/html/live')
const { samplesOf } = require('../../../lib/report/run/samples')
const { playInWorld } = require('../../support/play-in-world')
const { violations } = require('../../support/accounts')
const { simulate } = require('../../simulation/world')
const { serverFrame } = require('../../simulation/world/websocket')

/** Plays a run with one server in a simulated world. */
const play = (t, settings, opts, { link, story } = {}) => (
  playInWorld(t, { websocket: 'echo', ...settings }, { connections: 1, ...opts }, story, { seed: 1, link, limit: 600 })
)

t.test('the times of an echo, in the closed model', async (t) => {
  const { result, world, server } = await play(t, { serviceTime: 7 }, { amount: 40, connections: 2, body: 'hello' }, { link: { delay: 1 } })
  t.equal(result.latency.min, 9)
  t.equal(result.latency.max, 9)
  t.same(result.messages, { sent: 40, received: 40, unasked: 0, bytesSent: 200, bytesReceived: 200, pings: 0, pongs: 0 })
  t.match(result.accounting, { scheduled: 40, sent: 40, completed: 40 })
  t.same(result.statusCodeStats, { 101: { count: 2 } })
  t.equal(result['1xx'], 2)
  t.same(result.closeCodes, {})
  t.same(server.connections.map(({ closeCode }) => closeCode), [1000, 1000], 'the client closes with 1000')
  t.equal(result.connectTime.max, 4, 'TCP, and a handshake in both directions')
  t.same(world.leftovers, [], 'the result is available when everything is closed')
})

t.test('messages of every length, with each form of the length in their frames', async (t) => {
  for (const length of [125, 126, 65_535, 65_536]) {
    const { result, world } = await play(t, { serviceTime: 7 }, { amount: 3, body: 'x'.repeat(length) }, { link: { delay: 1 } })
    t.match(result.messages, { sent: 3, received: 3, unasked: 0, bytesSent: 3 * length, bytesReceived: 3 * length }, `${length} octets`)
    t.same(world.log.filter(({ method }) => method === 'TEXT').map(({ path }) => path.length), [length, length, length])
  }
})

t.test('latency counts from the due time of a message, also during a stall', async (t) => {
  const { result } = await play(t, { serviceTime: 10, slots: 1 }, { connections: 100, overallRate: 50, duration: 1 }, {
    story: (instance, world, server) => world.after(495, () => server.stall(200))
  })
  // The handshake is read a microsecond after the world's own clock began.
  t.ok(Math.abs(result.latency.max - 205) <= 0.0011, `${result.latency.max} ms`)
  t.equal(result.accounting.completed, 50)
})

t.test('a message that times out closes its connection, since a late reply could not be told apart from the next one', async (t) => {
  const { result, server } = await play(t, { slots: 1, serviceTime: ({ number }) => number === 3 ? 250 : 1 }, { amount: 6, pipelining: 2, timeout: 0.2, body: 'x' })
  t.match(result.accounting, { sent: 6, timedOut: 1, failed: 1, completed: 4 })
  t.match(result.errorCodes, { CANNONADE_RESPONSE_TIMEOUT: { count: 1 }, CANNONADE_LOST_IN_PIPELINE: { count: 1 } })
  t.equal(result.connectionStats.opened, 2)
  t.same(server.connections.map(({ closeCode }) => closeCode), [1000, 1000])
})

t.test('a message of the server that ends in the middle is an error, whether or not a reply is awaited', async (t) => {
  for (const [serviceTime, failed] of [[1, 0], [60, 1]]) {
    const { result } = await play(t, { serviceTime }, { overallRate: 10, duration: 0.3, body: 'x' }, {
      story: (instance, world, server) => {
        world.after(30, () => server.sendAll(serverFrame('TEXT', 'hello').subarray(0, 4)))
        world.after(40, () => server.endAll())
      }
    })
    t.match(result.accounting, { sent: 3, failed, completed: 3 - failed })
    t.match(result.errorCodes, { CANNONADE_TRUNCATED_RESPONSE: { count: 1, phase: 'receive' } })
    t.same(result.closeCodes, { 1006: 1 })
  }
})

t.test('with match only the overdue message is lost, and its reply is unsolicited', async (t) => {
  const { result } = await play(t, { serviceTime: ({ number }) => number === 3 ? 250 : 60 }, {
    amount: 12, pipelining: 3, timeout: 0.2, body: '[<id>]', idReplacement: true, websocket: { match: (text) => text }
  })
  t.match(result.accounting, { sent: 12, timedOut: 1, failed: 0, completed: 11 })
  t.equal(result.connectionStats.opened, 1)
  t.match(result.messages, { received: 12, unasked: 1 })
})

t.test('with match, messages that are overdue when their connection breaks have timed out, each by itself', async (t) => {
  // Whoever reads the reply to the first keeps the thread busy until 40 ms. The others were due to be answered by 30 ms, and the reset comes at 25 ms.
  const { result } = await playInWorld(t, { websocket: 'echo', serviceTime: 10, answer: ({ numberOnConnection }) => numberOnConnection === 1 ? 200 : 'silence' }, (world, server) => {
    world.after(25, () => server.resetAll())
    const requests = [{ body: '[<id>]', onMessage: () => world.hold(30) }]
    return { connections: 1, amount: 4, pipelining: 4, timeout: 0.03, idReplacement: true, requests, websocket: { match: (text) => text } }
  })
  t.match(result.accounting, { completed: 1, timedOut: 3, failed: 0 })
})

t.test('replies in a different order are assigned by match', async (t) => {
  const ids = []
  const { result } = await play(t, { serviceTime: ({ number }) => number % 2 === 1 ? 20 : 5 }, {
    amount: 20, pipelining: 4, body: '{"id":"[<id>]"}', idReplacement: true, websocket: { match: (text) => { ids.push(text); return JSON.parse(text).id } }
  })
  t.equal(result.latency.min, 5)
  t.equal(result.latency.max, 20)
  t.match(result.messages, { received: 20, unasked: 0 })
  t.equal(new Set(ids).size, 20)
})

t.test('messages by weight that are sent together are those that are counted', async (t) => {
  const { result, world } = await play(t, {}, { amount: 8, pipelining: 4, requests: [{ body: 'a', weight: 3 }, { body: 'b' }] })
  t.same(world.log.filter(({ method }) => method === 'TEXT').map(({ path }) => path), ['a', 'a', 'a', 'b', 'a', 'a', 'a', 'b'])
  t.same(result.endpoints.map(({ completed }) => completed), [6, 2])
})

t.test('if no reply is expected, a message is complete when it was handed over, and incoming messages are unsolicited', async (t) => {
  const { result, server } = await play(t, { serviceTime: 1 }, { overallRate: 100, duration: 1, body: 'x', websocket: { expect: 'nothing' } }, { link: { delay: 1 } })
  t.match(result.accounting, { scheduled: 100, sent: 100, completed: 100, unfinished: 0 })
  t.equal(result.latency.max, 0)
  t.equal(server.requests, 102, 'with the handshake and the Close frame')
  t.match(result.messages, { sent: 100, unasked: result.messages.received, bytesSent: 100 })
  const closed = await play(t, { websocket: 'silence' }, { amount: 500, connections: 3, websocket: { expect: 'nothing' }, body: 'x' })
  t.match(closed.result.accounting, { sent: 500, completed: 500 })
  t.equal(closed.server.requests, 500 + 3 + 3)
})

t.test('a connection that was reset while the server did not accept all of a burst sends the next ones after it is open again', async (t) => {
  // Messages arrive 20 ms after they were sent. The reset does 5 ms after the second burst, of which the system takes 65,536 bytes at once.
  const { result, world } = await play(t, { websocket: 'silence' }, { bursts: { size: 2, interval: 0.1 }, duration: 0.4, body: 'x'.repeat(60_000), websocket: { expect: 'nothing' } }, {
    link: { delay: 20 },
    story: (instance, world, server) => world.after(165, () => server.resetAll())
  })
  const sent = world.log.filter(({ method }) => method === 'TEXT').map(({ sentAt }) => sentAt / 1000 - 1080)
  t.same([sent, result.accounting.completed, result.connectionStats.opened], [[0, 0, 100, 100, 200, 200, 300, 300], 8, 2])
})

t.test('messages that wait because the system does not accept more data wait for the server', async (t) => {
  // Of four messages that are due at once, the system takes one and the rest of another. They have arrived after 20 ms.
  for (const opts of [{}, { requests: [{ setupRequest: (message) => message }] }, { body: `[<id>]${'x'.repeat(59_000)}`, idReplacement: true }]) {
    const { result: { accounting, sendDelay } } = await play(t, { websocket: 'silence' }, { bursts: { size: 4, interval: 0.1 }, duration: 0.4, body: 'x'.repeat(60_000), websocket: { expect: 'nothing' }, ...opts }, { link: { delay: 20 } })
    t.equal(accounting.completed, 16)
    t.same([sendDelay.total, sendDelay.waiting.total, sendDelay.client.total].map(Math.round), [4 * 2 * 20, 4 * 2 * 20, 0], JSON.stringify(Object.keys(opts)))
  }
})

t.test('if no reply is expected, messages that are sent together are written before a listener hears of the first', async (t) => {
  for (const body of ['x', '[<id>]']) {
    const { world, result } = await play(t, { websocket: 'silence' }, { amount: 5, pipelining: 5, idReplacement: true, websocket: { expect: 'nothing' }, body, slowest: 5 }, {
      story: (instance, world) => instance.on('response', () => world.hold(3))
    })
    const sentAt = world.log.filter(({ method }) => method === 'TEXT').map((entry) => entry.sentAt)
    t.same([new Set(sentAt).size, new Set(result.slowest.map((each) => each.sentAt)).size, result.accounting.completed], [1, 1, 5], body)
  }
})

t.test('if no reply is expected, think time begins when the message was handed over', async (t) => {
  const { result, world } = await play(t, { websocket: 'silence' }, { connections: 1, body: 'x', websocket: { expect: 'nothing' }, thinkTime: 0.1, sessions: { calls: 4, amount: 1 } })
  const [first, ...others] = world.log.filter(({ method }) => method === 'TEXT').map(({ sentAt }) => sentAt / 1000)
  // A timer of the simulated client reads the clock in whole microseconds.
  others.forEach((sentAt, index) => t.ok(Math.abs(sentAt - first - 100 * (index + 1)) < 0.01, `sent ${sentAt - first} ms after the first`))
  t.equal(others.length, 3)
  t.ok(result.latency.max < 0.01)
  t.ok(Math.abs(result.sessions.lifetime.max - 300) < 0.01)
})

t.test('copies that arrive after the end of the window are received, but not at the rate of the window', async (t) => {
  const { result } = await play(t, { websocket: 'broadcast', serviceTime: 250 }, { connections: 10, overallRate: 10, duration: 1, websocket: { expect: 'broadcast' } })
  // The last two of ten messages are sent after 800 ms.
  t.match(result.broadcast, { expected: 100, received: 100, fanOut: 80 })
  // Messages are counted anew after a warm-up, in all threads.
  for (const warmup of [undefined, { duration: 0.5 }, { duration: 0.5, connections: 6 }]) {
    const { result: inThreads } = await play(t, { websocket: 'broadcast', serviceTime: 250 }, { connections: 10, workers: 2, overallRate: 10, duration: 1, warmup, websocket: { expect: 'broadcast' } })
    t.match(inThreads.broadcast, { expected: 100, received: 100, fanOut: 80 }, JSON.stringify(warmup))
  }
})

t.test("copies of a broadcast: the sender's own is its reply, the last one is timed, all are counted", async (t) => {
  // Copies are sent 2 ms apart, in the order of the connections: of ten the last one after 18 ms.
  const { result, world } = await play(t, { websocket: 'broadcast', copyTime: 2, serviceTime: 3 }, {
    connections: 10, overallRate: 10, duration: 1, websocket: { expect: 'broadcast' }
  }, { link: { delay: 1 } })
  const { lastCopy, ...counts } = result.broadcast
  t.same(counts, { expected: 100, received: 100, ratio: 1, fanOut: 100 })
  t.equal(lastCopy.min, 2 + 3 + 18)
  t.equal(lastCopy.max, 2 + 3 + 18)
  t.equal(lastCopy.totalCount, 10)
  t.equal(result.latency.min, 5, 'the first connection')
  t.equal(result.latency.max, 23, 'the last one')
  t.match(result.messages, { sent: 10, received: 100, unasked: 0 })
  t.same(world.leftovers, [])
})

t.test('messages sent and received per sample, and the slowest copy', async (t) => {
  const settings = { websocket: 'broadcast', copyTime: 2, serviceTime: 3 }
  const opts = { connections: 10, overallRate: 5, duration: 0.45, sampleInt: 90, websocket: { expect: 'broadcast' }, skipAggregateResult: true }
  // The clocks of threads differ by a microsecond.
  const messagesOf = ({ timeline }) => timeline.map(({ messages }) => messages.lastCopy ? { ...messages, lastCopy: Math.round(messages.lastCopy) } : messages)
  const { result } = await play(t, settings, opts, { link: { delay: 1 } })
  const one = { sent: 1, received: 10, lastCopy: 23 }
  const none = { sent: 0, received: 0, lastCopy: null }
  t.same(messagesOf(result), [one, none, one, none, one])
  const { result: ofThreads } = await play(t, settings, { ...opts, workers: 2 }, { link: { delay: 1 } })
  t.same(messagesOf(ofThreads), messagesOf(result))
  const both = aggregateResult(JSON.parse(JSON.stringify([result, ofThreads])))
  t.same(messagesOf(both), messagesOf(result).map(({ sent, received, lastCopy }) => ({ sent: 2 * sent, received: 2 * received, lastCopy })))
  const { result: echo } = await play(t, { serviceTime: 5 }, { connections: 2, overallRate: 10, duration: 0.36, sampleInt: 90, body: 'x', skipAggregateResult: true })
  t.same(messagesOf(echo), [1, 1, 1, 1].map((sent) => ({ sent, received: 1 })))
  t.throws(() => aggregateResult([result, echo]), { code: 'CANNONADE_BAD_RESULT', message: /whether messages are broadcast/ })
  const page = toHTML(JSON.parse(JSON.stringify(result)))
  t.match(page, /"id":"messages-over-time"[^]*"id":"copies-over-time"/)
  const [, ...rows] = page.slice(page.indexOf('Messages over time</caption>')).split('<tr>').slice(1)
  t.same(rows.slice(0, 2).map((row) => row.match(/>[^<]+</g).map((cell) => cell.slice(1, -1))), [
    ['0.1', '111.1', '11.1', '5.00', '5.00', '23.00'], ['0.2', '0', '0', '–', '–', '–']
  ], 'per second, and milliseconds')
  t.notMatch(toHTML(echo), /"id":"copies-over-time"/)
  const drawnIn = (result) => liveRun(samplesOf(result)).charts.map(({ id }) => id).filter((id) => /messages|copies/.test(id))
  t.same([result, echo].map(drawnIn), [['messages-over-time', 'copies-over-time'], ['messages-over-time']], 'the dashboard as well')
})

t.test('in both models the end waits for copies, as long as for a reply', async (t) => {
  const opts = { connections: 4, amount: 1, timeout: 1, websocket: { expect: 'broadcast' } }
  const { result } = await play(t, { websocket: 'broadcast', copyTime: 100 }, opts)
  t.match(result.broadcast, { expected: 4, received: 4, lastCopy: { max: 300 } })
  t.equal(result.drain.seconds, 0.3)
  // Two of the four never arrive.
  const lost = await play(t, { websocket: ({ peer, method, path }) => peer.server.connections.slice(0, 2).map((to) => ({ to, frame: serverFrame(method, path) })) }, opts)
  t.match(lost.result.broadcast, { expected: 4, received: 2, ratio: 0.5 })
  t.match(lost.result.warnings, [{ code: 'COPIES_MISSING', message: /^Only 2 of 4 copies arrived/ }])
  const [time, count] = evaluateThresholds(lost.result, ['broadcast.lastCopy.p99 < 1h', 'broadcast.received == 50%'])
  t.match([time, count], [{ passed: false, certain: false, unanswered: { count: 2, of: 4 } }, { passed: true, certain: true }])
  t.match(printResult(lost.result), /Last copy *│ ≥/)
  t.match(toHTML(lost.result), /Copies of broadcast messages[^]*<td[^>]*>4<\/td>[^]*≥ /)
  t.match(toTimelineCSV(lost.result), /connections,messagesSent,messagesReceived,lastCopy\n.*,4,1,1,0\n/)
  t.ok(lost.result.drain.seconds >= 1 && lost.result.drain.seconds <= 1.02, `${lost.result.drain.seconds} s`)
  const short = await play(t, { websocket: 'broadcast', copyTime: 100 }, { ...opts, drain: 0.15 })
  t.match(short.result.broadcast, { expected: 4, received: 2 })
})

t.test('a broadcast whose connections are all closed ends when its last copies are overdue, and misses no connection', async (t) => {
  // Due at 0 and 100 ms, so the window ends at 200. The senders receive their own copies at 600 and 700 ms and close; the others are reset.
  const { result } = await play(t, { websocket: 'broadcast', serviceTime: 600, copyTime: 300 }, { connections: 4, amount: 2, overallRate: 10, timeout: 1, reconnectRate: 1, websocket: { expect: 'broadcast' } }, {
    story: (instance, world, server) => world.after(750, () => server.resetAll())
  })
  t.same([result.accounting.completed, result.warnings.map(({ code }) => code), Math.round((result.duration + result.drain.seconds) * 100)], [2, ['COPIES_MISSING'], 110])
})

t.test('a broadcast ends with its sessions, or with the rows of a feed, and waits for the last copies', async (t) => {
  const opts = { connections: 2, timeout: 0.5, websocket: { expect: 'broadcast' } }
  for (const more of [{ sessions: { amount: 6, calls: 2 } }, { sessions: { calls: 2 }, overallRate: 20, duration: 0.3 }, { feed: { rows: [{ a: 1 }, { a: 2 }], order: 'once' }, body: '{{a}} [<id>]' }]) {
    const { result, world } = await play(t, { websocket: 'broadcast', copyTime: 2, serviceTime: 1 }, { ...opts, ...more })
    t.equal(result.accounting.completed, result.accounting.scheduled, JSON.stringify(more))
    t.ok(result.accounting.completed > 0 && result.broadcast.received > 0 && result.drain.seconds <= 0.52)
    t.same(world.leftovers, [])
  }
})

t.test('the drain of a broadcast with a number of sessions is only for its copies: before that, the sessions run to completion', async (t) => {
  const { result } = await play(t, { websocket: 'broadcast', copyTime: 2, serviceTime: 200 }, { connections: 2, timeout: 0.5, drain: 0.3, overallRate: 10, sessions: { amount: 4, calls: 4 }, websocket: { expect: 'broadcast' } })
  t.match([result.sessions, result.accounting], [{ completed: 4 }, { scheduled: 16, completed: 16 }])
})

t.test('a server that sends each message to all clients: a run that expects replies suggests a broadcast', async (t) => {
  const codesOf = async (settings, opts) => {
    const { result } = await play(t, settings, { connections: 4, overallRate: 40, duration: 1, ...opts })
    return [result.messages.unasked, result.warnings.map(({ code }) => code)]
  }
  t.same(await codesOf({ websocket: 'broadcast', serviceTime: 1 }), [120, ['UNSOLICITED_MESSAGES']], 'three of four copies')
  t.same(await codesOf({ websocket: 'broadcast', serviceTime: 1 }, { websocket: { expect: 'broadcast' } }), [0, []])
  t.same(await codesOf({ websocket: 'echo', serviceTime: 1 }), [0, []])
})

t.test('a second copy on one connection is unsolicited, and so are copies of other runs', async (t) => {
  const twice = ({ peer, method, path }) => peer.server.connections.flatMap((to) => [{ to, frame: serverFrame(method, path) }, { to, frame: serverFrame(method, path) }])
  const { result } = await play(t, { websocket: twice }, { connections: 3, amount: 5, websocket: { expect: 'broadcast' } })
  t.match(result.broadcast, { expected: 15, received: 15 })
  t.match(result.messages, { received: 30, unasked: 15 })
  const foreign = ({ peer, method, path }) => [{ to: peer, frame: serverFrame(method, path) }, { to: peer, frame: serverFrame(method, `{"id":"${'0'.repeat(28)}"}`) }]
  const other = await play(t, { websocket: foreign }, { connections: 1, amount: 5, websocket: { expect: 'broadcast' } })
  t.match(other.result.messages, { received: 10, unasked: 5 })
})

t.test('a connection that opens after a message was sent expects no copy of it: one that arrives does not replace a missing copy', async (t) => {
  // The fourth connection is refused twice, and opens when the first message has been sent. All that are open receive what the server
  // received 50 ms earlier, except the first message.
  const settings = {
    serviceTime: 50,
    attempt: (number) => number === 3 || number === 4 ? 'refuse' : 'accept',
    websocket: ({ peer, method, path }) => peer.server.openConnections.slice(1).map((to) => ({ to, frame: serverFrame(method, path) }))
  }
  for (const more of [{}, { workers: 2 }, { body: '{"n":"[<id>]"}', idReplacement: true, websocket: { expect: 'broadcast', match: (text) => JSON.parse(text).n } }]) {
    const opts = { connections: 4, amount: 2, overallRate: 10, timeout: 0.5, websocket: { expect: 'broadcast' }, thresholds: ['broadcast.ratio >= 1', 'broadcast.lastCopy.max < 1s'], ...more }
    const { result } = await play(t, settings, opts)
    t.match(result.broadcast, { expected: 3 + 4, received: 2 + 3, ratio: 0.714285 }, JSON.stringify(more))
    t.match(result.messages, { sent: 2, received: 6, unasked: 1 })
    t.ok(result.warnings.some(({ code, message }) => code === 'COPIES_MISSING' && message.startsWith('Only 5 of 7 copies arrived')))
    t.same(result.thresholds.map(({ passed }) => passed), [false, false])
    t.same(violations(result), [])
  }
})

t.test('a server that sends its history to new connections: none of it counts as a copy, and the last copy is that of an older connection', async (t) => {
  const said = []
  // The second connection is refused five times, after a total back-off of 310 ms: by then four of the eight messages have been sent.
  const { result } = await play(t, {
    attempt: (number) => number > 0 && number < 6 ? 'refuse' : 'accept',
    websocket: ({ peer, method, path }) => {
      const frame = serverFrame(method, path)
      said.push(frame)
      return peer.server.openConnections.map((to) => ({ to, frame }))
    },
    opening: () => ({ behind: [...said] })
  }, { connections: 2, amount: 8, overallRate: 10, websocket: { expect: 'broadcast' } })
  t.equal(result.connectionStats.opened, 2)
  t.match(result.broadcast, { expected: 4 + 2 * 4, received: 4 + 2 * 4, ratio: 1, lastCopy: { max: 0, totalCount: 8 } })
  t.match(result.messages, { received: 16, unasked: 4 })
  t.notOk(result.warnings.some(({ code }) => code === 'COPIES_MISSING'))
})

t.test('a duplicate copy of a forgotten message does not replace a missing one', async (t) => {
  // Of two connections the second receives nothing, and the first receives everything again 300 ms after the last copy.
  const { result } = await play(t, {
    websocket: ({ peer: { server }, method, path }) => {
      const frame = serverFrame(method, path)
      server.world.after(300, () => server.openConnections[0].transmit(frame))
      return [{ to: server.openConnections[0], frame }]
    }
  }, { connections: 2, amount: 20, overallRate: 20, timeout: 0.1, drain: 0.1, websocket: { expect: 'broadcast' } })
  const { sent } = result.accounting
  t.match(result.broadcast, { expected: 2 * sent, received: sent })
  t.ok(result.messages.unasked > 10 && result.messages.received === sent + result.messages.unasked, `${result.messages.unasked} came again`)
})

t.test('copies that take longer than a message may wait for its reply still count', async (t) => {
  // To ten connections, one after the other, 40 ms apart: twice as long as timeout and drain together.
  for (const match of [undefined, (text) => JSON.parse(text).id]) {
    const { result } = await play(t, { websocket: 'broadcast', copyTime: 40 }, {
      connections: 10, duration: 0.99, overallRate: 5, timeout: 0.1, drain: 0.1, idReplacement: true, body: '{"id":"[<id>]"}', websocket: { expect: 'broadcast', match }
    })
    // Of the last message, sent at 800 ms, five copies arrive before the end, when no reply is awaited anymore.
    t.match(result.accounting, { completed: 3, timedOut: 2 })
    t.match(result.broadcast, { expected: 50, received: 45, lastCopy: { totalCount: 5, max: 360 } })
    t.equal(result.messages.unasked, 0)
  }
})

t.test('duplicates are detected on each of hundreds of connections', async (t) => {
  const twice = ({ peer, method, path }) => peer.server.openConnections.flatMap((to) => Array(2).fill({ to, frame: serverFrame(method, path) }))
  const { result } = await play(t, { websocket: twice }, { connections: 300, amount: 3, overallRate: 10, websocket: { expect: 'broadcast' } })
  t.match(result.broadcast, { expected: 900, received: 900 })
  t.match(result.messages, { received: 1800, unasked: 900 })
})

t.test('copies are recognized by match as well', async (t) => {
  const { result } = await play(t, { websocket: 'broadcast', copyTime: 2 }, {
    connections: 5,
    overallRate: 20,
    duration: 1,
    body: '{"n":"[<id>]"}',
    idReplacement: true,
    websocket: { expect: 'broadcast', match: (text) => JSON.parse(text).n }
  })
  t.match(result.broadcast, { expected: 100, received: 100, lastCopy: { min: 8, max: 8 } })
})

t.test('the clock of a broadcast starts when each connection is open or has failed', async (t) => {
  const { result } = await play(t, { websocket: 'broadcast', attempt: (number) => number === 2 ? 'silence' : 'accept' }, {
    connections: 4, amount: 3, timeout: 3, websocket: { expect: 'broadcast' }
  })
  t.equal(result.connectionStats.failed, 1)
  t.equal(result.broadcast.expected, 9, 'three were open, and messages were sent after the fourth had failed')
})

t.test('a connection of a broadcast that failed before the clock starts is retried', async (t) => {
  for (const load of [{ thinkTime: 0.01 }, { overallRate: 100 }]) {
    const { result, world } = await play(t, { websocket: 'broadcast', attempt: (number) => number === 1 ? 'refuse' : 'accept' }, {
      connections: 3, duration: 0.5, ...load, websocket: { expect: 'broadcast' }
    })
    t.match(result.connectionStats, { opened: 3, failed: 1, peak: 3 })
    t.equal(world.sockets[3].begunAt - world.sockets[1].closedAt, 10_000, 'after its back-off')
    t.ok(result.broadcast.received > 2.5 * result.accounting.sent, `${result.broadcast.received} copies of ${result.accounting.sent} messages`)
  }
})

t.test('the server closes: the code is counted, waiting messages fail', async (t) => {
  for (const [frame, codes] of [[serverFrame('CLOSE', Buffer.of(3, 233)), { 1001: 2 }], [serverFrame('CLOSE'), { 1005: 2 }]]) {
    const { result, server } = await play(t, { answer: ({ numberOnConnection }) => numberOnConnection === 2 ? { frame } : 200 }, { amount: 4, body: 'x' })
    t.same(result.closeCodes, codes)
    t.match(result.accounting, { sent: 4, completed: 2, failed: 2 })
    t.match(result.errorCodes, { CANNONADE_CLOSED_BY_SERVER: { count: 2 } })
    t.match(server.connections[0], { closeCode: Number(Object.keys(codes)[0]) }, 'it is answered with its own code')
  }
  const { result } = await play(t, { answer: ({ numberOnConnection }) => numberOnConnection === 2 ? 'end' : 200 }, { amount: 4, body: 'x' })
  t.same(result.closeCodes, { 1006: 2 })
})

t.test('messages that arrived with the handshake response precede any message, and are no replies', async (t) => {
  for (const more of [{ amount: 4 }, { amount: 4, overallRate: 100 }, { sessions: { amount: 4, calls: 1 } }]) {
    const { result } = await play(t, { serviceTime: 7, opening: { behind: [serverFrame('TEXT', 'welcome')] } }, { connections: 2, body: 'x', ...more }, { link: { delay: 1 } })
    const { completed } = result.accounting
    t.equal(completed, 4, JSON.stringify(more))
    t.equal(result.serviceTime.min, 9)
    t.match(result.messages, { received: 4 + result.connectionStats.opened, unasked: result.connectionStats.opened })
  }
})

t.test('a Ping that arrives with the end of a connection is not answered on the next one', async (t) => {
  const last = Buffer.concat([serverFrame('PING', 'x'), serverFrame('CLOSE')])
  // Replies that nobody reads are counted without a look for what else has arrived; the others are read one by one.
  for (const more of [{}, { reconnectRate: 100 }, { websocket: { match: (text) => text } }]) {
    const { result, world } = await play(t, { answer: ({ number }) => number === 1 ? { frame: last } : 200 }, { amount: 4, body: 'x', ...more })
    t.match([result.connectionStats.opened, result.messages.pings], [2, 1], JSON.stringify(more))
    t.same(world.log.map(({ method }) => method).filter((method) => method === 'PONG' || method === 'GET'), ['GET', 'GET'])
  }
})

t.test('with match a connection that has sent its maximum is closed, even if not all messages were answered', async (t) => {
  const { result } = await play(t, { answer: ({ numberOnConnection }) => numberOnConnection === 2 ? 'silence' : 200 }, {
    amount: 12, connections: 1, reconnectRate: 3, pipelining: 3, timeout: 0.2, body: '[<id>]', idReplacement: true, websocket: { match: (text) => text }
  })
  t.match(result.accounting, { sent: 12, completed: 8, timedOut: 4 })
  t.equal(result.connectionStats.opened, 4)
})

t.test('if no reply is expected, a sent message resets the back-off', async (t) => {
  const { world } = await play(t, { attempt: (number) => number < 3 ? 'refuse' : 'accept' }, { amount: 3, reconnectRate: 1, body: 'x', websocket: { expect: 'nothing' } }, { link: { delay: 1 } })
  const begun = world.sockets.map(({ begunAt }) => Math.floor((begunAt - world.begunAt) / 1000))
  // Refused after 2 ms, then 10, 20 and 40 ms of back-off; a working connection takes 4 ms.
  t.same(begun, [0, 12, 34, 76, 80, 84])
})

t.test('the end of a broadcast leaves no timer behind, whatever ended it', async (t) => {
  const opts = { connections: 2, timeout: 0.2, websocket: { expect: 'broadcast' } }
  const ownOfLast = ({ number, peer, method, path }) => number === 5 ? [{ to: peer, frame: serverFrame(method, path) }] : []
  for (const [settings, more, stopAfter] of [
    // Of four messages, the third times out at the very end of the window, and a copy of the fourth is awaited.
    [{ websocket: ownOfLast }, { overallRate: 10, duration: 0.4 }],
    // Stopped while copies of answered messages are on their way.
    [{ websocket: 'broadcast', copyTime: 100 }, { amount: 5 }, 20],
    [{ websocket: 'broadcast', copyTime: 100 }, { duration: 1, overallRate: 20 }, 160]
  ]) {
    const { world } = await simulate({ seed: 1 }, (world) => {
      const instance = run({ url: world.server(settings).url, ...opts, ...more })
      if (stopAfter !== undefined) world.afterForClient(stopAfter, () => instance.stop())
      return instance
    })
    t.same(world.leftovers, [], JSON.stringify(more))
  }
})

t.test("a late message of the previous round is not a copy of this round's messages", async (t) => {
  // Each copy is sent 600 ms after its message arrived, on all connections that are open by then.
  const later = (world) => ({ peer: { server }, method, path }) => {
    world.after(600, () => server.sendAll(serverFrame(method, path)))
    return []
  }
  const results = []
  await simulate({ seed: 1, limit: 600 }, (world) => new Promise((resolve) => {
    const { url } = world.server({ websocket: later(world) })
    const instance = run({ url, connections: 2, amount: 2, timeout: 0.5, forever: true, websocket: { expect: 'broadcast' } })
    instance.on('done', (result) => {
      if (results.push(result) === 3) instance.stop()
      if (results.length === 3) world.afterForClient(1000, resolve)
    })
  }))
  for (const { accounting, broadcast } of results) t.match({ accounting, broadcast }, { accounting: { sent: 2, completed: 0, timedOut: 2 }, broadcast: { received: 0 } })
  t.ok(results[1].messages.unasked > 0, `${results[1].messages.unasked} came in the second round`)
})

t.test('stopping a warm-up with connections of its own waits for their closing handshakes', async (t) => {
  const { value, world } = await simulate({ seed: 1, link: { delay: 5 } }, (world) => {
    const instance = run({ url: world.server({ websocket: 'echo' }).url, connections: 4, duration: 1, warmup: { connections: 1, duration: 0.5 }, body: 'x' })
    world.afterForClient(200, () => instance.stop())
    return instance
  })
  t.match(value.accounting, { sent: 0 })
  t.same(world.leftovers, [])
})

t.test('at its end, a run waits for servers to close connections, also those of its warm-up', async (t) => {
  for (const connections of [1, 2, 3]) {
    // The warm-up ends at 50 ms and the run at 70 ms, each with a Close frame that the server does not answer, for which the client waits 150 ms.
    const { value: result, world } = await simulate({ seed: 1 }, (world) => {
      const { url } = world.server({ websocket: 'echo', serviceTime: 20, closes: false })
      return run({ url, connections: 1, amount: 1, warmup: { connections, duration: 0.05 }, body: 'x' })
    })
    t.equal(result.accounting.completed, 1)
    t.same(world.leftovers, [], `${connections} connections in the warm-up`)
    t.ok(world.elapsed >= 220, `${world.elapsed} ms`)
  }
})

t.test('stopping a run that has ended, and whose connections are still closing, does not change why it ended', async (t) => {
  // The server doesn't answer Close frames, which the client awaits for 150 ms. At 50 ms, a message is answered with a reset.
  const server = { serviceTime: 10, closes: false, answer: ({ number }) => number === 12 ? 'reset' : 200 }
  const opts = { connections: 3, duration: 5, body: 'x' }
  const stopped = (ms) => ({ story: (instance, world) => world.afterForClient(ms, () => instance.stop()) })
  const saidOf = async (more, ms) => {
    const { result } = await play(t, server, { ...opts, ...more }, stopped(ms))
    return result.warnings.filter(({ code }) => code === 'STOPPED').map(({ message }) => message)
  }
  const threadsStart = 31
  for (const [more, base] of [[{}, 0], [{ workers: 2 }, threadsStart]]) {
    t.match(await saidOf({ ...more, bailout: 1 }, base + 100), [/as many errors as bailout allows \(1\)/], JSON.stringify(more))
    t.match(await saidOf({ ...more, bailout: 1 }, base + 35), [/The run was stopped after 0\.0\d+ of its 5 seconds/], JSON.stringify(more))
    t.same(await saidOf({ ...more, duration: 0.055 }, base + 100), [], JSON.stringify(more))
  }
})

t.test('all accounts add up, in both models and with hooks', async (t) => {
  for (const opts of [
    { duration: 1, connections: 3, pipelining: 2 },
    { duration: 1, connections: 3, overallRate: 300 },
    { duration: 1, stages: '1s:50..100', requests: [{ body: 'a' }, { body: 'b', setupRequest: (request) => request }] },
    { duration: 1, sessions: { calls: 3 }, overallRate: 20 },
    { duration: 1, connectionRate: 10, connections: 4, reconnectRate: 3, thinkTime: undefined }
  ]) {
    const { result, world } = await play(t, { serviceTime: 5 }, opts, { link: { delay: 1, jitter: 2, split: 0.5 } })
    t.same(violations(result), [], JSON.stringify(opts))
    t.same(world.leftovers, [])
    t.equal(result.messages.sent, result.accounting.sent)
    t.equal(result.messages.received, result.accounting.completed + result.messages.unasked)
  }
})

t.test('a message that had begun to arrive before its request was sent has a first byte after 0 ms, and a transfer no longer than the reply took', async (t) => {
  const frame = serverFrame('TEXT', 'hello')
  const stages = [{ duration: 0.01, rate: 0 }, { duration: 0.01, rate: 100 }]
  const { result } = await play(t, { websocket: 'silence' }, { stages, timeout: 1, body: 'x' }, {
    story: (instance, world, server) => {
      world.after(5, () => server.sendAll(frame.subarray(0, 3)))
      world.after(15, () => server.sendAll(frame.subarray(3)))
    }
  })
  t.match(result.accounting, { completed: 1 })
  t.ok(result.transferTime.max <= result.serviceTime.max, `${result.transferTime.max} of ${result.serviceTime.max} ms`)
  t.equal(result.timeToFirstByte.max, 0)
  const { result: cut } = await play(t, { websocket: 'silence' }, { stages, timeout: 1, body: 'x' }, {
    story: (instance, world, server) => world.after(5, () => server.sendAll(frame.subarray(0, 3)))
  })
  t.match(cut.missing, { serviceTime: { largest: 1000 }, transferTime: { largest: 1000 } }, 'nor does it if it never ends')
})

t.test('a Close frame gives a reason, or none', async (t) => {
  for (const [payload, said] of [[[], /\(no code\)$/], [[3, 233], /\(code 1001\)$/], [[3, 233, 0x62, 0x79, 0x65], /\(code 1001: bye\)$/]]) {
    const { result } = await play(t, { websocket: 'silence' }, { amount: 1, timeout: 1, body: 'x' }, {
      story: (instance, world, server) => world.after(5, () => server.sendAll(Buffer.from([0x88, payload.length, ...payload])))
    })
    t.match(result.errorCodes.CANNONADE_CLOSED_BY_SERVER.message, said)
    t.same(Object.keys(result.closeCodes), [payload.length === 0 ? '1005' : '1001'])
  }
})

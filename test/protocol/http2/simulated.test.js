'use strict'

// HTTP/2 to the microsecond: streams, their limit, and servers that leave.

const t = require('tap')
const Http2Connection = require('../../../lib/protocol/http2/connection')
const Http2Stream = require('../../simulation/world/http2/stream')
const { playInWorld } = require('../../support/play-in-world')

async function play (t, settings, opts, story) {
  const played = await playInWorld(t, { http2: true, link: { delay: 1 }, serviceTime: 4, ...settings }, { http2: true, ...opts }, story, { lasting: 1000 })
  return { ...played, connections: played.server.connections }
}

t.test('a stream is a request, and responses arrive when they are ready', async (t) => {
  const { result } = await play(t, { serviceTime: ({ number }) => number === 0 ? 50 : 4 }, { connections: 1, pipelining: 10, amount: 10 })
  t.match(result.accounting, { sent: 10, completed: 10 })
  t.equal(result.latency.max, 52)
  t.ok(Math.abs(result.latency.p90 - 6) < 0.01, `p90 ${result.latency.p90}`)
  // Connected after 2 ms; its SETTINGS arrive 2 ms later.
  t.match(result.connectTime, { min: 4, max: 4, tcp: { max: 2 } })
})

t.test('no more streams than the server allows, and the result says so', async (t) => {
  const { result, connections } = await play(t, { streams: 3 }, { connections: 2, pipelining: 5, amount: 60 })
  t.same(connections.map(({ peakStreams }) => peakStreams), [3, 3])
  t.match(result.latency, { min: 6, max: 6 })
  // Ten times three on each of two connections, after 4 ms.
  t.equal(result.duration, 0.064)
  t.ok(result.warnings.some(({ code }) => code === 'STREAM_LIMIT'))
})

t.test('a server that leaves loses nothing: unprocessed requests are sent again', async (t) => {
  const { result, world, connections } = await play(t, { keepAlive: 7 }, { connections: 2, pipelining: 5, amount: 40 })
  t.match(result, { accounting: { sent: 40, completed: 40 }, errors: 0 })
  t.ok(world.log.length > 40, `${world.log.length} written`)
  t.equal(world.servers[0].requests, 40)
  t.equal(connections.length, 6)
})

t.test('what one GOAWAY after the other refuses is sent again in the old order, with the deadlines of old', async (t) => {
  const ask = ['/a', '/b', '/c']
  for (const hooks of [{}, { setupRequest: (request) => request }]) {
    for (const refuses of [2, 30]) {
      // The second connection allows one stream, so only the first of the three refused requests is sent on it, and refused again.
      const { result, world } = await play(t, { serviceTime: 100 }, {
        connections: 1, pipelining: 3, amount: 3, timeout: 1, requests: ask.map((path, index) => ({ path, title: path, ...hooks }))
      }, (instance, world, server) => {
        let times = 0
        const leave = () => {
          server.streams = 1
          server.goAwayAll({ untaken: 3, code: 0 })
          if (++times < refuses) world.after(40, leave)
        }
        world.after(20, leave)
      })
      const again = world.log.slice(3).map(({ path }) => path)
      if (refuses === 2) {
        t.same(again, ['/a', '/a', '/b', '/c'])
        t.match(result.accounting, { sent: 3, completed: 3 })
      } else {
        t.same(again, new Array(again.length).fill('/a'))
        t.same(result.endpoints.map(({ path, failed }) => [path, failed]), ask.map((path) => [path, 1]))
      }
    }
  }
})

t.test('a reset stream is one failure, and its connection survives', async (t) => {
  const { result, connections } = await play(t, { answer: ({ number }) => number % 10 === 9 ? { rst: 2 } : 200 }, { connections: 1, pipelining: 4, amount: 50 })
  t.match(result.accounting, { completed: 45, failed: 5 })
  t.match(result.errorCodes, { CANNONADE_STREAM_RESET: { count: 5, phase: 'receive' } })
  t.equal(connections.length, 1)
})

t.test('a request whose failure arrives exactly at its deadline has timed out', async (t) => {
  const outcomes = []
  // The last one comes due at 14.5 ms. The timer for the deadlines takes whole milliseconds, so it fires after the failure.
  for (const serviceTime of [97.99, 98]) {
    const answer = ({ number }) => number === 29 ? { rst: 2 } : 'silence'
    const { result: { accounting: { failed, timedOut } } } = await play(t, { serviceTime, answer }, { connections: 1, pipelining: 30, overallRate: 2000, amount: 30, timeout: 0.1 })
    outcomes.push([failed, timedOut])
  }
  t.same(outcomes, [[1, 29], [0, 30]])
})

t.test("the age of a reset that arrived with a response doesn't include the response's hook", async (t) => {
  let hold
  const requests = [{ onResponse: () => hold(10) }]
  const { result } = await play(t, { answer: ({ number }) => number === 1 ? { rst: 2 } : 200 }, { connections: 1, pipelining: 2, amount: 2, requests }, (instance, world) => { hold = (ms) => world.hold(ms) })
  t.match(result.accounting, { completed: 1, failed: 1 })
  t.match(result.latencyWithUnfinished, { totalCount: 2, min: 6, max: 6 })
})

t.test('a server that closes idle connections causes no failure', async (t) => {
  const { result, connections } = await play(t, {}, { connections: 2, amount: 10, thinkTime: 0.05 }, (instance, world, server) => world.after(40, () => server.endAll()))
  t.match(result, { accounting: { sent: 10, completed: 10 }, errors: 0, connectionStats: { closedByServer: 2, failed: 0 } })
  t.strictSame(result.errorCodes, {})
  t.equal(connections.length, 4)
})

t.test('streamed bodies wait for windows, and for their sources, and nothing else waits for them', async (t) => {
  const text = 'stream '.repeat(3000)
  let world
  const body = async function * () {
    for (let from = 0; from < text.length; from += 7000) {
      yield text.slice(from, from + 7000)
      await world.sleep(20)
    }
  }
  const habits = { settings: { INITIAL_WINDOW_SIZE: 1000 }, streamCreditAt: 500 }
  const requests = [{ method: 'POST', body }, { path: '/meanwhile' }]
  const { result, world: { log } } = await play(t, { habits }, { connections: 1, pipelining: 2, amount: 20, timeout: 5, requests }, (instance, its) => { world = its })
  t.match(result.accounting, { completed: 20 })
  const uploads = log.filter(({ method }) => method === 'POST')
  t.same([...new Set(uploads.map(({ body }) => body.toString() === text))], [true])
  t.same(log.slice(0, 2).map(({ sentAt }) => sentAt), [log[0].sentAt, log[0].sentAt], 'the second is sent together with the first')
})

t.test('fields that only apply to HTTP/1.1 connections are absent', async (t) => {
  const headers = { connection: 'keep-alive, X-Hop', 'keep-alive': 'timeout=5', 'proxy-connection': 'x', upgrade: 'h2c', 'http2-settings': 'x', te: 'gzip, trailers', host: 'example.test', 'X-Hop': '1', 'X-Kept': '2' }
  const { world: { sockets: [socket] } } = await play(t, {}, { connections: 1, amount: 1, headers })
  const { fields } = socket.requests.byStream.get(1)
  t.same(fields, [[':method', 'GET'], [':scheme', 'http'], [':authority', 'example.test'], [':path', '/'], ['x-kept', '2'], ['te', 'trailers']])
})

t.test('an unprocessed request that waits to be sent again on the next connection keeps its deadline', async (t) => {
  const { result, world } = await play(t, { answer: 'silence' }, { connections: 1, pipelining: 4, amount: 4, timeout: 0.2 }, (instance, world, server) => {
    world.after(50, () => {
      server.streams = 1
      server.goAwayAll({ untaken: 4 })
    })
  })
  t.match(result.accounting, { sent: 4, timedOut: 4 })
  t.equal(world.log.length, 5, 'one of them was sent again')
  // First sent after 4 ms.
  t.ok(result.duration >= 0.204 && result.duration < 0.208, `${result.duration} s`)
})

t.test('an unprocessed request that times out before it is sent again is reported with the path and the trace id of its first attempt', async (t) => {
  for (const hooks of [{}, { setupRequest: (request) => request }]) {
    const opts = { connections: 1, pipelining: 4, amount: 4, timeout: 0.2, idReplacement: true, traceparent: true, requests: [{ path: '/[<id>]', ...hooks }] }
    const { result: { errorCodes }, world: { log } } = await play(t, { answer: 'silence' }, opts, (instance, world, server) => {
      world.after(50, () => {
        server.streams = 1
        server.goAwayAll({ untaken: 4 })
      })
    })
    t.equal(log.length, 5)
    const { examples } = errorCodes.CANNONADE_RESPONSE_TIMEOUT
    // First the one that was sent again.
    const expected = [log[4], log[1], log[2]].map((entry) => [entry.path, entry.traceparents[0].slice(3, 35)])
    t.same(examples.map(({ path, traceId }) => [path, traceId]), expected)
  }
})

t.test('what the server refused and was not sent again when the run ends is unfinished without a schedule, and unsent with one', async (t) => {
  const stories = {
    'no connection': (server) => server.refuse(),
    'one stream at a time': (server) => { server.streams = 1 }
  }
  const sessions = { sessions: { amount: 1 } }
  const kinds = {
    closed: {},
    'with a hook': { setupRequest: (request) => request },
    'in threads': { workers: 2, connections: 2 },
    'in a warm-up': { warmup: { duration: 0.2 } },
    'by amount': { amount: 4, duration: undefined },
    open: { overallRate: 1000, amount: 4, duration: undefined },
    'a session': { ...sessions, requests: [['/a', '/b', '/c'].map((path) => ({ path }))], duration: undefined },
    'user code': { ...sessions, user: (user) => Promise.allSettled(['/a', '/b', '/c', '/d'].map((path) => user.get(path))), duration: undefined }
  }
  for (const [story, act] of Object.entries(stories)) {
    for (const [kind, opts] of Object.entries(kinds)) {
      // A warm-up waits for what is in flight when its time is up.
      if (kind === 'in a warm-up' && story !== 'no connection') continue
      const { result, world } = await play(t, { answer: ({ number }) => number === 0 ? 200 : 'silence' }, { connections: 1, pipelining: 4, duration: 0.2, ...opts }, (instance, world, server) => {
        world.after(150, () => {
          act(server)
          server.goAwayAll({ untaken: 4 })
        })
        world.afterForClient(200, () => { if (kind !== 'in a warm-up') instance.stop() })
      })
      const log = world.log.filter(({ sentAt }) => sentAt < world.log[0].sentAt + 195e3)
      const first = log.filter(({ sentAt }) => sentAt < world.log[0].sentAt + 100e3)
      const refused = first.filter((entry) => entry.socket.peer.isRefused(entry)).length
      const again = log.length - first.length
      t.ok(refused > again, `${kind}, ${story}: ${refused} refused, ${again} sent again`)
      const unsent = kind === 'open' || opts.sessions !== undefined ? refused - again : 0
      const sent = first.length - unsent
      const { accounting, latencyWithUnfinished } = kind === 'in a warm-up' ? result.warmup : result
      t.same(accounting, { scheduled: first.length, unsent, sent, completed: 1, failed: 0, timedOut: 0, unfinished: sent - 1 }, `${kind}, ${story}`)
      // Those that were refused have waited since they were first sent, after 4 ms and after 10.
      if (kind === 'closed') t.same(latencyWithUnfinished.max, 196)
    }
  }
})

t.test('a server that accepts as many streams as pipelining asks for limits nothing', async (t) => {
  const limits = async (streams) => (await play(t, { streams }, { connections: 1, pipelining: 4, amount: 20 })).result.warnings.filter(({ code }) => code === 'STREAM_LIMIT').length
  t.same([await limits(3), await limits(4)], [1, 0])
})

t.test('requests that the server refused are sent again in their order, before others', async (t) => {
  const order = Array.from({ length: 12 }, (_, index) => '/' + 'abc'[index % 3])
  for (const opts of [{}, { setupClient () {} }, { sessions: { amount: 1, calls: 12 }, requests: [['/a', '/b', '/c'].map((path) => ({ path }))] }]) {
    const { result, world } = await play(t, { keepAlive: 2 }, { connections: 1, pipelining: 4, amount: opts.sessions ? undefined : 12, requests: [{ path: '/a' }, { path: '/b' }, { path: '/c' }], ...opts })
    t.same(world.log.filter(({ answeredAt }) => answeredAt !== null).map(({ path }) => path), order)
    t.same(result.endpoints.map(({ completed }) => completed), [4, 4, 4])
    t.ok(world.log.length > 12, `${world.log.length} sent`)
  }
})

t.test('a request that the server refused is sent again with the cookies of then', async (t) => {
  // Two responses set the cookie; then two requests are sent, of which the second is refused. The first sets it anew.
  const answer = ({ number }) => ({ headers: { 'set-cookie': `n=${number}` } })
  const serviceTime = ({ number }) => number < 2 ? 4 : 100
  const user = async (user) => {
    for (let round = 0; round < 2; round++) await Promise.all([user.get('/a'), user.get('/b')])
  }
  const kinds = {
    'of a connection': { amount: 4, requests: [{ path: '/a' }, { path: '/b' }] },
    'of a session': { sessions: { amount: 1 }, requests: [['/a', '/b'].map((path) => ({ path })), ['/a', '/b'].map((path) => ({ path }))] },
    'of user code': { sessions: { amount: 1 }, user }
  }
  for (const [kind, opts] of Object.entries(kinds)) {
    const { result, world } = await play(t, { answer, serviceTime }, { connections: 1, pipelining: 2, cookies: true, headers: { cookie: 'own=1' }, ...opts }, (instance, world, server) => {
      world.after(50, () => server.goAwayAll({ untaken: 1 }))
    })
    t.match(result.accounting, { sent: 4, completed: 4 }, kind)
    const cookies = world.sockets.map(({ requests }) => [...requests.byStream.values()].map(({ fields }) => fields.filter(([name]) => name === 'cookie').map(([, value]) => value).join('; ')))
    t.same(cookies, [['own=1', 'own=1', 'own=1; n=1', 'own=1; n=1'], ['own=1; n=2']], kind)
  }
})

t.test('requests that the server refused do not count for maxConnectionRequests', async (t) => {
  const { result, world } = await play(t, { serviceTime: 100 }, { connections: 1, pipelining: 4, maxConnectionRequests: 10, timeout: 1 }, (instance, world, server) => {
    world.after(50, () => server.goAwayAll({ untaken: 2 }))
  })
  t.match(result.accounting, { sent: 10, completed: 10 })
  t.equal(world.log.length, 12)
})

t.test('requests that the server refused count for maxConnectionRequests if they time out before they are sent again', async (t) => {
  const isOther = ({ socket }) => socket === socket.world.sockets[1]
  const settings = { streams: 4, serviceTime: (entry) => isOther(entry) || entry.number < 9 ? 300 : 4 }
  const { result, world } = await play(t, settings, { connections: 2, pipelining: 4, maxConnectionRequests: 12, timeout: 0.31 }, (instance, world, server) => {
    world.after(50, () => {
      server.streams = 1
      server.connections[0].goAway({ untaken: 4 })
    })
  })
  t.match(result.accounting, { sent: 24, timedOut: 4, completed: 20 })
  // What the first connection sends beyond its share is missing from that of the slower one.
  t.equal(world.log.filter(isOther).length, 12)
})

t.test('of a truncated response, the bytes received are counted', async (t) => {
  const piece = 'data: 1\n\n'
  const { result } = await play(t, { answer: { pieces: [[0, piece.repeat(2)], [10, piece.repeat(3)]], endAfter: 50 } }, { connections: 1, amount: 4, stream: { limit: 3 } })
  t.match(result, { accounting: { completed: 4 }, stream: { events: 12 }, replySize: { content: 3 * piece.length } })
})

t.test('a response leaves nothing behind for the next one in its place, whatever the two are', async (t) => {
  const kinds = {
    body: { body: 'x'.repeat(50) },
    none: { status: 204 },
    open: { pieces: [[0, 'open'], [1, 'end']] },
    trailers: { pieces: [[0, 'abc']], trailers: { 'x-sum': '123', 'x-more': 'y'.repeat(30) } },
    'only trailers': { pieces: [], trailers: { 'x-sum': '4' } },
    reset: { body: 'y'.repeat(20), rst: 2, rstAfter: 7 },
    late: 'silence'
  }
  const names = Object.keys(kinds)
  // Each kind after each one.
  const order = names.flatMap((one, index) => [one, ...names.slice(index).flatMap((other) => [one, other])])
  for (const pipelining of [1, 3]) {
    const seen = []
    const onResponse = (status, body) => seen.push(`${status} ${body}`)
    const answer = ({ number }) => kinds[order[number]]
    const { result, world } = await play(t, { answer }, { connections: 1, pipelining, amount: order.length, timeout: 0.5, requests: [{ onResponse }] })
    const of = (...these) => order.filter((name) => these.includes(name)).length
    t.match(result, { accounting: { failed: of('reset'), timedOut: of('late'), completed: order.length - of('reset', 'late') } })
    const whole = world.log.filter(({ number }) => !['reset', 'late'].includes(order[number]))
    const mean = (part) => Math.round(whole.reduce((sum, { octets }) => sum + octets[part], 0) / whole.length * 1000) / 1000
    t.same(result.replySize, { head: mean('head'), content: mean('content'), footer: mean('footer') }, `pipelining ${pipelining}`)
    t.same(seen.sort(), order.flatMap((name) => ({
      body: [`200 ${'x'.repeat(50)}`], none: ['204 '], open: ['200 openend'], trailers: ['200 abc'], 'only trailers': ['200 ']
    }[name] ?? [])).sort())
  }
})

t.test('requests waiting for a stream wait for the server, not for the client', async (t) => {
  const { result: { sendDelay } } = await play(t, { serviceTime: 50 }, { connections: 1, pipelining: 2, overallRate: 100, amount: 20, timeout: 5 })
  // Twenty in 190 ms; every 52 ms two of them can be sent.
  t.equal(sendDelay.max > 200, true)
  t.same([sendDelay.client.max, sendDelay.waiting.max, sendDelay.waiting.total], [0, sendDelay.max, sendDelay.total])
})

t.test('the size of each response includes its own frames, and no event has that of the previous one', async (t) => {
  const lengths = []
  let sizes
  await play(t, { habits: { padding: 20, frameSize: 30 }, answer: ({ number }) => ({ body: 'x'.repeat(10 * number) }) }, { connections: 1, amount: 10 }, (instance, world, server) => {
    // A frame with padding includes it, and the length of the padding.
    const { say } = Http2Stream.prototype
    sizes = []
    Http2Stream.prototype.say = function (...args) {
      const length = say.apply(this, args)
      sizes[(this.id - 1) / 2] = (sizes[(this.id - 1) / 2] ?? 0) + 9 + length
      return length
    }
    t.teardown(() => { Http2Stream.prototype.say = say })
    instance.on('response', (client, status, bytes) => lengths.push(bytes))
  })
  t.equal(lengths.length, 10)
  t.same(lengths, sizes)
})

t.test('a request that times out is cancelled, and the other streams survive', async (t) => {
  const { result, world, connections } = await play(t, { answer: ({ number }) => number % 10 === 9 ? 'silence' : 200 }, { connections: 1, pipelining: 4, amount: 30, timeout: 0.1 })
  t.match(result.accounting, { completed: 27, timedOut: 3, failed: 0 })
  t.equal(result.latency.max, 6)
  t.equal(connections.length, 1)
  t.equal(world.log.filter(({ cancelledAt }) => cancelledAt !== undefined).length, 3)
  // Others are in flight when the deadline of one passes, in both models.
  for (const load of [{ pipelining: 3 }, { pipelining: 20, overallRate: 500 }]) {
    const { result } = await play(t, { answer: ({ number }) => number === 0 ? 'silence' : 200 }, { connections: 1, duration: 0.3, timeout: 0.1, ...load })
    t.match(result.accounting, { timedOut: 1, failed: 0 }, JSON.stringify(load))
    t.equal(result.accounting.completed + 1 + result.accounting.unfinished, result.accounting.sent)
  }
})

t.test('GOAWAY returns requests that a hook has not finished yet, so that another connection sends them at once', async (t) => {
  let slowly
  const { result, sent } = await play(t, { serviceTime: ({ number }) => number === 0 ? 500 : 5 }, {
    connections: 2, pipelining: 2, overallRate: 100, amount: 4, setupRequest: (request) => slowly(request)
  }, (instance, world, server) => {
    slowly = (request) => world.sleep(20).then(() => request)
    world.after(30, () => server.goAwayAll())
  })
  // The first takes 500 ms, and its connection stays open for it. The others take the one that is opened again, each 20 ms after the one before.
  t.same(sent.map(Math.round), [0, 21, 41, 61])
  t.equal(result.accounting.completed, 4)
})

t.test('overdue requests end together, however many streams there are', async (t) => {
  const { expire } = Http2Connection.prototype
  let calls = 0
  Http2Connection.prototype.expire = function (...args) {
    calls++
    return expire.apply(this, args)
  }
  t.teardown(() => { Http2Connection.prototype.expire = expire })
  // A hundred come due one by one; when their deadlines pass, the thread is blocked.
  const { result } = await play(t, { answer: 'silence' }, { connections: 1, pipelining: 200, overallRate: 1000, amount: 100, timeout: 0.2 }, (instance, world) => world.after(150, () => world.hold(300)))
  t.match(result.accounting, { sent: 100, timedOut: 100 })
  t.ok(calls < 5, `${calls} calls`)
})

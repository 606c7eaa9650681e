'use strict'

// HTTP/2: SETTINGS that change during requests. Each of these worlds ends with an error at the first frame that is not allowed.

const t = require('tap')
const { firstFrame, MAGIC } = require('../../simulation/world/http2/frames')
const Socket = require('../../simulation/world/socket')
const { playInWorld } = require('../../support/play-in-world')

const LONG = 200_000

/** The frames that a client writes, write by write, each by its type. */
function watchWrites (t) {
  const { transmit } = Socket.prototype
  const writes = []
  Socket.prototype.transmit = function (bytes) {
    const types = []
    let rest = bytes.toString('latin1', 0, MAGIC.length) === MAGIC ? bytes.subarray(MAGIC.length) : bytes
    for (let frame = firstFrame(rest); frame !== null; frame = firstFrame(rest)) {
      types.push(frame.type)
      rest = rest.subarray(frame.length)
    }
    writes.push(types.join(' '))
    return transmit.call(this, bytes)
  }
  t.teardown(() => { Socket.prototype.transmit = transmit })
  return writes
}

async function play (t, settings, opts, story) {
  const writes = watchWrites(t)
  const played = await playInWorld(
    t, { http2: true, link: { delay: 1 }, serviceTime: 4, ...settings }, { http2: true, connections: 1, timeout: 5, ...opts }, story, { lasting: 1000, limit: 60 }
  )
  return { ...played, writes }
}

t.test('a window that grows during an upload: the acknowledgement goes first, together with what it allows', async (t) => {
  const habits = { settings: { INITIAL_WINDOW_SIZE: 1000 }, shift: { every: 1, after: 1000, steps: [[['INITIAL_WINDOW_SIZE', 20_000]]], apart: 0 } }
  const { result, world, writes } = await play(t, { habits }, { amount: 3, method: 'POST', body: 'x'.repeat(9000) })
  t.match(result.accounting, { completed: 3 })
  t.equal(writes.filter((write) => write.startsWith('SETTINGS DATA')).length, 1, writes.join('; '))
  t.same(world.log.map(({ body }) => body.length), [9000, 9000, 9000])
})

t.test('a window that becomes negative and grows again, in every upload', async (t) => {
  for (const apart of [0, 0.5, 5]) {
    const habits = { creditAt: 1, streamCreditAt: 5000, shift: { every: 1, after: 16_384, steps: [[['INITIAL_WINDOW_SIZE', 0]], [['INITIAL_WINDOW_SIZE', 100_000]], [['INITIAL_WINDOW_SIZE', 65_535]]], apart } }
    const { result, world } = await play(t, { habits, link: { delay: 1, jitter: 1, split: 0.5 } }, { amount: 12, pipelining: 3, method: 'POST', body: 'x'.repeat(LONG) })
    t.match(result.accounting, { completed: 12 }, `${apart} ms apart`)
    t.ok(world.log.every(({ body }) => body.length === LONG))
  }
})

// In the closed model, requests are sent at the end of a turn of the event loop, see closed-loop.js.
t.test('more streams: the acknowledgement goes first, together with the requests that waited', async (t) => {
  const models = {
    closed: [{}, 'SETTINGS; HEADERS HEADERS'],
    'closed, with hooks': [{ requests: [{ onResponse () {} }] }, 'SETTINGS; HEADERS HEADERS'],
    open: [{ overallRate: 1000 }, 'SETTINGS HEADERS HEADERS'],
    'open, with hooks': [{ overallRate: 1000, requests: [{ onResponse () {} }] }, 'SETTINGS HEADERS HEADERS']
  }
  for (const [model, [opts, expected]] of Object.entries(models)) {
    const { result, writes } = await play(t, { streams: 1, serviceTime: 50 }, { pipelining: 4, amount: 8, ...opts }, (instance, world, server) => {
      world.after(20, () => server.changeSettings([['MAX_CONCURRENT_STREAMS', 3]]))
    })
    t.match(result.accounting, { completed: 8 }, model)
    t.match(writes.join('; '), `; ${expected};`, model)
  }
})

t.test('a request that was set up while no streams were allowed is sent when they are again', async (t) => {
  let world
  const setupRequest = (request) => world.sleep(30).then(() => request)
  const { result } = await play(t, {}, { pipelining: 2, amount: 6, requests: [{ setupRequest }] }, (instance, its, server) => {
    world = its
    for (const [at, limit] of [[10, 0], [60, 2], [75, 0], [130, 1]]) its.after(at, () => server.changeSettings([['MAX_CONCURRENT_STREAMS', limit]]))
  })
  t.match(result.accounting, { sent: 6, completed: 6 })
})

t.test('a request that was set up when fewer streams became allowed is sent when another one has timed out', async (t) => {
  let world
  const setupRequest = (request) => world.sleep(50).then(() => request)
  for (const model of [{}, { overallRate: 100 }]) {
    const requests = ['/slow', '/a'].map((path) => ({ path, setupRequest }))
    const settings = { serviceTime: ({ path }) => path === '/slow' ? 1e4 : 0 }
    // The second request is ready 50 ms after the first, and waits for the deadline of the first.
    const { result } = await play(t, settings, { pipelining: 2, amount: 2, timeout: 0.3, requests, ...model }, (instance, its, server) => {
      world = its
      its.after(90, () => server.changeSettings([['MAX_CONCURRENT_STREAMS', 1]]))
    })
    t.match(result.accounting, { sent: 2, completed: 1, timedOut: 1 })
  }
})

// A setup hook holds the request meanwhile, and the other connection has nothing left to send by then.
t.test('the last request of an amount is not left on a connection whose server has stopped accepting requests', async (t) => {
  const models = {
    closed: [{}, 36],
    'with think times': [{ thinkTime: 0.01 }, 46],
    open: [{ overallRate: 1000 }, 36]
  }
  for (const [model, [opts, apart]] of Object.entries(models)) {
    let world
    const setupRequest = (request) => world.sleep(30).then(() => request)
    const { result, sent } = await play(t, {}, { connections: 2, amount: 7, requests: [{ setupRequest }], ...opts }, (instance, its, server) => {
      world = its
      // While both connections set up their first request.
      its.after(10, () => server.openConnections[0].announce([['MAX_CONCURRENT_STREAMS', 0]]))
    })
    t.match(result.accounting, { scheduled: 7, sent: 7, completed: 7 }, model)
    t.strictSame(sent, Array.from({ length: 7 }, (_, index) => index * apart), `${model}: all on the other connection`)
  }
})

// Their connection stays open until the response to another request has arrived.
t.test('a request that is prepared on a connection whose server goes away is sent on another one at once', async (t) => {
  const models = { closed: [{}, 97], 'with think times': [{ thinkTime: 0.001 }, 98], open: [{ overallRate: 10_000 }, 97] }
  for (const [model, [opts, at]] of Object.entries(models)) {
    let world
    const lasts = [5, 5, 500]
    const setupRequest = (request) => world.sleep(lasts.shift() ?? 5).then(() => request)
    const serviceTime = ({ number }) => number === 0 ? 300 : 4
    const { result, sent, world: { log } } = await play(t, { serviceTime }, { connections: 2, pipelining: 2, amount: 4, requests: [{ setupRequest }], ...opts }, (instance, its, server) => {
      world = its
      its.after(100, () => server.openConnections[0].goAway())
    })
    t.match(result.accounting, { scheduled: 4, sent: 4, completed: 4 }, model)
    const [slow] = log.filter(({ receivedAt, sentAt }) => receivedAt - sentAt > 300_000)
    const last = log.at(-1)
    t.ok(slow.receivedAt > 300_000, model)
    t.not(last.socket, slow.socket, model)
    // 9 ms after the beginning the first one was sent; at 101 ms the GOAWAY arrives, and 5 ms later the request is prepared anew.
    t.equal(Math.floor(sent.at(-1)), at, model)
  }
})

// Its deadline began to count before the attempt to open the next connection, which has one of its own.
t.test('the deadline of a refused request passes while its next connection opens', async (t) => {
  for (const hooks of [{}, { requests: [{ setupRequest: (request) => request }] }]) {
    const { result, world } = await play(t, { serviceTime: 1000, attempt: (number) => number === 1 ? 'silence' : 'accept' }, { amount: 1, timeout: 0.1, ...hooks }, (instance, its, server) => {
      its.after(50, () => server.openConnections[0].goAway({ untaken: 1 }))
    })
    const [first, second] = world.sockets
    const [{ sentAt }] = world.log
    t.equal(world.sockets.length, 2)
    t.ok(second.begunAt > first.closedAt)
    t.match(result.accounting, { sent: 1, timedOut: 1 })
    t.match(result.connectionStats, { opened: 1, failed: 0 }, 'the attempt had not failed when the request timed out, with which the run ends')
    t.equal(Math.round((second.closedAt - sentAt) / 1000), 100)
  }
})

t.test('the deadline of a refused request counts from its first attempt, also while its next connection accepts no more', async (t) => {
  // The next connection accepts none from the start, or one, and none later, when the other request waits for it.
  for (const [streams, completed] of [[0, 0], [1, 1]]) {
    for (const until of [Infinity, 120]) {
      const { result } = await playInWorld(t, { http2: true, serviceTime: 60 }, (world, server) => {
        world.after(50, () => {
          server.streams = streams
          server.openConnections[0].goAway({ untaken: 2 })
        })
        world.after(80, () => server.changeSettings([['MAX_CONCURRENT_STREAMS', 0]]))
        if (until !== Infinity) world.after(until, () => server.changeSettings([['MAX_CONCURRENT_STREAMS', 2]]))
        return { http2: true, connections: 1, pipelining: 2, amount: 2, timeout: 0.2 }
      })
      t.match(result.accounting, { sent: 2, ...(until === Infinity ? { completed, timedOut: 2 - completed } : { completed: 2, timedOut: 0 }) }, `${streams}, until ${until} ms`)
      t.ok(Math.abs(result.duration - (until === Infinity ? 0.2 : 0.18)) < 0.002, `${result.duration} s`)
    }
  }
})

t.test('fewer streams, none, and more again', async (t) => {
  const { result, world } = await play(t, { serviceTime: 10 }, { pipelining: 6, amount: 200 }, (instance, world, server) => {
    for (const [index, limit] of [3, 0, 6, 1, 2].entries()) world.after(20 + 30 * index, () => server.changeSettings([['MAX_CONCURRENT_STREAMS', limit]]))
  })
  t.match(result.accounting, { completed: 200 })
  // With the last limit two at a time, every 12 ms.
  const late = world.log.filter(({ sentAt }) => sentAt > 1_200_000).map(({ sentAt }) => sentAt)
  t.same([...new Set(late.map((at) => late.filter((other) => other === at).length))], [2])
})

t.test('the header table shrinks and grows, also within one frame, in the packet of a response', async (t) => {
  const changes = [[['HEADER_TABLE_SIZE', 0]], [['HEADER_TABLE_SIZE', 200]], [['HEADER_TABLE_SIZE', 0], ['HEADER_TABLE_SIZE', 200]], [['HEADER_TABLE_SIZE', 65_536]], [['HEADER_TABLE_SIZE', 100], ['HEADER_TABLE_SIZE', 4096]]]
  for (const hooks of [{}, { onResponse () {} }]) {
    const requests = ['/a', '/b', '/c'].map((path) => ({ path, headers: { 'x-path': path.repeat(20) }, ...hooks }))
    let server
    const { result, world } = await play(t, {
      answer: ({ number }) => {
        if (number % 5 === 4) server.changeSettings(changes[Math.floor(number / 5) % changes.length])
        return 200
      }
    }, { pipelining: 2, amount: 100, requests }, (instance, world, its) => { server = its })
    t.match(result.accounting, { completed: 100 })
    t.same(world.log.map(({ path }) => path), Array.from({ length: 100 }, (_, index) => requests[index % 3].path))
  }
})

t.test('pending acknowledgements are sent even if the run ends with the same packet', async (t) => {
  let server
  const answer = () => {
    server.pingAll('12345678')
    return 200
  }
  const { result, writes } = await play(t, { answer }, { amount: 1 }, (instance, world, its) => { server = its })
  t.match(result.accounting, { completed: 1 })
  t.equal(writes.slice(-2).join(' '), 'PING GOAWAY')
})

t.test('the remaining parts of bodies whose connection broke are not sent on the next one', async (t) => {
  const requests = [{ method: 'POST', body: 'x'.repeat(1000) }, {}, {}]
  for (const what of ['resetAll', 'endAll']) {
    const { result } = await play(t, { habits: { settings: { INITIAL_WINDOW_SIZE: 100 }, streamCreditAt: 100 } }, { pipelining: 4, amount: 60, requests }, (instance, world, server) => {
      for (const at of [15, 47, 93]) world.after(at, () => server[what]())
    })
    t.match(result.accounting, { sent: 60, completed: 48, failed: 12 }, what)
    t.equal(result.connectionStats.opened, 4)
  }
})

t.test('a body that is no longer needed: the stream is cancelled before the next one begins', async (t) => {
  const habits = { settings: { INITIAL_WINDOW_SIZE: 100 }, streamCreditAt: 100, early: { every: 2, after: 100 } }
  const { result, world } = await play(t, { habits, streams: 2 }, { amount: 40, pipelining: 2, method: 'POST', body: 'x'.repeat(5000) })
  t.match(result.accounting, { completed: 40 })
  t.equal(world.log.filter(({ cancelledWith }) => cancelledWith === 8).length, 20)
})

// The world ends with an error if anything comes on a stream that is over.
t.test('the rest of a body whose stream the server has reset is not sent when the window of the connection grows', async (t) => {
  for (const every of [1, 2]) {
    for (const creditAt of [1, 16_384, 65_535]) {
      const habits = { settings: { INITIAL_WINDOW_SIZE: 1_000_000 }, early: { every, after: 16_384, rst: 8 }, creditAt }
      const { result } = await play(t, { habits }, { method: 'POST', body: 'x'.repeat(100_000), pipelining: 4, amount: 6 })
      t.match(result.accounting, { completed: 6 - 6 / every, failed: 6 / every }, `each ${every}, ${creditAt}`)
      t.equal(result.connectionStats.opened, 1)
    }
  }
})

t.test('a request refused by GOAWAY in a warm-up is not sent first in the run', async (t) => {
  const requests = [{ path: '/a', weight: 1 }, { path: '/b', weight: 1 }]
  const { result, world } = await play(t, { serviceTime: 100 }, {
    pipelining: 4, overallRate: 20, duration: 1, drain: 0, requests, warmup: { connections: 1, duration: 1 }
  }, (instance, world, server) => {
    // The newest request of the warm-up is refused so late that it cannot be sent again before the end.
    world.after(0, function look () {
      if (world.log.length === 20) world.after(44, () => server.goAwayAll({ untaken: 1 }))
      else world.after(1, look)
    })
  })
  const paths = world.log.slice(result.warmup.accounting.sent).map(({ path }) => path).slice(-result.accounting.sent)
  t.equal(result.warmup.accounting.unsent, 1)
  t.same(paths, paths.map((_, index) => requests[index % 2].path), paths.join(' '))
})

t.test('a request refused by GOAWAY in a warm-up is not sent again after its window, and its connection serves the run', async (t) => {
  // A warm-up of 100 ms, which drains until the first request is answered. The second one is refused at 85, and its connection, which
  // tries again at 96, opens when the window has closed.
  const serviceTime = ({ number }) => number === 0 ? 216 : 80
  const { result, world } = await play(t, { serviceTime, secure: true, handshake: 5 }, { connections: 2, amount: 4, warmup: { connections: 2, duration: 0.1 } }, (instance, world, server) => {
    world.after(85, () => server.openConnections[1].goAway({ untaken: 1 }))
  })
  const [first, refused, ...rest] = world.log
  t.match(result.warmup.accounting, { sent: 2, completed: 1, unfinished: 1 })
  t.equal(refused.receivedAt, null)
  t.same(rest.slice(0, 2).map(({ sentAt }) => sentAt), [first.receivedAt, first.receivedAt], 'both connections are ready when the run begins')
  t.equal(world.sockets.length, 3)
})

t.test('a header table that was once smaller is not begun anew by other settings', async (t) => {
  const shrunk = [[10, [['HEADER_TABLE_SIZE', 0]]], [30, [['HEADER_TABLE_SIZE', 4096]]]]
  const written = async (changes) => {
    const { result } = await play(t, {}, { amount: 30, headers: { 'x-long': 'long'.repeat(50) } }, (instance, world, server) => {
      for (const [at, settings] of changes) world.after(at, () => server.changeSettings(settings))
    })
    return result.bytes.written
  }
  const ACK_BYTES = 9
  t.equal(await written([...shrunk, [60, [['MAX_CONCURRENT_STREAMS', 5]]]]), await written(shrunk) + ACK_BYTES)
})

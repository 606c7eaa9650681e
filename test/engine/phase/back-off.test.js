'use strict'

// A server that accepts connections and closes them at once, or refuses them: when the client retries, and when a run gives up.

const t = require('tap')
const { run } = require('../../..')
const { simulate } = require('../../simulation/world')
const { playInWorld } = require('../../support/play-in-world')

// Milliseconds since the first attempt.
const attempts = ({ sockets }) => sockets.map(({ begunAt }) => Math.trunc((begunAt - sockets[0].begunAt) / 1000))

t.test('a run by amount ends with a server that closes each connection before its think time is over', async (t) => {
  for (const connections of [1, 3]) {
    const { value: result } = await simulate({ limit: 60 }, (world) => {
      const server = world.server({ attempt: () => 'end' })
      return run({ url: server.url, connections, amount: 5, thinkTime: 0.1, timeout: 2 })
    })
    t.match(result.accounting, { sent: 5, failed: 5 })
  }
})

t.test('a pause that ends while there is no connection is not repeated', async (t) => {
  const { value: result, world } = await simulate({}, (world) => {
    const server = world.server({ attempt: (number) => number === 1 ? 'refuse' : 'accept' })
    world.after(2, () => server.endAll())
    return run({ url: server.url, connections: 1, amount: 3, thinkTime: 0.005, timeout: 2 })
  })
  // Closed after 2 ms, refused, and accepted again 10 ms later, when the pause of 5 ms is long over.
  t.same(attempts(world), [0, 2, 12])
  t.same(world.log.map(({ sentAt }) => Math.round((sentAt - world.log[0].sentAt) / 1000)), [0, 12, 17])
  t.match(result.accounting, { sent: 3, completed: 3 })
})

t.test('a request that a connection returned has had its think time', async (t) => {
  // The second one is being set up from 121 to 141 ms; at 130 ms its connection is reset.
  const { world } = await playInWorld(t, { serviceTime: 1 }, (world, server) => {
    world.after(130, () => server.resetAll())
    const setupRequest = async (request) => {
      await world.sleep(20)
      return request
    }
    return { connections: 1, amount: 3, thinkTime: 0.1, requests: [{ setupRequest }] }
  })
  t.same(world.log.map(({ sentAt }) => Math.round((sentAt - world.begunAt) / 1000)), [20, 141, 262])
})

t.test('a server that accepts connections and closes them before a request can be written is not usable', async (t) => {
  const { value: result, world } = await simulate({ limit: 60 }, (world) => {
    const server = world.server()
    const { attempted } = server
    server.attempted = (socket) => {
      attempted.call(server, socket)
      // The end arrives in the same turn as the notice of the connection, so nothing has been written yet.
      socket.once('connect', () => {
        socket.emit('end')
        socket.destroy()
      })
    }
    return run({ url: server.url, connections: 2, amount: 5, timeout: 2 })
  })
  t.equal(result.accounting.sent, 0)
  t.ok(result.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'))
  t.equal(Math.round(result.duration * 10) / 10, 2)
  t.same(world.leftovers, [])
})

t.test('the back-off before the next attempt continues from the warm-up into the run', async (t) => {
  const refused = async (opts) => {
    const { world } = await simulate({}, (world) => run({ url: world.server({ attempt: () => 'refuse' }).url, ...opts }))
    return attempts(world)
  }
  // At 0, then after 10, 20, 40, 80 and so on: the run begins at 100, during a back-off.
  const expected = [0, 10, 30, 70, 150, 310]
  t.same(await refused({ connections: 1, warmup: { duration: 0.1 }, duration: 0.3 }), expected, 'on the same connections')
  t.same(await refused({ connections: { from: 1, to: 1, over: 0.01 }, warmup: { duration: 0.1 }, duration: 0.3 }), expected, 'on new connections')
  const two = await refused({ connections: 2, warmup: { connections: 1, duration: 0.1 }, duration: 0.1 })
  t.same(two, [0, 10, 30, 70, 100, 110, 130, 150, 170], 'a new connection does not wait')
  t.same(await refused({ connections: 1, warmup: { duration: 0.005 }, duration: 0.05 }), [0, 10, 30], 'after the first failure')
  t.same(await refused({ connections: 1, sessions: true, warmup: { duration: 0.1 }, duration: 0.3 }), expected, 'users of the closed model')
})

t.test('the failures in a row of a warm-up still count if the run begins when the wait is over', async (t) => {
  const refused = async (opts) => {
    const { world } = await simulate({}, (world) => {
      const server = world.server({ attempt: (number) => number === 0 ? 'accept' : 'refuse', serviceTime: 300 })
      return run({ url: server.url, overallRate: 10, timeout: 0.4, warmup: { duration: 0.1 }, duration: 0.3, ...opts })
    })
    return attempts(world)
  }
  // The first connection gets its response at 300, when the run begins. The second is refused four times in the warm-up and then
  // once in the run, after which it waits 160 ms.
  t.same(await refused({ connections: 2 }), [0, 0, 10, 30, 70, 300, 460], 'on the same connections')
  // The first one is opened again and refused for the first time; the second follows 10 ms later.
  t.same(await refused({ connections: { from: 1, to: 2, over: 0.01 } }), [0, 0, 10, 30, 70, 300, 310, 310, 330, 370, 450, 470], 'on new connections')
})

t.test('a user without a response in the drain of the warm-up backs off in the run', async (t) => {
  const odd = { 1: 'end', 2: 'end', 3: 'end', 4: 'silence' }
  const { world } = await simulate({}, (world) => {
    const server = world.server({ attempt: (number) => odd[number] ?? 'accept', serviceTime: 90 })
    return run({ url: server.url, connections: 2, sessions: true, timeout: 0.1, warmup: { connections: 2, duration: 0.1 }, duration: 0.08 })
  })
  // One user is answered at 90 and 180, when the run begins. The fourth attempt of the other one, at 70, ends by its deadline, which timers
  // with a resolution of milliseconds notice at 171: it backs off for 80 ms.
  t.same(attempts(world), [0, 0, 10, 30, 70, 90, 180, 251])
})

t.test('the rest of a back-off of the warm-up is not too short, although timers know only whole milliseconds', async (t) => {
  // The connection is reset at 95.3 ms, and the next attempt may begin at 105.3 ms.
  const { world } = await playInWorld(t, { answer: 'silence' }, (world, server) => {
    world.after(95.3, () => server.resetAll())
    return { connections: 1, duration: 0.05, warmup: { duration: 0.1 } }
  })
  t.same(world.sockets.map(({ begunAt }) => (begunAt - world.begunAt) / 1000), [0, 106])
})

t.test('a user who is answered in the drain of the warm-up begins the run anew', async (t) => {
  const { world } = await simulate({}, (world) => {
    const server = world.server({ attempt: (number) => number === 1 ? 'accept' : 'refuse', serviceTime: 150 })
    return run({ url: server.url, connections: 1, sessions: true, warmup: { duration: 0.1 }, duration: 0.08 })
  })
  // Answered at 160, when the run begins. Then the first back-off is the shortest again.
  t.same(attempts(world), [0, 10, 160, 170, 190, 230])
})

t.test('so it does if a connection kept from the warm-up closes before the common start of the threads', async (t) => {
  // The warm-up ends some 40 ms before the run begins, because messages between threads take 20 ms.
  const opts = { connections: 1, workers: 1, warmup: { duration: 0.2 }, duration: 1 }
  const refusedAfter = async (ms) => {
    const { world } = await playInWorld(t, { serviceTime: 1 }, opts, (instance, world, server) => {
      world.after(ms, () => { server.refuse(); server.resetAll() })
    }, { threads: { start: 20, message: 20 } })
    const [, ...refused] = world.sockets.map(({ begunAt }) => begunAt / 1000)
    return refused.slice(1).map((at, index) => Math.round(at - refused[index]))
  }
  for (const ms of [265, 275, 285, 295, 305]) {
    t.same(await refusedAfter(ms), [10, 20, 40, 80, 160, 320], `refused after ${ms} ms`)
  }
})

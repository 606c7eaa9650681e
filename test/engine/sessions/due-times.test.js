'use strict'

// Each request of a session has a due time of its own: a redirect, what a server refused, and what was set up for a connection that has closed.
// Whichever connection sends it, and whatever waits beside it, that time stays.

const path = require('node:path')
const t = require('tap')
const { playInWorld } = require('../../support/play-in-world')

const RECORD = path.join(path.sep, 'record.jsonl')
const REDIRECT = { status: 302, headers: { Location: '/hop' } }

const play = (t, settings, opts, story) => playInWorld(t, settings, (world) => ({ overallRate: 1, duration: 0.5, timeout: 3, ...(typeof opts === 'function' ? opts(world) : opts) }), story)

const sends = ({ log, sockets: [{ usableAt }] }) => log.map(({ path, sentAt }) => `${path} ${(sentAt - usableAt) / 1000}`)

const latencies = ({ endpoints }) => Object.fromEntries(endpoints.map(({ path, latency: { min, max } }) => [path, [min, max]]))

t.test('a redirect within a burst is due with its response, and the burst before that', async (t) => {
  const answer = ({ path }) => path === '/a' ? REDIRECT : 200
  const { result, world } = await play(t, { serviceTime: 100, answer }, { followRedirects: 1, sessions: true, requests: [[{ path: '/a' }, { path: '/b' }, { path: '/c' }]] })
  t.same(sends(world), ['/a 0', '/b 100', '/c 200', '/hop 300'])
  t.same(latencies(result), { '/a': [100, 300], '/b': [200, 200], '/c': [300, 300] })
})

t.test('what GOAWAY refused goes out on another connection, in its turn and with its due time', async (t) => {
  const serviceTime = ({ path }) => ({ '/a': 10, '/hop': 45, '/b': 100, '/c': 5 }[path])
  const answer = ({ path }) => path === '/a' ? REDIRECT : 200
  const requests = [[{ path: '/a' }, { path: '/b' }], { path: '/c' }]
  const { result, world } = await play(t, { http2: true, serviceTime, answer }, { http2: true, followRedirects: 1, sessions: { connections: 2 }, requests }, (instance, world, server) => {
    world.after(50, () => server.openConnections[1].goAway({ untaken: 1 }))
  })
  t.same(sends(world), ['/a 0', '/b 0', '/hop 10', '/b 55', '/c 155'])
  // It takes a microsecond to open the connections.
  t.same(latencies(result), { '/a': [10.001, 45], '/b': [155.001, 155.001], '/c': [5, 5] })
})

t.test('a request that was set up for a connection that has closed is the next one on the other connection', async (t) => {
  let left
  const setupRequest = (request) => left === undefined ? new Promise((resolve) => { left = () => resolve(request) }) : request
  const requests = [[{ path: '/a', setupRequest }, { path: '/b' }, { path: '/c' }], { path: '/d' }]
  const { result, world } = await play(t, { secure: true, handshake: 200, serviceTime: 10 }, { sessions: { connections: 2 }, requests }, (instance, world, server) => {
    // The first connection is open at 200 and ends at 210, and it is open again at 420.
    world.after(210, () => server.openConnections[0].end())
    world.after(230, () => world.afterForClient(0, () => left()))
  })
  t.same(sends(world), ['/a 30', '/b 40', '/c 50', '/d 60'])
  t.same(latencies(result), { '/a': [240, 240], '/b': [250, 250], '/c': [260, 260], '/d': [10, 10] })
})

t.test('the next step waits for the hooks of the one before, even if the window closes and the think time is over meanwhile', async (t) => {
  for (const [thinkTime, due] of [[undefined, 10], [0.3, 310], [0.7, 710]]) {
    const { result, world } = await playInWorld(t, { serviceTime: 10 }, (world) => ({
      overallRate: 1,
      duration: 0.1,
      sessions: { connections: 2, calls: 2 },
      thinkTime,
      requests: [{ path: '/a', onResponse: () => world.sleep(500) }, { path: '/b' }]
    }))
    t.same(sends(world), ['/a 0', `/b ${Math.max(510, due)}`])
    t.equal(result.accounting.scheduled, 2)
    t.equal(result.rate.offered, 10, 'the second request was due after the window')
  }
})

t.test('a request that a hook prepares when its session fails is unsent', async (t) => {
  for (const http2 of [false, true]) {
    for (const [connections, pipelining] of [[1, 2], [2, 1]]) {
      for (const answer of [500, 'reset', 'silence']) {
        const { result, world } = await play(t, { http2, serviceTime: 10, answer: ({ path }) => path === '/a' ? answer : 200 }, (world) => ({
          http2,
          pipelining,
          timeout: 0.2,
          drain: 2,
          sessions: { connections, failOn: [500] },
          requests: [[{ path: '/a' }, { path: '/b', setupRequest: (request) => world.sleep(1000).then(() => request) }], { path: '/c' }]
        }))
        const how = JSON.stringify({ http2, connections, answer })
        // It takes a microsecond to open a connection for HTTP/2.
        t.same(world.log.map(({ path }) => path), ['/a'], how)
        t.match(result.accounting, { scheduled: 2, sent: 1, unsent: 1, completed: answer === 500 ? 1 : 0, timedOut: answer === 'silence' ? 1 : 0 }, how)
        t.match(result.sessions, { completed: 0, failed: 1, failTime: { max: answer === 'silence' ? 200 : http2 ? 10.001 : 10 } }, how)
      }
    }
  }
})

t.test('in a record, requests that a session did not send have its number, whatever ended it', async (t) => {
  // Two sessions, each with a burst of three requests, of which one is sent.
  for (const [how, answer, stoppedAt] of [['stopped', 'silence', 150], ['status', 500], ['reset', 'reset'], ['deadline', 'silence']]) {
    const opts = { overallRate: 20, duration: 0.1, timeout: 1, drain: 2, record: RECORD, sessions: { connections: 1, failOn: [500] }, requests: [[{ path: '/a' }, { path: '/b' }, { path: '/c' }]] }
    const { result, world } = await play(t, { serviceTime: 10, answer }, opts, (instance, world) => stoppedAt !== undefined && world.afterForClient(stoppedAt, () => instance.stop()))
    t.match(result.accounting, { scheduled: 6, unsent: 4 }, how)
    const rows = world.client.disk.read(RECORD).trim().split('\n').map((line) => JSON.parse(line))
    t.same(rows.filter(({ outcome }) => outcome === 'unsent').map(({ session }) => session).sort(), [0, 0, 1, 1], how)
  }
})

// The requests of the second step are due 50.4 ms after the start. The deadline of /a is 200 ms later, and is noticed at 251 ms unless something
// else happens before.
const beside = (t, http2, requests, settings, opts, story) => play(t, { http2, ...settings }, { http2, ...opts, timeout: 0.2, followRedirects: 1, sessions: { connections: 2, failOn: [500] }, requests: [{ path: '/first' }, requests] }, story)

t.test('a session fails with all of its requests if one of them has passed its deadline when the run is stopped, in its window or in its drain', async (t) => {
  const settings = { serviceTime: 50.4, answer: ({ path }) => path === '/first' ? 200 : path === '/b' ? REDIRECT : 'silence' }
  for (const http2 of [false, true]) {
    for (const duration of [0.1, 0.5]) {
      for (const [stoppedAt, expected] of [[250.3, { timedOut: 0, failed: 0, unfinished: 2 }], [250.6, { timedOut: 1, failed: 1, unfinished: 0 }]]) {
        const stop = (instance, world) => world.afterForClient(stoppedAt, () => instance.stop())
        const { result } = await beside(t, http2, [{ path: '/a' }, { path: '/b' }], settings, { duration }, stop)
        t.match(result.accounting, { scheduled: 4, completed: 2, ...expected }, `${http2} ${duration} ${stoppedAt}`)
        t.match(result.sessions, { failed: expected.timedOut, unfinished: 1 - expected.timedOut })
      }
    }
  }
})

t.test('the lifetime of a session that ends with a status is unknown if another of its requests has passed its deadline by then', async (t) => {
  for (const http2 of [false, true]) {
    for (const [serviceTime, count] of [[150, 0], [200.3, 1]]) {
      const settings = { serviceTime: ({ path }) => path === '/first' ? 50.4 : serviceTime, answer: ({ path }) => path === '/first' ? 200 : path === '/b' ? 500 : 'silence' }
      const { result } = await beside(t, http2, [{ path: '/a' }, { path: '/b' }], settings, {})
      t.match(result.accounting, { completed: 2, timedOut: count, failed: 1 - count }, `${http2} ${serviceTime}`)
      t.equal(result.sessions.failed, 1)
      t.equal(result.missing.sessionLifetime?.count ?? 0, count)
    }
  }
})

t.test('a call whose timeout ends an attempt to connect is over then, and the next one is due then', async (t) => {
  const told = []
  const { result } = await playInWorld(t, { attempt: () => 'silence' }, (world) => ({
    overallRate: 1,
    duration: 0.5,
    timeout: 3,
    user: async (user) => {
      for (const path of ['/a', '/b']) {
        const { code } = await user.get(path, { timeout: 0.2 }).catch((error) => error)
        told.push([path, (world.client.now - world.begunAt) / 1000, code])
      }
    }
  }))
  t.same(told, [['/a', 200, 'CANNONADE_CONNECT_TIMEOUT'], ['/b', 400, 'CANNONADE_CONNECT_TIMEOUT']])
  t.match(result, { accounting: { unsent: 2 }, latency: { min: 200, max: 200 } })
})

t.test('what follows a call that timed out is due at its deadline, even if that is noticed late', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 10, answer: ({ path }) => path === '/a' ? 'silence' : 200 }, (world) => {
    world.afterForClient(90, () => world.hold(60))
    const user = async (user) => {
      await user.get('/a').catch(() => {})
      await user.get('/b')
    }
    return { overallRate: 1, timeout: 0.1, sessions: { amount: 1 }, user }
  })
  // Sent at 150 ms, and answered at 170.
  t.same(latencies(result), { '/a': [100, 100], '/b': [70, 70] })
  t.equal(result.sessions.lifetime.max, 170)
})

t.test('the think time that ended while the thread was held, before a person stopped the run, was over within the window', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 10 }, { overallRate: 10, duration: 2, sessions: true, requests: [{ path: '/a' }, { path: '/b', thinkTime: 0.075 }] }, (instance, world) => {
    world.afterForClient(975, () => {
      world.hold(40)
      instance.stop()
    })
  })
  t.equal(result.duration, 1.015)
  t.equal(result.accounting.scheduled, 21)
  t.equal(result.rate.offered, Math.round(21 / 1.015 * 1000) / 1000)
})

t.test('a session lasts until its last response, however long hooks take for it', async (t) => {
  for (const take of [(world) => world.hold(7), (world) => world.sleep(30)]) {
    const { result } = await playInWorld(t, { serviceTime: 10 }, (world) => (
      { overallRate: 1, sessions: { amount: 1 }, requests: [{ path: '/' }, { path: '/', onResponse: () => take(world) }] }
    ))
    t.match(result, { latency: { min: 10, max: 10 }, sessions: { completed: 1, lifetime: { min: 20, max: 20 } } })
  }
})

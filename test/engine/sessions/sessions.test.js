'use strict'

// Sessions: users that arrive, make their calls on connections of their own, and leave.

const t = require('tap')
const { run } = require('../../..')
const Visit = require('../../../lib/engine/loops/sessions/visit')
const clock = require('../../../lib/world')
const { simulate } = require('../../simulation/world')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')
const { delayServer, httpServer, closedPort, rawServer, reply } = require('../../support/servers')

t.test('sessions arrive by a schedule, each on its own connection', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, overallRate: 50, duration: 0.4, sessions: { calls: 3 } })
  addsUp(t, result)
  t.match(result.sessions, { scheduled: 20, unstarted: 0, started: 20, completed: 20, failed: 0, unfinished: 0 })
  t.equal(result.sessions.rate.offered, 50)
  t.same(result.sessions.lengths, [0, 0, 0, 20])
  t.equal(result.accounting.completed, 60)
  t.same(server.requestsPerConnection, new Array(20).fill(3))
  t.equal(result.sessions.connections.average, 1)
  t.equal(result.connectionStats.opened, 20)
})

t.test('without a schedule the number of users is constant, and a new one starts when one leaves', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 3, sessions: { amount: 10, calls: 2 } })
  addsUp(t, result)
  t.match(result.sessions, { scheduled: 10, completed: 10, peak: 3 })
  t.equal(server.connections, 10)
  t.equal(server.requests, 20)
  t.equal(result.rate, undefined, 'without a schedule there is no offered rate')
})

t.test('a user whose session waited too long because the thread was blocked comes again at once', async (t) => {
  // The second user is due at 100 ms, which is noticed at 1150 ms. Then both have five sessions of 10 ms until the end.
  const { result, sent } = await playInWorld(t, { serviceTime: 10 }, (world) => {
    world.afterForClient(50, () => world.hold(1100))
    return { connections: { from: 1, to: 2, over: 0.1 }, sessions: true, timeout: 1, duration: 1.195 }
  })
  t.match(result.sessions, { scheduled: 16, completed: 15, failed: 1, failTime: { max: 1050 } })
  t.same(sent, [0, 10, 20, 30, 40, ...[1150, 1160, 1170, 1180, 1190].flatMap((time) => [time, time])])
})

t.test('what follows a response with which the run ends is due, and unsent', async (t) => {
  const sessions = { calls: 3 }
  const { result } = await playInWorld(t, { serviceTime: 10 }, { connections: 1, duration: 1, sessions, expectBody: 'no', bailout: 1 })
  t.match(result.accounting, { scheduled: 2, sent: 1, completed: 1, unsent: 1 })
  t.match(result.latency, { totalCount: 2, min: 0, max: 10 })
  const { result: thinking } = await playInWorld(t, { serviceTime: 10 }, { connections: 1, duration: 1, sessions, thinkTime: 0.001, expectBody: 'no', bailout: 1 })
  t.match(thinking.accounting, { scheduled: 1, sent: 1, completed: 1, unsent: 0 })
  // The first user sends a message that nobody answers, and in the same turn of the event loop, the other one is not let in.
  const opening = (number) => number === 0 ? 'accept' : { status: 403 }
  const { result: messages } = await playInWorld(t, { websocket: 'silence', opening }, { connections: 2, duration: 1, sessions, body: 'x', websocket: { expect: 'nothing' }, bailout: 1 }, undefined, { link: { delay: 1 } })
  t.match(messages.accounting, { scheduled: 3, sent: 1, completed: 1, unsent: 2 })
})

t.test('a user who sends something in the turn of the event loop in which the window closes goes on', async (t) => {
  // The window ends at 3.5 ms and the connection is usable at 4 ms, which a thread that is blocked from 3 to 6 ms notices in one turn.
  for (const [thinkTime, sent, inWindow] of [[0.01, [6, 16], 1], [undefined, [6, 6], 2]]) {
    const { result, world } = await playInWorld(t, { websocket: 'silence' }, (world) => {
      world.afterForClient(3, () => world.hold(3))
      return { overallRate: 1, duration: 0.0035, sessions: { calls: 2 }, thinkTime, body: 'x', websocket: { expect: 'nothing' } }
    }, undefined, { link: { delay: 1 } })
    t.match(result, { accounting: { scheduled: 2, completed: 2 }, sessions: { completed: 1 } })
    t.same(world.log.filter(({ method }) => method === 'TEXT').map(({ sentAt }) => Math.round((sentAt - world.begunAt) / 1000)), sent)
    t.equal(Math.round(result.rate.offered * 0.0035), inWindow)
  }
})

t.test('an attempt to connect that fails when no call waits for it any more rejects none', async (t) => {
  const user = async (user) => {
    await Promise.all([user.get('/a'), user.get('/b')])
    await user.think(0.5)
    await user.get('/c')
  }
  const { result } = await playInWorld(t, { attempt: (number) => number === 0 ? 'silence' : 'accept' }, { overallRate: 1, timeout: 0.2, sessions: { amount: 1, connections: 2 }, user })
  t.match(result, { errors: 1, accounting: { completed: 3, unsent: 0 }, sessions: { completed: 1 }, connectionStats: { failed: 1 } })
})

t.test('a sequence that a client sets has no bursts, and the think time of the run', async (t) => {
  const setupClient = (client) => client.setRequests([{ path: '/c' }, { path: '/d' }, { path: '/e' }])
  const { sent, world } = await playInWorld(t, { serviceTime: 5 }, { overallRate: 1, sessions: { amount: 1, calls: 4 }, thinkTime: 0.02, setupClient, requests: [[{ path: '/a' }, { path: '/b' }], { path: '/b', thinkTime: 0.1 }] })
  t.same(world.log.map(({ path }, index) => [path, sent[index]]), [['/c', 0], ['/d', 25], ['/e', 50], ['/c', 75]])
})

t.test('with several URLs, each request goes to the URL of its session, or of its connection, and names its host', async (t) => {
  const hook = (request) => ({ ...request, headers: { ...request.headers, 'x-own': '1' } })
  const ways = {
    sequence: { requests: [{ path: '/a' }, {}] },
    hooks: { requests: [{ path: '/a', setupRequest: hook }, { setupRequest: hook }] },
    'a log': { sessions: { log: [[{ path: '/a' }, {}], [{ path: '/b' }, [{}, {}]]] } },
    scenarios: { scenarios: [{ name: 'one', requests: [{ path: '/a' }, {}] }, { name: 'two', requests: [{}, { path: '/b', setupRequest: hook }] }] },
    rows: { requests: [{ path: '/{{id}}' }, {}], feed: [{ id: 1 }, { id: 2 }] },
    'a client': { requests: [{ path: '/a' }], setupClient: (client) => client.setRequests([{ path: '/b' }, {}]) },
    users: { user: async (user) => { for (const path of ['/a', '/b']) await user.get(path) } },
    'no sessions': { amount: 18, sessions: undefined, requests: [{ path: '/a' }, {}] },
    'no sessions, with hooks': { amount: 18, sessions: undefined, requests: [{ path: '/a', setupRequest: hook }, { setupRequest: hook }] },
    'no sessions, with rows': { amount: 18, sessions: undefined, requests: [{ path: '/{{id}}' }, {}], feed: [{ id: 1 }, { id: 2 }] },
    'no sessions, with a client': { amount: 18, sessions: undefined, requests: [{ path: '/a' }], setupClient: (client) => client.setRequests([{ path: '/b' }, {}]) }
  }
  const settings = [0, 1, 2].map((index) => ({ host: `10.0.0.${index + 1}`, port: 8000 + index }))
  for (const http2 of [false, true]) {
    for (const [way, opts] of Object.entries(ways)) {
      const name = `${way}, ${http2 ? 'HTTP/2' : 'HTTP/1.1'}`
      const { world, result, servers } = await playInWorld(t, settings.map((each) => ({ ...each, http2 })), (world, server, servers) => ({
        url: servers.map(({ url }, index) => `${url}/own-${index}`), http2, connections: 3, sessions: { amount: 9 }, ...opts, ...(opts.sessions && { sessions: { amount: 9, ...opts.sessions } })
      }))
      t.equal(opts.amount === undefined ? result.sessions.completed : result.accounting.completed / 2, 9, name)
      const reached = world.log.map(({ peer }) => servers.indexOf(peer.server))
      t.same(world.log.map((entry) => entry.header(http2 ? ':authority' : 'host').join()), reached.map((index) => `10.0.0.${index + 1}:${8000 + index}`), name)
      t.same(world.log.flatMap(({ path }, index) => path.startsWith('/own-') && path !== `/own-${reached[index]}` ? path : []), [], `${name}: without a path, that of its URL`)
      t.equal(new Set(reached).size, 3)
    }
  }
})

t.test('the last session that waited too long does not bring its user again, if no more may come', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 60 }, (world) => {
    world.afterForClient(50, () => world.hold(1100))
    return { connections: { from: 1, to: 2, over: 0.1 }, sessions: { amount: 3 }, timeout: 1 }
  })
  t.match(result.sessions, { scheduled: 3, completed: 2, failed: 1 })
})

t.test('a session has the number of its arrival, also if others before it waited too long to begin', async (t) => {
  const begun = []
  const user = async (user) => {
    begun.push(user.index)
    await user.think(0.5)
  }
  const { result } = await playInWorld(t, {}, { overallRate: 40, timeout: 0.1, sessions: { amount: 40, maxOpen: 1 }, user })
  // They begin at 0, 500 and 925 ms; those before them had waited for 100 ms.
  t.same(begun, [0, 17, 34])
  t.match(result.sessions, { completed: 3, failed: 37 })
})

t.test('if a connection cannot even be created, its session fails without opening others, and code gets the error', async (t) => {
  // Node.js throws if TLS options are invalid.
  const broken = (opts) => simulate({}, (world) => {
    world.client.connect = () => { throw Object.assign(new Error('no socket'), { code: 'ERR_NO_SOCKET' }) }
    return run({ url: world.server().url, overallRate: 10, ...opts, sessions: { amount: 2, connections: 3 } })
  })
  const { value: result } = await broken({ requests: [[{}, {}, {}]] })
  addsUp(t, result)
  t.match(result, { errors: 2, connectionStats: { failed: 2, burst: 1 }, accounting: { scheduled: 6, unsent: 6 }, sessions: { failed: 2, failTime: { max: 0 } } })
  const codes = []
  const user = async (user) => {
    for (const { reason } of await Promise.allSettled([1, 2, 3].map(() => user.get('/')))) codes.push(reason.code)
  }
  const { value: ofCode } = await broken({ user })
  addsUp(t, ofCode)
  t.match(ofCode, { errors: 6, connectionStats: { failed: 6 }, accounting: { scheduled: 6, unsent: 6 }, sessions: { completed: 2 } })
  t.same(codes, new Array(6).fill('ERR_NO_SOCKET'))
})

t.test('a request that is overdue when its session fails has timed out, even if its timer has not fired yet', async (t) => {
  // A hook blocks the thread until 35 ms, with the response that fails the session; the deadline is at 30 ms.
  const answer = ({ number }) => number === 0 ? 503 : 'silence'
  const { value: result } = await simulate({}, (world) => {
    const server = world.server({ serviceTime: 25, answer })
    const requests = [[{ onResponse: () => world.hold(10) }, {}]]
    return run({ url: server.url, overallRate: 1, timeout: 0.03, requests, sessions: { amount: 1, connections: 2, failOn: [503] } })
  })
  t.match(result.accounting, { completed: 1, failed: 0, timedOut: 1 })
  t.match(result.sessions, { failed: 1, failTime: { max: 25 } })
  t.equal(result.latency.max, 30)
  t.same(result.missing.sessionLifetime, { count: 1, smallest: 25, largest: 25, total: 25 }, 'its lifetime is a lower bound')
})

t.test('a session that fails with the response at which a listener stops the run belongs to the last sample', async (t) => {
  let responses = 0
  const stopAtThird = (instance) => instance.on('response', () => { if (++responses === 3) instance.stop() })
  const { result } = await playInWorld(t, { serviceTime: 5, answer: 503 }, { overallRate: 10, duration: 2, sampleInt: 100, sessions: { failOn: [503], calls: 2 } }, stopAtThird)
  t.equal(result.sessions.failed, 3)
  t.same(result.timeline.map(({ sessions: { started, failed, open } }) => [started, failed, open]), [[1, 1, 0], [2, 2, 0]])
})

t.test('a session fails with all that it has in flight, even if the run ends in the same moment', async (t) => {
  // Both are due at 0 ms, the redirect at 20 ms. The thread is blocked from 25 to 40 ms, so the run is stopped at 40 ms, before the timer of the
  // deadline at 30 ms can fire.
  const answer = ({ path }) => path === '/b' ? { status: 302, headers: { Location: '/c' } } : 'silence'
  const { value: result, world } = await simulate({}, (world) => {
    const instance = run({
      url: world.server({ serviceTime: 20, answer }).url,
      overallRate: 1,
      duration: 1,
      timeout: 0.03,
      requests: [['/a', '/b'].map((path) => ({ path }))],
      followRedirects: 1,
      sessions: { connections: 2 }
    })
    world.after(25, () => world.hold(15))
    world.afterForClient(26, () => instance.stop())
    return instance
  })
  addsUp(t, result)
  t.same(world.log.map(({ path }) => path), ['/a', '/b', '/c'])
  t.match(result.accounting, { scheduled: 3, completed: 1, timedOut: 1, failed: 1, unfinished: 0 })
  t.match(result.sessions, { started: 1, failed: 1, unfinished: 0 })
  t.equal(result.errorCodes.CANNONADE_SESSION_FAILED.count, 1)
  t.same([result.latency.min, result.latency.max, result.latency.totalCount], [20, 30, 2])
  t.equal(result.latencyWithUnfinished.total, 20 + 30 + 20, 'with the age of the failed one')
  t.same(result.timeline.map(({ errors }) => errors), [2])
})

t.test('a session that has waited for too long has failed, even if the run ends before that is noticed', async (t) => {
  // The first session makes a call every 10 ms. The thread is blocked from 25 to 45 ms, when the run is stopped: the second session was due at
  // 10 ms, so it could wait until 40 ms; the others, due at 20, 30 and 40 ms, could wait longer.
  const { value: result } = await simulate({}, (world) => {
    const { url } = world.server({ serviceTime: 10 })
    const instance = run({ url, overallRate: 100, duration: 1, timeout: 0.03, sessions: { calls: 100, maxOpen: 1 } })
    world.after(25, () => world.hold(20))
    world.afterForClient(26, () => instance.stop())
    return instance
  })
  addsUp(t, result)
  t.match(result.accounting, { scheduled: 7, unsent: 4, completed: 2, unfinished: 1 })
  t.match(result.sessions, { scheduled: 5, unstarted: 3, started: 2, failed: 1, unfinished: 1 })
  t.equal(result.latency.total, 10 + 10 + 25 + 30 + 25 + 15 + 5)
})

t.test('a session whose request has waited for too long has failed, even if the run ends before that is noticed', async (t) => {
  // Nobody can connect. The thread is blocked from 5 to 25 ms, so the session that is due at 10 ms begins to connect at 25 ms; and from 31 to
  // 46 ms, when the run is stopped: its request could wait until 40 ms. The session that is due at 0 ms has failed at 30 ms.
  const { value: result } = await simulate({}, (world) => {
    const { url } = world.server({ attempt: () => 'silence' })
    const instance = run({ url, overallRate: 100, duration: 1, timeout: 0.03, sessions: true })
    world.after(5, () => world.hold(20))
    world.after(31, () => world.hold(15))
    world.afterForClient(32, () => instance.stop())
    return instance
  })
  addsUp(t, result)
  t.match(result.sessions, { scheduled: 5, unstarted: 1, started: 4, failed: 2, unfinished: 2 })
  t.match([result.accounting.unsent, result.latency.total, result.errors], [5, 30 + 30 + 26 + 16 + 6, 2])
})

t.test('no session begins after bailout has ended the run, even if the previous one has just left', async (t) => {
  const { value: result, world } = await simulate({}, (world) => {
    const server = world.server({ serviceTime: 5, answer: ({ number }) => number === 2 ? 'reset' : 200 })
    return run({ url: server.url, overallRate: 1000, requests: [[{}, {}, {}]], duration: 1, bailout: 1, sessions: { maxOpen: 1 } })
  })
  // The third call of the first session fails after 15 ms, while fifteen others wait, each of which would have three requests due.
  t.match(result.sessions, { scheduled: 16, started: 1, unstarted: 15, failed: 1 })
  t.match(result.accounting, { scheduled: 3 + 15, unsent: 15, sent: 3 })
  t.equal(world.sockets.length, 1)
})

t.test("a connection's back-off does not end a think time", async (t) => {
  // The second connection of each session is closed at once, 10 ms before it may be reopened.
  const { value: result, world } = await simulate({}, (world) => {
    const server = world.server({ serviceTime: 5, attempt: (number) => number % 2 === 1 ? 'end' : 'accept' })
    return run({ url: server.url, overallRate: 1, requests: [[{}, {}], {}], pipelining: 2, thinkTime: 0.1, sessions: { connections: 2, amount: 1 } })
  })
  t.same(world.log.map(({ sentAt, receivedAt }) => [sentAt, receivedAt].map((at) => (at - world.begunAt) / 1000)), [[0, 5], [0, 5], [105, 110]])
  t.equal(result.latency.max, 5)
  t.equal(result.sessions.lifetime.max, 110)
})

t.test('requests that came due while the thread was blocked belong to the window, also if the run is stopped then', async (t) => {
  const { value: { duration, sessions } } = await simulate({}, (world) => {
    const instance = run({ url: world.server({ serviceTime: 1 }).url, overallRate: 100, duration: 2, sessions: true })
    world.after(505, () => world.hold(295))
    world.afterForClient(506, () => instance.stop())
    return instance
  })
  t.equal(duration, 0.8)
  t.equal(sessions.scheduled, 81)
  t.equal(sessions.rate.offered, 101.25)
})

t.test('a request whose think time was over when the run was stopped, while the thread was blocked, was due', async (t) => {
  const { value: { accounting, latency, latencyBounds } } = await simulate({}, (world) => {
    const instance = run({ url: world.server({ serviceTime: 5 }).url, overallRate: 1, duration: 2, sessions: { calls: 3 }, thinkTime: 0.1 })
    world.after(50, () => world.hold(250))
    world.afterForClient(51, () => instance.stop())
    return instance
  })
  t.match(accounting, { scheduled: 2, unsent: 1, sent: 1, completed: 1 })
  t.equal(latency.max, 195, 'from 105 ms to 300 ms')
  t.equal(latencyBounds.count, 1)
})

t.test('so was one whose think time was over when its session failed, because another connection could not be opened', async (t) => {
  // Both requests of the burst go over the first connection. The attempt to open the second one has time until 100 ms, the user thinks until
  // 102 ms, and the thread is held until 120 ms.
  const { result } = await playInWorld(t, { serviceTime: 5, attempt: (number) => number === 1 ? 'silence' : 'accept' }, (world) => {
    world.afterForClient(95, () => world.hold(25))
    return { connections: 1, requests: [[{}, {}], {}], thinkTime: 0.092, timeout: 0.1, sessions: { amount: 1, connections: 2 } }
  })
  t.match(result.accounting, { scheduled: 3, sent: 2, completed: 2, unsent: 1 })
  t.match(result.sessions, { failed: 1, failTime: { max: 120 } })
  t.equal(result.latency.max, 18)
})

t.test('connections of a session with a slow setupRequest send each request of a burst once', async (t) => {
  const slowly = (request) => clock.sleep(2).then(() => request)
  const { value: result, world } = await simulate({}, (world) => {
    const server = world.server({ serviceTime: 5 })
    const burst = ['/a', '/b', '/c'].map((path) => ({ path, setupRequest: slowly }))
    return run({ url: server.url, connections: 1, requests: [burst, { path: '/d' }], sessions: { amount: 2, connections: 3 } })
  })
  t.same(world.log.map(({ path }) => path), ['/a', '/b', '/c', '/d', '/a', '/b', '/c', '/d'])
  t.same(world.log.slice(0, 4).map(({ sentAt }) => (sentAt - world.begunAt) / 1000), [2, 4, 6, 11], 'one setupRequest after another')
  t.match(result.accounting, { scheduled: 8, completed: 8 })
})

t.test('a stopped run reports how many of its sessions were over', async (t) => {
  const { value } = await simulate({}, (world) => {
    const instance = run({ url: world.server({ serviceTime: 10 }).url, overallRate: 10, sessions: { amount: 100 } })
    world.afterForClient(1005, () => instance.stop())
    return instance
  })
  t.match(value.warnings.find(({ code }) => code === 'STOPPED').message, 'The run was stopped after 10 of its 100 sessions, so the result covers only part of it.')
})

t.test('a session that waits for a place does not wait for a connection to open', async (t) => {
  const { value: { sendDelay, warnings } } = await simulate({ link: { delay: 5 } }, (world) => {
    world.hold(100) // a clock that has been running for a while
    return run({ url: world.server({ serviceTime: 30 }).url, overallRate: 50, duration: 1, sessions: { maxOpen: 1 } })
  })
  // Each of those that wait takes 10 ms to connect.
  t.ok(sendDelay.causes.connecting > 5 && sendDelay.causes.connecting <= 10, `${sendDelay.causes.connecting}`)
  t.ok(sendDelay.waiting.mean > 100, `${sendDelay.waiting.mean}`)
  t.match(warnings.find(({ code }) => code === 'MAX_OPEN_REACHED').message, /^\d+ sessions of 50 had to wait for others to end, and \d+ more until the run ended, because 1 were already open/)
})

t.test('a drain that is too short for the open sessions, or was stopped, is reported without a schedule as well', async (t) => {
  for (const [drain, stopAt, sentence] of [
    [0.1, null, 'The run ended before all responses had arrived: 2 requests were outstanding when the drain of 0.1 seconds ended. A longer drain waits for them, up to the timeout of 10 seconds at most.'],
    [5, 1050, 'The run was stopped while it waited for its last responses: 2 requests were outstanding.']
  ]) {
    const { value } = await simulate({}, (world) => {
      const instance = run({ url: world.server({ serviceTime: 300 }).url, connections: 2, duration: 1, drain, sessions: { calls: 9 } })
      if (stopAt !== null) world.afterForClient(stopAt, () => instance.stop())
      return instance
    })
    t.match(value.sessions, { started: 2, unfinished: 2 })
    t.equal(value.warnings.find(({ code }) => code === 'STOPPED').message, sentence)
  }
})

t.test('after the end of the window no sessions start, and open ones continue', async (t) => {
  const server = await delayServer(t, 60)
  const result = await run({ url: server.url, connections: 2, duration: 0.2, sessions: { calls: 10 } })
  addsUp(t, result)
  t.match(result.sessions, { scheduled: 2, completed: 2, unfinished: 0 })
  t.ok(result.drain.completed > 0)
})

t.test('sessions still open when the drain is over are unfinished', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 60 }, { overallRate: 20, duration: 0.2, drain: 0.1, sessions: { calls: 100 } })
  t.match(result.sessions, { scheduled: 4, started: 4, unfinished: 4 })
})

t.test('a call is due when the previous one is answered and the think time is over, at once without a think time', async (t) => {
  const server = await delayServer(t, 20)
  const result = await run({ url: server.url, connections: 1, sessions: { amount: 2, calls: 3 }, thinkTime: 0.05 })
  addsUp(t, result)
  t.ok(result.sessions.lifetime.min >= 3 * 20 + 2 * 50 - 1, `lifetime ${result.sessions.lifetime.min}`)
  const gaps = server.arrivals.slice(0, 3).map((at, index, all) => index === 0 ? 0 : at - all[index - 1])
  t.ok(gaps[1] >= 69 && gaps[2] >= 69, `gaps ${gaps}`)
  t.ok(result.latency.min >= 19.9, 'think time is not latency')
})

t.test('a request may have its own think time, or none', async (t) => {
  const server = await httpServer(t)
  const requests = [{ path: '/' }, { path: '/a', thinkTime: 0 }, { path: '/b', thinkTime: '80ms' }]
  const result = await run({ url: server.url, connections: 1, sessions: { amount: 1 }, thinkTime: 30, requests })
  addsUp(t, result)
  const [first, second, third] = server.arrivals
  t.ok(second - first < 20_000 && third - second >= 79, `${second - first}, ${third - second}`)
})

t.test('bursts are due together, and spread over the connections of the session', async (t) => {
  const paths = []
  const waiting = []
  const server = await httpServer(t, (request, response) => {
    paths.push(request.url)
    // The burst is answered when all of it has arrived, so it must have been sent together.
    if (!request.url.startsWith('/part')) return response.end('ok')
    waiting.push(response)
    if (waiting.length === 3) for (const each of waiting.splice(0)) each.end('ok')
  })
  const requests = [{ path: '/' }, [{ path: '/part1' }, { path: '/part2' }, { path: '/part3' }], { path: '/end' }]
  const result = await run({ url: server.url, connections: 1, sessions: { amount: 2, connections: 3 }, requests })
  addsUp(t, result)
  t.equal(result.accounting.completed, 10)
  t.equal(result.sessions.connections.average, 3)
  t.same(paths.slice(1, 4).sort(), ['/part1', '/part2', '/part3'])
  t.equal(paths[4], '/end')
})

t.test('a sequence that a client sets has no bursts, and the think time of the run', async (t) => {
  const { world, sent } = await playInWorld(t, { serviceTime: 10 }, {
    sessions: { amount: 1, connections: 3, calls: 4 },
    requests: [[{ path: '/a', thinkTime: 0.5 }, { path: '/b' }, { path: '/c' }]],
    thinkTime: 0.1,
    setupClient: (client) => client.setRequests([{ path: '/x' }, { path: '/y' }, { path: '/z' }])
  })
  t.same(world.log.map(({ path }) => path), ['/x', '/y', '/z', '/x'])
  t.same(sent.map(Math.round), [0, 110, 220, 330])
})

t.test('a client that sets a sequence again, in the middle of the session, still has the think time of the run', async (t) => {
  const others = [['/x', '/y'], ['/u', '/v', '/w'], ['/z']]
  for (const [name, thinkTime, pause] of [['the same for all', 0.1, 100], ['none', undefined, 0]]) {
    for (const times of [1, 2, 3]) {
      const { world, sent } = await playInWorld(t, { serviceTime: 10 }, {
        sessions: { amount: 1, calls: 6 },
        requests: [{ path: '/a' }, { path: '/b', thinkTime: 0.5 }],
        thinkTime,
        setupClient (client) {
          let count = 0
          client.on('response', () => { if (count < times) client.setRequests(others[count++].map((path) => ({ path }))) })
        }
      })
      const last = others[times - 1]
      const paths = ['/a', ...others.slice(0, times - 1).map(([path]) => path), ...last, ...last, ...last, ...last, ...last].slice(0, 6)
      t.same(world.log.map(({ path }) => path), paths, `${name}, ${times} times`)
      t.same(sent.map(Math.round), paths.map((_, index) => index * (10 + pause)))
    }
  }
})

t.test('on one connection a burst is pipelined as far as allowed', async (t) => {
  let together = 0
  const server = await rawServer(t, (socket, { path }) => {
    if (path !== '/') together++
    if (path === '/' || together % 4 === 0) for (let count = path === '/' ? 1 : 4; count > 0; count--) socket.write(reply('ok'))
  })
  const burst = ['/1', '/2', '/3', '/4'].map((path) => ({ path }))
  const result = await run({ url: server.url, connections: 1, pipelining: 4, sessions: { amount: 3 }, requests: [{ path: '/' }, burst] })
  addsUp(t, result)
  t.match(result.sessions, { completed: 3, lengths: [0, 0, 0, 0, 0, 3] })
  t.equal(server.connections, 3)
})

t.test('calls may cut a burst short, and start the sequence over', async (t) => {
  const paths = []
  const server = await httpServer(t, (request, response) => {
    paths.push(request.url)
    response.end()
  })
  const requests = [{ path: '/1' }, [{ path: '/2' }, { path: '/3' }]]
  const result = await run({ url: server.url, connections: 1, sessions: { amount: 1, calls: 5 }, requests })
  addsUp(t, result)
  t.same(paths, ['/1', '/2', '/3', '/1', '/2'])
})

t.test('of a response that is a redirect, failOn sees the one that it leads to', async (t) => {
  // Followed to a page, to an error, and to more redirects than are followed.
  const ends = { '/page': [200, false], '/error': [503, true], '/loop': [302, true] }
  for (const http2 of [false, true]) {
    for (const [end, [status, fails]] of Object.entries(ends)) {
      for (const [failOn, isListed] of [[['3xx'], status === 302], [['5xx'], status === 503], [['3xx', '5xx'], fails]]) {
        for (const user of [undefined, async (user) => { await user.get('/first') }]) {
          const answer = ({ path }) => path === end && status !== 302 ? status : { status: 302, headers: { location: end } }
          const { result } = await playInWorld(t, { http2, answer }, { http2, overallRate: 10, followRedirects: 2, sessions: { amount: 3, failOn }, ...(user === undefined ? { requests: [{ path: '/first' }] } : { user }) })
          t.same([result.sessions.completed, result.sessions.failed], isListed ? [0, 3] : [3, 0], `${http2} ${end} ${failOn} ${user !== undefined}`)
        }
      }
    }
  }
})

t.test('a status of failOn ends a session as failed', async (t) => {
  const server = await httpServer(t, (request, response) => {
    response.statusCode = request.url === '/2' ? 503 : 200
    response.end()
  })
  const requests = [{ path: '/1' }, { path: '/2' }, { path: '/3' }]
  const result = await run({ url: server.url, connections: 2, sessions: { amount: 5, failOn: ['5xx'] }, requests })
  addsUp(t, result)
  t.match(result.sessions, { started: 5, completed: 0, failed: 5, lengths: [0, 0, 5] })
  t.equal(result.errors, 0, 'a response is not an error')
  t.match(result.accounting, { scheduled: 10, completed: 10 }, 'requests that were not due do not exist')
})

t.test('requests of a failed session are lost with it, not by their own connection', async (t) => {
  const requests = [[{ path: '/fails' }, { path: '/waits' }]]
  const server = await httpServer(t, (request, response) => {
    if (request.url !== '/fails') return
    response.statusCode = 503
    setTimeout(() => response.end(), 20)
  })
  const result = await run({ url: server.url, connections: 1, sessions: { amount: 2, connections: 2, failOn: ['5xx'] }, requests })
  addsUp(t, result)
  t.match(result.accounting, { sent: 4, completed: 2, failed: 2 })
  t.same(Object.entries(result.errorCodes).map(([code, { count, message }]) => [code, count, message]),
    [['CANNONADE_SESSION_FAILED', 2, 'another request of the same session failed']])
})

t.test('a timeout fails the session, and everything else it has in flight', async (t) => {
  const burst = [{ path: '/1' }, { path: '/2' }]
  const { result } = await playInWorld(t, { answer: 'silence' }, { connections: 1, timeout: 0.3, sessions: { amount: 2, connections: 2 }, requests: [burst, { path: '/3' }] })
  t.match(result.sessions, { failed: 2, lengths: [2] })
  const { timedOut, failed, sent } = result.accounting
  t.equal(sent, 4)
  t.equal(timedOut + failed, 4)
  t.ok(timedOut >= 2)
})

t.test('a connection that cannot be opened fails its session at once', async (t) => {
  const { url } = await closedPort(t)
  const open = await run({ url, overallRate: 20, duration: 0.25, sessions: true })
  addsUp(t, open)
  t.match(open.sessions, { scheduled: 5, failed: 5 })
  t.match(open.accounting, { scheduled: 5, unsent: 5, sent: 0 })
  t.equal(open.errorCodes.ECONNREFUSED.count, 5)
  const { result: closed } = await playInWorld(t, { attempt: () => 'refuse' }, { connections: 2, duration: 0.4, sessions: true })
  // After 0, 10, 30, 70, 150 and 310 ms.
  t.equal(closed.connectionStats.failed, 12, 'a user who was refused waits before the next comes')
})

t.test('users return, however long there was no response', async (t) => {
  for (const timeout of [0.1, 1]) {
    const { value: result, world } = await simulate({}, (world) => {
      const server = world.server({ serviceTime: 1 })
      server.refuse()
      world.after(4000, () => server.accept())
      return run({ url: server.url, connections: 3, sessions: { calls: 2 }, thinkTime: 0.05, duration: 8, timeout })
    })
    addsUp(t, result)
    // Refused after 0, 10, 30, … 630, 1,270 ms and then every second: at 4,270 ms the server is there for a while.
    t.equal(result.sessions.failed, 3 * 10)
    t.match(result.sessions.lengths, [30])
    t.ok(result.sessions.completed > 150, `${result.sessions.completed}`)
    t.same(world.leftovers, [])
  }
})

t.test('users whose sessions all fail end a run by amount', async (t) => {
  const { result, world } = await playInWorld(t, { answer: 'silence' }, { connections: 3, sessions: { amount: 40 }, timeout: 0.1 })
  addsUp(t, result)
  t.match(result.sessions, { scheduled: 40, failed: 40 })
  t.match(result.accounting, { sent: 40, timedOut: 40 })
  t.same(world.leftovers, [])
})

t.test('users still thinking when the drain is over are unfinished, with a warning', async (t) => {
  const play = async (opts) => {
    const { result, world } = await playInWorld(t, { serviceTime: 1 }, { duration: 1, timeout: 1, thinkTime: 5, sessions: { calls: 2 }, thresholds: ['sessions.lifetime.p99 < 10s'], ...opts })
    addsUp(t, result)
    t.same(world.leftovers, [])
    return result
  }
  for (const [opts, count] of [[{ overallRate: 10 }, 10], [{ connections: 3 }, 3], [{ connections: 3, drain: 0.5 }, 3]]) {
    const { sessions, accounting, warnings, passed } = await play(opts)
    t.match({ sessions, accounting }, { sessions: { completed: 0, unfinished: count }, accounting: { completed: count, unfinished: 0 } })
    t.match(warnings.map(({ code }) => code), ['SESSIONS_UNFINISHED'])
    t.match(warnings[0].message, new RegExp(`^${count} sessions of ${count} had not made all calls when the drain of ${opts.drain ?? 1} seconds ended`))
    t.equal(passed, false)
  }
  const patient = await play({ overallRate: 10, drain: 5.1 })
  t.match(patient, { sessions: { completed: 10, unfinished: 0 }, warnings: [], passed: true })
})

t.test('a connection that the server closes while it is idle is reopened, and fails no session', async (t) => {
  const { value: result, world } = await simulate({}, (world) => {
    const { url } = world.server({ answer: { status: 200, body: 'ok', then: 'end' } })
    return run({ url, connections: 1, sessions: { amount: 3, calls: 3 }, thinkTime: 0.05 })
  })
  addsUp(t, result)
  t.equal(world.sockets.length, 9)
  t.match(result.sessions, { completed: 3, failed: 0, connections: { average: 3 } })
  t.equal(result.errors, 0)
})

t.test('a connection that breaks fails its session', async (t) => {
  const server = await rawServer(t, (socket, request, index) => {
    if (index % 2 === 0) socket.write(reply('ok'))
    else socket.resetAndDestroy()
  })
  const result = await run({ url: server.url, connections: 1, sessions: { amount: 4, calls: 3 } })
  addsUp(t, result)
  t.match(result.sessions, { failed: 4, lengths: [0, 4] })
  t.equal(result.accounting.failed, 4)
})

t.test('each session that waited is counted, also if it waited alone', async (t) => {
  // They come every 100 ms and take 150 ms each, so all but the first wait: alone at first, later with others.
  const { result } = await playInWorld(t, { serviceTime: 150 }, { overallRate: 10, sessions: { amount: 9, maxOpen: 1 } })
  t.match(result.warnings, [{ message: /^8 sessions of 9 had to wait for others to end/ }])
})

t.test('beyond maxOpen, sessions wait, and their times count from when they were due', async (t) => {
  const server = await delayServer(t, 50)
  const result = await run({ url: server.url, overallRate: 100, sessions: { amount: 6, maxOpen: 1 } })
  addsUp(t, result)
  t.match(result.sessions, { scheduled: 6, completed: 6, peak: 1 })
  t.ok(result.latency.max >= 6 * 50 - 5 * 10 - 1, `latency.max ${result.latency.max}`)
  t.equal(server.peakConnections ?? 1, 1)
  t.ok(result.warnings.some(({ code }) => code === 'MAX_OPEN_REACHED'))
})

t.test('a session that has waited longer than the timeout has failed', async (t) => {
  const { result } = await playInWorld(t, { answer: 'silence' }, { overallRate: 20, duration: 0.2, timeout: 0.3, drain: 3, sessions: { maxOpen: 1 } })
  t.equal(result.sessions.scheduled, 4)
  t.equal(result.accounting.unsent + result.accounting.timedOut, 4)
  t.ok(result.sessions.failed >= 1)
})

t.test('stop() leaves open sessions unfinished, and waiting ones unstarted', async (t) => {
  const { result } = await playInWorld(t, { answer: 'silence' }, { overallRate: 100, duration: 60, sessions: { maxOpen: 2, calls: 3 } }, (instance) => instance.on('tick', instance.stop))
  t.match(result.sessions, { started: 2, unfinished: 2 })
  t.equal(result.sessions.unstarted, result.sessions.scheduled - 2)
  t.equal(result.accounting.unsent, result.sessions.unstarted)
})

t.test('each session keeps its own context, cookies and row', async (t) => {
  const seen = []
  const server = await httpServer(t, (request, response) => {
    seen.push({ path: request.url, cookie: request.headers.cookie })
    response.setHeader('Set-Cookie', `user=${request.url.split('/')[1]}`)
    response.end()
  })
  const contexts = []
  const requests = [
    { path: '/{{name}}/1', onResponse: (status, body, context) => { context.calls = (context.calls ?? 0) + 1 } },
    { path: '/{{name}}/2', onResponse: (status, body, context) => contexts.push(context) }
  ]
  const feed = { rows: [{ name: 'ada' }, { name: 'bob' }, { name: 'eve' }], order: 'once' }
  const result = await run({ url: server.url, connections: 2, duration: 600, sessions: { calls: 4 }, cookies: true, requests, feed })
  addsUp(t, result)
  t.match(result.sessions, { scheduled: 3, completed: 3 }, 'as many sessions as rows')
  for (const name of ['ada', 'bob', 'eve']) {
    const own = seen.filter(({ path }) => path.startsWith(`/${name}/`))
    t.same(own.map(({ path }) => path), [1, 2, 1, 2].map((step) => `/${name}/${step}`))
    t.same(own.map(({ cookie }) => cookie), [undefined, `user=${name}`, `user=${name}`, `user=${name}`])
  }
  t.equal(new Set(contexts).size, 3)
  t.ok([...new Set(contexts)].every(({ calls }) => calls === 2))
})

// What a session keeps, it keeps on whichever of its connections it arrived.
for (const [name, settings, opts, hasUserCode] of [
  ['HTTP/1.1', {}, {}], ['HTTP/2', { http2: true }, { http2: true }], ['a user as code', {}, {}, true], ['a user as code over HTTP/2', { http2: true }, { http2: true }, true]
]) {
  t.test(`all connections of a session have its cookies, its context and its client: ${name}`, async (t) => {
    const answer = ({ path }) => ({ headers: { 'Set-Cookie': `${path.slice(1)}=1; Path=/` }, after: path === '/a' ? 20 : 0 })
    const heard = new Map()
    const contexts = new Set()
    const setupClient = (client) => client.on('response', () => heard.set(client, (heard.get(client) ?? 0) + 1))
    const onResponse = (status, body, context) => { contexts.add(context) }
    const calls = { requests: [['/a', '/b'], ['/c', '/d']].map((paths) => paths.map((path) => ({ path, onResponse }))) }
    const user = { user: async (user) => { for (const paths of [['/a', '/b'], ['/c', '/d']]) await Promise.all(paths.map((path) => user.get(path))) } }
    const { result, world } = await playInWorld(t, { ...settings, answer, slots: 9 }, { ...opts, ...(hasUserCode ? user : calls), cookies: true, pipelining: 1, overallRate: 1, duration: 2, sessions: { connections: 2 }, setupClient })
    t.equal(result.sessions.completed, 2)
    t.equal(result.connectionStats.opened, 4)
    t.same(world.log.map(({ path, cookie }) => [path, cookie?.split('; ').sort().join() ?? '']), [0, 1].flatMap(() => [['/a', ''], ['/b', ''], ['/c', 'a=1,b=1'], ['/d', 'a=1,b=1']]))
    t.same([...heard.values()], [4, 4], 'a client hears the responses on both')
    if (!hasUserCode) t.equal(contexts.size, 2, 'one context for each session')
  })
}

t.test('redirects are followed within the session, and are not calls', async (t) => {
  const server = await httpServer(t, (request, response) => {
    if (request.url === '/old') {
      response.statusCode = 302
      response.setHeader('Location', '/new')
    }
    response.end()
  })
  const result = await run({ url: server.url, connections: 1, followRedirects: 3, sessions: { amount: 2, calls: 2 }, requests: [{ path: '/old' }] })
  addsUp(t, result)
  t.match(result.sessions, { completed: 2, lengths: [0, 0, 0, 0, 2] })
})

t.test('setupClient is called for each session, and nothing is sent until it has finished', async (t) => {
  const server = await httpServer(t)
  const clients = new Set()
  let done = 0
  const result = await run({
    url: server.url,
    connections: 2,
    sessions: { amount: 4, connections: 2 },
    requests: [[{ path: '/1' }, { path: '/2' }]],
    setupClient: async (client) => {
      clients.add(client)
      client.setHeaders({ 'x-user': String(clients.size) })
      await new Promise(setImmediate)
      t.ok(server.requests <= 2 * done + 2)
      done++
    }
  })
  addsUp(t, result)
  t.equal(clients.size, 4)
  t.equal(done, 4)
})

t.test('an asynchronous hook delays only its own session', async (t) => {
  const server = await httpServer(t)
  const requests = [{ path: '/1', onResponse: () => new Promise((resolve) => setTimeout(resolve, 30)) }, { path: '/2' }]
  const result = await run({ url: server.url, connections: 2, sessions: { amount: 4 }, requests })
  addsUp(t, result)
  t.ok(result.sessions.lifetime.min >= 29)
})

t.test('keepAlive: false opens a connection for each call', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 2, keepAlive: false, sessions: { amount: 4, calls: 3 } })
  addsUp(t, result)
  t.equal(server.connections, 12)
  t.equal(result.sessions.connections.average, 3)
})

t.test('threads together have the totals of one', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, overallRate: 100, workers: 2, sessions: { amount: 21, calls: 2 } })
  addsUp(t, result)
  t.match(result.sessions, { scheduled: 21, completed: 21, lengths: [0, 0, 21] })
  t.equal(server.requests, 42)
  t.equal(server.connections, 21)
})

t.test('a session log is followed entry by entry', async (t) => {
  const paths = []
  const server = await httpServer(t, (request, response) => {
    paths.push(`${request.method} ${request.url}`)
    response.end()
  })
  const { parseSessionLog } = require('../../../lib/inputs/session-log')
  const log = parseSessionLog('/a\n/b method=POST contents="x=1"\n\n/c think=0\n\t/d\n')
  const result = await run({ url: server.url, connections: 1, sessions: { amount: 3, log } })
  addsUp(t, result)
  t.same(paths, ['GET /a', 'POST /b', 'GET /c', 'GET /d', 'GET /a', 'POST /b'])
  t.same(result.endpoints.map(({ path }) => path), ['/a', '/b', '/c', '/d'])
})

t.test('of a burst in a session log, the first call is sent alone, and the others together after its response', async (t) => {
  const { parseSessionLog } = require('../../..')
  const log = parseSessionLog('/a think=0.5\n /b method=PUT\n /c\n/d\n /e\n')
  for (const pipelining of [1, 2]) {
    const { value: result, world } = await simulate({ seed: 1 }, (world) => {
      const server = world.server({ serviceTime: 10 })
      return run({ url: server.url, overallRate: 1, pipelining, thinkTime: 3, sessions: { amount: 1, connections: 3 - pipelining, log } })
    })
    t.same(world.log.map(({ path }) => path), ['/a', '/b', '/c', '/d', '/e'])
    t.same(world.log.map(({ sentAt }) => (sentAt - world.log[0].sentAt) / 1000), [0, 10, 10, 520, 530])
    t.equal(result.latency.max, 10)
  }
})

t.test('a warm-up and the timeline include sessions as well', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 1 }, { overallRate: 50, duration: 0.4, sampleInt: 200, warmup: 0.1, sessions: true })
  t.equal(result.warmup.sessions.completed, 5)
  t.same(result.timeline.map(({ sessions }) => sessions.scheduled), [10, 10])
})

t.test('a server that dies leaves no session open', async (t) => {
  const server = await httpServer(t, (request, response, index) => {
    response.end()
    if (index === 10) process.nextTick(() => server.close())
  })
  const result = await run({ url: server.url, overallRate: 100, duration: 0.3, bailout: 5, sessions: { calls: 3 } })
  addsUp(t, result)
  t.ok(result.sessions.failed > 0)
})

t.test('a request has its own think time without sessions as well', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 1, amount: 4, requests: [{ path: '/a' }, { path: '/b', thinkTime: 0.06 }] })
  t.equal(result.accounting.completed, 4)
  const gaps = server.arrivals.slice(1).map((at, index) => at - server.arrivals[index])
  t.ok(gaps[0] >= 59 && gaps[2] >= 59, `gaps ${gaps}`)
})

t.test('a session that waits for a place until its deadline has failed, and one that waits at the end has not started', async (t) => {
  // The first has ten calls of 95 ms; those that arrive at 100, 200, 300 and 400 ms give up half a second later.
  const { value: result } = await simulate({}, (world) => run({
    url: world.server({ serviceTime: 95 }).url, overallRate: 10, duration: 0.92, timeout: 0.5, sessions: { calls: 10, maxOpen: 1 }
  }))
  addsUp(t, result)
  t.match(result.sessions, { scheduled: 10, started: 5, completed: 1, failed: 4, unstarted: 5, peak: 1, lengths: [4, ...new Array(9).fill(0), 1] })
  t.match(result.sessions.failTime, { min: 500, max: 500, totalCount: 4 })
  t.match(result.accounting, { scheduled: 19, unsent: 9, completed: 10 })
})

t.test('threads together have no more open sessions than maxOpen', async (t) => {
  const { value: result } = await simulate({}, (world) => run({
    url: world.server({ serviceTime: 100 }).url, workers: 2, overallRate: 100, duration: 0.5, timeout: 5, sessions: { maxOpen: 4 }
  }))
  addsUp(t, result)
  t.equal(result.sessions.peak, 4)
})

t.test('a session whose next request is delayed by a hook until its deadline has failed', async (t) => {
  const { value: result } = await simulate({}, (world) => run({
    url: world.server({ serviceTime: 5 }).url,
    overallRate: 10,
    duration: 0.5,
    timeout: 0.3,
    drain: 2,
    requests: [{}, { setupRequest: () => new Promise(() => {}) }],
    sessions: true
  }))
  addsUp(t, result)
  t.match(result.sessions, { scheduled: 5, failed: 5, unfinished: 0, lengths: [0, 5] })
  t.match(result.sessions.failTime, { min: 305, max: 305 })
  t.match(result.accounting, { completed: 5, unsent: 5 })
})

t.test('a user without a response waits 10 ms, then 20 ms; a response resets it to 10 ms', async (t) => {
  const { world } = await simulate({}, (world) => run({
    url: world.server({ serviceTime: 5, answer: ({ number }) => [0, 2, 3, 5].includes(number) ? 'end' : 200 }).url, connections: 1, sessions: { amount: 7, calls: 1 }
  }))
  t.same(world.log.map(({ sentAt }) => (sentAt - world.begunAt) / 1000), [0, 15, 20, 35, 60, 65, 80])
})

t.test('all connections of a session go to one URL, and sessions use the URLs in turn', async (t) => {
  const { world } = await simulate({}, (world) => run({
    url: ['10.0.0.1', '10.0.0.2'].map((host) => world.server({ host, serviceTime: 5 }).url),
    overallRate: 10,
    duration: 0.5,
    requests: [[{}, {}]],
    sessions: { connections: 2 }
  }))
  t.same(world.servers.map(({ requests, attempts }) => [requests, attempts.accepted]), [[6, 6], [4, 4]])
})

t.test('the offered rate is that of the window: calls during the drain are not part of it', async (t) => {
  // Calls are 305 ms apart: within half a second there are the five first ones, and the second ones of two sessions.
  const { value: result } = await simulate({}, (world) => run({
    url: world.server({ serviceTime: 5 }).url, overallRate: 10, duration: 0.5, thinkTime: 0.3, drain: 5, sessions: { calls: 3 }
  }))
  t.equal(result.accounting.completed, 15)
  t.match(result.rate, { offered: 14, achieved: 14 })
  t.match(result.sessions.rate, { offered: 10, achieved: 0 })
})

t.test('all sessions that fail in the turn in which bailout ends the run count as failed', async (t) => {
  const { value: result } = await simulate({}, (world) => {
    const server = world.server({ answer: 'silence' })
    return run({ url: server.url, connections: 3, duration: 10, timeout: 0.5, bailout: 1, sessions: { calls: 2 } })
  })
  t.match(result.sessions, { started: 3, failed: 3, unfinished: 0, failTime: { totalCount: 3, min: 500, max: 500 } })
  t.match(result.accounting, { timedOut: 3, unfinished: 0 })
})

t.test('a returned request is the next one of its session, and the one that has waited longest', async (t) => {
  const visit = new Visit({ timeout: 1000 }, { number: 0, slot: 0, dueAt: 10, scenario: null }, [])
  visit.due = [30, 40]
  visit.unwritten(20)
  t.same(visit.due, [20, 30, 40])
  t.equal(visit.oldestDue, 20)
  t.equal(new Visit({}, { dueAt: 10 }, [{ oldestPrepared: 5 }, { oldestPrepared: Infinity }]).oldestDue, 5)
})

t.test('the offered rate ends with the last session, also if that came due while the thread stood still, and the run was stopped', async (t) => {
  const { value: result } = await simulate({}, (world) => {
    const instance = run({ url: world.server({ serviceTime: 5 }).url, overallRate: 10, sessions: { amount: 5 } })
    world.after(250, () => world.hold(450))
    world.afterForClient(260, () => instance.stop())
    return instance
  })
  // Five in half a second; the run was stopped at 700.
  t.equal(result.duration, 0.7)
  t.match(result.sessions, { scheduled: 5, rate: { offered: 10 } })
})

t.test('a session that has waited too long when the run is stopped has failed, even if the thread was held until then', async (t) => {
  for (const [held, expected] of [[40, { unstarted: 0, started: 2, failed: 1, unfinished: 1 }], [5, { unstarted: 1, started: 1, failed: 0, unfinished: 1 }]]) {
    // The second session is due at 100 ms, and waits for the first, which is thinking.
    const opts = { overallRate: 10, duration: 0.15, timeout: 0.1, drain: 1, thinkTime: 5, sessions: { calls: 2, maxOpen: 1 } }
    const { result } = await playInWorld(t, {}, opts, (instance, world) => world.afterForClient(190, () => {
      world.hold(held)
      instance.stop()
    }))
    t.match(result.sessions, { scheduled: 2, completed: 0, ...expected }, `held for ${held} ms`)
  }
})

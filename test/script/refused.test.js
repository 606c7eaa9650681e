'use strict'

// Requests that an HTTP/2 server refuses with GOAWAY are sent again with the cookies of that time, as all others are, and each cookie once.

const t = require('tap')
const { run } = require('../..')
const { simulate } = require('../simulation/world')
const { violations } = require('../support/accounts')

const walk = async (user) => { for (let round = 0; round < 10; round++) await Promise.all(['/1', '/2', '/3'].map((path) => user.get(path))) }
const LOADS = {
  'closed model': { amount: 30 },
  'open model': { amount: 30, overallRate: 200 },
  'a function': { user: walk, sessions: { amount: 1, connections: 1 }, overallRate: 10 },
  'a session': { sessions: { amount: 1, connections: 1, calls: 30 }, requests: [['/1', '/2', '/3'].map((path) => ({ path }))], overallRate: 10 }
}

/** The cookies of the responses that arrived last; null stands for none. */
function latest (answered) {
  if (answered.length === 0) return [null]
  const last = Math.max(...answered.map(({ receivedAt }) => receivedAt))
  return answered.filter(({ receivedAt }) => receivedAt === last).map(({ number }) => `n=${number}`)
}

/** Requests that were sent before another that was made before them, at the same time. */
function outOfOrder (world) {
  const sent = world.sockets.flatMap(({ requests }) => [...requests.byStream.values()].map(({ sentAt, fields }) => ({ sentAt, path: fields.find(([name]) => name === ':path')[1] })))
  return sent.filter(({ sentAt, path }, index) => sent[index - 1]?.sentAt === sentAt && sent[index - 1].path > path)
}

t.test('each request has the cookies of the responses until then, also one that is sent again', async (t) => {
  for (const [model, load] of Object.entries(LOADS)) {
    for (const own of [null, 'own=1']) {
      for (const leavesAt of [35, 41, 48]) {
        const { value: result, world } = await simulate({ seed: 1 }, (world) => {
          const answer = ({ number }) => ({ status: 200, headers: { 'Set-Cookie': `n=${number}; Path=/` } })
          const server = world.server({ serviceTime: ({ number }) => 8 + number % 3 * 2, http2: true, link: { delay: 1 }, answer })
          for (const times of [1, 2, 3]) world.after(leavesAt * times, () => server.goAwayAll({ untaken: 2 }))
          return run({ url: server.url, http2: true, connections: 1, pipelining: 3, timeout: 5, cookies: true, ...(own && { headers: { cookie: own } }), ...load })
        })
        const what = `${model}, own cookie ${own}, after ${leavesAt} ms`
        for (const { requests } of world.sockets) {
          for (const { sentAt, fields } of requests.byStream.values()) {
            // What arrives at the same time may be read before or after.
            const numbers = [(at) => at < sentAt, (at) => at <= sentAt].flatMap((isBefore) => latest(world.log.filter(({ receivedAt }) => receivedAt !== null && isBefore(receivedAt))))
            const cookie = fields.filter(([name]) => name === 'cookie').map(([, value]) => value).join('; ')
            const allowed = numbers.map((number) => [own, number].filter(Boolean).join('; '))
            t.ok(allowed.includes(cookie), `${what}: ${cookie} at ${sentAt}, and not ${allowed.join(' or ')}`)
          }
        }
        t.ok(result.connectionStats.opened > 1, what)
        t.same([...violations(result), ...world.leftovers], [], what)
        if (load.user) t.same(outOfOrder(world), [], `${what}: calls that are made together are sent in order, also again`)
      }
    }
  }
})

t.test('requests that a second GOAWAY refuses are sent again before those of the first, which were behind them', async (t) => {
  const paths = ['/a', '/b', '/c', '/d']
  const ways = {
    'the closed model': { amount: 8, requests: paths.map((path) => ({ path, onResponse () {} })) },
    'a function': { user: (user) => Promise.all([...paths, ...paths].map((path) => user.get(path))), sessions: { amount: 1, connections: 1 }, overallRate: 10 },
    'a session': { requests: [[...paths, ...paths].map((path) => ({ path }))], sessions: { amount: 1, connections: 1, calls: 8 }, overallRate: 10 }
  }
  for (const [way, load] of Object.entries(ways)) {
    const { value: result, world } = await simulate({ seed: 1 }, (world) => {
      const server = world.server({ serviceTime: 50, http2: true })
      world.after(10, () => server.goAwayAll({ untaken: 1 }))
      // A server that shuts down gracefully may lower the last stream that it has taken.
      world.after(20, () => { for (const connection of server.openConnections) connection.leave(0, 2) })
      return run({ url: server.url, http2: true, connections: 1, pipelining: 4, ...load })
    })
    const answered = world.log.filter(({ receivedAt }) => receivedAt !== null).map(({ path }) => path)
    t.same(answered, [...paths, ...paths], way)
    t.equal(result.accounting.completed, 8, way)
    t.ok(result.connectionStats.opened > 1, way)
    t.same([...violations(result), ...world.leftovers], [], way)
  }
})

t.test('a redirect that is refused is sent again itself, and not the request that was redirected, whatever makes the requests', async (t) => {
  const ways = {
    'a function': { user: async (user) => { await user.get('/from', { headers: { 'X-A': '1' } }) }, overallRate: 10, duration: 0.2 },
    sessions: { sessions: { calls: 1 }, requests: [{ path: '/from', headers: { 'X-A': '1' } }], overallRate: 10, duration: 0.2 },
    scenarios: { scenarios: [{ name: 'a', requests: [{ path: '/from', headers: { 'X-A': '1' } }] }], overallRate: 10, duration: 0.2 },
    'the closed model': { requests: [{ path: '/from', headers: { 'X-A': '1' } }], amount: 2 },
    'the open model': { requests: [{ path: '/from', headers: { 'X-A': '1' } }], overallRate: 10, amount: 2 },
    hooks: { requests: [{ path: '/from', setupRequest: (request) => ({ ...request, headers: { 'X-A': '1' } }) }], amount: 2 }
  }
  for (const [way, opts] of Object.entries(ways)) {
    const { value: result, world } = await simulate({ seed: 1 }, (world) => {
      // The first redirect is in progress then.
      const serviceTime = ({ path }) => {
        if (path === '/to' && world.log.length === 2) world.after(5, () => server.goAwayAll({ untaken: 1 }))
        return path === '/to' ? 20 : 1
      }
      const server = world.server({ serviceTime, http2: true, answer: ({ path }) => path === '/from' ? { status: 302, headers: { Location: '/to' } } : 200 })
      return run({ url: server.url, http2: true, connections: 1, followRedirects: 3, ...opts })
    })
    t.same(world.log.map(({ path }) => path).slice(0, 3), ['/from', '/to', '/to'], way)
    t.same(world.log.filter(({ text }) => !/x-a/i.test(text)), [], `${way}: with its headers`)
    t.equal(result.accounting.completed, world.log.filter(({ receivedAt }) => receivedAt !== null).length, way)
    t.same([...violations(result), ...world.leftovers], [], way)
  }
})

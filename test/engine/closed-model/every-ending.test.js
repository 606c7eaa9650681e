'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { playInWorld } = require('../../support/play-in-world')
const { closedPort, silentServer, tlsServer } = require('../../support/servers')
const { moodyServer } = require('../../support/moody-server')
const { until } = require('../../support/wait')

// However a run ends, each sent request has exactly one outcome, and the server received those that reached it.
const ODD = [200, 200, 'reset', 200, { headers: { Connection: 'close' }, then: 'end' }, 404, { body: 'x'.repeat(50), cutAt: 70, then: 'end' }, 200]
const TEMPERS = {
  healthy: { serviceTime: 1 },
  slow: { serviceTime: 8 },
  faulty: { serviceTime: 1, answer: ({ number }) => ODD[number % ODD.length] },
  silent: { answer: 'silence' }
}

const after = (ms, end) => ({ duration: 30, during: (instance, world, server) => world.afterForClient(ms, () => end(instance, server)) })
const ENDINGS = {
  'its time is up': () => ({ duration: 0.25 }),
  'its amount is used up': () => ({ amount: 24, timeout: 0.1 }),
  'each connection has had its requests': () => ({ maxConnectionRequests: 6, timeout: 0.1 }),
  'stop is called': () => after(151, (instance) => instance.stop()),
  'stop is called in the middle of a packet': () => ({
    duration: 0.4,
    during: (instance) => instance.once('response', instance.stop)
  }),
  'its signal is aborted': () => {
    const controller = new AbortController()
    return { ...after(151, () => controller.abort()), signal: controller.signal }
  },
  'its signal was aborted before': () => ({ duration: 30, signal: AbortSignal.abort() }),
  'it bails out': () => ({ duration: 0.6, timeout: 0.1, bailout: 3 }),
  'the server dies': () => ({
    ...after(151, (instance, server) => {
      server.resetAll()
      server.refuse()
    }),
    duration: 0.5
  })
}

for (const [temper, settings] of Object.entries(TEMPERS)) {
  for (const [ending, make] of Object.entries(ENDINGS)) {
    t.test(`a ${temper} server, and the run ends because ${ending}`, async (t) => {
      for (const link of [{}, { delay: 0.4, jitter: 3, split: 0.5 }]) {
        for (const pipelining of [1, 4]) {
          const { during, ...opts } = make()
          const { result: { accounting }, world } = await playInWorld(t, settings, { connections: 3, pipelining, ...opts }, during, { seed: 3, link })
          const { sent, completed } = accounting
          t.equal(completed, world.log.filter(({ receivedAt }) => receivedAt !== null).length, 'completed is the number of responses read')
          t.equal(sent > 0, !ending.includes('before'), `${sent} sent`)
        }
      }
    })
  }
}

// The same with real sockets.
const REAL_ENDINGS = {
  'its time is up': () => ({ duration: 0.25 }),
  'its amount is used up': () => ({ amount: 24, timeout: 2 }),
  'stop is called': () => ({ duration: 30, during: (instance) => setTimeout(instance.stop, 150) }),
  'its signal is aborted': () => ({ duration: 30, signal: AbortSignal.timeout(150) }),
  'the server dies': () => ({ duration: 0.5, dies: true })
}
for (const [ending, make] of Object.entries(REAL_ENDINGS)) {
  t.test(`a real server with mixed behavior, and the run ends because ${ending}`, async (t) => {
    const server = await moodyServer(t, ['ok', 'ok', 'rst', 'ok', 'closing', 'notFound', 'cutBody', 'ok'])
    const { during, dies, ...opts } = make()
    const { accounting: { sent, completed } } = await benchmark(t, { url: server.url, connections: 3, pipelining: 2, ...opts }, (instance) => {
      during?.(instance)
      if (dies) setTimeout(server.close, 150)
    })
    await until(() => server.openConnections === 0)
    between(t, server.requests, completed, sent, 'received')
    between(t, server.answered, completed, sent, 'answered')
  })
}

t.test('stopped after a deadline has passed but before it was noticed: still a timeout', async (t) => {
  const { result: { accounting, timeline } } = await playInWorld(t, { answer: 'silence' }, { connections: 2, timeout: 0.3, duration: 30 }, (instance, world) => {
    world.afterForClient(10, () => {
      world.hold(350)
      instance.stop()
    })
  })
  t.match(accounting, { sent: 2, timedOut: 2, unfinished: 0 })
  t.equal(timeline.at(-1).errors, 2)
})

t.test('no connection can be opened, and the run ends in every way', async (t) => {
  const servers = {
    'nobody listens': { attempt: () => 'refuse' },
    'nobody takes the connection': { attempt: () => 'silence' },
    'nobody shakes hands': { secure: true, handshake: 'silence' },
    'the name is unknown': { host: 'shop.test', lookupError: 'ENOTFOUND' }
  }
  for (const [trouble, settings] of Object.entries(servers)) {
    for (const [ending, make] of Object.entries(ENDINGS)) {
      const { during, ...opts } = make()
      const limit = opts.maxConnectionRequests ? { duration: 0.3 } : {}
      const { result: { accounting, errors, connectionStats, warnings } } = await playInWorld(t, settings, { connections: 3, timeout: 0.1, ...opts, ...limit }, during)
      const name = `${trouble}, ${ending}`
      t.match(accounting, { scheduled: 0, unsent: 0, sent: 0, completed: 0, failed: 0, timedOut: 0, unfinished: 0 }, name)
      t.equal(errors, connectionStats.failed, name)
      t.equal(connectionStats.failed > 0, !ending.includes('before'), name)
      t.equal(warnings.some(({ code }) => code === 'NO_CONNECTION'), connectionStats.failed > 0, name)
    }
  }
})

t.test('no real connection can be opened', async (t) => {
  const refusing = await closedPort(t)
  const silent = await silentServer(t)
  const distrusted = await tlsServer(t)
  for (const where of [
    { url: refusing.url },
    { url: silent.url.replace('http:', 'https:') },
    { url: distrusted.url, tlsOptions: { rejectUnauthorized: true } }
  ]) {
    const { accounting, errors, connectionStats, warnings } = await benchmark(t, { ...where, connections: 2, amount: 10, timeout: 0.4 })
    t.match(accounting, { scheduled: 0, sent: 0 }, where.url)
    t.ok(errors > 0, where.url)
    t.equal(errors, connectionStats.failed, where.url)
    t.ok(warnings.some(({ code }) => code === 'NO_CONNECTION'), where.url)
  }
  t.equal(distrusted.requests, 0)
})

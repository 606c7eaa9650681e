'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { closedPort, silentServer, tlsServer } = require('../support/servers')
const { moodyServer } = require('../support/moody-server')
const { inOneOfThree } = require('../support/timely')
const { until } = require('../support/wait')

// However a run ends, each request that went out is in one box, and the server has seen those that reached it.
const MOODS = {
  healthy: ['ok'],
  slow: ['slow'],
  faulty: ['ok', 'ok', 'rst', 'ok', 'closing', 'notFound', 'cutBody', 'ok'],
  silent: ['hang']
}

const ENDINGS = {
  'its time is up': () => ({ duration: 0.25 }),
  'its amount is used up': () => ({ amount: 24, timeout: 0.1 }),
  'each connection has had its requests': () => ({ maxConnectionRequests: 6, timeout: 0.1 }),
  'stop is called': () => ({ duration: 30, during: (instance) => setTimeout(instance.stop, 150) }),
  'stop is called in the middle of a packet': () => ({
    duration: 30,
    during: (instance) => {
      setTimeout(instance.stop, 400)
      instance.once('response', instance.stop)
    }
  }),
  'its signal is aborted': () => ({ duration: 30, signal: AbortSignal.timeout(150) }),
  'its signal was aborted before': () => ({ duration: 30, signal: AbortSignal.abort() }),
  'it bails out': () => ({ duration: 0.6, timeout: 0.1, bailout: 3 }),
  'the server dies': () => ({ duration: 0.5, dies: true })
}

for (const [temper, moods] of Object.entries(MOODS)) {
  for (const [ending, make] of Object.entries(ENDINGS)) {
    t.test(`a ${temper} server, and the run ends because ${ending}`, (t) => inOneOfThree(t, async (timely) => {
      for (const pipelining of temper === 'faulty' ? [1, 4] : [3]) {
        const server = await moodyServer(t, moods)
        const { during, dies, ...opts } = make()
        const { accounting } = await benchmark(t, { url: server.url, connections: 3, pipelining, ...opts }, (instance) => {
          during?.(instance)
          if (dies) setTimeout(server.close, 150)
        })
        await until(() => server.openConnections === 0)
        const { sent, completed } = accounting
        between(t, server.requests, completed, sent, 'received')
        between(t, server.answered, completed, sent, 'answered')
        if (ending.includes('before')) t.equal(sent, 0)
        else timely.ok(sent > 0, `${sent} sent`)
      }
    }))
  }
}

t.test('stopped when a deadline has passed and nobody has seen it yet: it is a timeout all the same', async (t) => {
  const server = await moodyServer(t, ['hang'])
  const { accounting, timeline } = await benchmark(t, { url: server.url, connections: 2, timeout: 0.3, duration: 30 }, (instance) => {
    until(() => server.requests === 2).then(() => {
      const end = performance.now() + 350
      while (performance.now() < end);
      instance.stop()
    })
  })
  t.match(accounting, { sent: 2, timedOut: 2, unfinished: 0 })
  t.equal(timeline.at(-1).errors, 2)
})

t.test('no connection comes up, and the run ends in every way', async (t) => {
  const refusing = await closedPort(t)
  const silent = await silentServer(t)
  const distrusted = await tlsServer(t)
  const servers = {
    'nobody listens': { url: refusing.url },
    'nobody shakes hands': { url: silent.url.replace('http:', 'https:') },
    'the certificate is not trusted': { url: distrusted.url, tlsOptions: { rejectUnauthorized: true } }
  }
  for (const [trouble, where] of Object.entries(servers)) {
    for (const [ending, make] of Object.entries(ENDINGS)) {
      if (ending === 'the server dies') continue
      const { during, ...opts } = make()
      const { accounting, errors, connectionStats, warnings } = await benchmark(t, { ...where, connections: 3, timeout: 0.1, ...opts, ...withEnd(opts, ending) }, during)
      const name = `${trouble}, ${ending}`
      t.match(accounting, { scheduled: 0, unsent: 0, sent: 0, completed: 0, failed: 0, timedOut: 0, unfinished: 0 }, name)
      t.equal(errors, connectionStats.failed, name)
      t.equal(warnings.some(({ code }) => code === 'NO_CONNECTION'), connectionStats.failed > 0, name)
      if (ending === 'its time is up') t.ok(connectionStats.failed > 0, name)
    }
  }
  t.equal(distrusted.requests, 0)
})

// Without an amount, a run whose connections never come up lasts as long as it was to last. The one that must have tried
// has the time to do so.
function withEnd ({ maxConnectionRequests }, ending) {
  if (ending === 'its time is up') return { duration: 1 }
  return maxConnectionRequests ? { duration: 0.3 } : {}
}

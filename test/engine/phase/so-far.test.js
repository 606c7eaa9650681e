'use strict'

// The accounts that a member of a fleet sends with each sample: exactly the result if the run were stopped at that moment.

const t = require('tap')
const LocalEngine = require('../../../lib/engine/local')
const { WHOLE } = require('../../../lib/engine/deal/part')
const { merge } = require('../../../lib/metrics/merge')
const { createPlan } = require('../../../lib/plan')
const { simulate } = require('../../simulation/world')

/**
 * Plays a run as a member of a fleet.
 *
 * @param {number} stopAt with which sample it is stopped, from 0
 * @param {function(World, Server)} story what happens in the world
 * @returns {Promise<{ soFar: object[], summaries: object[] }>} its accounts with that sample, and those of its end
 */
async function playMember (options, settings, stopAt, story) {
  const { value } = await simulate({ seed: 3 }, async (world) => {
    const server = world.server(typeof settings === 'function' ? settings(world) : settings)
    story(world, server)
    const { plan, hooks } = createPlan({ url: server.url, sampleInt: 103, duration: 1, ...(typeof options === 'function' ? options(world) : options) })
    let samples = 0
    let soFar
    const engine = new LocalEngine(plan, hooks, {
      started () {},
      warmedUp () {},
      watches: () => false,
      mismatch () {},
      interval ({ accounts }, isLast, isWarmup) {
        if (isWarmup || samples++ !== stopAt) return
        soFar = structuredClone(accounts)
        engine.stop()
      },
      ended: ({ summaries }) => ended(summaries)
    }, { part: WHOLE, keepsAccounts: true, startTime: () => undefined, countFailure: () => 0, bailOut () {}, failed () {}, begun () {} })
    let ended
    const summaries = new Promise((resolve) => { ended = resolve })
    await engine.start()
    return { soFar, summaries: await summaries }
  })
  return value
}

const MEMBERS = {
  'in the closed model, behind a server that is slow': [{ connections: 4 }, { serviceTime: 70, slots: 2 }],
  'in the open model, with requests that wait': [{ connections: 2, overallRate: 100 }, { serviceTime: 70 }],
  'with connections that are still being opened': [{ connections: 3, overallRate: 100 }, { serviceTime: 5, lookup: 0, handshake: 1200, attempt: ({ number }) => number === 1 ? 'silence' : 'accept' }],
  'with connections that never had a response': [{ connections: 3 }, { answer: ({ socket }) => socket === 1 ? 'silence' : 200, serviceTime: 10 }],
  'with HTTP/2': [{ connections: 2, http2: true, pipelining: 5 }, { serviceTime: 120, http2: true }],
  'with HTTP/2 requests that wait to be sent again': [{ connections: 2, http2: true, pipelining: 3 }, { serviceTime: 250, http2: true }, (world, server) => {
    for (const at of [100, 450]) world.after(at, () => server.goAwayAll({ untaken: 1 }))
  }],
  'with HTTP/2 in the open model': [{ connections: 2, http2: true, pipelining: 3, overallRate: 60 }, { serviceTime: 120, http2: true }],
  'with sessions that think, wait and are in flight': [{ overallRate: 40, sessions: { calls: 3, maxOpen: 6 }, thinkTime: 0.08 }, { serviceTime: 45 }],
  'with scenarios': [{ overallRate: 60, sessions: { maxOpen: 8 }, scenarios: [{ name: 'a', weight: 2, requests: [{ path: '/a' }, { path: '/b' }] }, { name: 'b', weight: 1, requests: [{ path: '/c' }] }] }, { serviceTime: 130, slots: 3 }],
  'with scenarios of users as code': [{ overallRate: 60, sessions: { maxOpen: 8 }, scenarios: [{ name: 'a', weight: 2, user: async (user) => { await user.get('/a'); await user.think(0.02); await user.get('/b') } }, { name: 'b', weight: 1, user: async (user) => { user.check('c', (await user.get('/c')).ok) } }] }, { serviceTime: 130, slots: 3 }],
  'with bodies that are being verified': [(world) => ({ connections: 3, verifyBody: () => world.sleep(60).then(() => false) }), { serviceTime: 20 }],
  'with scenarios whose bodies are being verified': [(world) => ({ overallRate: 60, sessions: true, scenarios: ['a', 'b'].map((name) => ({ name, requests: [{ path: `/${name}` }] })), verifyBody: () => world.sleep(90).then(() => true) }), { serviceTime: 20 }],
  'with a thread that stands still': [{ connections: 2, overallRate: 100 }, { serviceTime: 70 }, (world) => {
    for (const at of [120, 420]) world.afterForClient(at, () => world.hold(60))
  }],
  'with hooks that hold the connections': [(world) => ({ connections: 2, overallRate: 100, requests: [{ setupRequest: (request) => world.sleep(40).then(() => request) }] }), { serviceTime: 20 }],
  'with calls that have a timeout of their own': [{ overallRate: 60, user: async (user) => { await user.get('/a', { timeout: 0.2 }).catch(() => {}); await user.get('/b') } }, { serviceTime: 130, slots: 3 }],
  'with errors and deadlines': [{ connections: 5, overallRate: 80, timeout: 0.15 }, { serviceTime: 20, answer: ({ number }) => number % 5 === 0 ? 'silence' : number % 7 === 0 ? 'reset' : 200 }]
}

// HTTP/2 connections send GOAWAY.
function told (summaries) {
  const merged = merge(summaries)
  return { ...merged, counters: { ...merged.counters, bytesWritten: 0 } }
}

for (const [what, [options, settings, story = () => {}]] of Object.entries(MEMBERS)) {
  t.test(what, async (t) => {
    for (const stopAt of [1, 4]) {
      const { soFar, summaries } = await playMember(options, settings, stopAt, story)
      t.same(told(soFar), told(summaries), `with sample ${stopAt}`)
    }
  })
}

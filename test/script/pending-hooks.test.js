'use strict'

// Hooks that are awaited: the places that they hold, when a connection has become free, and what counts if the run ends before they settle.

const t = require('tap')
const PendingHooks = require('../../lib/script/pending-hooks')
const { simulate } = require('../simulation/world')
const { playInWorld } = require('../support/play-in-world')

function partsOf ({ depth = 2, inFlight = 0, isOpen = true, visit = null } = {}) {
  const told = []
  const connection = {
    depth,
    isOpen,
    hookMsSoFar: 0,
    becameFree: (now) => told.push(['free', now]),
    get room () { return this.depth - inFlight - pending.places }
  }
  const owner = { pendingHooks: 0, hasEnded: false, ready: () => told.push(['ready']), checkEnd: () => told.push(['check']), hookFailed: (name, error) => told.push(['failed', name, error.message]) }
  const pending = new PendingHooks({ connection, owner, visit: visit && Object.assign(visit, { proceed: () => told.push(['proceed']) }) })
  return { pending, told, connection, owner }
}

/** What the parts report about a hook of 30 ms. */
async function settle (settings, { meanwhile = () => {}, hook = (world) => world.sleep(30), act = (pending, promise) => pending.hold(promise, 'onResponse') } = {}) {
  const parts = partsOf(settings)
  await simulate({}, async (world) => {
    act(parts.pending, hook(world), parts)
    parts.held = [parts.pending.places, parts.owner.pendingHooks, settings?.visit?.pendingHooks]
    meanwhile(parts)
    await world.sleep(50)
  })
  return parts
}

t.test('a connection has become free only if it was not before', async (t) => {
  for (const [depth, inFlight, wasFull] of [[1, 0, true], [2, 0, false], [2, 1, true], [3, 1, false], [3, 2, true]]) {
    const { told, held, pending, owner, connection } = await settle({ depth, inFlight })
    t.same(held, [1, 1, undefined])
    t.same([pending.places, owner.pendingHooks, Math.round(connection.hookMsSoFar)], [0, 0, 30])
    t.same(told.map(([what]) => what), wasFull ? ['free', 'ready'] : ['ready'], `${depth} places, ${inFlight} in flight`)
  }
  const { told } = await settle({ depth: 2, inFlight: 2 })
  t.same(told, [['ready']], 'it is still full')
})

t.test('setupClient holds all places', async (t) => {
  const { told, held, pending, connection } = await settle({ depth: 4 }, { act: (pending, promise) => pending.waitForClient(promise) })
  t.same(held, [4, 0, undefined])
  t.same([pending.places, Math.round(connection.hookMsSoFar)], [0, 30])
  t.same(told.map(([what]) => what), ['free', 'ready'])
})

t.test('a value counts only for the phase that called the hook, and only while it lasts', async (t) => {
  for (const hasEnded of [false, true]) {
    const values = []
    const { owner } = await settle({}, {
      hook: (world) => world.sleep(30).then(() => 'value'),
      act: (pending, promise) => pending.hold(promise, 'verifyBody', (value) => values.push(value)),
      meanwhile: ({ owner }) => { owner.hasEnded = hasEnded }
    })
    t.same(values, hasEnded ? [] : ['value'])
    t.equal(owner.pendingHooks, 0)
  }
})

t.test('after its connection has closed, a session goes on, or the end is checked', async (t) => {
  t.same((await settle({ isOpen: false })).told.filter(([what]) => what !== 'free'), [['check']])
  const visit = { pendingHooks: 0 }
  const { told, held } = await settle({ isOpen: false, visit })
  t.equal(held[2], 1)
  t.equal(visit.pendingHooks, 0)
  t.same(told.filter(([what]) => what !== 'free'), [['proceed'], ['check']])
})

t.test('a hook that fails ends the run, and one for events holds no place', async (t) => {
  const failing = { hook: async (world) => { await world.sleep(30); throw new Error('why') } }
  t.same((await settle({}, failing)).told, [['failed', 'onResponse', 'why']])
  t.same((await settle({}, { ...failing, act: (pending, promise) => pending.waitForClient(promise) })).told, [['failed', 'setupClient', 'why']])
  const act = (pending, promise) => pending.holdEnd(promise, 'onEvent')
  t.same((await settle({}, { ...failing, act })).told, [['failed', 'onEvent', 'why']])
  const { told, held, owner } = await settle({}, { act })
  t.same([held, owner.pendingHooks, told], [[0, 1, undefined], 0, [['check']]])
})

t.test('an asynchronous onMessage that fails ends the run', async (t) => {
  for (const [name, settings, opts] of [
    ['WebSocket', {}, {}], ['WebSocket with ids', {}, { idReplacement: true, websocket: { match: (text) => text } }], ['Socket.IO', { socketio: '/' }, { socketio: true }]
  ]) {
    const failing = playInWorld(t, { websocket: 'echo', ...settings }, { connections: 1, amount: 4, ...opts, requests: [{ body: opts.idReplacement ? '[<id>]' : '["x"]', onMessage: async () => { throw new Error('no') } }] })
    await t.rejects(failing, { code: 'CANNONADE_HOOK_FAILED', message: /requests\[0\]\.onMessage failed: no/ }, name)
  }
})

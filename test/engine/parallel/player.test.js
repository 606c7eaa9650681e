'use strict'

// How a member of a group reacts to messages and to its engine, with an engine that only records calls.

const t = require('tap')
const { toData } = require('../../../lib/engine/parallel/error-data')
const { mostParts, partOf, shareOf } = require('../../../lib/engine/deal/part')
const Player = require('../../../lib/engine/parallel/player')
const Distribution = require('../../../lib/metrics/distribution')
const { StreamRecorder } = require('../../../lib/metrics/parts/stream')
const world = require('../../../lib/world')
const { simulate } = require('../../simulation/world')

function playing ({ plan = { base: {}, requests: [] }, watched = [], cutOff = () => null, start = async () => {} } = {}) {
  const told = []
  const asked = []
  const engine = { error: null, start, stop: () => asked.push('stop'), fail: (error) => asked.push(error), cutOff }
  const link = {
    tell: (...message) => told.push(message),
    sendEvents: (batch) => told.push(['events', batch]),
    countFailure: () => 42,
    close: () => told.push(['closed'])
  }
  let created
  const player = new Player({ plan, hooks: 'hooks', part: 'part', watched, keepsAccounts: true }, link, (...args) => {
    created = args
    return engine
  })
  return { player, told, asked, engine, created }
}

t.test('the engine receives bodies as buffers, the hooks, and the player as its listener and its coordinator', async (t) => {
  const bytes = new Uint8Array([1, 2, 3, 4]).subarray(1, 3)
  const { player, created: [plan, hooks, owner] } = playing({ plan: { base: { body: bytes, method: 'PUT' }, requests: [{ body: 'text' }, { body: bytes, path: '/a' }, { body: null }], other: 1 } })
  t.same([hooks, owner, plan.other], ['hooks', player, 1])
  for (const { body } of [plan.base, plan.requests[1]]) {
    t.ok(Buffer.isBuffer(body))
    t.same([...body], [2, 3])
  }
  t.match(plan, { base: { method: 'PUT' }, requests: [{ body: 'text' }, { path: '/a' }, { body: null }] })
  t.match(player, { part: 'part', keepsAccounts: true })
})

t.test('messages of the leader go to the engine', async (t) => {
  const { player, asked, told } = playing({ watched: ['response'] })
  player.hear('stop')
  t.same(asked, ['stop'])
  t.same(['response', 'reqError'].map((event) => player.watches(event)), [true, false])
  let changes = 0
  const letGo = player.onWatchersChanged(() => { changes++ })
  player.hear('watch', ['reqError'])
  t.same([['response', 'reqError'].map((event) => player.watches(event)), changes], [[false, true], 1])
  letGo()
  player.hear('watch', [])
  t.equal(changes, 1)
  const start = player.startTime()
  t.same(told, [['ready']])
  player.hear('start', world.origin() + 1234)
  t.ok(Math.abs(await start - 1234) < 1e-3)
  const error = new Error('x')
  player.fail(error)
  t.equal(asked.at(-1), error)
  t.equal(player.countFailure(), 42)
})

t.test('events of the engine go to the leader, as plain data', async (t) => {
  const { player, told } = playing()
  const latency = new Distribution()
  latency.record(500)
  const recorder = new StreamRecorder()
  recorder.began(2, 7)
  player.started()
  player.bailOut()
  player.begun(17)
  player.interval({ start: 1, latency, stream: recorder.takeInterval() }, true, false)
  player.interval({ start: 2, latency }, false, true)
  player.failed(new Error('failing'))
  t.same(told.map(([type]) => type), ['started', 'bailOut', 'begun', 'interval', 'interval', 'failing'])
  t.equal(told[2][1], 17)
  const [, withStream, ...flags] = structuredClone(told[3])
  t.same(flags, [true, false])
  t.match(Distribution.from(withStream.latency), { count: 1, sum: 500 })
  t.match(withStream, { start: 1, stream: { events: 2 } })
  t.match(Distribution.from(withStream.stream.timeToFirstEvent), { count: 1, sum: 7000 })
  t.same(told[4].slice(2), [false, true])
  t.notOk('stream' in told[4][1])
  t.match(told[5][1], { message: 'failing' })
})

t.test('events are sent in batches, and counted at the end of each phase; bodies only if somebody listens', async (t) => {
  await simulate({}, async () => {
    const { player, told } = playing({ watched: ['reqMismatch'] })
    player.response('client', 200, 10, 1.5)
    player.mismatch('a body')
    player.requestError(new Error('lost'))
    player.warmedUp({ seconds: 1 })
    t.match(told, [
      ['events', [['response', 200, 10, 1.5], ['reqMismatch', 'a body'], ['reqError', { message: 'lost' }]]],
      ['warmedUp', { seconds: 1, events: { told: 3, leftOut: 0 } }]
    ])
    player.hear('watch', [])
    player.mismatch('another body')
    player.response('client', 201, 0, 1)
    player.heardEvents(3)
    player.ended({ seconds: 2, error: null })
    t.match(told.slice(2), [
      ['events', [['response', 201, 0, 1]]],
      ['ended', { seconds: 2, error: null, events: { told: 4, leftOut: 0 } }],
      ['closed']
    ])
    player.ended({ seconds: 3, error: null })
    player.cutOff('late')
    t.equal(told.length, 5, 'there is one final message')
  })
})

t.test('a member that cannot start, or is cut off, sends the reason and what it has', async (t) => {
  const failing = playing({ start: async () => { throw new Error('no module') } })
  failing.player.start()
  await new Promise((resolve) => setImmediate(resolve))
  t.match(failing.told, [['failed', { message: 'no module' }], ['closed']])
  const nothing = playing()
  nothing.player.cutOff('the process ends')
  t.match(nothing.told, [['failed', { message: /the process ends/ }], ['closed']])
  const measured = playing({ cutOff: () => ({ seconds: 4 }) })
  measured.player.cutOff('the process ends')
  t.match(measured.told, [['ended', { seconds: 4, error: { message: /the process ends/ }, events: { told: 0 } }], ['closed']])
  const known = playing({ cutOff: () => ({ seconds: 4 }) })
  known.engine.error = new Error('what it was')
  known.player.cutOff('the process ends')
  t.match(known.told[0], ['ended', { error: { ...toData(known.engine.error), cause: undefined } }])
})

t.test('the maximum number of parts, and parts of parts', async (t) => {
  const plan = { connections: 10, amount: null, maxOverallRequests: null, sessions: null, schedule: null }
  t.equal(mostParts(plan), 10)
  t.equal(mostParts({ ...plan, amount: 3 }), 3)
  t.equal(mostParts({ ...plan, amount: 30 }), 10)
  t.equal(mostParts({ ...plan, maxOverallRequests: 4 }), 4)
  t.equal(mostParts({ ...plan, amount: 5, maxOverallRequests: 4 }), 5)
  t.equal(mostParts({ ...plan, sessions: { maxOpen: 50, amount: null } }), 10)
  t.equal(mostParts({ ...plan, schedule: {}, sessions: { maxOpen: 50, amount: null } }), 50)
  t.equal(mostParts({ ...plan, schedule: {}, sessions: { maxOpen: 50, amount: 7 } }), 7)
  for (const [agents, threads] of [[1, 1], [2, 3], [3, 2], [4, 4]]) {
    const parts = Array.from({ length: agents }, (_, share) => Array.from({ length: threads }, (_, index) => partOf({ share, of: agents }, index, threads))).flat()
    const owners = Array.from({ length: 37 }, (_, connection) => parts.filter(({ share, of }) => connection % of === share).length)
    t.same(owners, new Array(37).fill(1), 'each connection is one part\'s')
    t.same(parts.map((part) => shareOf(37, part)).reduce((sum, each) => sum + each), 37)
  }
})

'use strict'

// What the leader of a fleet and its agents know of each other: their clocks, which plans are theirs, and who is silent.

const { EventEmitter } = require('node:events')
const t = require('tap')
const { inTime, LeaderExchange } = require('../../lib/fleet/exchange')
const { Follower, flawOfInvitation } = require('../../lib/fleet/follower')
const Leader = require('../../lib/fleet/leader')
const { measureOffset } = require('../../lib/fleet/offset')
const { Seal } = require('../../lib/fleet/seal')
const Silence = require('../../lib/fleet/silence')
const ofThisThread = require('../../lib/world')
const { simulate } = require('../simulation/world')

const KEY = 'known to the fleet'

t.test('a clock is known to within half of the shortest round trip', async (t) => {
  // The delays of the two directions are as different as possible.
  for (const [there, back] of [[1, 1], [5, 0], [0, 5], [30, 2]]) {
    const { value } = await simulate({ seed: 1 }, async (world) => {
      let trips = 0
      return measureOffset(async () => {
        const slow = trips++ === 7 ? 1 : 3
        await world.sleep(there * slow)
        const told = ofThisThread.origin() + ofThisThread.now() - 5000
        await world.sleep(back * slow)
        return told
      })
    })
    t.equal(value.uncertainty, (there + back) / 2)
    t.ok(Math.abs(value.offset - 5000) <= value.uncertainty + 0.001, `${value.offset} for ${there} and ${back}`)
  }
})

// Only the clock of Redis counts: those of machines may be wrong by more than an invitation or a plan is valid.
for (const offset of [0, 3_600_000, -3_600_000]) {
  t.test(`a plan is accepted after it was signed, by an agent that was present, and within a minute, by clocks that are ${offset} ms ahead`, async (t) => {
    const clock = { offset, uncertainty: 0 }
    const exchange = () => ({ open: async () => {}, clock: async () => clock, post () {}, close: async () => {}, forgetRead () {}, silentFor: 0, invite (count, invitation) { this.invitation = invitation } })
    await simulate({ seed: 1 }, async (world) => {
      const ofLeader = exchange()
      const leader = new Leader(KEY, () => ofLeader, {})
      await leader.open()
      await leader.invite(1, 10)
      const { invitation } = ofLeader
      const key = new Seal(KEY)
      t.equal(flawOfInvitation(invitation, key, leader.now()), null)
      t.match(flawOfInvitation(invitation, new Seal('another'), leader.now()), 'not signed')
      for (const bad of [undefined, null, {}, { ...invitation, until: invitation.until + 1 }, { ...invitation, run: 'x' }]) t.match(flawOfInvitation(bad, key, 0), 'not signed')
      t.match(flawOfInvitation(invitation, key, leader.now() + 10_001), 'given up')
      t.equal(invitation.until, Math.ceil(leader.now() + 10_000))
      t.same([0, 1].map((late) => flawOfInvitation(invitation, key, invitation.until + late) === null), [true, false])

      const follower = new Follower(invitation, { key, exchange: exchange() }, { leaderGone () {} })
      await follower.open()
      const startedAt = leader.now()
      await world.sleep(5)
      const signed = leader.signed('a plan')
      t.equal(follower.flawOf(signed, startedAt), null)
      t.match(follower.flawOf({ ...signed, text: 'another plan' }, startedAt), 'not signed')
      t.match(follower.flawOf(signed, signed.at + 1), 'before this agent started')
      await world.sleep(60_000)
      t.equal(follower.flawOf(signed, startedAt), null)
      await world.sleep(1)
      t.match(follower.flawOf(signed, startedAt), 'was signed 60 seconds ago')
      const at = leader.now() + 60_001
      t.match(follower.flawOf({ ...signed, at, signature: key.sign('plan', invitation.run, at, signed.text) }, startedAt), 'was signed -60 seconds ago')
      await follower.close()
      await leader.close()
    })
  })
}

t.test("an agent converts the leader's times to those of its own clock, and back; a silent one is reported once", async (t) => {
  const exchange = { open: async () => {}, clock: async () => ({ offset: 250, uncertainty: 1 }), post () {}, close: async () => {}, forgetRead () {}, silentFor: 0 }
  await simulate({ seed: 1 }, async () => {
    const silent = []
    const leader = new Leader(KEY, () => exchange, { silent: (agent) => silent.push(agent) })
    leader.watch('one')
    for (let look = 0; look < 2; look++) leader.look(() => 5000, 0)
    t.same(silent, ['one'])
    const follower = new Follower({ run: leader.run }, { key: new Seal(KEY), exchange }, {})
    await follower.open()
    // Its clock is 250 ms ahead of the common one.
    t.same([follower.toCommon(1250), follower.toOwn(1000)], [1000, 1250])
    t.equal(follower.now(), ofThisThread.origin() + ofThisThread.now() - 250)
    await follower.close()
  })
})

t.test('how long others have been silent: not while Redis was away, or while this thread stood still for a second more than it sleeps', async (t) => {
  const exchange = { silentFor: 0 }
  const seen = []
  await simulate({ limit: 100 }, async (world) => {
    const startedAt = ofThisThread.now()
    const since = () => Math.round(ofThisThread.now() - startedAt)
    const silence = new Silence(exchange, (silentSince, away) => seen.push([since(), Math.round(silentSince(startedAt)), away]))
    world.afterForClient(600, () => world.hold(1100))
    world.afterForClient(2100, () => world.hold(1300))
    for (const [at, silentFor] of [[4100, 1500], [4300, 1501], [4600, 1800], [4850, 20]]) world.afterForClient(at, () => { exchange.silentFor = silentFor })
    await world.sleep(5200)
    silence.end()
  })
  t.same(seen, [
    [250, 250, 0], [500, 500, 0], [1700, 1700, 0], [1950, 1950, 0], [3400, 0, 0], [3650, 250, 0], [3900, 500, 0], [4150, 750, 0],
    [4400, 0, 1501], [4650, 0, 1800], [4900, 0, 0], [5150, 250, 0]
  ])
})

t.test('closing waits for Redis for a while, and keeps no process running when it is done', async (t) => {
  const { value, world } = await simulate({}, async (world) => {
    const times = []
    const gone = () => { throw new Error('Redis is gone') }
    for (const close of [() => new Promise(() => {}), () => world.sleep(20), () => world.sleep(20).then(gone)]) {
      const before = ofThisThread.now()
      await inTime(close(), 100)
      times.push(ofThisThread.now() - before)
    }
    return times
  })
  t.same(value, [100, 20, 20])
  t.same(world.leftovers, [])
})

t.test('a leader is told only who refuses its own run, and not who died', async (t) => {
  // All runs on one Redis share BullMQ's events of jobs that failed.
  const queues = []
  class QueueEvents extends EventEmitter {
    constructor () {
      super()
      queues.push(this)
    }

    waitUntilReady () {}
  }
  class Queue extends EventEmitter {
    addBulk (jobs) { this.jobs = jobs }
  }
  const client = new Proxy({}, { get: (target, name) => name === 'then' ? undefined : () => client })
  const link = { bullmq: { Queue, QueueEvents }, client, open () {}, answer: (promise) => promise, watch: (promise) => promise }
  const leader = new LeaderExchange(link, 'mine')
  const told = []
  leader.onRefusal = (why) => told.push(why)
  await leader.open()
  await leader.invite(2, {})
  t.same(leader.queue.jobs.map(({ opts: { jobId } }) => jobId), ['mine-0', 'mine-1'])
  for (const [jobId, failedReason] of [['mine-1', 'no hooks'], ['other-1', 'too old'], ['mine-0', 'job stalled more than allowable limit'], ['mine-2', 'not invited']]) {
    queues.at(-1).emit('failed', { jobId, failedReason })
  }
  t.same(told, ['no hooks'])
})

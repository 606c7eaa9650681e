'use strict'

// Random fleets of unequal machines, some of which die, leave, or are unreachable for a while, in runs and in studies. random/check.js says
// what must be true of each; `node test/fleet/random --worlds 1000` plays more.

const path = require('node:path')
const t = require('tap')
const Feed = require('../../lib/engine/deal/feed')
const FleetEngine = require('../../lib/engine/parallel/fleet')
const { GatheredRecord } = require('../../lib/engine/parallel/record-channel')
const RemoteAgent = require('../../lib/engine/parallel/remote-agent')
const SessionLoop = require('../../lib/engine/loops/sessions/session-loop')
const WorkersEngine = require('../../lib/engine/parallel/workers')
const { MixShare } = require('../../lib/load/mix')
const Study = require('../../lib/study/study')
const digestOfWorld = require('../simulation/random/digest')
const { compareWorlds } = require('../support/digests')
const playFleets = require('./random')

const WORLDS = 27

t.setTimeout(600_000)

t.test('every check holds for every fleet', async (t) => {
  const digests = []
  const { seen, failures } = await playFleets({ seed: 0, worlds: WORLDS }, ({ world, answer, error, runs }) => {
    digests.push(digestOfWorld({}, { world, results: [answer, ...runs.map(({ result }) => result)], error }))
  })
  for (const text of failures) t.fail(text)
  compareWorlds(t, path.join(__dirname, 'random/digests.json'), digests)
  const kinds = [
    'run', 'sweep', 'capacity', 'comparison', 'option scenarios', 'option feed', 'option thresholds', 'option http2', 'option warmup', 'cut', 'leave', 'goAway', 'stopRun', 'unequal threads', 'run AGENT_LOST', 'run AGENT_STOPPED', 'run RECORD_INCOMPLETE', 'sweep RUN_REPEATED',
    'sweep AGENT_LOST', 'capacity RUN_REPEATED', 'capacity AGENT_LOST', 'comparison RUN_REPEATED', 'comparison AGENT_LOST'
  ]
  for (const what of kinds) t.ok(seen.get(what) > 0, what)
})

// Each check must be able to fail. The seeds only save time.
const DEFECTS = {
  'nobody is told that something is missing': [0, RemoteAgent, 'outcomeSoFar', (original) => function () {
    const { incomplete, ...outcome } = original.call(this)
    return outcome
  }],
  'what a lost agent had told does not count': [16, RemoteAgent, 'lose', (original) => function (why) {
    this.accounts = null
    original.call(this, why)
  }],
  'a thread has the part of another one': [43, WorkersEngine, 'recruit', (original) => function (parts) {
    const { share } = this.coordinator.part
    return original.call(this, parts.map(({ of }, index) => ({ share: share * parts.length + index, of })))
  }],
  'the offered rate is that of who was there': [18, FleetEngine, 'play', (original) => async function (...args) {
    const outcome = await original.apply(this, args)
    return outcome && { ...outcome, unscheduled: 0 }
  }],
  'an agent that leaves is taken for one that has done all': [30, RemoteAgent, 'hear', (original) => function (type, args) {
    if (type !== 'stopping') original.call(this, type, args)
  }],
  'a record of lost agents is said to be complete': [16, GatheredRecord, 'end', (original) => async function (scheduled) {
    return { ...await original.call(this, scheduled), lost: 0 }
  }],
  'the next run begins while a lost agent still sends': [37, Study, 'pause', () => async () => {}],
  'agents that all begin the same mix': [68, MixShare, 'next', () => function () { return this.mix.at(++this.index) }],
  'agents that share their rows': [3261, Feed, 'next', (original) => function (...args) {
    this.orders[0].draws.deal = { share: 0, of: 1, cycle: 1 }
    return original.apply(this, args)
  }],
  'sessions that are over are under way': [31, SessionLoop, 'countUnderWay', () => function (sessions, visits) {
    for (const { responses } of visits) sessions.wasCutOff(responses)
    sessions.unstarted += this.waiting.length
  }]
}

for (const [name, [seed, Class, method, change]] of Object.entries(DEFECTS)) {
  t.test(`the check finds a planted defect: ${name}`, async (t) => {
    const original = Class.prototype[method]
    Class.prototype[method] = change(original)
    t.teardown(() => { Class.prototype[method] = original })
    const { failures: [text] } = await playFleets({ seed, worlds: 60, most: 1 })
    t.match(text, /To play it again: node test\/fleet\/random --seed \d+/)
    t.comment(text?.split('\n', 2).join('\n'))
  })
}

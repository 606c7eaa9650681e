'use strict'

// The leader of a fleet by itself, with fake agents: which agents it accepts, when there have been enough failures, and what was due and
// never sent.

const t = require('tap')
const FleetEngine = require('../../../lib/engine/parallel/fleet')
const createRecorder = require('../../../lib/engine/phase/recorder-of')
const { createPlan } = require('../../../lib/plan')
const { simulate } = require('../../simulation/world')

function fleetOf (opts, agents = 2) {
  const { plan, hooks } = createPlan({ url: 'http://localhost:1', connections: 4, duration: 3, ...opts })
  const intervals = []
  const engine = new FleetEngine(plan, hooks, { interval: (...args) => intervals.push(args), watches: () => false }, { agents }, () => {})
  engine.leader = { now: () => 0, tell () {}, unwatch () {} }
  return { engine, plan, intervals }
}

t.test('it takes as many agents as requested, and begins with the last of them', async (t) => {
  const { engine } = fleetOf({}, 2)
  const gathered = []
  engine.gathered = (isComplete) => gathered.push([isComplete, engine.present.length])
  for (const id of ['a', 'b', 'c']) engine.joined({ id })
  t.same(engine.present, [{ id: 'a' }, { id: 'b' }])
  t.same(gathered, [[true, 2]])
})

t.test('bailout ends it with the failure that reaches the number, over all agents', async (t) => {
  const stops = (bailout, ...told) => {
    const { engine } = fleetOf({ bailout })
    let stopped = 0
    engine.stop = () => { stopped++ }
    const members = [{ number: 0 }, { number: 1 }]
    return told.map(([member, failures]) => {
      engine.heard(members[member], 'failures', [failures])
      return stopped > 0
    })
  }
  t.same(stops(5, [0, 2], [1, 2], [0, 3], [1, 3]), [false, false, true, true])
  t.same(stops(5, [0, 4], [0, 4]), [false, false], 'each has reported all of its failures')
  t.same(stops(undefined, [0, 1000]), [false])
})

t.test('due but unsent: the plan of the phase, minus what agents have reported', async (t) => {
  const PER_CONNECTION = { connectionRate: 10, warmup: { connections: 2, duration: 2 } }
  const SESSIONS = { overallRate: 10, sessions: { calls: 2 } }
  for (const [opts, seconds, isWarmup, scheduled, inDrain, isLost, unscheduled] of [
    [{ overallRate: 20 }, 2, false, 25, 0, true, 15],
    [{ overallRate: 20 }, 5, false, 25, 0, true, 35], // it is over after 3 s
    [{ overallRate: 20, amount: 30 }, 2, false, 25, 0, true, 5],
    [{ overallRate: 20 }, 2, false, 45, 0, true, 0],
    [{ overallRate: 20 }, 2, false, 25, 0, false, undefined],
    [{}, 2, false, 25, 0, true, undefined],
    [PER_CONNECTION, 2, false, 50, 0, true, 30],
    [PER_CONNECTION, 2, true, 30, 0, true, 10],
    [SESSIONS, 3, false, 25, 3, true, 8]
  ]) {
    await simulate({}, async () => {
      const { engine, plan, intervals } = fleetOf(opts)
      const recorder = createRecorder(plan)
      Object.assign(plan.sessions === null ? recorder : recorder.sessions, { scheduled, scheduledInDrain: inDrain })
      const outcome = {
        summaries: [recorder.summary()],
        seconds,
        scheduleSeconds: seconds,
        drain: { seconds: 0, completed: 0 },
        generator: { cpu: { user: 0, system: 0, percent: 0 }, eventLoop: { utilization: 0, delayP99: 0 } },
        warnings: [],
        events: { told: 0, leftOut: 0 }
      }
      engine.members = [{ number: 0, isLost, hasLeft: false, ended: outcome, tell () {} }]
      const played = await engine.play(({ ended }) => ended, isWarmup)
      t.equal(played.unscheduled, unscheduled, JSON.stringify([opts, seconds, isWarmup, scheduled]))
      if (isLost && unscheduled !== undefined) t.equal(played.scheduleSeconds, Math.min(seconds, plan.amount === null ? (isWarmup ? 2 : 3) : 1.5))
      t.match(intervals, [[{ start: 0, end: 0, completed: 0 }, true, isWarmup]], 'the result has a timeline, even without any report')
    })
  }
})

t.test('what a lost or failed agent has not accounted for leaves the record at once, so that there is room for what others send', async (t) => {
  for (const hasStarted of [false, true]) {
    const { engine } = fleetOf({})
    const dropped = []
    Object.assign(engine, { hasStarted, mergers: [], record: { drop: (member) => dropped.push(member) }, fail () {} })
    const members = ['a', 'b'].map((id, number) => ({ number, agent: { id, name: id, host: id } }))
    engine.memberLost(members[0], 'why')
    engine.memberFailed(members[1], new Error('why'))
    t.same(dropped, members)
  }
})

t.test('what is missing from a record: lines that agents left out, lines that were left out here, and those of lost agents', async (t) => {
  for (const [ofAgents, leftOut] of [[{ leftOut: 5 }, 7], [null, 2]]) {
    const { engine } = fleetOf({})
    const [lost, other] = [{ isLost: true }, { isLost: false }]
    engine.members = [lost, other]
    let asked
    engine.record = { end: async (...args) => { asked = args; return { leftOut: 2, problem: 'full', lost: 3 } } }
    t.strictSame(await engine.endRecord(ofAgents), { leftOut, problem: 'full', lost: 3 })
    t.strictSame(asked, [new Map([[lost, 0]])])
    t.equal(engine.record, null)
  }
})

t.test('a run that is stopped while its fleet connects waits for no agent', async (t) => {
  const { engine } = fleetOf({}, 2)
  // Nobody waits for the end of a group that has not begun.
  engine.isWaiting = true
  t.equal(engine.isStopped, false)
  t.doesNotThrow(() => engine.stop(true))
  t.equal(engine.isStopped, true)
})

t.test('members that do not stop when asked to are lost', async (t) => {
  const { engine } = fleetOf({})
  const lost = []
  engine.members = ['a', 'b'].map((name) => ({ lose: (why) => lost.push([name, why]) }))
  engine.giveUp()
  t.strictSame(lost, [['a', 'it did not stop when asked to'], ['b', 'it did not stop when asked to']])
})

'use strict'

// How a group is led, with fake members that send what the test says: when they start, what happens with what they report, and what happens
// when one of them fails or does not stop.

const t = require('tap')
const GroupEngine = require('../../../lib/engine/parallel/group')
const { fromData, toData, workerFailed } = require('../../../lib/engine/parallel/error-data')
const { WHOLE } = require('../../../lib/engine/deal/part')
const Member = require('../../../lib/engine/parallel/member')
const { CannonadeError, CODES } = require('../../../lib/base/errors')
const Recorder = require('../../../lib/metrics/recorder')
const { simulate } = require('../../simulation/world')

const PLAN = { sampleInt: 1000, connections: 3, amount: null, maxOverallRequests: null, sessions: null, warmup: null, schedule: null, feed: null }

class FakeMember extends Member {
  constructor (number, owner, part) {
    super(number, owner)
    Object.assign(this, { part, told: [], acknowledged: 0, terminated: 0 })
  }

  tell (...message) { this.told.push(message) }
  heardEvents (count) { this.acknowledged += count }
  terminate () { this.terminated++ }
}

class FakeGroup extends GroupEngine {
  constructor (plan, listener, { isOneProcess = true, coordinator } = {}) {
    super(plan, listener, coordinator)
    this.size = 3
    this.isOneProcess = isOneProcess
  }

  async recruit (parts) {
    this.members = parts.map((part, number) => new FakeMember(number, this, part))
  }
}

/** What a listener receives, in order. */
function listening (watched = []) {
  const heard = []
  const note = (name) => (...args) => { heard.push([name, ...args]) }
  const listener = { heard, watches: (event) => watched.includes(event), onWatchersChanged: (change) => { listener.change = change; return () => { listener.isLetGo = true } } }
  for (const name of ['started', 'interval', 'warmedUp', 'ended', 'response', 'requestError', 'mismatch']) listener[name] = note(name)
  return listener
}

const outcomeOf = (factor, changes) => ({
  summaries: [factor],
  seconds: factor,
  scheduleSeconds: factor,
  drain: { seconds: factor / 10, completed: factor },
  generator: { cpu: { user: factor, system: 2 * factor, percent: 3 * factor }, eventLoop: { utilization: 0.5, delayP99: factor } },
  warnings: [],
  events: { told: 0, leftOut: 0 },
  error: null,
  ...changes
})

function intervalOf (start, end, completed) {
  const recorder = new Recorder({ endpoints: 1, open: false, timeout: 1 })
  recorder.begin(start)
  recorder.completed = completed
  const interval = recorder.takeInterval(end)
  return { ...interval, latency: interval.latency.toData() }
}

const turns = async (count = 5) => { for (let turn = 0; turn < count; turn++) await null }

/** Leads a group in a simulated world; `story` determines what its members send. */
async function led (story, { plan, watched, ...options } = {}) {
  const listener = listening(watched)
  const { value } = await simulate({}, async (world) => {
    const engine = new FakeGroup({ ...PLAN, ...plan }, listener, options)
    const end = engine.start().then(() => null, (error) => error)
    await turns()
    await story({ world, engine, members: engine.members, listener, all: (...message) => { for (const member of engine.members) member.hear(...message) } })
    return { rejection: await end, engine }
  })
  return { ...value, listener, heard: listener.heard, ended: listener.heard.find(([name]) => name === 'ended')?.[1] }
}

t.test('all start together once all are ready, and the outcome is that of all', async (t) => {
  const { heard, ended, engine, rejection, listener } = await led(async ({ world, members, all }) => {
    t.same(members.map(({ part: { share, of } }) => [share, of]), [[0, 3], [1, 3], [2, 3]])
    all('started', [])
    members[0].hear('ready', [])
    members[1].hear('ready', [])
    await turns()
    t.same(members.flatMap(({ told }) => told), [], 'one is not ready')
    members[2].hear('ready', [])
    await turns()
    const [[type, startTime]] = members[0].told
    t.equal(type, 'start')
    for (const { told, isReady } of members) t.same([told, isReady], [[['start', startTime]], false])
    t.equal(startTime - (world.client.methods.origin() + world.client.methods.now()), 20)
    all('interval', [intervalOf(0, 1000, 2), false, false])
    members[0].hear('ended', [outcomeOf(1, { warnings: [{ code: 'A', message: 'one' }] })])
    members[1].hear('ended', [outcomeOf(5, { warnings: [{ code: 'A', message: 'two' }, { code: 'B', message: 'one' }] })])
    await turns()
    members[2].hear('ended', [outcomeOf(3)])
  })
  t.equal(rejection, null)
  t.same(heard.map(([name]) => name), ['started', 'interval', 'ended'])
  t.match(heard[1], ['interval', { completed: 6, end: 1000 }, false, false])
  t.match(ended, {
    summaries: [1, 5, 3],
    seconds: 5,
    scheduleSeconds: 5,
    drain: { seconds: 0.5, completed: 9 },
    generator: { cpu: { user: 5, system: 10, percent: 15 }, eventLoop: { utilization: 0.5, delayP99: 5 } },
    warnings: [{ code: 'A', message: 'one' }, { code: 'B', message: 'one' }],
    error: null
  })
  t.equal(ended.warnings.length, 2, 'the first of each kind')
  t.equal(listener.isLetGo, true)
  t.ok(engine.members.every(({ terminated }) => terminated > 0))
})

t.test('members that are processes report their own processor time', async (t) => {
  const { ended } = await led(({ all, members }) => {
    all('started', [])
    all('ready', [])
    members.forEach((member, index) => member.hear('ended', [outcomeOf([1, 5, 3][index])]))
  }, { isOneProcess: false })
  t.same(ended.generator.cpu, { user: 9, system: 18, percent: 15 })
})

t.test('a warm-up comes first, and ends by itself', async (t) => {
  const { heard } = await led(async ({ all, members }) => {
    all('started', [])
    all('ready', [])
    await turns()
    all('interval', [intervalOf(0, 1000, 1), true, true])
    all('warmedUp', [outcomeOf(2)])
    await turns()
    t.same(members[0].told.map(([type]) => type), ['start'], 'it waits until all are ready again')
    all('ready', [])
    await turns()
    t.same(members[0].told.map(([type]) => type), ['start', 'start'])
    all('interval', [intervalOf(0, 500, 1), true, false])
    all('ended', [outcomeOf(4)])
  }, { plan: { warmup: {} } })
  t.same(heard.map(([name]) => name), ['started', 'interval', 'warmedUp', 'interval', 'ended'])
  t.same([heard[1].slice(2), heard[3].slice(2)], [[true, true], [true, false]])
  t.match([heard[2][1].seconds, heard[4][1].seconds], [2, 4])
})

t.test('events are delivered to listeners from the start on, and dropped ones are counted', async (t) => {
  const { heard, ended, engine } = await led(async ({ engine, all, members }) => {
    engine.heardEvents(members[1], [['response', 200, 10, 1.5], ['reqError', toData(new Error('early'))], ['reqMismatch', 'a body']])
    await turns(20)
    t.same(engine.listener.heard, [], 'not all have loaded their hooks')
    all('started', [])
    all('ready', [])
    members.forEach((member, index) => member.hear('ended', [outcomeOf(1, { events: { told: index === 1 ? 3 : 0, leftOut: [1200, 0, 34][index] } })]))
  }, { watched: ['response', 'reqMismatch'] })
  t.same(heard.map(([name]) => name), ['started', 'response', 'requestError', 'mismatch', 'ended'])
  t.same(heard[1].slice(2), [200, 10, 1.5])
  t.equal(heard[2][1].message, 'early')
  t.equal(heard[3][1], 'a body')
  t.equal(engine.members[1].acknowledged, 3)
  t.match(ended.warnings, [{ code: 'EVENTS_LEFT_OUT', message: /1,234 events were not delivered/ }])
  const { ended: one } = await led(({ all }) => {
    all('started', [])
    all('ready', [])
    all('ended', [outcomeOf(1, { events: { told: 0, leftOut: 0 } })])
  })
  t.same(one.warnings, [])
})

t.test('a change of listeners is announced to all members', async (t) => {
  await led(({ listener, members, all }) => {
    listener.change()
    for (const { told } of members) t.same(told, [['watch', ['response', 'reqError']]])
    all('failed', [toData(new Error('enough'))])
  }, { watched: ['response', 'reqError', 'something else'] })
})

t.test('a member that fails ends the run of all, with its error and what the others have', async (t) => {
  const failures = []
  const coordinator = { part: WHOLE, startTime () {}, failed: (error) => failures.push(error), bailOut () {}, begun () {} }
  const { ended, engine } = await led(async ({ members, all }) => {
    all('started', [])
    all('ready', [])
    await turns()
    members[0].hear('interval', [intervalOf(0, 1000, 7), false, false])
    members[2].hear('interval', [intervalOf(0, 1000, 2), false, false])
    members[1].hear('failed', [toData(new CannonadeError(CODES.HOOK_FAILED, 'the first'))])
    t.same(members.map(({ told }) => told.at(-1)[0]), ['stop', 'stop', 'stop'])
    members[2].hear('failing', [toData(new Error('the second'))])
    members[0].hear('ended', [outcomeOf(1)])
    members[2].hear('ended', [outcomeOf(2, { error: toData(new Error('the third')) })])
  }, { coordinator })
  t.match(ended, { summaries: [1, 2], error: { code: CODES.HOOK_FAILED, message: 'the first' } })
  t.equal(failures.length, 1)
  t.match(engine.error, { message: 'the first' })
  t.ok(engine.members[1].isOver)
})

t.test('the intervals of the others do not wait for a failed member', async (t) => {
  const { heard } = await led(async ({ members, all }) => {
    all('started', [])
    all('ready', [])
    await turns()
    for (const member of [members[0], members[2]]) member.hear('interval', [intervalOf(0, 1000, 5), false, false])
    members[1].fail(workerFailed('gone'))
    await turns()
    for (const member of [members[0], members[2]]) member.hear('ended', [outcomeOf(1)])
  })
  t.match(heard.find(([name]) => name === 'interval'), ['interval', { completed: 10 }])
})

t.test('if no member measured anything, the error is the whole outcome', async (t) => {
  const { rejection, heard, engine } = await led(({ members }) => {
    members[0].hear('failed', [toData(new Error('no hooks'))])
    for (const member of members.slice(1)) member.hear('failed', [toData(new Error('later'))])
  })
  t.match(rejection, { message: 'no hooks', code: CODES.WORKER_FAILED })
  t.same(heard, [])
  t.ok(engine.members.every(({ terminated }) => terminated > 0))
})

t.test('stop: all members are told, and those that have not stopped within five seconds have failed', async (t) => {
  const { ended, engine } = await led(async ({ world, engine, members, all }) => {
    all('started', [])
    all('ready', [])
    await turns()
    engine.stop()
    engine.stop()
    t.same(members[0].told.map(([type]) => type), ['start', 'stop', 'stop'])
    members[0].hear('ended', [outcomeOf(1)])
    const begunAt = world.client.methods.now()
    await new Promise((resolve) => {
      const { memberFailed } = engine
      engine.memberFailed = (member, error) => {
        if (member.number === 1) t.equal(Math.round(world.client.methods.now() - begunAt), 5000)
        memberFailed.call(engine, member, error)
        if (member.number === 2) resolve()
      }
    })
  })
  t.match(ended, { summaries: [1], error: { code: CODES.WORKER_FAILED, message: /it did not stop within 5 seconds/ } })
  t.ok(engine.members.every(({ isOver }) => isOver))
})

t.test('stop: a group that waits for others to start gives its members their time only from then on', async (t) => {
  for (const stopAt of [0, 10_000]) {
    let begin
    const coordinator = { part: WHOLE, startTime: () => new Promise((resolve) => { begin = resolve }), failed () {}, bailOut () {}, begun () {} }
    const { ended } = await led(async ({ world, engine, members, all }) => {
      all('started', [])
      // A group that is stopped before its members are ready goes on until the others have begun.
      if (stopAt === 0) engine.stop()
      all('ready', [])
      await turns()
      if (stopAt > 0) {
        await world.sleep(stopAt)
        engine.stop()
      }
      await world.sleep(20_000)
      t.ok(members.every(({ isOver }) => !isOver), 'they wait')
      const begunAt = world.client.methods.now()
      begin(begunAt)
      await turns()
      members[0].hear('ended', [outcomeOf(1)])
      const settled = members.map((member) => new Promise((resolve) => {
        const { fail } = member
        member.fail = (...args) => {
          if (!member.isOver && member.number === 1) t.equal(Math.round(world.client.methods.now() - begunAt), 5000)
          fail.apply(member, args)
          resolve()
        }
      }))
      await settled[1]
    }, { coordinator })
    t.match(ended, { summaries: [1], error: { code: CODES.WORKER_FAILED, message: /it did not stop within 5 seconds/ } })
  }
})

t.test('stop: a pause of the whole process is not taken for members that do not stop', async (t) => {
  const { ended, engine } = await led(async ({ world, engine, all }) => {
    all('started', [])
    all('ready', [])
    await turns()
    engine.stop()
    world.hold(60_000)
    await new Promise((resolve) => world.client.methods.setTimeout(resolve, 5001))
    all('ended', [outcomeOf(1)])
  })
  t.match(ended, { summaries: [1, 1, 1], error: null })
  t.ok(engine.members.every(({ isOver }) => isOver))
})

t.test('requests to end the run, and the first start, are passed to the coordinator', async (t) => {
  const asked = []
  const coordinator = { part: WHOLE, startTime: async () => 123.5, failed () {}, bailOut: () => asked.push('bailOut'), begun: (time) => asked.push(['begun', time]) }
  await led(async ({ world, members, all }) => {
    all('started', [])
    all('ready', [])
    await turns(10)
    t.equal(members[0].told[0][1], world.client.methods.origin() + 123.5, 'the coordinator says when')
    members[1].hear('begun', [7])
    members[0].hear('begun', [9])
    members[2].hear('bailOut', [])
    t.same(members.map(({ told }) => told.at(-1)), [['stop', false], ['stop', false], ['stop', false]])
    all('ended', [outcomeOf(1)])
  }, { coordinator })
  t.same(asked, [['begun', 7], 'bailOut'])
})

t.test('messages of a member after its end are ignored', async (t) => {
  const heard = []
  const owner = { heard: (...args) => heard.push(args), heardEvents () {}, memberFailed: (...args) => heard.push(args), changed () {} }
  const member = new Member(4, owner)
  member.hear('anything', [1, 2])
  t.same(heard, [[member, 'anything', [1, 2]]])
  member.hear('ended', [{ error: null, seconds: 3 }])
  t.match(member, { isOver: true, ended: { seconds: 3 }, number: 4 })
  for (const type of ['anything', 'failed', 'ended', 'started']) member.hear(type, [{ error: null, seconds: 9 }])
  member.fail(new Error('late'))
  t.match([heard.length, member.ended.seconds, member.hasStarted], [1, 3, false])
})

t.test('an error arrives with all its properties', async (t) => {
  const error = new CannonadeError(CODES.BAD_OPTION, 'wrong', { option: 'rate', cause: { deep: [1] } })
  const data = structuredClone(toData(error))
  t.match(fromData(data), { code: CODES.BAD_OPTION, message: 'wrong', option: 'rate', cause: { deep: [1] }, stack: error.stack })
  const plain = fromData(toData(Object.assign(new Error('plain'), { cause: () => {} })))
  t.match(plain, { code: CODES.WORKER_FAILED, message: 'plain', cause: '[Function: cause]' })
  t.equal(toData({ cause: Object.assign(Object.create(null), { cause () {} }) }).cause, '[Object: null prototype] { cause: [Function: cause] }', 'one that has no toString')
  t.notOk('option' in fromData(toData(new Error('plain'))))
  t.notOk('cause' in fromData(toData(new Error('plain'))))
  t.match(workerFailed(new Error('why')), { code: CODES.WORKER_FAILED, message: /^A worker thread failed: .*why/, cause: { message: 'why' } })
})

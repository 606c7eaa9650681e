'use strict'

const { EventEmitter, getEventListeners } = require('node:events')
const t = require('tap')
const cannonade = require('../..')
const Study = require('../../lib/study/study')
const { simulate } = require('../simulation/world')
const { httpServer } = require('../support/servers')

const prepared = { seconds: 5, signals: [] }
const studyOf = (work, prepare = () => prepared) => new Study(prepare, work)

t.test('it is an emitter and a promise of one result', async (t) => {
  const study = studyOf(async () => ({ is: 'the answer' }))
  const heard = []
  for (const event of ['start', 'done']) study.on(event, (value) => heard.push([event, value]))
  t.ok(study instanceof EventEmitter)
  t.equal(study.seconds, 5)
  const answer = await study
  t.equal(answer.is, 'the answer')
  t.equal(answer.environment.node, process.version, 'with its environment')
  t.equal(await study, answer, 'again, after the end')
  t.same(await Promise.all([study.then(({ is }) => is), study.finally(() => {})]), ['the answer', answer])
  t.same(heard, [['start', { seconds: 5 }], ['done', answer]])
})

t.test('errors reach whoever awaits the promise, or listeners of error', async (t) => {
  const failure = new Error('it broke')
  const failing = () => studyOf(async () => { throw failure })
  await t.rejects(failing(), failure)
  await failing().catch((error) => t.equal(error, failure))
  const study = failing()
  const [heard] = await new Promise((resolve) => study.on('error', (...args) => resolve(args)))
  t.equal(heard, failure)
  await t.rejects(study, failure, 'also later')
  await t.rejects(studyOf(async () => {}, () => { throw failure }), failure, 'invalid options as well')
  t.equal(studyOf(async () => {}, () => { throw failure }).on('error', () => {}).seconds, undefined)
})

t.test('a listener that throws during the study is an error', async (t) => {
  const { url } = await httpServer(t)
  const study = cannonade.sweep({ url }, { rates: [10, 20], duration: 0.1, pause: 0 })
  study.on('row', () => { throw new Error('my listener') })
  await t.rejects(study, /my listener/)
})

t.test('a run that fails ends it with its error', async (t) => {
  const { url } = await httpServer(t)
  const setupRequest = () => { throw new Error('my hook') }
  await t.rejects(cannonade.sweep({ url, requests: [{ setupRequest }] }, { rates: [10], duration: 60 }), { code: 'CANNONADE_HOOK_FAILED', message: /my hook/ })
})

t.test('what a study that fails has found so far is in its error', async (t) => {
  const failure = () => new Error('it broke')
  const ends = []
  const growing = (error, times) => studyOf(async (study) => {
    for (let time = 1; time <= times; time++) {
      study.grew((end) => {
        ends.push(end)
        return { is: 'an answer', time }
      })
    }
    throw error
  }, () => ({ ...prepared, options: { url: 'http://a.test', secretive: 1 } }))
  const error = await growing(failure(), 2).catch((error) => error)
  t.match(error, { message: 'it broke', soFar: { is: 'an answer', time: 2, environment: { node: process.version }, options: { url: 'http://a.test', secretive: '***' } } })
  t.same(error.soFar.warnings, [{ code: 'STOPPED', message: 'The study failed before it was over, so the result covers only part of it.' }])
  t.same(ends, [{ isStopped: true, hasLostFleet: true }], 'no check passes in it')
  t.equal((await growing(failure(), 0).catch((error) => error)).soFar, undefined)
  t.equal(await growing('not an error', 1).catch((error) => error), 'not an error')
  t.equal((await growing(Object.freeze(failure()), 1).catch((error) => error)).soFar, undefined)
})

t.test('a hook that throws in a later run: each study has the runs before', async (t) => {
  const settings = { duration: 0.2, pause: 0 }
  const studies = {
    sweep: [(opts) => cannonade.sweep(opts, { ...settings, rates: [10, 20, 30] }), ({ rows }) => rows.map(({ demanded }) => demanded), [10, 20]],
    capacity: [(opts) => cannonade.findCapacity(opts, { ...settings, rates: { from: 10, to: 40 } }), ({ steps }) => steps.map(({ rate }) => rate), [10, 20]],
    compare: [
      (opts) => cannonade.compare([1, 2].map(() => ({ ...opts, overallRate: 10 })), { ...settings, rounds: 3, warmup: 0, maxRegression: '90%' }),
      ({ sides, regressionVerdict, warnings }) => [...sides.map(({ runs }) => runs), regressionVerdict, warnings.find(({ code }) => code === 'STOPPED')?.message],
      [1, 1, 'inconclusive', 'The comparison was stopped after 1 of 3 rounds.']
    ]
  }
  for (const [name, [study, found, expected]] of Object.entries(studies)) {
    await simulate({ seed: 1 }, async (world) => {
      let runs = 0
      const instance = study({ url: world.server({ serviceTime: 5 }).url, setupRequest: (request) => { if (runs > 2) throw new Error('broken'); return request } })
      instance.on('begin', () => { runs++ })
      const error = await instance.catch((error) => error)
      t.match(error, { code: 'CANNONADE_HOOK_FAILED', soFar: { kind: name === 'compare' ? 'comparison' : name } })
      t.same(found(error.soFar), expected, name)
      t.equal(error.soFar.warnings.filter(({ code }) => code === 'STOPPED').length, 1, name)
    })
  }
})

t.test('stop() before it begins, during a pause, and after the end', async (t) => {
  const { url } = await httpServer(t)
  const early = cannonade.sweep({ url }, { rates: [10], duration: 30 })
  early.stop()
  t.match(await early, { rows: [], stoppedBy: 'stop' })
  early.stop()

  const pausing = cannonade.sweep({ url }, { rates: [10, 20], duration: 0.1, pause: 60 })
  pausing.on('row', () => setTimeout(pausing.stop, 20))
  t.match(await pausing, { rows: { length: 1 }, stoppedBy: 'stop' })
})

t.test('pauses leave no listeners behind', async (t) => {
  const { signal } = new AbortController()
  const study = studyOf(async (study) => {
    for (let pause = 0; pause < 3; pause++) await study.pause(0.001, signal)
    return { warnings: [] }
  })
  await study
  t.same([signal, study.stopping].map((each) => getEventListeners(each, 'abort').length), [0, 0])
})

t.test('each run emits an instance that can be tracked', async (t) => {
  const ticks = []
  await simulate({}, (world) => {
    const study = cannonade.sweep({ url: world.server().url, sampleInt: 100 }, { rates: [20], duration: 0.2 })
    return study.on('begin', (instance, { demanded }) => instance.on('tick', ({ requests }) => ticks.push([demanded, requests])))
  })
  t.same(ticks, [[20, 2], [20, 4]])
})

t.test('the signal in one set of options ends the study, and not only a run', async (t) => {
  const { url } = await httpServer(t)
  const controller = new AbortController()
  const study = cannonade.compare([{ url, signal: controller.signal }, { url }], { rounds: 1000, duration: 0.1, warmup: 0 })
  study.once('run', () => controller.abort())
  const started = performance.now()
  t.match((await study).warnings.map(({ code }) => code), ['STOPPED'])
  t.ok(performance.now() - started < 60_000)
})

t.test('a run whose own signal is aborted has no result, and the study goes on; one that a listener stops ends the study', async (t) => {
  for (const by of ['signal', 'listener']) {
    const { value: answer } = await simulate({ seed: 1 }, (world) => {
      const { url } = world.server({ serviceTime: 10 })
      const controller = new AbortController()
      const study = studyOf(async (study) => {
        const opts = { url, connections: 1, duration: 1.005 }
        const first = await study.measure({ ...opts, signal: controller.signal }, { name: 'first' })
        const second = await study.measure(opts, { name: 'second' })
        return { first, second: second?.accounting.completed ?? null, isStopped: study.isStopped, at: Math.round(world.elapsed), warnings: [] }
      })
      study.once('begin', (instance) => world.afterForClient(500, () => by === 'signal' ? controller.abort() : instance.stop()))
      return study
    })
    const expected = by === 'signal' ? { first: null, second: 100, isStopped: false } : { first: null, second: null, isStopped: true }
    t.match(answer, expected, by)
    t.ok(Math.abs(answer.at - (by === 'signal' ? 1505 : 500)) <= 1, `${by}: ${answer.at} ms`)
  }
})

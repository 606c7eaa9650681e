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

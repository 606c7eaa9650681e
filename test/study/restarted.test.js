'use strict'

// Servers that are started for each run of a comparison, servers under a profiler, and what runs publish while a study lasts.

const t = require('tap')
const { compare, findJamming, sweep } = require('../..')
const { CODES } = require('../../lib/base/errors')
const { DIAGNOSER } = require('../../lib/diagnose/target')
const { prepare } = require('../../lib/study/compare/prepare')
const { warningsOf } = require('../../lib/study/compare/warnings')
const { monitoredIn } = require('../../lib/study/row-values')
const compareSides = require('../../lib/study/compare')
const { simulate } = require('../simulation/world')
const { httpServer } = require('../support/servers')

t.test('a server that is started for each run is warmed up each time, and reached where it listens', async (t) => {
  const log = []
  const { value: answer } = await simulate({ seed: 1 }, (world) => {
    const servers = [5, 8].map((serviceTime, index) => world.server({ host: `10.0.0.${index + 1}`, serviceTime }))
    const reach = async (index, use, signal) => {
      log.push(['starts', index, signal.aborted])
      const result = await use({ url: `${servers[index].url}/started`, title: 'elsewhere' })
      log.push(['ends', index])
      return result
    }
    const study = compareSides(['a', 'b'].map((title) => ({ url: 'http://nowhere', title, connections: 2, overallRate: 20 })), { rounds: 2, duration: 1, warmup: 0.5, pause: 0 }, reach)
    study.on('begin', ({ opts }, about) => log.push([opts.url, opts.duration, about]))
    return study
  })
  const runOf = (target, name, round) => [['starts', target, false], [`http://10.0.0.${target + 1}:80/started`, 0.5, { name, isWarmup: true }], [`http://10.0.0.${target + 1}:80/started`, 1, { target, name, round }], ['ends', target]]
  t.strictSame(log, [...runOf(0, 'a', 0), ...runOf(1, 'b', 0), ...runOf(1, 'b', 1), ...runOf(0, 'a', 1)])
  t.match(answer, { kind: 'comparison', sides: [{ name: 'a', runs: 2 }, { name: 'b', runs: 2 }] })
  t.same(answer.runs.map(({ side, throughput, p50 }) => [side, throughput, p50]), [[0, 20, 5], [0, 20, 5], [1, 20, 8], [1, 20, 8]])
  // One that is stopped has no result.
  const { value: stopped } = await simulate({ seed: 1 }, (world) => {
    const { url } = world.server()
    return compareSides(['a', 'b'].map((title) => ({ url, title, connections: 2, overallRate: 20 })), { rounds: 2, duration: 1, warmup: 0, pause: 0 }, async (index, use) => index === 1 ? null : use({}))
  })
  t.same(stopped.sides.map(({ runs }) => runs), [0, 0])
})

t.test('of several servers, all are profiled or none', async (t) => {
  const url = 'http://localhost'
  const server = { [DIAGNOSER]: { channel: {}, port: 1 } }
  const profile = `${t.testdir({})}/a.cpuprofile`
  const both = (one, other) => () => prepare([{ url, ...one }, { url, ...other }], {})
  for (const given of [[{}, {}], [{ diagnose: false }, { diagnose: null }], [{ diagnose: server }, { diagnose: { target: server } }]]) t.doesNotThrow(both(...given))
  const some = { code: CODES.BAD_OPTION, option: 'diagnose', message: 'a profiler makes a server slower: diagnose all servers of a comparison, or none' }
  for (const off of [{}, { diagnose: false }, { diagnose: null }]) {
    t.throws(both({ diagnose: server }, off), some)
    t.throws(both(off, { diagnose: server }), some)
  }
  t.throws(both({ diagnose: server }, { diagnose: { target: server, profile } }), { option: 'diagnose.profile', message: 'a comparison has many runs; write the CPU profile of a single run' })
})

t.test('what a comparison says of servers under a profiler', async (t) => {
  const result = (changes) => ({ requests: { total: 10 }, non2xx: 0, latency: {}, warnings: [], ...changes })
  const diagnosed = result({ diagnosis: {} })
  const missing = (message) => result({ warnings: [{ code: 'OTHER', message: 'x' }, { code: 'NOT_DIAGNOSED', message }] })
  const said = (...sides) => warningsOf(sides.map((results, index) => ({ name: ['one', 'two', 'three'][index], isSaved: false, results })), { metrics: { throughput: {}, p50: {} }, rounds: 2, isStopped: false })
    .filter(({ code }) => /DIAGNOSED/.test(code))
  t.strictSame(said([result(), result()], [result(), result({ diagnosis: null })]), [])
  t.strictSame(said([diagnosed, diagnosed], [result(), diagnosed]), [{ code: 'DIAGNOSED', message: 'The servers ran under a profiler, which makes them slower: compare them without diagnose to know which of them is faster.' }])
  t.strictSame(said([diagnosed, diagnosed], [result(), result()], [diagnosed, diagnosed]), [{ code: 'DIAGNOSED', message: 'one and three ran under a profiler, which makes a server slower, and two did not: the differences prove nothing.' }])
  t.strictSame(said([result(), result({ warnings: undefined })], [missing('no profile'), missing('none again')]), [{ code: 'NOT_DIAGNOSED', message: 'two: no profile' }])
})

t.test('processes that were watched: a tenth of a percent of a core, and the most memory', async (t) => {
  t.strictSame(monitoredIn({}), {})
  const entry = (pid, cpu, memory) => ({ pid, processes: pid + 1, cpu, memory, more: 1 })
  t.strictSame(monitoredIn({ monitor: [entry(7, { totalCount: 2, mean: 12.345 }, { totalCount: 1, max: 4096 }), entry(8, { totalCount: 0, mean: 0 }, { totalCount: 0, max: 0 })] }), {
    monitor: [{ pid: 7, processes: 8, cpu: 12.3, memory: 4096 }, { pid: 8, processes: 9, cpu: null, memory: null }]
  })
})

t.test('a function that gives the rates of a level, and throws', async (t) => {
  const failure = new Error('oops')
  for (const name of ['start', 'step', 'maxRate']) {
    await t.rejects(findJamming({ url: 'ws://localhost:1' }, { connections: 7, [name]: () => { throw failure } }), { code: CODES.HOOK_FAILED, message: `${name}(7) failed: oops`, cause: failure }, name)
  }
})

t.test('metrics of a run have the name of its target, and no run waits for them to be read; a warm-up has none', async (t) => {
  const { url } = await httpServer(t)
  const used = async (study) => {
    const seen = []
    study.on('begin', ({ opts }, { isWarmup }) => seen.push([isWarmup ?? false, opts.prometheus ?? null]))
    await study
    return seen
  }
  const given = { port: 0, linger: 60, labels: { team: 'x' } }
  t.same(await used(compare([{ url, title: 'a', prometheus: given }, { url, title: 'b' }], { rounds: 1, duration: 0.05, warmup: 0.05, pause: 0 })), [
    [true, null], [true, null], [false, { port: 0, labels: { target: 'a', team: 'x' }, linger: 0 }], [false, null]
  ])
  t.same(await used(sweep({ url, title: 'a', prometheus: 0 }, { rates: [20], duration: 0.05, pause: 0 })), [[false, { port: 0, labels: { target: 'a' }, linger: 0 }]])
  const own = { host: '127.0.0.1', port: 0, labels: { target: 'mine', team: 'x' }, buckets: [1, 2], linger: 0 }
  t.same(await used(sweep({ url, title: 'a', prometheus: own }, { rates: [20], duration: 0.05, pause: 0 })), [[false, own]], 'what was given stands')
})

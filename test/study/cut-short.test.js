'use strict'

// No study judges a run that was cut short: options that would cause that are rejected, and stopping a run stops the study.

const t = require('tap')
const { compare, findCapacity, findJamming, sweep } = require('../..')
const { compareResults } = require('../../lib/study/compare/comparison-result')
const { CODES } = require('../../lib/base/errors')
const run = require('../../lib/run')
const { runCommand } = require('../cli/command')
const Dice = require('../simulation/random/dice')
const { simulate } = require('../simulation/world')

const url = 'http://10.0.0.1'
const ROWS = { rows: [{ name: 'a' }, { name: 'b' }], order: 'once' }
const RATES = { rates: [10] }

// Options that end a run early; with another option that they need.
const ENDS = {
  amount: { amount: 5 },
  bailout: { bailout: 1 },
  maxConnectionRequests: { maxConnectionRequests: 5 },
  maxOverallRequests: { maxOverallRequests: 5 },
  abortOnFail: { abortOnFail: true, thresholds: 'errors == 0' },
  'feed.order': { feed: ROWS },
  'sessions.amount': { sessions: { amount: 3 } },
  replay: { replay: 'access.log' },
  forever: { forever: true },
  stages: { stages: [{ duration: 1, rate: 10 }] }
}

const STUDIES = {
  sweep: (opts) => sweep({ url, ...opts }, RATES),
  'sweep of several': (opts) => sweep([{ url }, { url, ...opts }], RATES),
  findCapacity: (opts) => findCapacity({ url, ...opts }),
  findJamming: (opts) => findJamming({ url: 'ws://10.0.0.1', ...opts })
}

for (const [name, study] of Object.entries(STUDIES)) {
  t.test(`${name}: an option that ends a run early is an error that names it`, async (t) => {
    for (const [option, opts] of Object.entries(ENDS)) {
      if (option === 'abortOnFail' && name === 'findCapacity') delete opts.thresholds
      const error = await study(opts).then(() => null, (error) => error)
      t.equal(error?.code, CODES.BAD_OPTION, option)
      t.match(error.message, new RegExp(`^${name === 'findJamming' && option === 'sessions.amount' ? 'sessions' : option.replace('.', '\\.')}( 'once')? cannot be given here: `))
      t.ok([option, 'sessions'].includes(error.option), error.option)
    }
    t.same(await study({ feed: ROWS, sessions: true }).then(() => null, ({ option }) => name === 'findJamming' || option), name === 'findJamming' || 'feed.order', 'of sessions as well')
  })
}

t.test('a comparison accepts amounts, but nothing that ends the runs of one side because of its results', async (t) => {
  for (const option of ['bailout', 'abortOnFail', 'forever']) {
    await t.rejects(compare([{ url }, { url, ...ENDS[option] }]), { code: CODES.BAD_OPTION, option, target: 1, message: `${option} cannot be given here: ` })
  }
  for (const option of ['amount', 'maxOverallRequests', 'maxConnectionRequests', 'feed.order', 'sessions.amount']) {
    const study = compare([{ url, ...ENDS[option] }, { url, ...ENDS[option] }])
    study.stop()
    t.match(await study, { kind: 'comparison' }, option)
  }
})

t.test('options that are switched off end nothing', async (t) => {
  const study = sweep({ url, abortOnFail: false, amount: null, bailout: undefined, feed: false, forever: false, sessions: { amount: null } }, RATES)
  study.stop()
  t.match(await study, { kind: 'sweep', rows: [] })
})

t.test('on the command line the error names the flag', async (t) => {
  const folder = t.testdir({ 'rows.csv': 'name\na\nb\n', 'config.json': JSON.stringify({ url, bailout: 3 }) })
  for (const [argv, message] of [
    [['sweep', '--rates', '10', '--feed', `once:${folder}/rows.csv`, url], /^order of --feed 'once' cannot be given here: it would end a run before the duration that the study sets$/m],
    [['sweep', '--rates', '10', '--config', `${folder}/config.json`], /bailout cannot be given here: /]
  ]) {
    const { code, stderr } = await runCommand(t, argv)
    t.equal(code, 2, stderr)
    t.match(stderr, message)
  }
})

const codesOf = ({ warnings }) => warnings.map(({ code }) => code)

const STARTERS = {
  sweep: (url) => sweep({ url }, { rates: [10, 20], duration: 1, pause: 0 }),
  findCapacity: (url) => findCapacity({ url }, { duration: 1, rates: { from: 10, to: 40 } }),
  compare: (url) => compare([{ url, overallRate: 10 }, { url, overallRate: 10 }], { duration: 1, rounds: 3, warmup: 0 })
}

for (const [name, start] of Object.entries(STARTERS)) {
  t.test(`${name}: stopping a single run stops the study, and half a run is no measurement`, async (t) => {
    const measured = []
    const { value: answer } = await simulate({ seed: 1 }, (world) => {
      const study = start(world.server({ serviceTime: 1 }).url)
      study.on('run', (result) => measured.push(result))
      study.once('begin', (instance) => world.afterForClient(500, instance.stop))
      return study
    })
    t.same(measured, [])
    t.same((answer.rows ?? answer.steps ?? answer.runs), [])
    t.ok(name === 'sweep' ? answer.stoppedBy === 'stop' : answer.warnings.some(({ code }) => code === 'STOPPED'))
  })
}

t.test('also during the drain; after its end stop() has no effect', async (t) => {
  const rowsWhen = async (ms) => (await simulate({ seed: 1 }, (world) => {
    const study = sweep({ url: world.server({ serviceTime: 300 }).url }, { rates: [10, 20], duration: 1, pause: 0.5 })
    study.once('begin', (instance) => world.afterForClient(ms, instance.stop))
    return study
  })).value.rows.length
  t.equal(await rowsWhen(1100), 0, 'while the last responses are outstanding')
  t.equal(await rowsWhen(1600), 2, 'in the pause')
  t.equal(await rowsWhen(2000), 2, 'in the next run')
})

t.test('a search whose time is over during a run is out of time, not stopped', async (t) => {
  let begun = 0
  let ended = 0
  const { value: answer } = await simulate({ seed: 1 }, (world) => {
    // The responses that a warm-up leaves are awaited, which the plan doesn't include.
    let since = 0
    const server = world.server({ serviceTime: () => world.elapsed < since + 450 ? 4500 : 5 })
    const search = findCapacity({ url: server.url, warmup: { duration: 0.5 }, timeout: 5 }, { duration: 0.5, rates: { from: 2, to: 16 }, precision: 1, maxDuration: 20 })
    search.on('begin', () => {
      begun++
      since = world.elapsed
    })
    return search.on('run', () => ended++)
  })
  t.equal(begun, ended + 1)
  t.same(codesOf(answer), ['OUT_OF_TIME'])
})

async function resultOf (opts, story = () => {}) {
  const { value } = await simulate({ seed: 1 }, (world) => {
    const instance = run({ url: world.server({ serviceTime: () => 5 + world.random.next() }).url, connections: 2, duration: 4, sampleInt: 200, ...opts })
    story(world, instance)
    return instance
  })
  return JSON.parse(JSON.stringify(value))
}

const MAX_REGRESSION = { maxRegression: { throughput: '50%', errorRate: '50%' } }

t.test('a saved result that was cut short can be compared, but passes no regression check', async (t) => {
  const whole = await resultOf({})
  t.match(compareResults([whole, whole], MAX_REGRESSION), { regressionVerdict: 'passed' })
  const short = {
    'stop()': await resultOf({}, (world, instance) => world.afterForClient(3000, instance.stop)),
    abortOnFail: await resultOf({ abortOnFail: true, thresholds: 'requests.total < 900' }),
    bailout: await resultOf({ bailout: 900, expectBody: 'x' }),
    'stop() of a run by amount': await resultOf({ amount: 5000, duration: undefined }, (world, instance) => world.afterForClient(3000, instance.stop))
  }
  for (const [how, result] of Object.entries(short)) {
    t.ok(result.duration < 4, how)
    for (const items of [[whole, result], [result, whole]]) {
      const comparison = compareResults(items, MAX_REGRESSION)
      // Unexpected bodies are failures, and the run that ended because of them has nothing else.
      t.match(comparison, { regressionVerdict: how === 'bailout' && items[1] === result ? 'failed' : 'inconclusive', passed: false, sides: [{ runs: 1 }, { runs: 1 }] }, how)
      t.match(comparison.warnings.find(({ code }) => code === 'RUN_CUT_SHORT').message, /^1 of 1 run of .* ended early, as their warnings explain, so no regression check passes\.$/)
    }
  }
  const worse = { ...short['stop()'], requests: { ...whole.requests, average: whole.requests.average / 10 } }
  t.match(compareResults([whole, worse], MAX_REGRESSION), { regressionVerdict: 'failed' }, 'what is shown remains shown')
})

t.test('a drain that was too short only cuts off the last responses, which become bounds', async (t) => {
  const opts = { overallRate: 250, connections: 4, drain: 0 }
  const result = await resultOf(opts)
  t.ok(codesOf(result).includes('STOPPED'))
  const comparison = compareResults([result, result], MAX_REGRESSION)
  t.match(comparison, { regressionVerdict: 'passed' })
  t.notOk(codesOf(comparison).includes('RUN_CUT_SHORT'))
})

t.test('a saved result that lost part of its run is no measurement, and is left out', async (t) => {
  const whole = await resultOf({})
  const half = { ...whole, requests: { ...whole.requests, average: whole.requests.average / 2, total: whole.requests.total / 2 }, incomplete: { parts: 1, since: 1 } }
  const few = compareResults([[whole, whole, whole], [whole, half, whole, whole]], MAX_REGRESSION)
  t.match(few, { verdict: 'no difference shown', regressionVerdict: 'inconclusive', sides: [{ runs: 3 }, { runs: 3 }], runs: { length: 6 } })
  t.match(few.warnings.find(({ code }) => code === 'AGENT_LOST').message, /^1 of 4 runs of .* lost agents of a fleet: they are excluded, and no regression check passes\.$/)
  t.equal(few.metrics.throughput.difference, 0, 'they are left out')
  for (const items of [[whole, half], [half, whole], [half, half]]) {
    const none = compareResults(items, MAX_REGRESSION)
    t.match(none, { verdict: 'no difference shown', regressionVerdict: 'inconclusive', passed: false })
    t.equal(none.sides.some(({ runs }) => runs === 0), true)
  }
})

const RANDOM_STUDIES = {
  sweep: (opts, signal) => sweep(opts, { rates: [20, 40, 30], duration: 0.2, pause: 0.1, signal }),
  findCapacity: (opts, signal) => findCapacity(opts, { duration: 0.2, rates: { from: 20, to: 80 }, signal }),
  compare: (opts, signal) => compare([{ ...opts, overallRate: 20 }, { ...opts, overallRate: 40 }], { duration: 0.2, rounds: 3, warmup: 0, pause: 0.1, signal })
}
const CUTS = { 'study.stop()': (study) => study.stop(), 'stop() of its run': (study, instance) => instance?.stop(), 'a signal': (study, instance, controller) => controller.abort() }

t.test('random studies that are cut short at any moment, or at the last microsecond of a run: what is whole counts, and nothing else', async (t) => {
  for (let seed = 0; seed < 14; seed++) {
    const dice = new Dice(seed)
    const [kind, cut] = [dice.one(...Object.keys(RANDOM_STUDIES)), dice.one(...Object.keys(CUTS))]
    const serviceTime = dice.whole(1, 30)
    // Shortly before or after a run's last response, or at any time.
    const last = dice.one({ kind: 'any', at: dice.ms(0, 1500) }, { kind: 'end', run: dice.whole(0, 3), after: dice.one(-0.001, 0, 0.1, 10) })
    const begun = []
    const measured = []
    let stoppedAt = Infinity
    const { value: answer, world } = await simulate({ seed }, (world) => {
      const server = world.server({ serviceTime })
      const controller = new AbortController()
      const study = RANDOM_STUDIES[kind]({ url: server.url, connections: 4, timeout: 1 }, controller.signal)
      const stop = () => {
        stoppedAt = world.client.now
        CUTS[cut](study, begun.at(-1)?.instance, controller)
      }
      study.on('run', (result) => measured.push(result))
      study.on('begin', (instance) => {
        begun.push({ instance, at: world.client.now, sent: world.log.length, us: instance.opts.duration * 1e6 })
        if (last.kind === 'end' && begun.length === last.run + 1) world.afterForClient(instance.opts.duration * 1000 + last.after, stop)
      })
      if (last.kind === 'any') world.afterForClient(last.at, stop)
      return study
    })
    checkStudy(t, `seed ${seed}: ${kind}, ${cut} ${JSON.stringify(last)}`, { answer, world, begun, measured, stoppedAt })
  }
})

// A run is whole if its duration was over, and everything was answered, before it was stopped.
function checkStudy (t, name, { answer, world: { log }, begun, measured, stoppedAt }) {
  const parts = begun.map(({ at, us, sent }, index) => ({ endsAt: at + us, log: log.slice(sent, begun[index + 1]?.sent) }))
  const whole = parts.filter(({ endsAt, log }) => endsAt < stoppedAt && log.every(({ receivedAt }) => receivedAt !== null && receivedAt < stoppedAt))
  const { kind, rows, steps, runs, stoppedBy, warnings } = answer
  t.same({
    measured: measured.map(({ requests }) => requests.total),
    // A comparison counts whole rounds.
    counted: (rows ?? steps ?? runs).length,
    isStopped: stoppedBy === 'stop' || warnings.some(({ code }) => code === 'STOPPED'),
    sentLater: log.filter(({ sentAt }) => sentAt > stoppedAt).length
  }, {
    measured: whole.map(({ log }) => log.length),
    counted: kind === 'comparison' ? 2 * Math.floor(whole.length / 2) : whole.length,
    isStopped: stoppedAt < Infinity,
    sentLater: 0
  }, name)
}

'use strict'

const path = require('node:path')
const t = require('tap')
const { CODES } = require('../../lib/base/errors')
const findCapacity = require('../../lib/study/capacity')
const { simulate } = require('../simulation/world')
const { httpServer } = require('../support/servers')

// Wide enough for machines that stall for 50 ms now and then.
const SLO = ['p99 < 1s', 'errors == 0']
const codesOf = ({ warnings }) => warnings.map(({ code }) => code)

// The result of a search with a simulated server.
async function searched (server, settings, opts) {
  const { value } = await simulate({ seed: 2 }, (world) => findCapacity({ url: world.server(server).url, ...opts }, settings))
  return value
}

t.test('an unmet threshold of the user is reported as the limit', async (t) => {
  const result = await searched({ slots: 100, serviceTime: 60 }, { slo: ['errors == 0', { p50: '< 50ms' }], duration: 0.3, rates: { from: 40, to: 80 } })
  t.match(result, { capacity: 0, interval: [0, Number], limitingThreshold: 'p50 < 50ms', limitedBy: 'server', isConfirmed: false, knee: null })
  t.ok(codesOf(result).includes('NO_CAPACITY'))
})

t.test('5xx responses are allowed if the user has a threshold on statuses', async (t) => {
  const broken = { answer: () => 500 }
  const settings = { duration: 0.3, rates: { from: 40, to: 40 } }
  t.match(await searched(broken, settings), { capacity: 0, slo: ['failures == 0'], limitingThreshold: 'failures == 0' })
  t.match(await searched({ answer: () => 401 }, settings), { capacity: 0, limitingThreshold: 'failures == 0' }, 'a wrong password is not a capacity')
  t.match(await searched(broken, { ...settings, slo: 'errors == 0' }), { capacity: 0, slo: ['errors == 0', '5xx < 1%'], limitingThreshold: '5xx < 1%' })
  const result = await searched(broken, { ...settings, slo: ['2xx == 0'] })
  t.match(result, { capacity: 40, slo: ['2xx == 0'] })
  t.ok(codesOf(result).includes('OTHER_STATUS'))
})

t.test('users whose checks fail are not served, unless the user has a threshold on checks', async (t) => {
  const settings = { duration: 1, rates: { from: 40, to: 40 } }
  const wrong = (every) => ({ answer: ({ number }) => ({ body: number % every === every - 1 ? 'wrong' : 'right' }) })
  const user = async (user) => { user.check('is right', (await user.get('/')).body === 'right') }
  const limit = 'checks >= 99%'
  const found = await searched(wrong(1), { ...settings, slo: 'p99 < 1s' }, { user })
  t.match(found, { capacity: 0, limitingThreshold: limit, limitedBy: 'server', steps: [{ missed: [limit] }] })
  t.match(await searched(wrong(50), { ...settings, slo: 'failures == 0' }, { user }), { capacity: 0, limitingThreshold: limit })
  t.match(await searched(wrong(Infinity), { ...settings, slo: 'p99 < 1s' }, { user }), { capacity: 40, limitingThreshold: null })
  const mix = { scenarios: [{ name: 'a', user }] }
  for (const allowed of ['checks > 90%', "checks['is right'] > 90%"]) t.match(await searched(wrong(50), { ...settings, slo: ['p99 < 1s', allowed] }, { user }), { capacity: 40 }, allowed)
  t.match(await searched(wrong(50), { ...settings, slo: ['p99 < 1s', 'scenarios.a.checks > 90%'] }, mix), { capacity: 40 })
  t.match(await searched(wrong(50), { ...settings, slo: 'scenarios.a.p99 < 1s' }, mix), { capacity: 0, limitingThreshold: limit })
  const silent = async (user) => { await user.get('/') }
  t.match(await searched(wrong(1), { ...settings, slo: 'p99 < 1s' }, { user: silent }), { capacity: 40 }, 'no check')
})

t.test('gRPC calls that are not OK are called so', async (t) => {
  const settings = { duration: 0.3, rates: { from: 40, to: 40 }, slo: 'p99 < 1s' }
  const calls = { grpc: { proto: path.join(__dirname, '../protocol/grpc/shop.proto'), method: 'shop.Shop/Find', message: { user_name: 'x' } } }
  const { capacity, warnings } = await searched({ grpc: true, answer: () => 'NOT_FOUND' }, settings, calls)
  t.same([capacity, warnings], [40, [{ code: 'OTHER_STATUS', message: '100% of the calls at this rate were not OK.' }]])
  const { warnings: ofStatus } = await searched({ answer: () => 404 }, settings)
  t.same(ofStatus, [{ code: 'OTHER_STATUS', message: '100% of the responses at this rate had a status other than 2xx.' }])
})

t.test('wrong bodies are no capacity, unless the user has a threshold on them', async (t) => {
  const settings = { duration: 0.3, rates: { from: 40, to: 40 } }
  const wrong = { answer: ({ number }) => ({ body: number % 50 === 49 ? 'wrong' : 'right' }) }
  const right = { answer: () => ({ body: 'right' }) }
  const limit = 'mismatches < 1%'
  for (const verified of [{ expectBody: 'right' }, { verifyBody: (text) => text === 'right' }]) {
    t.match(await searched({ answer: () => ({ body: 'wrong' }) }, { ...settings, slo: 'p99 < 1s' }, verified), { capacity: 0, slo: ['p99 < 1s', '5xx < 1%', limit], limitingThreshold: limit })
    t.match(await searched(wrong, { ...settings, duration: 2, slo: 'p99 < 1s' }, verified), { capacity: 0, limitingThreshold: limit })
    t.match(await searched(right, { ...settings, slo: 'p99 < 1s' }, verified), { capacity: 40, limitingThreshold: null })
    t.match(await searched(wrong, { ...settings, duration: 2, slo: 'mismatches < 5%' }, verified), { capacity: 40, slo: ['mismatches < 5%', '5xx < 1%'] })
    t.match(await searched(wrong, { ...settings, duration: 2, slo: 'failures.rate < 5%' }, verified), { capacity: 40, slo: ['failures.rate < 5%'] })
  }
  t.match(await searched(wrong, { ...settings, slo: 'p99 < 1s' }), { capacity: 40, slo: ['p99 < 1s', '5xx < 1%'] }, 'nobody looks at them')
})

t.test('if the maximum passes, it is reported as the limit, and the actual capacity is unknown', async (t) => {
  t.match(await searched({ slots: 50, serviceTime: 5 }, { slo: SLO, duration: 0.4, rates: { from: 20, to: 50 } }), {
    capacity: 50, interval: [50, null], limitedBy: 'maximum asked for', limitingThreshold: null, isConfirmed: true, knee: null
  })
})

t.test('too few connections are reported as the limit, and not the server or a slow generator', async (t) => {
  const result = await searched({ slots: 50, serviceTime: 20 }, { slo: SLO, duration: 0.4, rates: { from: 50, to: 800 } }, { connections: 2 })
  t.ok(result.capacity <= 108, `${result.capacity}: two at a time in 20 ms are 100 a second`)
  t.equal(result.limitedBy, 'connections')
  t.match(result.reasons.join(), /2 connections were busy/)
  t.ok(codesOf(result).includes('CONNECTIONS_LIMIT'))
})

t.test('it takes no longer than allowed', async (t) => {
  const { value: { capacity, seconds }, world } = await simulate({}, async (world) => {
    const study = findCapacity({ url: world.server({ slots: 4, serviceTime: 20 }).url }, { slo: SLO, precision: '20%', maxDuration: 12, rates: { from: 50, to: 400 } })
    const { seconds } = study
    return { ...await study, seconds }
  })
  t.equal(seconds, 12)
  // A search without that limit uses runs of five seconds.
  t.ok(world.elapsed <= 12_000, `${world.elapsed} ms`)
  t.ok(capacity > 150 && capacity <= 212, `${capacity}, and it is 200`)
})

t.test("a server that never responds, and one that doesn't exist, end it soon", async (t) => {
  const settings = { duration: 0.3, rates: { from: 20, to: 100000 } }
  const hung = await searched({ answer: 'silence' }, settings, { timeout: 0.2 })
  t.match(hung, { capacity: 0, limitingThreshold: 'failures == 0', limitedBy: 'server' })
  t.same(codesOf(hung), ['NO_ANSWER'])
  const nobody = await searched({ attempt: () => 'refuse' }, settings)
  t.match(nobody, { capacity: 0, interval: [0, 20], limitedBy: null, limitingThreshold: 'failures == 0', steps: { length: 1 } })
  t.match(nobody.steps[0], { completed: 0, responseTime: null, serviceTime: null, p50: null, p90: null, p99: null, p99_9: null })
  t.match(nobody.warnings, [{ code: 'NO_ANSWER', message: /ECONNREFUSED/ }])
})

t.test('stopped before its first run has ended, it knows nothing', async (t) => {
  const { value: result } = await simulate({}, (world) => {
    const study = findCapacity({ url: world.server().url }, { duration: 5 })
    return study.on('begin', () => study.stop())
  })
  t.match(result, { capacity: 0, interval: [0, null], limitedBy: null, limitingThreshold: null, steps: [], isConfirmed: false })
})

t.test('stop() ends it with the answer so far', async (t) => {
  const { value: result } = await simulate({}, (world) => {
    const study = findCapacity({ url: world.server({ serviceTime: 1 }).url }, { duration: 0.2, rates: { from: 10, to: 100000 } })
    let steps = 0
    return study.on('step', () => { if (++steps === 2) study.stop() })
  })
  t.match(result, { capacity: 20, limitedBy: null, isConfirmed: false })
  t.ok(codesOf(result).includes('STOPPED'))
})

t.test('invalid input is one sentence, before anything is sent', async (t) => {
  const server = await httpServer(t)
  const { url } = server
  const bad = [
    [{}, {}, /url or socketPath/], [undefined, {}, /the options must be an object/], [[{ url }], {}, /tests one target/],
    [{ url, overallRate: 5 }, {}, /overallRate cannot be given here/], [{ url, thresholds: ['errors == 0'] }, {}, /use the setting slo/],
    [{ url }, { precision: 0 }, /precision must be a share from 0\.005 to 1/], [{ url }, { precision: 'x' }, /precision/],
    [{ url }, { rates: { from: 10, to: 5 } }, /rates\.to must be at least rates\.from/], [{ url }, { rates: { from: 0 } }, /rates\.from/], [{ url }, { rates: 5 }, /rates/],
    [{ url }, { maxDuration: 1 }, /maxDuration must be at least \d+ seconds/], [{ url }, { duration: 0 }, /duration/]
  ]
  for (const [opts, settings, message] of bad) await t.rejects(findCapacity(opts, settings), { code: CODES.BAD_OPTION, message })
  for (const slo of ['foo < 5', ['endpoints[1].failed == 0'], 5]) await t.rejects(findCapacity({ url }, { slo }), { code: CODES.BAD_THRESHOLD })
  t.equal(server.connections, 0)
})

'use strict'

const t = require('tap')
const findCapacity = require('../../lib/study/capacity')
const compare = require('../../lib/study/compare')
const { compareResults } = require('../../lib/study/compare/comparison-result')
const sweep = require('../../lib/study/sweep')
const { simulate } = require('../simulation/world')
const { machine, rounds } = require('../study/fixtures/simulated')
const { flawsOfStudy } = require('../support/schemas')
const { closedPort, delayServer, hangingServer, httpServer } = require('../support/servers')

const QUICK = { duration: 0.2, pause: 0 }

function check (t, study) {
  t.same(flawsOfStudy(study), [])
  return JSON.parse(JSON.stringify(study))
}

t.test('a sweep: of one target, of several, without a server, stopped', async (t) => {
  const { url } = await delayServer(t, 10)
  const closed = await closedPort(t)
  check(t, await sweep({ url, connections: 1, timeout: 1, drain: 0.1 }, { ...QUICK, rates: [20, 300] }))
  const { knee, rows } = check(t, await sweep([{ url, title: 'there' }, { url: closed.url, title: 'not there' }], { ...QUICK, rates: [20], stopWhen: { errorRate: '5%' } }))
  t.equal(knee.length, 2)
  t.equal(rows[0].targets[1].p50, null)
  const stopped = sweep({ url }, { ...QUICK, rates: [20] })
  stopped.stop()
  check(t, await stopped)
})

t.test('a capacity search: found, maximum reached, without a server, stopped', async (t) => {
  const { url } = await delayServer(t, 10)
  const closed = await closedPort(t)
  const opts = { url, connections: 1, timeout: 0.3 }
  const found = check(t, await findCapacity(opts, { ...QUICK, slo: ['p99 < 1s'], rates: { from: 20, to: 400 }, precision: 1 }))
  t.ok(found.steps.some(({ passed }) => !passed))
  t.equal(found.interval.length, 2)
  check(t, await findCapacity({ url }, { ...QUICK, slo: ['p99 < 10s'], rates: { from: 50, to: 50 } }))
  t.match(check(t, await findCapacity({ url: closed.url }, QUICK)), { capacity: 0, limitedBy: null })
  const stopped = findCapacity(opts, QUICK)
  stopped.stop()
  t.match(check(t, await stopped), { steps: { length: 0 }, interval: [0, null] })
  const { value: ofUsers } = await simulate({}, (world) =>
    findCapacity({ url: world.server({ slots: 1, serviceTime: 20 }).url }, { ...QUICK, of: 'connections', slo: ['p99 < 50ms'] }))
  t.match(check(t, ofUsers), { axis: 'connections', capacity: 2, connections: null })
})

t.test('a comparison: live, of saved results, with a limit, without a server, stopped', async (t) => {
  const { url } = await httpServer(t)
  const closed = await closedPort(t)
  const settings = { ...QUICK, rounds: 2, duration: 0.1, warmup: 0 }
  const three = check(t, await compare([{ url }, { url, title: 'b' }, { url: closed.url }], { ...settings, maxRegression: '5%' }))
  t.equal(three.comparisons.length, 2)
  t.equal(three.comparisons[1].metrics.p50.interval, null)
  const saved = rounds(machine(3), 3)
  check(t, await compare(saved, { maxRegression: { p99: '10%' } }))
  check(t, await compare([saved[0][0], { url }], settings))
  const stopped = compare([{ url }, { url }], settings)
  stopped.stop()
  check(t, await stopped)
})

t.test('a hundred comparisons of saved results', async (t) => {
  for (let seed = 0; seed < 100; seed++) {
    const servers = [{ seconds: seed % 4 === 0 ? 8 : 0 }, { slower: [1, 1.5, 0.5, 1e6][seed % 4], errors: seed % 3, seconds: seed % 4 === 0 ? 8 : 0 }]
    const [a, b] = rounds(machine(seed), 1 + seed % 6, servers)
    check(t, compareResults(seed % 5 === 0 ? [a, b, a] : [a, b], seed % 2 === 0 ? { maxRegression: '5%' } : {}))
  }
})

t.test('sweeps and searches with all kinds of servers', async (t) => {
  const statuses = await httpServer(t, (request, response, index) => {
    response.statusCode = index % 3 === 0 ? 503 : 200
    response.end('ok')
  })
  const broken = await httpServer(t, (request, response, index) => index % 2 === 0 ? request.socket.destroy() : response.end('ok'))
  const hanging = await hangingServer(t, { every: 2 })
  const short = { duration: 0.05, pause: 0 }
  for (const { url } of [statuses, broken, hanging]) {
    const opts = { url, connections: 2, timeout: 0.05, headers: { authorization: 'hunter2' } }
    const swept = check(t, await sweep(opts, { ...short, rates: [40, 80, 160], stopWhen: { p99: '1s' } }))
    t.equal(swept.options.headers.authorization, '***')
    t.same((check(t, await sweep([opts, opts], { ...short, rates: [40] }))).options.length, 2)
    t.match(check(t, await findCapacity(opts, { ...short, slo: ['p99 < 1s', 'errors < 90%'], rates: { from: 40, to: 80 }, precision: 1 })), { options: { connections: 2 }, environment: { node: process.version } })
  }
})

t.test('deviations from the schema are detected', async (t) => {
  const { url } = await httpServer(t)
  const swept = check(t, await sweep({ url }, { ...QUICK, rates: [20] }))
  const compared = check(t, await compare(rounds(machine(3), 3)))
  const [row] = swept.rows
  const wrong = [
    { ...swept, surprise: 1 },
    { ...swept, kind: 'capacity' },
    { ...swept, kind: undefined },
    { ...swept, rows: [{ ...row, targets: [{ ...row.targets[0], p98: 1 }] }] },
    { ...swept, rows: [{ ...row, targets: [{ ...row.targets[0], limitedBy: 'nobody' }] }] },
    { ...swept, start: 'yesterday' },
    { ...compared, metrics: { ...compared.metrics, p99: undefined } },
    { ...compared, metrics: { ...compared.metrics, p99: { ...compared.metrics.p99, interval: [1] } } },
    { ...compared, verdict: 'better' },
    [], 5
  ]
  t.same(wrong.filter((value) => flawsOfStudy(value).length === 0), [])
})

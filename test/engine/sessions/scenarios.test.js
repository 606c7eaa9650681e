'use strict'

const path = require('node:path')
const t = require('tap')
const { aggregateResult, compare, parseArguments, run, toTimelineCSV } = require('../../..')
const { Mix } = require('../../../lib/load/mix')
const { simulate } = require('../../simulation/world')
const { httpServer } = require('../../support/servers')

const SHOP = [
  { name: 'browse', weight: 70, requests: [{ path: '/browse' }, { path: '/page', thinkTime: 0.05 }] },
  { name: 'search', weight: 25, requests: [{ path: '/search' }], calls: 3 },
  { name: 'buy it', weight: 5, requests: [[{ path: '/buy' }, { path: '/image' }]], thinkTime: 0.2 }
]
const MIX = new Mix([14, 5, 1])
const mixOf = (count) => Array.from({ length: count }, (_, number) => MIX.at(number))
const countsOf = (kinds) => SHOP.map((_, kind) => kinds.filter((each) => each === kind).length)

async function shop (opts, settings = {}, story = () => {}) {
  const { value: result, world } = await simulate({ seed: 3, ...settings.world }, (world) => {
    const server = world.server({ serviceTime: 10, ...settings })
    story(world, server)
    return run({ url: server.url, scenarios: SHOP, ...opts })
  })
  t.same(world.leftovers, [])
  return { result, world }
}

// The first request of each session, in the order in which they were due.
const kindsIn = ({ log }) => log.filter(({ path }) => ['/browse', '/search', '/buy'].includes(path))
  .filter((entry, index, all) => all.findIndex(({ socket }) => socket === entry.socket) === index)
  .map(({ path }) => ['/browse', '/search', '/buy'].indexOf(path))

// Sums over all scenarios equal the totals: counts, times and distributions.
function addsUp (t, result) {
  const { scenarios } = result
  const sum = (pick) => scenarios.reduce((total, scenario) => total + pick(scenario), 0)
  for (const box of Object.keys(result.accounting)) t.equal(sum(({ accounting }) => accounting[box]), result.accounting[box], box)
  for (const box of ['scheduled', 'unstarted', 'started', 'completed', 'failed', 'unfinished']) t.equal(sum(({ sessions }) => sessions[box]), result.sessions[box], `sessions.${box}`)
  t.equal(sum(({ errors }) => errors), result.errors, 'errors')
  for (const [code, { count }] of Object.entries(result.statusCodeStats)) t.equal(sum(({ statusCodeStats }) => statusCodeStats[code]?.count ?? 0), count, code)
  for (const figure of ['latency', 'serviceTime']) {
    t.equal(sum(({ [figure]: { totalCount } }) => totalCount), result[figure].totalCount, `values of ${figure}`)
    t.ok(Math.abs(sum(({ [figure]: { total } }) => total) - result[figure].total) < 1e-6, `sum of ${figure}`)
    t.equal(Math.max(...scenarios.map(({ [figure]: { max } }) => max)), result[figure].max)
  }
  t.equal(sum(({ latencyBounds: { count } }) => count), result.latencyBounds.count, 'bounds')
  t.equal(sum(({ sessions }) => sessions.lifetime.totalCount), result.sessions.lifetime.totalCount)
  const lengths = result.sessions.lengths.map((_, length) => sum(({ sessions }) => sessions.lengths[length] ?? 0))
  t.same(lengths, result.sessions.lengths)
}

t.test('sessions follow the mix, by the number of their arrival', async (t) => {
  for (const opts of [{}, { workers: 3 }]) {
    const { result, world } = await shop({ overallRate: 50, duration: 2, ...opts })
    t.same(kindsIn(world), mixOf(100), JSON.stringify(opts))
    t.same(result.scenarios.map(({ name, weight, sessions, accounting }) => [name, weight, sessions.completed, accounting.completed]), [
      ['browse', 70, 70, 140], ['search', 25, 25, 75], ['buy it', 5, 5, 10]
    ])
    addsUp(t, result)
    t.same(result.endpoints.map(({ path, scenario, completed }) => [path, scenario, completed]), [
      ['/browse', 'browse', 70], ['/page', 'browse', 70], ['/search', 'search', 75], ['/buy', 'buy it', 5], ['/image', 'buy it', 5]
    ])
    const [browse, search, buy] = result.scenarios
    t.same(result.scenarios.map(({ sessions: { burst, rate } }) => [burst, rate]), [[1, { offered: 35, achieved: 34 }], [1, { offered: 12.5, achieved: 12.5 }], [1, { offered: 2.5, achieved: 2.5 }]])
    t.equal(Math.round(browse.sessions.lifetime.max), 70, 'two answers and a pause')
    t.equal(Math.round(search.sessions.lifetime.max), 30, 'three calls')
    t.equal(Math.round(buy.sessions.lifetime.min), 20, 'two consecutive responses')
    t.same(result.warnings, [])
  }
})

t.test('without a schedule each thread counts its sessions as they begin', async (t) => {
  const { result, world } = await shop({ connections: 3, sessions: { amount: 60 } })
  t.same(kindsIn(world), mixOf(60))
  addsUp(t, result)
  const { result: ofTwo } = await shop({ connections: 4, sessions: { amount: 80 }, workers: 2 })
  t.same(ofTwo.scenarios.map(({ sessions }) => sessions.completed), countsOf(mixOf(40)).map((count) => 2 * count))
  addsUp(t, ofTwo)
})

t.test('without a schedule each thread has the whole mix, also if the scenarios take turns as the threads do', async (t) => {
  const scenarios = [{ name: 'short', requests: [{ path: '/' }] }, { name: 'long', requests: [{ path: '/' }], calls: 5 }]
  const { result } = await shop({ connections: 2, duration: 3, sessions: true, workers: 2, scenarios })
  // A thread needs 60 ms for one of each.
  const [short, long] = result.scenarios.map(({ sessions }) => sessions.started)
  t.ok(short >= 2 * 49 && short <= 2 * 51 && short - long >= 0 && short - long <= 2, `${short} and ${long}`)
})

t.test('unstarted sessions belong to their scenarios, and so do failed, late and unfinished ones', async (t) => {
  for (const [opts, settings, story] of [
    [{ overallRate: 100, duration: 1, sessions: { maxOpen: 2 }, timeout: 0.3, drain: 0.1 }, { serviceTime: 30 }],
    [{ overallRate: 100, duration: 1, sessions: { connections: 2, failOn: ['5xx'] }, timeout: 0.2 }, { answer: ({ number }) => number % 7 === 3 ? 'reset' : number % 5 === 1 ? 500 : number % 11 === 2 ? 'silence' : 200 }],
    [{ overallRate: 60, duration: 1, timeout: 0.1, workers: 2 }, {}, (world, server) => { world.after(300, () => server.refuse()); world.after(500, () => server.accept()) }],
    [{ connections: 5, duration: 1, timeout: 0.2, drain: 0 }, { serviceTime: 40, slots: 1 }]
  ]) {
    const { result } = await shop(opts, settings, story)
    addsUp(t, result)
    t.ok(result.accounting.completed < result.accounting.scheduled, JSON.stringify(result.accounting))
    const kinds = countsOf(mixOf(result.sessions.scheduled))
    if (opts.workers === undefined) t.same(result.scenarios.map(({ sessions }) => sessions.scheduled), kinds, 'in the order in which they came due')
  }
})

t.test('a warm-up has its own mix, and results can be merged', async (t) => {
  const { result } = await shop({ overallRate: 50, duration: 1, skipAggregateResult: true, warmup: { duration: 0.2 } })
  t.same(result.warmup.scenarios.map(({ sessions }) => sessions.completed), countsOf(mixOf(10)))
  t.same(result.scenarios.map(({ sessions }) => sessions.completed), countsOf(mixOf(50)))
  const whole = aggregateResult([result, result], { thresholds: ['scenarios.search.sessions.failed == 0'] })
  t.same(whole.scenarios.map(({ accounting }) => accounting.sent), result.scenarios.map(({ accounting }) => 2 * accounting.sent))
  t.equal(whole.passed, true)
  addsUp(t, whole)
})

t.test('each scenario uses the rows of the feed from the beginning', async (t) => {
  const scenarios = [{ name: 'a', weight: 2, requests: [{ path: '/a/{{id}}' }] }, { name: 'b', requests: [{ path: '/b/{{id}}' }] }]
  const rowsOf = ({ log }, name) => log.filter(({ path }) => path.startsWith(`/${name}/`)).map(({ path }) => Number(path.slice(3)))
  const rows = Array.from({ length: 7 }, (_, id) => ({ id }))
  const { world } = await shop({ scenarios, overallRate: 30, duration: 1, feed: { rows } })
  t.same(rowsOf(world, 'a'), Array.from({ length: 20 }, (_, draw) => draw % 7))
  t.same(rowsOf(world, 'b'), Array.from({ length: 10 }, (_, draw) => draw % 7))
  const { world: random } = await shop({ scenarios, overallRate: 30, duration: 1, feed: { rows, order: 'random' } })
  t.notSame(rowsOf(random, 'a').slice(0, 10), rowsOf(random, 'b'), 'drawn independently')
  // With two threads, all sessions of a scenario may be in one of them.
  for (const weight of [1, 2, 3]) {
    for (const order of ['sequential', 'random']) {
      const played = async (workers) => (await shop({ scenarios: [{ ...scenarios[0], weight }, scenarios[1]], overallRate: 30, duration: 1, feed: { rows, order }, workers })).world
      const [one, two] = [await played(1), await played(2)]
      for (const name of ['a', 'b']) t.same(rowsOf(two, name), rowsOf(one, name), `${weight} to 1, ${order}, ${name}`)
    }
  }
})

t.test('of several URLs, each has sessions of every scenario', async (t) => {
  for (const weights of [[1, 1], [3, 1], [2, 1], [1, 1, 1]]) {
    for (const [workers, load] of [[1, { overallRate: 120 }], [2, { overallRate: 120 }], [3, { overallRate: 120 }], [1, { connections: 4 }]]) {
      const scenarios = weights.map((weight, index) => ({ name: `${index}`, weight, requests: [{ path: `/${index}` }] }))
      const { value: result, world } = await simulate({ seed: 1 }, (world) => run({
        url: ['10.0.0.1', '10.0.0.2', '10.0.0.3'].slice(0, weights.length).map((host) => world.server({ host, serviceTime: 5 }).url), duration: 1, workers, scenarios, ...load
      }))
      addsUp(t, result)
      for (const { name, sessions: { scheduled } } of result.scenarios) {
        const used = world.log.filter(({ path }) => path === `/${name}`).map(({ socket }) => world.servers.indexOf(socket.peer.server))
        t.equal(used[0], Number(name), 'each begins with another one')
        const counts = world.servers.map((_, index) => used.filter((each) => each === index).length)
        t.ok(counts.every((count) => Math.abs(count - scheduled / counts.length) < 1), `${weights}, ${workers} threads, ${Object.keys(load)}: ${counts} of ${scheduled}`)
      }
    }
  }
})

t.test('timeline, by scenario', async (t) => {
  const { result } = await shop({ overallRate: 100, duration: 3, workers: 2 })
  for (const [index, { name, accounting, sessions }] of result.scenarios.entries()) {
    const samples = result.timeline.map(({ scenarios }) => scenarios[index])
    t.same([...new Set(samples.map((sample) => sample.name))], [name])
    const sum = (pick) => samples.reduce((total, sample) => total + pick(sample), 0)
    t.ok(sum(({ requests }) => requests) <= accounting.completed && sum(({ requests }) => requests) > 0)
    t.equal(sum((sample) => sample.sessions.scheduled), sessions.scheduled)
  }
  for (const sample of result.timeline) t.equal(sample.scenarios.reduce((sum, { requests }) => sum + requests, 0), sample.requests)
})

t.test('thresholds on a scenario are evaluated like those on the whole run', async (t) => {
  const thresholds = ['scenarios.browse.p99 < 15ms', 'scenarios.browse.p99.9 <= 10.001ms', "scenarios['buy it'].sessions.lifetime.p95 < 1s", 'scenarios.search.errorRate == 0%',
    'scenarios.search.accounting.unsent == 0', 'scenarios.browse.statusCodeStats.200 > 10']
  const { result } = await shop({ overallRate: 50, duration: 2, thresholds })
  t.same(result.thresholds.map(({ metric, passed }) => [metric, passed]), [
    ['scenarios.browse.latency.p99', true], ['scenarios.browse.latency.p99_9', true], ["scenarios['buy it'].sessions.lifetime.p95", true],
    ['scenarios.search.errorRate', true], ['scenarios.search.accounting.unsent', true], ['scenarios.browse.statusCodeStats.200.count', true]
  ])
  // A timeout may stand for any time: with one of five, p90 is unknown, although the bound is below the limit.
  const { result: late } = await shop({ overallRate: 50, duration: 2, timeout: 0.1, thresholds: ['scenarios.search.p90 < 1s', 'scenarios.browse.p90 < 1s', 'scenarios.search.serviceTime.p90 < 1s', 'scenarios.search.sessions.lifetime.p90 < 1s'] },
    { answer: ({ path, number }) => path === '/search' && number % 5 === 0 ? 'silence' : 200 })
  t.same(late.thresholds.map(({ passed, certain }) => [passed, certain]), [[false, false], [true, true], [false, false], [false, false]])
  t.match(late.thresholds[0].unanswered, { count: Number, of: late.scenarios[1].accounting.completed + late.scenarios[1].accounting.timedOut })
})

t.test('failures in a scenario: statuses, bodies, and rejected calls', async (t) => {
  const answer = ({ path, number }) => path === '/search' ? [200, 500, 404][number % 3] : path === '/buy' && number % 2 === 0 ? 'reset' : { body: path === '/page' ? 'no' : 'yes' }
  const thresholds = ['scenarios.browse.failures.rate <= 50%', 'scenarios.browse.mismatches == 70', 'scenarios.search.failures < 10', 'scenarios.search.5xx < 30',
    'scenarios["buy it"].failures.rate < 50%', 'scenarios["buy it"].non2xx == 0', 'failures > 70']
  const { result } = await shop({ overallRate: 50, duration: 2, thresholds, verifyBody: async (body) => body !== 'no' }, { answer })
  for (const field of ['mismatches', 'unverified', 'non2xx', '2xx', '4xx', '5xx', 'timeouts']) {
    t.equal(result.scenarios.reduce((sum, { [field]: count }) => sum + count, 0), result[field], field)
  }
  const [browse, search, buy] = result.scenarios
  t.same([browse.mismatches, search.mismatches, browse.unverified], [70, 0, 0])
  t.equal(search.non2xx, search['4xx'] + search['5xx'])
  t.ok(search['5xx'] > 20 && search['5xx'] < 30 && buy.errors > 0 && buy.unverified >= buy.errors)
  t.same(result.thresholds.map(({ passed, actual }) => [passed, actual]), [
    [true, 50], [true, 70], [false, search.non2xx], [true, search['5xx']],
    [100 * buy.errors / (buy.accounting.completed + buy.errors) < 50, result.thresholds[4].actual], [true, 0], [true, 70 + result.errors]
  ])
  await t.rejects(shop({ thresholds: ['scenarios.browse.grpcStatus.OK > 0'] }), { message: /scenarios\.browse\.grpcStatus\.OK exists only with grpc/ })
  // A verdict that never arrives makes its scenario's verdict uncertain.
  const { result: open } = await shop({ overallRate: 50, duration: 1, drain: 0.5, thresholds: ['scenarios.browse.failures == 0', 'scenarios.search.failures == 0'], verifyBody: (body) => body === 'never' ? new Promise(() => {}) : true },
    { answer: ({ path, number }) => ({ body: path === '/browse' && number === 1 ? 'never' : '' }) })
  t.same(open.scenarios.map(({ unverified }) => unverified), [1, 0, 0])
  t.same(open.thresholds.map(({ passed, certain }) => [passed, certain]), [[false, false], [true, true]])
})

t.test('a verdict on a body counts in the scenario of its request, even if that session has failed meanwhile', async (t) => {
  const { value: result } = await simulate({}, (world) => run({
    url: world.server({ answer: ({ path }) => path === '/y' ? 'silence' : 200 }).url,
    connections: 1,
    timeout: 0.05,
    sessions: { amount: 4, connections: 2 },
    scenarios: [{ name: 'a', requests: [[{ path: '/x' }, { path: '/y' }]] }, { name: 'b', requests: [{ path: '/z' }] }],
    verifyBody: () => world.sleep(100).then(() => false)
  }))
  t.same(result.scenarios.map(({ name, mismatches, sessions }) => [name, mismatches, sessions.failed]), [['a', 2, 2], ['b', 2, 0]])
})

t.test('an unexpected body counts in the scenario of its request, whatever is unexpected of it', async (t) => {
  const expect = { expectBody: 'good' }
  const verify = (verifyBody) => ({ verifyBody })
  const coded = { headers: { 'Content-Encoding': 'gzip' }, body: 'good' }
  const ways = [
    ['other', expect, { body: 'bad' }], ['empty', expect, { body: '' }], ['not decoded', expect, coded], ['not decoded either', verify(() => true), coded],
    ['rejected', verify((body) => body === 'good'), { body: 'bad' }], ['rejected later', verify(async (body) => body === 'good'), { body: 'bad' }]
  ]
  const scenarios = [{ name: 'none', requests: [{ path: '/ok' }] }, { name: 'a', requests: [{ path: '/bad' }, { path: '/ok' }] }, { name: 'b', weight: 2, requests: [{ path: '/ok' }, { path: '/ok' }, { path: '/bad' }] }]
  for (const http2 of [false, true]) {
    for (const [name, opts, bad] of ways) {
      const { value: result } = await simulate({}, (world) => {
        const { url } = world.server({ http2, answer: ({ path }) => path === '/bad' ? { status: 200, ...bad } : { status: 200, body: 'good' } })
        return run({ url, http2, connections: 2, sessions: { amount: 8 }, scenarios, ...opts })
      })
      t.same([result.mismatches, ...result.scenarios.map(({ mismatches, sessions }) => [mismatches, sessions.completed])], [6, [0, 2], [2, 2], [4, 4]], `${name}, ${http2 ? 'HTTP/2' : 'HTTP/1.1'}`)
    }
  }
})

t.test('messages name a request as its user does', async (t) => {
  const throws = () => { throw new Error('mistake') }
  for (const [hooks, name] of [[{ setupRequest: throws }, 'setupRequest'], [{ onResponse: throws }, 'onResponse'], [{ onResponse: async () => throws() }, 'onResponse'], [{ setupRequest: async () => throws() }, 'setupRequest'], [{ setupRequest: () => 5 }, 'setupRequest']]) {
    const error = await shop({ overallRate: 50, duration: 1, scenarios: [SHOP[0], { name: 'b', weight: 70, requests: [{ path: '/' }, [{ path: '/1' }, { path: '/2', ...hooks }]] }] }).catch((error) => error)
    t.match(error.message, `scenarios[1].requests[1][1].${name}`)
  }
  await t.rejects(shop({ sessions: true, scenarios: undefined, overallRate: 50, requests: [[{}, {}], { setupRequest: throws }] }), { message: /requests\[1\]\.setupRequest/ })
  const one = { name: 'a', requests: [{}] }
  const fails = (scenario, opts, message) => t.rejects(run({ url: 'http://localhost:1', duration: 1, scenarios: [one, { name: 'b', ...scenario }], ...opts }), { message })
  await fails({ requests: [{ setupRequest: throws }] }, { workers: 2 }, /^scenarios\[1\]\.requests\[0\]\.setupRequest must be the path of a module/)
  await fails({ requests: [{ setupRequest: 'no-such-file.js' }] }, {}, /^scenarios\[1\]\.requests\[0\]\.setupRequest could not be loaded/)
  await fails({ requests: [{ onMessage: throws }] }, {}, /^scenarios\[1\]\.requests\[0\]\.onMessage needs a ws/)
  await fails({ requests: [{ path: '/x' }] }, { url: 'ws://localhost:1' }, 'scenarios[1].requests[0].path cannot be given with a ws:// URL: it belongs to the handshake of the connection, not to a message')
  await fails({ requests: [{ grpc: { method: 'a.B/C' } }] }, {}, /^scenarios\[1\]\.requests\[0\]\.grpc needs the option grpc/)
  await fails({ requests: [{ path: '/{{nmae}}' }] }, { feed: [{ name: 'x' }] }, /scenarios\[1\]\.requests\[0\]/)
})

t.test('a failed threshold on a scenario ends the run', async (t) => {
  const { result } = await shop({ overallRate: 50, duration: 20, sampleInt: 250, thresholds: ['scenarios.browse.errors == 0', 'scenarios.search.errors == 0'], abortOnFail: true },
    { answer: ({ path, number }) => path === '/search' && number > 40 ? 'reset' : 200 })
  t.ok(result.duration < 2, `${result.duration} s`)
  t.same(result.thresholds.map(({ passed }) => passed), [true, false])
})

t.test('users as code and sequences in one mix', async (t) => {
  const seen = new Set()
  const scenarios = [
    SHOP[0],
    {
      name: 'buyer',
      weight: 25,
      user: async (user) => {
        seen.add(`${user.scenario} ${MIX.at(user.index)}`)
        await user.get('/cart')
        await user.think(0.05)
        const paid = await user.get('/pay', { title: 'pay' })
        user.check('paid', paid.ok)
      }
    },
    {
      name: 'thief',
      weight: 5,
      user: async (user) => {
        user.check('paid', false)
        if (user.index > 50) throw new Error('caught')
        for (let item = 0; item < 60; item++) await user.get(`/items/${user.index}-${item}`)
      }
    }
  ]
  const { result } = await shop({ scenarios, overallRate: 50, duration: 2, drain: 5, thresholds: ['scenarios.buyer.p99 < 15ms', 'scenarios.thief.sessions.failed == 0', 'scenarios.buyer.checks == 100%', 'checks.paid == 100%'] })
  addsUp(t, result)
  t.same([...seen], ['buyer 1'], 'each session knows its scenario')
  const [browse, buyer, thief] = result.scenarios
  t.same([browse, buyer, thief].map(({ sessions }) => sessions.scheduled), [70, 25, 5])
  t.equal(buyer.sessions.lifetime.max, 70)
  t.same(buyer.checks, [{ name: 'paid', scenario: 'buyer', passed: 25, failed: 0 }])
  t.same([...thief.checks, ...buyer.checks].length, result.checks.length)
  const failed = thief.sessions.failed
  t.ok(failed > 0 && failed < 5)
  t.same(thief.sessions.failures, [{ message: 'caught', code: null, scenario: 'thief', count: failed }])
  t.same(buyer.sessions.failures, [])
  t.same(result.thresholds.map(({ passed }) => passed), [true, false, true, false])
  // Beyond a hundred, endpoints are counted together, by scenario.
  t.same(result.endpoints.at(-1).title, 'others')
  for (const { name, accounting } of result.scenarios) {
    t.equal(result.endpoints.filter(({ scenario }) => scenario === name).reduce((sum, { completed }) => sum + completed, 0), accounting.completed, name)
  }
})

t.test('checks over time: samples, and columns of a CSV file, add up to the result', async (t) => {
  const module = path.join(__dirname, 'fixtures', 'browse.js')
  await import(module)
  const check = async (user) => { user.check('=second', user.index % 3 > 0) }
  // The last session of the first run makes its check after its second call: 20 ms after it was due, when the window is over.
  for (const [opts, names, inDrain] of [
    [{ workers: 2, scenarios: undefined, user: module }, ['second'], 1],
    [{ scenarios: [{ name: 'one', user: check }, { name: 'other', user: check }, SHOP[0]] }, ['one: =second', 'other: =second'], 0]
  ]) {
    const { result } = await shop({ overallRate: 50, duration: 3, ...opts })
    const columns = toTimelineCSV(result).trim().split('\n').map((line) => line.split(','))
    const [head, ...rows] = columns
    const place = head.indexOf(`passed ${names[0]}`)
    t.same(head.slice(place), names.flatMap((name) => [`passed ${name}`, `failed ${name}`]))
    t.equal(rows.length, 3)
    result.checks.forEach(({ passed, failed }, index) => {
      const sumOf = (column) => rows.reduce((sum, row) => sum + Number(row[place + 2 * index + column]), 0)
      t.same([sumOf(0), sumOf(1)], [passed - inDrain, failed])
    })
  }
  t.equal(toTimelineCSV({ timeline: [{ checks: 'x' }, { checks: [null, {}] }, null] }).split('\n').length, 5, 'whatever a file has')
})

t.test('scenarios of messages, and of gRPC calls with their statuses', async (t) => {
  const proto = path.join(__dirname, '..', '..', 'protocol', 'grpc', 'shop.proto')
  const call = { grpc: { method: 'shop.Shop/Find' } }
  const { result: calls } = await shop({
    scenarios: [{ name: 'a', weight: 3, requests: [call, call] }, { name: 'b', requests: [call] }],
    ...{ http2: true, grpc: { proto }, overallRate: 40, duration: 1, thresholds: ['scenarios.a.grpcStatus.OK == 60', 'scenarios.b.failures == 0'] }
  }, { grpc: true, answer: 'OK' })
  t.same(calls.scenarios.map(({ accounting, grpcStatus }) => [accounting.completed, grpcStatus]), [[60, { OK: 60 }], [10, { OK: 10 }]])
  t.same(calls.thresholds.map(({ passed }) => passed), [true, true])
  const { result: messages } = await shop({ scenarios: [{ name: 'a', weight: 3, requests: [{ body: 'x' }, { body: 'y' }] }, { name: 'b', requests: [{ body: 'z' }] }], overallRate: 20, duration: 1 }, { websocket: 'echo' })
  t.same(messages.scenarios.map(({ accounting, sessions }) => [accounting.completed, sessions.completed]), [[30, 15], [5, 5]])
})

t.test('with user alone there are no scenarios', async (t) => {
  const { result } = await shop({ scenarios: undefined, user: async (user) => { await user.get('/a') }, overallRate: 10, duration: 1 })
  t.equal(result.scenarios, null)
  t.same(result.endpoints.map(({ scenario }) => scenario), [null])
})

t.test('modules as users, in threads, and a flag for each', async (t) => {
  const module = path.join(__dirname, 'fixtures', 'browse.js')
  const sequence = path.join(t.testdir({ 'search.json': JSON.stringify({ requests: [{ path: '/search' }], calls: 2 }) }), 'search.json')
  const { scenarios } = parseArguments(['--scenario', `${module}:3`, '--scenario', sequence, 'http://localhost:1'])
  t.same(scenarios, [{ name: 'browse', weight: 3, user: module }, { name: 'search', requests: [{ path: '/search' }], thinkTime: undefined, calls: 2 }])
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 2, workers: 2, sessions: { amount: 16 }, scenarios })
  t.same(result.scenarios.map(({ name, sessions }) => [name, sessions.completed]), [['browse', 12], ['search', 4]])
  addsUp(t, result)
})

t.test('a comparison gives both sides the same mix in the same order', async (t) => {
  const asked = [[], []]
  await simulate({ seed: 5 }, (world) => {
    const urlOf = (paths, index) => world.server({ host: `10.0.0.${index + 1}`, serviceTime: 5, answer: ({ path }) => { paths.push(path); return 200 } }).url
    return compare(asked.map((paths, index) => ({ name: `server ${index}`, url: urlOf(paths, index), scenarios: SHOP, overallRate: 50, duration: 1 })), { rounds: 3 })
  })
  const kinds = (paths) => paths.filter((each) => ['/browse', '/search', '/buy'].includes(each))
  t.ok(asked[0].length > 100)
  t.same(kinds(asked[0]), kinds(asked[1]))
})

const MEANT = {
  ...{ requests: [{}], body: 'x', method: 'POST', form: { a: { type: 'text', value: 'b' } }, replay: 'log', thinkTime: 1, expectBody: 'x', verifyBody: () => true, stream: true },
  ...{ har: { log: { entries: [{ request: { method: 'GET', url: 'http://localhost:1/', headers: [] } }] } }, websocket: true, socketio: true, grpc: { proto: 'x', method: 'a.B/C' } }
}

t.test('options that contradict user', async (t) => {
  const user = async () => {}
  const fails = (opts, message) => t.rejects(run({ url: 'http://localhost:1', duration: 1, user, ...opts }), { code: 'CANNONADE_BAD_OPTION', message })
  for (const [why, names] of [
    ['the function decides what is sent', ['requests', 'body', 'method', 'form', 'har', 'replay']], ['the function pauses with user.think()', ['thinkTime']], ['a call ends with its whole response', ['stream']],
    ['the function checks responses with user.check()', ['expectBody', 'verifyBody']], ['its calls are HTTP requests', ['websocket', 'socketio', 'grpc']]
  ]) {
    for (const name of names) await fails({ [name]: MEANT[name] }, `user and ${name} cannot be given together: ${why}`)
  }
  await fails({ sessions: { calls: 2 } }, 'user and sessions.calls cannot be given together: a session ends when the function does')
  await fails({ sessions: { log: [[{}]] } }, 'user and sessions.log cannot be given together: the function decides what is sent')
  await fails({ amount: 5 }, 'user and amount cannot be given together: sessions.amount is the number of sessions, and the function decides how many requests each makes')
  await fails({ url: 'ws://localhost:1' }, 'user cannot be given with a ws:// URL: its calls are HTTP requests')
  await fails({ workers: 2 }, /^user must be the path of a module that exports the function, if workers are used/)
  await fails({ fleet: { redis: 'redis://127.0.0.1:1', agents: 1, key: 'k'.repeat(32) } }, /^user must be the name of a file in the agents' --hooks folder/)
  await fails({ user: 5 }, /^user must be /)
  await fails({ user: 'no-such-file.js' }, "user could not be loaded from 'no-such-file.js': it does not exist")
  const empty = path.join(t.testdir({ 'empty.js': 'exports.x = 1' }), 'empty.js')
  await t.rejects(run({ url: 'http://localhost:1', user: empty }), { message: `user must be a function, but ${empty} has no function as its default export` })
})

t.test('options that contradict weights', async (t) => {
  const weighted = [{}, { weight: 3 }]
  const fails = (opts, message) => t.rejects(run({ url: 'http://localhost:1', duration: 1, requests: weighted, ...opts }), { code: 'CANNONADE_BAD_OPTION', message })
  await fails({ sessions: true }, 'requests[1].weight and sessions cannot be given together: a session sends its requests in order')
  await fails({ har: MEANT.har }, /^requests\[1\]\.weight and har cannot be given together|^requests and har/)
  await fails({ requests: [{}, [{ weight: 2 }]] }, /^requests\[1\]\.weight and requests\[1\]: \[…\] cannot be given together/)
  for (const weight of [0, -1, NaN, Infinity, 'x', {}]) await fails({ requests: [{ weight }] }, /^requests\[0\]\.weight must be a number greater than 0; got /)
  await fails({ requests: [{ weight: 2 }, { thinkTime: 1 }] }, /^requests\[0\]\.weight and requests\[1\]\.thinkTime cannot be given together/)
})

t.test('everything that contradicts scenarios', async (t) => {
  const one = { name: 'a', requests: [{}] }
  const fails = (opts, message) => t.rejects(run({ url: 'http://localhost:1', duration: 1, scenarios: [one], ...opts }), { message })
  await fails({ requests: [{}] }, 'scenarios and requests cannot be given together: both define what is sent')
  await fails({ sessions: { calls: 2 } }, 'scenarios and sessions.calls cannot be given together: each scenario has its own calls')
  await fails({ sessions: { log: [[{}]] } }, 'scenarios and sessions.log cannot be given together: both define what sessions send')
  await fails({ amount: 5 }, "scenarios and amount cannot be given together: sessions.amount and the scenarios' calls limit what is sent")
  await fails({ connectionRate: 5 }, 'scenarios and connectionRate cannot be given together: sessions have their own connections, so set overallRate')
  await fails({ feed: { rows: [{ a: 1 }], order: 'once' } }, "scenarios and feed.order: 'once' cannot be given together: each scenario uses the rows from the beginning, so they would not end together")
  await fails({ scenarios: [one, { ...one }] }, "scenarios[1].name must differ from the names of the other scenarios; 'a' is that of scenarios[0], too")
  await fails({ scenarios: [{ ...one, weight: -1 }] }, 'scenarios[0].weight must be a number greater than 0; got -1')
  await fails({ scenarios: [{ ...one, calls: 0 }] }, /^scenarios\[0\]\.calls must be a whole number/)
  await fails({ scenarios: [{ requests: [{}] }] }, 'scenarios[0].name must be a string that is not empty; it is missing')
  await fails({ scenarios: [{ name: 'a' }] }, /^scenarios\[0\] must be an object with a name, and either user or requests; also with weight, thinkTime, calls; got /)
  await fails({ scenarios: [{ name: 'a', requests: [{}, { weight: 2 }] }] }, 'scenarios[0].requests[1].weight and scenarios cannot be given together: a session sends its requests in order; the weights are those of the scenarios')
  const user = async () => {}
  await fails({ scenarios: [{ name: 'a', user, requests: [{}] }] }, 'scenarios[0].user and scenarios[0].requests cannot be given together: the function decides what is sent, and when')
  await fails({ scenarios: [{ name: 'a', user, thinkTime: 1 }] }, 'scenarios[0].user and scenarios[0].thinkTime cannot be given together: the function decides what is sent, and when')
  await fails({ scenarios: [{ name: 'a', user, calls: 1 }] }, 'scenarios[0].user and scenarios[0].calls cannot be given together: the function decides what is sent, and when')
  await fails({ scenarios: [{ name: 'a', user: 'x.js' }, { name: 'b', user: 'x.js' }] }, "scenarios[1].user is the file of scenarios[0], too: 'x.js'; give it once, with the weight of both")
  await fails({ scenarios: [{ name: 'a', user: 'no-such-file.js' }] }, /^scenarios\[0\]\.user could not be loaded from 'no-such-file\.js'/)
  await fails({ scenarios: [{ name: 'a', user }], user }, 'scenarios and user cannot be given together: both define what is sent')
  await fails({ scenarios: [one, { name: 'b', user }], expectBody: 'x' }, 'scenarios[1].user and expectBody cannot be given together: the function checks responses with user.check()')
  await fails({ scenarios: [one, { name: 'b', user }], stream: true }, 'scenarios[1].user and stream cannot be given together: a call ends with its whole response')
  await fails({ scenarios: [one, { name: 'b', user }], url: 'ws://localhost:1' }, 'scenarios[1].user and url cannot be given together: its calls are HTTP requests, and not messages')
  await fails({ scenarios: [{ name: 'b', user }], thinkTime: 1 }, 'scenarios[0].user and thinkTime cannot be given together: the function pauses with user.think()')
  await fails({ scenarios: [{ name: 'b', user }], method: 'PUT' }, 'scenarios[0].user and method cannot be given together: the function decides what is sent')
  for (const name of ['har', 'replay']) await fails({ [name]: MEANT[name] }, `scenarios and ${name} cannot be given together: both define what is sent`)
  for (const name of ['body', 'form']) await fails({ scenarios: [{ name: 'b', user }], [name]: MEANT[name] }, `scenarios[0].user and ${name} cannot be given together: the function decides what is sent`)
  for (const name of ['websocket', 'socketio', 'grpc']) await fails({ scenarios: [one, { name: 'b', user }], [name]: MEANT[name] }, `scenarios[1].user and ${name} cannot be given together: its calls are HTTP requests`)
  await fails({ scenarios: [one, { name: 'b', user }], verifyBody: user }, 'scenarios[1].user and verifyBody cannot be given together: the function checks responses with user.check()')
  await fails({ scenarios: [{ name: 'b', user }], workers: 2 }, /^scenarios\[0\]\.user must be the path of a module that exports the function, if workers are used/)
  await fails({ scenarios: [] }, 'scenarios must be an array of at least one scenario; got []')
  await fails({ thresholds: ['scenarios.b.p99 < 1s'] }, "The threshold 'scenarios.b.p99 < 1s' cannot be checked: there is no scenario 'b': this run has 'a'")
  await fails({ scenarios: undefined, thresholds: ['scenarios.b.p99 < 1s'] }, "The threshold 'scenarios.b.p99 < 1s' cannot be checked: scenarios.b.latency.p99 exists only with scenarios")
})

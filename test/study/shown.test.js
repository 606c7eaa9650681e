'use strict'

// What a study tells its live page: how each run is described, its result after each step, and how it ended.

const t = require('tap')
const { compare, findCapacity, findJamming, sweep } = require('../..')
const Study = require('../../lib/study/study')
const { simulate } = require('../simulation/world')

const FILE = require.resolve('../../lib/watch/dashboard')

/** A page that notes what it is told. */
class Page {
  static heard = []

  constructor (settings, { title, websocket }) {
    Page.heard.push(['new', settings.port, title, websocket ?? null])
  }

  async open () {
    return { url: 'http://page', host: 'page', port: 1 }
  }

  begins (name) { Page.heard.push(['begins', name]) }
  grew (soFar) { Page.heard.push(['grew', JSON.parse(JSON.stringify(soFar()))]) }
  hurry () { Page.heard.push(['hurry']) }
  async finish (outcome) { Page.heard.push(['finish', outcome]) }
  warmsUp () {}
  started () {}
  sampled () {}
  ended () {}
}

t.before(() => {
  require(FILE)
  const { exports } = require.cache[FILE]
  require.cache[FILE].exports = Page
  t.teardown(() => { require.cache[FILE].exports = exports })
})

/** Plays a study of a simulated server. @returns {Promise<object>} its answer, and what the page was told, by kind */
async function shown (start, server = { serviceTime: 5 }) {
  Page.heard = []
  const events = []
  const { value: answer } = await simulate({ seed: 1 }, (world) => {
    const study = start(world.server(server), world)
    return study.on('dashboard', (where) => events.push(['dashboard', where])).on('start', () => events.push(['start']))
  })
  const { heard } = Page
  const told = (kind) => heard.filter(([each]) => each === kind).map(([, value]) => value)
  t.same(events, [['dashboard', { url: 'http://page', host: 'page', port: 1 }], ['start']], 'the page is open before the study starts')
  t.same(heard.filter(([kind]) => kind === 'finish'), [['finish', { result: answer }]])
  return { answer: JSON.parse(JSON.stringify(answer)), first: heard[0].slice(1), begun: told('begins'), grown: told('grew'), isHurried: told('hurry').length > 0 }
}

const dashboard = { port: 7 }

t.test('a sweep: the rows so far', async (t) => {
  const { answer, first, begun, grown, isHurried } = await shown(({ url }) => sweep([{ url, title: 'a', dashboard, connections: 2 }, { url, title: 'b', connections: 2 }], { rates: [10, 20], duration: 0.5, pause: 0 }))
  t.same(first, [7, 'Sweep of a and b', null])
  t.same(begun, ['a, 10 requests per second', 'b, 10 requests per second', 'b, 20 requests per second', 'a, 20 requests per second'])
  const { kind, axis, rows, targets, duration } = answer
  t.same(grown, [1, 2].map((count) => ({ kind, axis, rows: rows.slice(0, count), knee: null, targets, duration, warnings: [] })))
  t.equal(isHurried, false)
})

t.test('a sweep of connections', async (t) => {
  const { begun } = await shown(({ url }) => sweep({ url, dashboard }, { connections: [1, 3], duration: 0.5, pause: 0 }))
  t.same(begun, ['10.0.0.1, 1 connection', '10.0.0.1, 3 connections'])
})

t.test('a search for the capacity: the highest rate that has passed, and the lowest above it that has failed', async (t) => {
  // One at a time in 5 ms: 200/s.
  const { answer, first, begun, grown } = await shown(({ url }) => findCapacity({ url, dashboard }, { rates: { from: 100, to: 400 }, duration: 1, pause: 0, precision: 0.5 }), { serviceTime: 5, slots: 1 })
  t.same(first, [7, 'Capacity of 10.0.0.1', null])
  const { steps } = answer
  t.same(begun, steps.map(({ rate, phase }) => `10.0.0.1, ${rate} requests per second, ${phase}`))
  t.ok(steps.some(({ passed }) => !passed) && steps.at(-1).phase === 'confirm')
  grown.forEach((soFar, index) => {
    const made = steps.slice(0, index + 1)
    const best = Math.max(0, ...made.filter(({ passed }) => passed).map(({ rate }) => rate))
    const failed = made.filter(({ passed, rate }) => !passed && rate > best).map(({ rate }) => rate)
    t.match(soFar, { kind: 'capacity', steps: made, capacity: best, interval: [best, failed.length === 0 ? null : Math.min(...failed)], isConfirmed: null, target: answer.target, slo: answer.slo })
    t.same(soFar.warnings, [])
    t.not(soFar.limitedBy, 'maximum asked for', 'the search is not over')
  })
  t.equal(grown.length, steps.length)
})

t.test('a comparison: its warm-ups and rounds, and the answer so far', async (t) => {
  const { answer, first, begun, grown } = await shown(({ url }) => compare([{ url, title: 'a', connections: 2 }, { url, title: 'b', connections: 2, dashboard }], { rounds: 2, duration: 0.5, warmup: 0.1, pause: 0, pauze: 1 }))
  t.same(first, [7, 'Comparison of a and b', null])
  t.same(begun, ['a, warm-up', 'b, warm-up', 'a, round 1', 'b, round 1', 'b, round 2', 'a, round 2'])
  t.same(grown.map(({ kind, sides, runs }) => [kind, sides.map(({ name, runs }) => [name, runs]), runs.length]), [1, 2].map((rounds) => ['comparison', [['a', rounds], ['b', rounds]], 2 * rounds]))
  t.same(grown.at(-1).metrics, answer.metrics)
  t.notOk(grown.some(({ warnings }) => warnings.some(({ code }) => code === 'UNKNOWN_OPTION')), 'a page has no warnings about the options')
})

t.test('a search for the rate at which messages jam: the points so far', async (t) => {
  const { answer, first, begun, grown } = await shown(({ url }) => findJamming({ url, dashboard }, { connections: [2, 1], start: 100, step: 100, maxRate: 200, duration: 0.5, drain: 0.5, pause: 0, payload: 20 }), { serviceTime: 1, websocket: 'broadcast' })
  t.same(first, [7, 'Jamming of 10.0.0.1', { ...first[2], expect: 'broadcast' }])
  t.same(begun, [2, 1].flatMap((count) => [100, 200].map((rate) => `10.0.0.1, ${rate} messages per second, ${count} connections, 20 bytes`)))
  t.same(grown.map(({ kind, levels, limitedBy }) => [kind, levels.map(({ connections, points }) => [connections, points.length]), limitedBy]), [
    ['jamming', [[2, 1]], null], ['jamming', [[2, 2]], null], ['jamming', [[2, 2], [1, 1]], null], ['jamming', [[2, 2], [1, 2]], null]
  ])
  t.same(answer.limitedBy, 'maximum asked for')
  t.same(grown.map(({ warnings }) => warnings), [[], [], [], []])
})

t.test('a study that is stopped does not wait for its page', async (t) => {
  const { answer, isHurried } = await shown(({ url }) => {
    const study = sweep({ url, dashboard }, { rates: [10, 20], duration: 0.5 })
    return study.on('row', () => study.stop())
  })
  t.equal(answer.stoppedBy, 'stop')
  t.equal(isHurried, true)
})

t.test('the page of a study that fails shows the error', async (t) => {
  Page.heard = []
  const failure = new Error('it broke')
  const prepared = { seconds: 1, signals: [], dashboard: { settings: dashboard, title: 'x', websocket: null } }
  await t.rejects(new Study(() => prepared, async () => { throw failure }), failure)
  t.same(Page.heard.at(-1), ['finish', { error: failure }])
  Page.heard = []
  await new Study(() => ({ ...prepared, dashboard: null }), async () => ({ warnings: [] }))
  t.same(Page.heard, [])
})

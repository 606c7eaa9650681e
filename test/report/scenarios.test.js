'use strict'

// What people and other programs see of a run with scenarios.

const t = require('tap')
const { printResult, run, toHTML, toJUnit, toMarkdown, toOpenTelemetry, toTimelineCSV } = require('../..')
const MixedRecorder = require('../../lib/metrics/mixed-recorder')
const { PARTS } = require('../../lib/metrics/parts')
const { addTotals, totalsOfRecorder } = require('../../lib/metrics/totals')
const { simulate } = require('../simulation/world')

const SCENARIOS = [
  { name: 'browse', weight: 3, requests: [{ path: '/' }, { path: '/page' }] },
  { name: '=log|in', weight: 1, requests: [{ path: '/login' }] }
]

/** A meter that stores what is recorded, as `name attributes: value`. */
function meterOf (recorded) {
  const instrument = (name) => {
    const keep = (value, attributes) => recorded.push([name, attributes, value])
    return { add: keep, record: keep }
  }
  return { createCounter: instrument, createGauge: instrument }
}

async function shop (t) {
  const recorded = []
  const { value } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 10, answer: ({ path, number }) => path === '/login' && number % 3 === 0 ? 'reset' : 200 })
    const opts = { url: server.url, overallRate: 40, duration: 2, workers: 2, scenarios: SCENARIOS, thresholds: ['scenarios["=log|in"].errors == 0'] }
    return toOpenTelemetry(run(opts), { meter: meterOf(recorded) })
  })
  return { result: value, recorded }
}

t.test('tables, files and metrics have the numbers of each scenario', async (t) => {
  const { result, recorded } = await shop(t)
  const [browse, login] = result.scenarios
  t.same([browse.sessions.completed, browse.accounting.completed], [60, 120])
  const { completed, failed } = login.accounting
  t.ok(completed + failed === 20 && failed > 0)

  const lines = toMarkdown(result).split('\n')
  t.ok(lines.includes('| Scenario | Share | Sessions | Failed | Requests | Errors | p50 | p99 | Max | Status codes |'))
  t.ok(lines.includes('| browse | 75% | 60 | 0 | 120 | 0 | 10 ms | 10 ms | 10 ms | 200: 120 |'), lines.find((line) => line.startsWith('| browse')))
  t.ok(lines.some((line) => line.includes(`&#8203;=log&#124;in | 25% | ${completed} | ${failed} | ${completed} | ${failed} |`)))
  t.ok(lines.includes('| GET /page | browse | 60 | 0 | 10 ms | 10 ms | 10 ms | 200: 60 |'))

  const text = printResult(result, { outputStream: { write () {}, isTTY: false } })
  t.match(text, /│ browse +│ 75% +│ 60 +│ 0 +│ 120 +│/)
  t.match(toHTML(result), /Scenarios: kinds of users, and their shares of the sessions/)
  t.match(toJUnit(result), /scenarios\[(&quot;|&#34;|')=log\|in/)

  const [head, ...samples] = toTimelineCSV(result).trimEnd().split('\n').map((line) => line.replace(/"/g, '').split(','))
  const column = (name) => samples.reduce((sum, cells) => sum + Number(cells[head.indexOf(name)]), 0)
  t.same([column('requests browse'), column('sessionsCompleted browse'), column('errors browse')], [120, 60, 0])
  t.equal(column('errors =log|in') + column('requests =log|in'), 20)

  const told = (name, attributes) => recorded.filter(([told, own]) => told === name && Object.entries(attributes).every(([key, value]) => own[key] === value)).reduce((sum, [, , value]) => sum + value, 0)
  t.equal(told('cannonade.scenarios.sessions', { scenario: 'browse', outcome: 'completed' }), 60)
  t.equal(told('cannonade.scenarios.requests', { scenario: '=log|in', outcome: 'failed' }), failed)
  t.equal(told('cannonade.scenarios.latency', { scenario: 'browse', quantile: '0.5' }), browse.latency.p50 / 1000)
  t.match(result.thresholds, [{ metric: "scenarios['=log|in'].errors", passed: false, actual: failed }])
})

t.test('names of endpoints, scenarios, checks and runs are not taken for secrets, except what has the form of one', async (t) => {
  const names = ['auth: login', 'auth: logout', 'session: 8f3a1c']
  const { value: result } = await simulate({ seed: 1 }, (world) => run({
    url: world.server().url,
    title: 'auth: all',
    overallRate: 10,
    duration: 1,
    scenarios: [
      ...names.slice(0, 2).map((name) => ({ name, user: async (user) => user.check('token: valid', (await user.get('/', { title: name })).ok) })),
      { name: names[2], requests: [{ path: '/' }] }
    ],
    thresholds: ['scenarios["auth: logout"].p99 > 1s', 'checks["token: valid"] == 100%']
  }))
  for (const [format, report] of Object.entries({ printResult, toHTML, toJUnit, toMarkdown, toTimelineCSV })) {
    const text = report(result).replaceAll('&#58;', ':').replaceAll('&quot;', '"')
    for (const name of ['auth: login', 'auth: logout', 'token: valid']) t.match(text, name, `${format}: ${name}`)
    t.notMatch(text, '8f3a1c', format)
    if (report !== toTimelineCSV) t.match(text, 'auth: all', format)
  }
})

t.test('Prometheus metrics have the scenario as a label during the run', async (t) => {
  const recorderOf = () => new MixedRecorder({ endpoints: 2, open: true, timeout: 1000, sessions: true }, [{ name: 'a', weight: 2 }, { name: 'b', weight: 1 }], [0, 1])
  const [one, other] = [recorderOf(), recorderOf()]
  for (const recorder of [one, other]) {
    recorder.begin(0)
    recorder.sessionsOf(0).cameDue(true)
    recorder.sessionsOf(0).began(false)
    recorder.completedRequest(0, 200, 10, 0, 0, 5, 5)
    recorder.completedRequest(1, 200, 10, 0, 0, 5, 5)
    recorder.failedRequest(1, 0, 0, 7, { code: 'ECONNRESET', phase: 'receive', message: 'reset' })
    recorder.unsentOf(1, 0, 9)
    recorder.takeInterval(10)
  }
  one.sessionsOf(0).wasCompleted(0, 5, 1, 1, true)
  const totals = addTotals([one, other].map((recorder) => totalsOfRecorder(recorder, [0.001, 1])))
  const { series } = PARTS.find(({ name }) => name === 'scenarios')
  const values = (name) => Object.fromEntries(series.find((each) => each.name === name).values(totals).filter(({ value }) => value > 0)
    .map(({ labels: { scenario, outcome }, value }) => [`${scenario} ${outcome}`, value]))
  t.same(values('cannonade_scenario_requests_total'), { 'a completed': 2, 'b completed': 2, 'b failed': 2, 'b unsent': 2 })
  t.same(values('cannonade_scenario_sessions_total'), { 'a completed': 1 })
})

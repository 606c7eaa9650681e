'use strict'

// What studies read from the options of their targets: names, what rates refer to, warm-ups, samples, and where to show the study.

const t = require('tap')
const { parseArguments } = require('../..')
const { CODES } = require('../../lib/base/errors')
const { dashboardOf, ownWarmup, ratesOf, readTargets, sampleInterval, withConnections } = require('../../lib/study/targets')

const url = 'http://a:8080'
const namesOf = (...sets) => readTargets(sets, 'sweep', { added: { duration: 1 } }).map(({ name }) => name)

t.test('a target is named after its title, or its host and path; equal names are numbered', async (t) => {
  t.same(namesOf({ url }), ['a:8080'])
  t.same(namesOf({ url: 'http://a' }, { url: 'http://a/' }, { url: 'http://a/b' }), ['a (1)', 'a (2)', 'a/b'])
  t.same(namesOf({ url, title: 'x' }, { url: `${url}/x?y=1` }, { url, title: 'x' }, { url, title: 'z' }, { url, title: 'x' }), ['x (1)', 'a:8080/x?y=1', 'x (2)', 'z', 'x (3)'])
  t.same(namesOf({ url, socketPath: '/run/s' }, { url: `${url}/p`, socketPath: '/run/s' }), ['/run/s', '/run/s/p'])
  const titled = (...titles) => namesOf(...titles.map((title) => ({ url, title })))
  t.same(titled('x', 'x (1)', 'x', 'x'), ['x (2)', 'x (1)', 'x (3)', 'x (4)'], 'a title may look like a numbered one')
  t.same(titled('x (1)', 'x', 'x (1)', 'x'), ['x (1) (1)', 'x (1)', 'x (1) (2)', 'x (2)'])
})

t.test('a target has its options without a signal and what only the command prints, its plan and its warnings', async (t) => {
  const { signal } = new AbortController()
  const [target, other] = readTargets([{ url, signal, json: true, connections: 3, headerz: 1 }, { url }], 'sweep', { added: { overallRate: 20, duration: 2 } })
  t.strictSame(Object.keys(target).sort(), ['name', 'opts', 'plan', 'signal', 'verifiesBodies', 'warnings'])
  const verified = readTargets([{ url }, { url, expectBody: 'a' }, { url, verifyBody: () => true }], 'compare', { setsLength: false })
  t.same(verified.map(({ verifiesBodies }) => verifiesBodies), [false, true, true])
  t.strictSame(target.opts, { url, connections: 3, headerz: 1 })
  t.equal(target.signal, signal)
  t.match(target.plan, { connections: 3, duration: 2, schedule: {} })
  t.same(target.warnings.map(({ code }) => code), ['UNKNOWN_OPTION'])
  t.strictSame([other.signal, other.warnings, other.opts], [undefined, [], { url }])
  t.equal(readTargets({ url }, 'sweep').length, 1, 'a single set is a list of one')
})

t.test('errors say which of several targets they are about', async (t) => {
  const thrown = (sets, study = 'sweep', rules) => {
    try {
      readTargets(sets, study, rules)
    } catch (error) {
      return error
    }
  }
  t.match(thrown([]), { code: CODES.BAD_OPTION, message: /^the options must be an object, or an array of them; got/, target: undefined })
  t.match(thrown([{ url }, 5]), { code: CODES.BAD_OPTION, message: /^the options must be an object; got 5/, target: 1 })
  t.match(thrown({ url, amount: 5 }), { option: 'amount', message: /^amount cannot be given here: it would end a run/, target: 0 })
  t.match(thrown([{ url }, { url }, { url, connections: 'x' }]), { option: 'connections', target: 2 })
  const sessions = { sessions: { amount: 5 }, overallRate: 5 }
  t.match(thrown({ url, ...sessions }, 'compare'), { option: 'sessions.amount', message: /^sessions\.amount cannot be given here: it would end a run/ })
  t.equal(thrown({ url, ...sessions }, 'compare', { setsLength: false }), undefined)
  t.equal(thrown({ url, forever: false }), undefined, 'what is switched off is not rejected')
  t.equal(thrown({ url, amount: null, bailout: undefined }), undefined)
})

t.test('options from a command line are those that were set there, without the defaults that parseArguments filled in', async (t) => {
  const parsed = (...args) => parseArguments([...args, url])
  const [{ opts }] = readTargets(parsed('-t', '3'), 'sweep', { added: { overallRate: 20, duration: 2 } })
  t.strictSame({ ...opts, tlsOptions: undefined }, { timeout: 3, tlsOptions: undefined, url })
  for (const study of ['compare', 'sweep', 'sweep of connections', 'capacity', 'capacity of connections']) t.doesNotThrow(() => readTargets(parsed(), study), study)
  t.doesNotThrow(() => readTargets({ ...parsed(), url: 'ws://a' }, 'jamming'))
  t.throws(() => readTargets({ ...parsed('-c', '10'), url: 'ws://a' }, 'jamming'), { option: 'connections' }, 'a value that was set may be the default')
  t.equal(withConnections(parsed()).connections, 100)
  t.equal(withConnections(parsed('-c', '10')).connections, 10)
  t.equal(withConnections(parsed('--sessions')).connections, 10, 'filled in, and no more than that')
})

t.test('in a study of rates there are 100 connections, unless the options say otherwise', async (t) => {
  t.same(withConnections({ url }), { url, connections: 100 })
  t.same(withConnections({ url, connections: null }), { url, connections: 100 })
  t.same(withConnections({ url, sessions: false, user: undefined }), { url, sessions: false, user: undefined, connections: 100 })
  for (const own of [{ connections: 3 }, { sessions: true }, { sessions: { calls: 2 } }, { user () {} }, { scenarios: [] }]) t.strictSame(withConnections(own), own)
  for (const bad of [undefined, 5]) t.equal(withConnections(bad), bad)
})

t.test('a warm-up is as long as its duration, or as the run', async (t) => {
  t.same([{}, { warmup: false }, { warmup: null }, { warmup: true }, { warmup: {} }, { warmup: { connections: 2 } }, { warmup: { duration: 2 } }, { warmup: '3s' }].map((opts) => ownWarmup(opts, 7)), [0, 0, 0, 7, 7, 7, 2, 3])
})

t.test('a run has ten samples of 10 ms to a second', async (t) => {
  t.same([0.05, 0.1, 0.11, 0.2, 1.234, 9.99, 10, 60].map(sampleInterval), [10, 10, 11, 20, 123, 999, 1000, 1000])
})

t.test('what the rates of a study refer to', async (t) => {
  const of = (...sets) => ratesOf(sets.map((plan) => ({ plan: { sessions: null, websocket: null, ...plan } })))
  t.equal(of({}), 'requests')
  t.equal(of({}, {}), 'requests')
  t.equal(of({ websocket: {} }), 'messages')
  t.equal(of({ sessions: {} }, { sessions: {}, websocket: {} }), 'sessions')
  t.equal(of({ sessions: {} }, {}), 'arrivals')
})

t.test('a study is shown where the first target with a dashboard says', async (t) => {
  const target = (name, dashboard = null, websocket = null) => ({ name, plan: { dashboard, websocket } })
  t.equal(dashboardOf([target('a'), target('b')], 'Sweep of'), null)
  t.strictSame(dashboardOf([target('a'), target('b', { port: 1 }), target('c', { port: 2 })], 'Sweep of'), { settings: { port: 1 }, title: 'Sweep of a and b and c', websocket: null })
  const [one, two] = [{ expect: 'reply' }, { expect: 'broadcast' }]
  t.strictSame(dashboardOf([target('a', { port: 1 }, one), target('b', null, two)], 'Jamming of').websocket, one)
  t.equal(dashboardOf([target('a', { port: 1 }, one), target('b')], 'Sweep of').websocket, null)
})

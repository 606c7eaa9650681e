'use strict'

// The fields `environment` and `options` of a result, of one run and of several.

const t = require('tap')
const { circumstancesOf, joinCircumstances } = require('../../lib/base/circumstances')

const isOption = (name) => ['url', 'connections', 'title', 'duration', 'headers'].includes(name)
const ONE = { version: '1.0.0', cores: 2 }
const OTHER = { version: '1.0.0', cores: 4 }
const THIRD = { version: '2.0.0', cores: 4 }

t.test('options of one run, of several targets, and of a result without any', async (t) => {
  const own = { url: 'http://a', connections: 3, title: undefined, duration: null, unknown: 'x' }
  const shown = { url: 'http://a', connections: 3, unknown: '***' }
  t.same(circumstancesOf(own, isOption).options, shown)
  t.same(circumstancesOf([own, null, { url: 'http://b' }], isOption).options, [shown, null, { url: 'http://b' }])
  for (const none of [null, undefined, 'http://a']) t.equal(circumstancesOf(none, isOption).options, null, String(none))
})

t.test('the environment of each result is an object of its own', async (t) => {
  const [one, other] = [circumstancesOf(null, isOption), circumstancesOf(null, isOption)].map(({ environment }) => environment)
  t.same(one, other)
  t.not(one, other)
  t.same(Object.keys(one), ['version', 'node', 'os', 'cpu', 'cores', 'memory'])
})

t.test('joined environments: those that differ from the first, each once', async (t) => {
  const joined = (...environments) => joinCircumstances(environments.map((environment) => ({ environment }))).environment
  t.same(joined(ONE), ONE)
  t.same(joined(ONE, { ...ONE }), ONE)
  t.same(joined(ONE, OTHER), { ...ONE, others: [OTHER] })
  t.same(joined(OTHER, ONE, { ...OTHER }, THIRD, { ...THIRD }, { ...ONE }), { ...OTHER, others: [ONE, THIRD] })
  t.same(joined(undefined, ONE, undefined, OTHER), { ...ONE, others: [OTHER] }, 'results of earlier versions have none')
  t.equal(joined(undefined), undefined)
})

t.test('joined options: those of the first result, overridden by those given for the sum', async (t) => {
  const first = { url: 'http://a', connections: 3, title: 'one' }
  const joined = (given, results = [first, { url: 'http://b', duration: 5 }]) => joinCircumstances(results.map((options) => ({ options })), given).options
  t.same(joined(undefined), first)
  t.same(joined({}), first)
  t.same(joined({ title: 'both', duration: 9 }), { ...first, title: 'both', duration: 9 })
  t.same(joined({ title: undefined, connections: null }), first, 'what is not given overrides nothing')
  t.equal(joined({ title: 'both' }, [undefined]), undefined, 'results of earlier versions have none')
})

'use strict'

// What scenarios, users as code and weighted requests become in a plan.

const t = require('tap')
const { planFeed } = require('../../lib/inputs/feed')
const { createPlan } = require('../../lib/plan')

const planOf = (opts) => createPlan({ url: 'http://a.test', ...opts }).plan
const refused = (opts) => {
  try {
    createPlan({ url: 'http://a.test', ...opts })
    return null
  } catch (error) {
    return error.message
  }
}
const user = async () => {}

t.test('the requests of all scenarios are those of the run, and each scenario has steps of its own requests', async (t) => {
  const { requests, scenarios, sessions, isUserCode, mix } = planOf({
    scenarios: [
      { name: 'browse', weight: 3, thinkTime: 2, requests: [{ path: '/a' }, { path: '/b', thinkTime: 1 }] },
      { name: 'code', user },
      { name: 'buy', requests: [{ path: '/c' }, [{ path: '/d' }, { path: '/e' }]], calls: 7 }
    ]
  })
  t.same(requests.map(({ path, scenario }) => [path, scenario]), [['/a', 'browse'], ['/b', 'browse'], ['/c', 'buy'], ['/d', 'buy'], ['/e', 'buy']])
  t.same(scenarios, [{ name: 'browse', weight: 3, calls: null, isUserCode: false }, { name: 'code', weight: 1, calls: null, isUserCode: true }, { name: 'buy', weight: 1, calls: 7, isUserCode: false }])
  t.same([isUserCode, mix], [true, null])
  // A request's own think time overrides that of its scenario.
  t.match(sessions.scripts.map((steps) => steps.map(({ requests, thinkTime }) => [requests, thinkTime?.from ?? null])), [
    [[[0], 2], [[1], 1]], [], [[[2], null], [[3, 4], null]]
  ])
})

t.test('with users or scenarios, arrivals are sessions, unless options say more', async (t) => {
  for (const [opts, isIn] of [[{ user }, true], [{ scenarios: [{ name: 'a', user }] }, true], [{ user: false }, false], [{ scenarios: false }, false], [{ user: null, scenarios: undefined }, false], [{ user, sessions: false }, true]]) {
    t.equal(planOf(opts).sessions !== null, isIn, Object.entries(opts).map(([name, value]) => `${name}: ${typeof value}`).join())
  }
  t.equal(planOf({ user, sessions: { maxOpen: 5 } }).sessions.maxOpen, 5)
  t.equal(planOf({ user, sessions: { maxOpen: 5 } }).isUserCode, true)
  t.equal(planOf({ scenarios: [{ name: 'a', requests: [{}] }] }).isUserCode, false)
})

t.test('two scenarios may be the same function, but not the same file', async (t) => {
  t.equal(refused({ scenarios: [{ name: 'a', user }, { name: 'b', user }] }), null)
  t.match(refused({ scenarios: [{ name: 'a', user: 'x.js' }, { name: 'b', user: 'x.js' }] }), /is the file of scenarios\[0\], too/)
})

t.test('options of requests can be combined with scenarios if at least one of them is a sequence', async (t) => {
  const sequence = { name: 'b', requests: [{}] }
  for (const [opts, name] of [[{ method: 'POST', body: 'x' }, 'body'], [{ thinkTime: 1 }, 'thinkTime']]) {
    t.equal(refused({ scenarios: [{ name: 'a', user }, sequence], ...opts }), null, name)
    t.match(refused({ scenarios: [{ name: 'a', user }], ...opts }), new RegExp(`scenarios\\[0\\]\\.user and ${name} cannot`))
  }
  t.match(refused({ scenarios: [sequence, { name: 'a', user }], verifyBody: () => true }), /scenarios\[1\]\.user and verifyBody cannot/)
  t.equal(refused({ scenarios: [sequence], expectBody: 'x' }), null)
})

t.test('placeholders of all calls are checked against the rows; without user code, those of each request', async (t) => {
  const feed = { rows: [{ id: 1 }] }
  t.equal(refused({ user, feed, headers: { 'x-id': '{{id}}' } }), null)
  t.match(refused({ user, feed, headers: { 'x-id': '{{no}}' } }), /\{\{no\}\}/)
  t.equal(refused({ feed, headers: { 'x-id': '{{no}}' }, requests: [{ path: '/{{id}}', headers: { 'x-id': '{{id}}' } }] }), null, 'its own header takes the place of that of all')
})

t.test('weights make a mix: the default is 1, and a sequence cannot be a mix', async (t) => {
  t.same(planOf({ requests: [{ weight: 3 }, { path: '/b' }, { path: '/c', weight: 0.5 }] }).mix, { weights: [3, 1, 0.5] })
  t.equal(planOf({ requests: [{}, { path: '/b' }] }).mix, null)
  const weighted = [{ path: '/a' }, { path: '/b', weight: 2 }]
  t.match(refused({ requests: weighted, sessions: true }), /requests\[1\]\.weight and sessions cannot/)
  t.match(refused({ requests: [...weighted, { thinkTime: 1 }] }), /requests\[1\]\.weight and requests\[2\]\.thinkTime cannot/)
})

t.test('rows of a feed: one for each round of the longest sequence, or for each request of a mix; and when they end the run', async (t) => {
  const feed = { rows: [{ id: 1 }, { id: 2 }, { id: 3 }], order: 'once' }
  const requests = [{ path: '/1' }, { path: '/2' }, { path: '/3' }]
  const feedOf = (opts) => (({ steps, amount }) => [steps, amount])(planOf({ feed, ...opts }).feed)
  t.same(feedOf({}), [1, 3])
  t.same(feedOf({ requests }), [3, 9])
  t.same(feedOf({ requests: requests.map((request) => ({ ...request, weight: 2 })) }), [1, 3])
  // Two URLs, one of which gets one more request.
  t.same(feedOf({ url: ['http://a.test', 'http://b.test'], requests: [{ path: '/1' }, { path: '/2' }] }), [2, 6])
  const ofTwo = planFeed({ source: 'feed', ...feed }, [{ path: '/1', headers: [], body: null }, { path: '/2', headers: [], body: null, target: 1 }], [{ path: '/' }, { path: '/' }], {}, { isMixed: false, hasSessions: false })
  t.match(ofTwo, { steps: 2, amount: 6 }, 'the URL that gets more')
  for (const other of [{ amount: 5 }, { duration: 5 }, { stages: [{ duration: 1, rate: 1 }] }, { maxConnectionRequests: 5 }, { maxOverallRequests: 5 }]) t.same(feedOf(other)[1], null, Object.keys(other)[0])
  t.same(feedOf({ feed: { ...feed, order: 'sequential' } }), [1, null])
})

t.test('columns in the headers of all calls are checked before the run, also if only some scenarios are code', async (t) => {
  const user = async () => {}
  const code = { name: 'code', user }
  const sequence = { name: 'sequence', requests: [{ headers: { 'x-a': 'own' } }] }
  for (const way of [{ user }, { scenarios: [code] }, { scenarios: [code, { ...code, name: 'more' }] }, { scenarios: [sequence, code] }, { scenarios: [code, sequence] }]) {
    const planOf = (headers, feed = [{ name: 'Ada' }, { name: 'x\r\ny' }]) => createPlan({ url: 'http://a.test', feed, headers, ...way })
    t.throws(() => planOf({ 'x-a': '{{nam}}' }), { code: 'CANNONADE_BAD_OPTION', message: /^\{\{nam\}\} in headers cannot be filled in from the feed: the feed has no such column/ })
    t.throws(() => planOf({ 'x-a': '{{name}}' }), { message: /^\{\{name\}\} in headers .* row 2 has/ })
    t.doesNotThrow(() => planOf({ 'x-a': '{{name}}' }, [{ name: 'Ada' }]))
    t.doesNotThrow(() => planOf({ 'x-a': 'name' }))
  }
  t.doesNotThrow(() => createPlan({ url: 'http://a.test', feed: [{ name: 'Ada' }], headers: { 'x-a': '{{nam}}' }, scenarios: [sequence] }), 'no request has this header')
})

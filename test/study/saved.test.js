'use strict'

// Saved results that are compared: their names, what is wrong with others, and runs that were cut short or lost agents.

const t = require('tap')
const { CODES } = require('../../lib/base/errors')
const { prepare } = require('../../lib/study/compare/prepare')
const { isWhole, isWithoutAnswer, warningsOf, wasCutShort } = require('../../lib/study/compare/warnings')

const saved = (changes) => ({ latency: { p50: 1 }, requests: { average: 5, total: 9 }, ...changes })

t.test('a saved side is named after the title of its first result, or its URL and place', async (t) => {
  const items = [saved({ title: 'shop', url: 'http://a' }), [saved({ url: 'http://b' }), saved({ title: 'x' })], saved({ url: ['http://c', 'http://d'] }), saved(), { url: 'http://live', title: 'live' }]
  const { sides, seconds, options, warnings, dashboard, signals } = prepare(items, { rounds: 2, duration: 1, warmup: 0, pause: 0 })
  t.same(sides.map(({ name, isSaved, results }) => [name, isSaved, results.length]), [['shop', true, 1], ['http://b (2)', true, 2], ['http://c (3)', true, 1], ['result (4)', true, 1], ['live', false, 0]])
  t.equal(seconds, 2, 'only the live one takes time')
  t.same(options, [null, null, null, null, { url: 'http://live', title: 'live', amount: undefined, duration: 1 }])
  t.same([warnings, dashboard, signals], [[], null, [undefined, undefined]])
  t.same(prepare([saved({ options: { a: 1 } }), [saved({ options: { b: 2 } }), saved()]]).options, [{ a: 1 }, { b: 2 }])
})

t.test('what is wrong with a saved result', async (t) => {
  for (const [item, why] of [
    [[], 'it is empty'],
    [[saved(), 5], 'it has no latency'],
    [[null], 'it has no latency'],
    [{ latency: {} }, 'it has no requests'],
    [{ latency: {}, requests: [] }, 'it has no requests'],
    [{ kind: 'sweep' }, 'it has no latency'],
    [saved({ requests: { total: 1 } }), 'it has no requests.average'],
    [saved({ requests: { average: Infinity } }), 'it has no requests.average'],
    [saved({ timeline: {} }), 'its timeline is not an array of samples'],
    [saved({ timeline: [{}, 5] }), 'its timeline is not an array of samples']
  ]) t.throws(() => prepare([saved(), item]), { code: CODES.BAD_RESULT, message: `Item 2 of what is compared is not the result of a run: ${why}` }, why)
  for (const fine of [{ timeline: null }, { timeline: [] }, { timeline: [{}] }]) t.doesNotThrow(() => prepare([saved(), saved(fine)]))
  for (const few of [undefined, {}, [], [saved()]]) t.throws(() => prepare(few), { code: CODES.BAD_OPTION, message: /^what is compared must be an array of two or more sets of options, or results; (got|it is missing)/ })
})

t.test('which runs ended early', async (t) => {
  const code = (...codes) => ({ warnings: codes.map((code) => ({ code })) })
  for (const each of ['ABORTED_ON_FAIL', 'NO_USABLE_CONNECTION', 'AGENT_STOPPED']) t.equal(wasCutShort(code('OTHER', each)), true, each)
  for (const none of [{}, { warnings: null }, { warnings: 'text' }, { warnings: [null, 5, {}] }, code('OTHER')]) t.equal(wasCutShort(none), false)
  const stopped = (options, duration) => wasCutShort({ ...code('STOPPED'), options, duration })
  t.equal(stopped({ duration: 10 }, 10), false, 'only its last responses are missing')
  t.equal(stopped({ duration: 10, amount: undefined, sessions: { calls: 1 } }, 10.5), false)
  t.equal(stopped({ duration: 10 }, 9.99), true)
  t.equal(stopped(undefined, 10), true)
  t.equal(stopped({}, 10), true)
  for (const amount of ['amount', 'maxOverallRequests', 'maxConnectionRequests']) t.equal(stopped({ duration: 10, [amount]: 5 }, 10), true, amount)
  t.equal(stopped({ duration: 10, sessions: { amount: 5 } }, 10), true)
  t.same([isWhole({}), isWhole({ incomplete: { parts: 1 } })], [true, false])
})

t.test('which sides did not respond at all', async (t) => {
  const result = (total, events) => ({ requests: { total }, ...(events !== undefined && { stream: { events } }) })
  t.same([[], [result(0)], [result(0), result(1)], [result(0, 0)], [result(0, 1)], [result(0), result(0)]].map(isWithoutAnswer), [false, true, false, true, false, true])
})

t.test('a comparison says how many runs were lost or cut short, and on which side', async (t) => {
  const runs = (count, changes) => Array.from({ length: count }, () => saved({ non2xx: 0, ...changes }))
  const cut = { warnings: [{ code: 'ABORTED_ON_FAIL' }] }
  const lost = { incomplete: { parts: 1 } }
  const said = (...sides) => warningsOf(sides.map(([results, all], index) => ({ name: ['one', 'two', 'three'][index], isSaved: false, results, all })), { metrics: { throughput: {}, p50: {} }, rounds: 2, isStopped: false })
  t.strictSame(said([runs(2)], [runs(2)]), [])
  t.strictSame(said([runs(2), [...runs(2), ...runs(1, lost)]], [runs(2), runs(2)], [runs(3), [...runs(3), ...runs(2, lost)]]), [
    { code: 'AGENT_LOST', message: '1 of 3 runs of one, 2 of 5 runs of three lost agents of a fleet: they are excluded, and no regression check passes.' }
  ])
  t.strictSame(said([[...runs(1), ...runs(1, cut)]], [runs(2, cut)]), [
    { code: 'RUN_CUT_SHORT', message: '1 of 2 runs of one, 2 of 2 runs of two ended early, as their warnings explain, so no regression check passes.' }
  ])
  const [single] = said([runs(1, cut)], [runs(2)])
  t.match(single, { code: 'RUN_CUT_SHORT', message: /^1 of 1 run of one ended early/ })
})
